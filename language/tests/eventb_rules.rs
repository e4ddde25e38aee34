//! Rules of Event-B's static checks: each is broken by the smallest model that breaks it, next to one that does not.

use std::path::PathBuf;

use bsym_language::files::Texts;
use bsym_language::load::load_from;
use bsym_language::render;

/// Writes a component as Rodin does. Each line is an element: `machine C refines A sees K`, `context K extends L`,
/// `set S`, `constant c`, `axiom l P`, `variable x`, `invariant l P`, `theorem l P`, `variant E`,
/// `event e refines f, g extended convergent`, and below it `any p`, `guard l P`, `derived l P`, `action l S`,
/// `witness p P`.
fn component(text: &str) -> (PathBuf, String) {
    let element = |tag: &str, attributes: &[(&str, &str)]| {
        let attributes = attributes.iter().map(|(name, value)| {
            let value = value.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
            format!(" org.eventb.core.{name}=\"{value}\"")
        });
        format!("<org.eventb.core.{tag}{}", attributes.collect::<String>())
    };
    let (mut out, mut name, mut kind, mut open) = (String::new(), String::new(), "", false);
    for line in text.lines().map(str::trim).filter(|l| !l.is_empty()) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let labelled = |tag: &str, attribute: &str| {
            let (label, formula) = rest.split_once(' ').unwrap_or((rest, ""));
            element(tag, &[("label", label), (attribute, formula)]) + "/>\n"
        };
        let of_event = ["any", "guard", "derived", "action", "witness"].contains(&word);
        if open && !of_event {
            out.push_str("</org.eventb.core.event>\n");
            open = false;
        }
        let named = |tag: &str| element(tag, &[("identifier", rest)]) + "/>\n";
        let written = match word {
            "machine" | "context" => {
                kind = if word == "machine" { "machineFile" } else { "contextFile" };
                let mut words = rest.split(' ');
                name = words.next().unwrap_or_default().to_string();
                let mut header = format!("<org.eventb.core.{kind}>\n");
                let mut how = "";
                for word in words {
                    match word {
                        "refines" => how = "refinesMachine",
                        "sees" => how = "seesContext",
                        "extends" => how = "extendsContext",
                        target => header += &(element(how, &[("target", target)]) + "/>\n"),
                    }
                }
                header
            }
            "set" => named("carrierSet"),
            "constant" | "variable" => named(word),
            "any" => named("parameter"),
            "variant" => element("variant", &[("expression", rest)]) + "/>\n",
            "axiom" | "invariant" | "guard" | "witness" => labelled(word, "predicate"),
            "theorem" | "derived" => {
                let tag = match (word, kind) {
                    ("derived", _) => "guard",
                    (_, "contextFile") => "axiom",
                    _ => "invariant",
                };
                labelled(tag, "predicate").replace("/>", " org.eventb.core.theorem=\"true\"/>")
            }
            "action" => labelled("action", "assignment"),
            "event" => {
                open = true;
                let mut words = rest.split([' ', ',']).filter(|w| !w.is_empty());
                let label = words.next().unwrap_or_default();
                let (mut extended, mut convergence, mut refines) = ("false", "0", String::new());
                for word in words {
                    match word {
                        "refines" => {}
                        "extended" => extended = "true",
                        "convergent" => convergence = "1",
                        "anticipated" => convergence = "2",
                        target => refines += &(element("refinesEvent", &[("target", target)]) + "/>\n"),
                    }
                }
                let event = [("label", label), ("extended", extended), ("convergence", convergence)];
                element("event", &event) + ">\n" + &refines
            }
            other => panic!("{other}"),
        };
        out.push_str(&written);
    }
    if open {
        out.push_str("</org.eventb.core.event>\n");
    }
    out.push_str(&format!("</org.eventb.core.{kind}>\n"));
    let extension = if kind == "machineFile" { "bum" } else { "buc" };
    (format!("{name}.{extension}").into(), out)
}

/// Messages about the last of the components, which `---` separates.
fn messages(project: &str) -> Vec<String> {
    let files: Vec<(PathBuf, String)> = project.split("---").map(component).collect();
    let main = files.last().expect("there is one").0.clone();
    let texts: Texts = files.into_iter().collect();
    let loaded = load_from(&texts, &main).expect("it can be read");
    let of_rules = |d: &&bsym_language::diagnostic::Diagnostic| d.code.number < 500;
    loaded.diagnostics.iter().filter(of_rules).map(|d| render::render_line(&loaded.sources, d)).collect()
}

/// The model breaks one rule, and this is the message, with its file.
#[track_caller]
fn check(project: &str, expected: &[&str]) {
    let found: Vec<String> = messages(project)
        .iter()
        .map(|m| {
            let (place, text) = m.split_once(": ").unwrap_or(("", m));
            format!("{}: {text}", place.split(':').next().unwrap_or_default())
        })
        .collect();
    assert_eq!(found, expected, "{project}");
}

const ABSTRACT: &str = "machine A
    variable x
    invariant i1 x ∈ 0‥3
    event INITIALISATION
    action a1 x ≔ 0
    event inc
    guard g1 x < 3
    action a1 x ≔ x + 1
";

const START: &str = "machine C refines A
    variable y
    invariant j1 y ∈ 0‥3
    invariant j2 y = x
    event INITIALISATION
    action a1 y ≔ 0
";

#[track_caller]
fn refined(rest: &str, expected: &[&str]) {
    check(&format!("{ABSTRACT}---{START}{rest}"), expected);
}

/// A machine on its own, with a variable `x` that is initialised.
#[track_caller]
fn alone(rest: &str, expected: &[&str]) {
    let start = "machine M\n variable x\n invariant i1 x ∈ ℤ\n";
    check(&format!("{start}{rest}"), expected);
}

const ZERO: &str = "event INITIALISATION\n action a1 x ≔ 0\n";

#[test]
fn what_has_disappeared_is_not_read() {
    let step = "event inc refines inc\n guard g1 y < 3\n action a2 y ≔ y + 1";
    refined(step, &[]);
    let gone = |what: &str| {
        format!("error[B0303]: {what} reads `x`, a variable of the abstraction `A` that has disappeared here")
    };
    let guard = gone("a guard of event `inc`");
    refined(&step.replace("y < 3", "y < 3 ∧ x < 3"), &[&format!("C.bum: {guard}")]);
    let action = gone("an action of event `inc`");
    refined(&step.replace("y + 1", "x + 1"), &[&format!("C.bum: {action}")]);
    refined(&step.replace("y ≔ y + 1", "y :∈ {x + 1}"), &[&format!("C.bum: {action}")]);
    refined(&step.replace("y ≔ y + 1", "y :∣ y' = x + 1"), &[&format!("C.bum: {action}")]);
    // A theorem may, as may a bound name.
    refined(&step.replace("action", "derived t1 x = y\n action"), &[]);
    refined(&step.replace("y < 3", "y < 3 ∧ (∃x·x > y)"), &[]);
    refined(
        &step.replace("y ≔ y + 1", "x ≔ y + 1"),
        &["C.bum: error[B0304]: `x` is a variable of the abstraction `A` and does not exist here"],
    );
    let variant = gone("the variant");
    let convergent = "event down convergent\n guard g1 y > 4\n action a1 y ≔ y − 1";
    refined(&format!("variant y\n{step}\n{convergent}"), &[]);
    refined(&format!("variant x\n{step}\n{convergent}"), &[&format!("C.bum: {variant}")]);
    // What an event inherits it reads as well.
    refined("event inc refines inc extended", &[&format!("C.bum: {guard}")]);
}

#[test]
fn what_has_disappeared_before_is_not_mentioned_at_all() {
    let third = "---machine D refines C\n variable z\n invariant k1 z = y\n event INITIALISATION\n action a1 z ≔ 0\n \
                 event inc refines inc\n guard g1 z < 3\n action a1 z ≔ z + 1";
    let step = "event inc refines inc\n guard g1 y < 3\n action a1 y ≔ y + 1";
    refined(&format!("{step}{third}"), &[]);
    refined(
        &format!("{step}{}", third.replace("z = y", "z = y ∧ z = x")),
        &["D.bum: error[B0303]: `x` is a variable of machine `A` that already `C` does not have"],
    );
    refined(
        &format!(
            "{step}{}",
            third.replace("variable z", "variable z\n variable x").replace("z ≔ 0", "z, x ≔ 0, 0")
        ),
        &["D.bum: error[B0302]: variable `x` of machine `A` has disappeared before and cannot come back"],
    );
}

#[test]
fn a_label_names_one_thing() {
    alone(&format!("invariant i2 x ≥ 0\n{ZERO}"), &[]);
    alone(
        &format!("invariant i1 x ≥ 0\n{ZERO}"),
        &["M.bum: error[B0316]: two invariants of machine `M` have the label `i1`"],
    );
    alone(
        &format!("theorem i1 x ≥ 0\n{ZERO}"),
        &["M.bum: error[B0316]: label `i1` of machine `M` is both that of an invariant and of a theorem"],
    );
    alone(
        &format!("{ZERO}event i1\n action a1 x ≔ 1"),
        &["M.bum: error[B0316]: label `i1` of machine `M` is both that of an invariant and of an event"],
    );
    alone(
        &format!("{ZERO}event e\n guard l x > 0\n guard l x > 1\n action a x ≔ 1"),
        &["M.bum: error[B0316]: two guards of event `e` have the label `l`"],
    );
    alone(
        &format!("{ZERO}event e\n guard l x > 0\n action l x ≔ 1"),
        &["M.bum: error[B0316]: label `l` of event `e` is both that of a guard and of an action"],
    );
    alone(
        &format!("variable y\n invariant i2 y ∈ ℤ\n{ZERO} action a1 y ≔ 1"),
        &["M.bum: error[B0316]: two actions of event `INITIALISATION` have the label `a1`"],
    );
    check(
        "context K\n constant c\n axiom a c ∈ ℤ\n axiom a c > 0",
        &["K.buc: error[B0316]: two axioms of context `K` have the label `a`"],
    );
    alone(
        &format!("{ZERO}event e\n action a x ≔ 1\n event e\n action a x ≔ 2"),
        &["M.bum: error[B0302]: event `e` is declared twice"],
    );
    // The abstraction has labels of its own, unless an event extends one of it.
    let kept = "---machine C refines A\n variable x\n invariant i1 x ≥ 0\n event INITIALISATION extended\n";
    let extends = format!("{ABSTRACT}{kept} event inc refines inc extended\n guard g2 x > 0");
    check(&extends, &[]);
    check(
        &extends.replace("g2", "g1"),
        &["C.bum: error[B0316]: two guards of event `inc` have the label `g1`"],
    );
    check(
        &extends.replace("g2", "a1"),
        &["C.bum: error[B0316]: label `a1` of event `inc` is both that of an action and of a guard"],
    );
    check(&extends.replace("inc extended\n guard g2", "inc\n guard g1"), &[]);
}

#[test]
fn a_name_is_declared_once() {
    let seen = "context K\n set S\n constant c\n axiom a c ∈ S\n---";
    let machine = format!("{seen}machine M sees K\n variable x\n invariant i1 x ∈ ℤ\n{ZERO}");
    check(&machine, &[]);
    check(
        &machine.replace("variable x", "variable x\n variable c"),
        &[
            "M.bum: error[B0302]: variable `c` has the name of a constant",
            "M.bum: warning[B0405]: variable `c` is not initialised: it may have any value at first",
        ],
    );
    check(
        &machine.replace("variable x", "variable x\n variable x"),
        &["M.bum: error[B0302]: `x` is declared twice"],
    );
    for (name, what) in [("x", "a variable"), ("c", "a constant"), ("S", "a set")] {
        check(
            &format!("{machine}event e\n any {name}\n guard g {name} = {name}\n action a x ≔ 1"),
            &[&format!("M.bum: error[B0302]: parameter `{name}` of event `e` has the name of {what}")],
        );
    }
    check(
        &format!("{machine}event e\n any p\n any p\n guard g p ∈ ℤ\n action a x ≔ p"),
        &["M.bum: error[B0302]: `p` occurs twice in this list"],
    );
    // Contexts that do not extend each other share one machine.
    check(
        "context K\n set S\n---context L\n set S\n---machine M sees K L\n event INITIALISATION",
        &["L.buc: error[B0302]: `S` is declared twice"],
    );
    check(
        "context K\n set S\n---context L extends K\n constant S\n axiom a S ∈ ℤ",
        &["L.buc: error[B0302]: constant `S` has the name of a set"],
    );
    // A variable that disappears keeps its name.
    refined(
        "event inc refines inc\n any x\n guard g1 y < 3 ∧ x = 1\n action a1 y ≔ y + x",
        &["C.bum: error[B0302]: parameter `x` of event `inc` has the name of a variable"],
    );
    let kept = "---machine C refines A\n variable x\n event INITIALISATION extended\n";
    let more = ABSTRACT.replace("guard g1", "any p\n guard g0 p = 1\n guard g1");
    check(&format!("{more}{kept} event inc refines inc extended\n any q\n guard h q = 1"), &[]);
    check(
        &format!("{more}{kept} event inc refines inc extended\n any p\n guard h p = 1"),
        &["C.bum: error[B0302]: parameter `p` of event `inc` is inherited already"],
    );
    check(
        &format!(
            "context K\n constant p\n axiom a p = 1\n---{more}{}",
            kept.replace("refines A", "refines A sees K")
        )
        .as_str()
        .replace("extended\n", "extended\n event inc refines inc extended\n"),
        &["C.bum: error[B0302]: parameter `p` of event `inc` has the name of a constant"],
    );
    check(
        "machine M\n variable x y\n event INITIALISATION",
        &["M.bum: error[B0007]: `x y` is no name: formulas cannot use it"],
    );
    check(
        "machine M\n variable dom\n event INITIALISATION",
        &["M.bum: error[B0014]: `dom` is a word of Event-B and cannot be declared"],
    );
}

#[test]
fn the_initialisation_gives_first_values_and_no_more() {
    alone(
        "event INITIALISATION\n any p\n guard g p = 1\n action a x ≔ p",
        &[
            "M.bum: error[B0431]: the initialisation has a parameter, `p`",
            "M.bum: error[B0431]: the initialisation has a guard, `g`",
        ],
    );
    let reads = "M.bum: error[B0303]: the initialisation cannot read `x`: no variable has a value before";
    alone("event INITIALISATION\n action a x ≔ x + 1", &[reads]);
    alone("event INITIALISATION\n action a x :∣ x' = x", &[reads]);
    alone("event INITIALISATION\n action a x :∣ x' > 1", &[]);
    alone(
        "variable y\n invariant i2 y ∈ ℤ\n event INITIALISATION\n action a x ≔ 1",
        &["M.bum: warning[B0405]: variable `y` is not initialised: it may have any value at first"],
    );
    alone(
        "event Initialization\n action a x ≔ 1",
        &[
            "M.bum: warning[B0405]: machine `M` has no event INITIALISATION, so its variables may have any value at first",
            "M.bum: warning[B0431]: `Initialization` is an event like all others: the first values come from INITIALISATION",
        ],
    );
    alone(
        &format!("{ZERO} event e refines INITIALISATION\n action a x ≔ 1"),
        &["M.bum: error[B0430]: event `e` refines INITIALISATION, which only that does"],
    );
    alone(
        "event INITIALISATION convergent\n action a x ≔ 1",
        &["M.bum: warning[B0433]: the initialisation happens once: it is ordinary"],
    );
}

#[test]
fn an_event_assigns_to_variables_of_its_machine_once() {
    let seen = "context K\n set S\n constant c\n axiom a c ∈ S\n---";
    let event = |action: &str| {
        format!(
            "{seen}machine M sees K\n variable x\n invariant i1 x ∈ ℤ\n{ZERO}event e\n any p\n guard g p ∈ ℤ\n action a {action}"
        )
    };
    check(&event("x ≔ p"), &[]);
    check(&event("x ≔ p\n action b x ≔ 1"), &["M.bum: error[B0404]: `x` is assigned twice at the same time"]);
    check(&event("c ≔ c"), &["M.bum: error[B0304]: `c` is a constant and cannot be assigned to"]);
    check(&event("S ≔ S"), &["M.bum: error[B0304]: `S` is a set and cannot be assigned to"]);
    check(&event("p ≔ 1"), &["M.bum: error[B0304]: `p` cannot be assigned to"]);
    check(&event("z ≔ 1"), &["M.bum: error[B0301]: `z` is not declared"]);
    let kept = "---machine C refines A\n variable x\n event INITIALISATION extended\n";
    check(
        &format!("{ABSTRACT}{kept} event inc refines inc extended\n action a2 x ≔ 1"),
        &["C.bum: error[B0404]: `x` is assigned twice at the same time"],
    );
}

#[test]
fn an_event_refines_events_of_the_abstraction() {
    refined(
        "event step refines inc, dec\n guard g1 y < 3\n action a1 y ≔ y + 1",
        &["C.bum: error[B0301]: there is no event of machine `A`: `dec`"],
    );
    refined(
        "event step refines inc, inc\n guard g1 y < 3\n action a1 y ≔ y + 1",
        &["C.bum: warning[B0430]: event `step` refines `inc` twice"],
    );
    alone(
        &format!("{ZERO} event e refines f\n action a x ≔ 1"),
        &["M.bum: error[B0301]: event `e` refines `f`, but machine `M` refines no machine"],
    );
    refined(
        "event inc\n guard g1 y < 3",
        &[
            "C.bum: warning[B0430]: no event refines `inc` of machine `A`",
            "C.bum: warning[B0430]: event `inc` does not refine the abstract event of its name",
        ],
    );
    refined(
        "event inc refines inc\n guard g1 y < 3\n action a1 y ≔ y + 1\n event more extended",
        &["C.bum: error[B0430]: event `more` extends, but refines no event"],
    );
    refined(
        "event inc refines INITIALISATION\n action a1 y ≔ 0",
        &[
            "C.bum: warning[B0430]: no event refines `inc` of machine `A`",
            "C.bum: warning[B0430]: event `inc` does not refine the abstract event of its name",
            "C.bum: error[B0430]: event `inc` refines INITIALISATION, which only that does",
        ],
    );
    refined(
        "event INITIALISATION\n action a1 y ≔ 1\n event inc refines inc\n guard g1 y < 3\n action a1 y ≔ y + 1",
        &["C.bum: error[B0302]: event `INITIALISATION` is declared twice"],
    );
}

#[test]
fn events_that_are_merged_do_the_same() {
    let two = |second: &str| {
        format!(
            "{ABSTRACT} event inc2\n guard g2 x = 3\n {second}\n---machine C refines A\n variable x\n \
             event INITIALISATION extended\n event both refines inc, inc2\n guard g x < 2\n action a1 x ≔ x + 1"
        )
    };
    check(&two("action a1 x ≔ x + 1"), &[]);
    check(
        &two("action a1 x ≔ x + 2"),
        &["C.bum: error[B0430]: event `both` merges `inc` and `inc2`, but their actions differ"],
    );
    check(
        &two("action a2 x ≔ x + 1"),
        &[
            "C.bum: error[B0430]: event `both` merges `inc` and `inc2`, but their actions have different labels",
        ],
    );
    check(
        &two("action a1 x ≔ x + 1")
            .replace("inc, inc2", "inc, inc2 extended")
            .replace("\n action a1 x ≔ x + 1\n---", "\n---")
            .replace("2\n action a1 x ≔ x + 1", "2"),
        &[
            "C.bum: error[B0430]: event `both` merges `inc` and `inc2`, but their actions differ",
            "C.bum: error[B0430]: event `both` extends and refines more than one event",
        ],
    );
}

#[test]
fn a_witness_is_for_what_the_abstract_event_chooses() {
    let choosing = "machine A\n variable x\n invariant i1 x ∈ 0‥3\n event INITIALISATION\n action a1 x ≔ 0\n \
                    event set\n any p\n any q\n guard g1 p ∈ 0‥3 ∧ q = p\n action a1 x :∈ {p}\n---";
    let step = |witnesses: &str| {
        format!(
            "{choosing}{START}event set refines set\n any q\n guard g1 q ∈ 0‥3\n action a1 y ≔ q\n {witnesses}"
        )
    };
    check(&step("witness p p = q\n witness x' x' = y'"), &[]);
    check(&step("witness x' x' = y'"), &["C.bum: warning[B0432]: event `set` has no witness for `p`"]);
    check(&step("witness p p = q"), &["C.bum: warning[B0432]: event `set` has no witness for `x'`"]);
    check(
        &step("witness p p = q\n witness x' x' = y'\n witness q q = 1"),
        &["C.bum: error[B0432]: event `set` needs no witness for `q`"],
    );
    check(
        &step("witness p p = q\n witness x' x' = y'\n witness p p = q"),
        &["C.bum: error[B0432]: event `set` has two witnesses for `p`"],
    );
    check(
        &step("witness p p = x'\n witness x' x' = y'"),
        &["C.bum: error[B0303]: the witness for `p` cannot speak of `x'`, which has one of its own"],
    );
    check(&step("witness p p = q + x − y\n witness x' x' = y'"), &[]);
    // Nothing is chosen: the action gives x its value.
    refined(
        "event inc refines inc\n guard g1 y < 3\n action a1 y ≔ y + 1\n witness x' x' = y'",
        &["C.bum: error[B0432]: event `inc` needs no witness for `x'`"],
    );
    let initially = format!("{}---{START}", ABSTRACT.replace("x ≔ 0", "x :∈ {0}"));
    let step = "event inc refines inc\n guard g1 y < 3\n action a1 y ≔ y + 1";
    check(&format!("{initially} witness x' x' = y'\n {step}"), &[]);
    check(
        &format!("{initially} witness x' x' = y\n {step}"),
        &[
            "C.bum: error[B0303]: a witness of the initialisation cannot read `y`: no variable has a value before",
        ],
    );
}

#[test]
fn variants_and_convergent_events_fit_together() {
    alone(&format!("variant x\n{ZERO} event e convergent\n guard g x > 0\n action a x ≔ x − 1"), &[]);
    alone(
        &format!("{ZERO} event e convergent\n guard g x > 0\n action a x ≔ x − 1"),
        &["M.bum: warning[B0433]: event `e` is convergent, but the machine has no variant"],
    );
    alone(
        &format!("variant x\n{ZERO} event e\n guard g x > 0\n action a x ≔ x − 1"),
        &["M.bum: warning[B0433]: no event is convergent or anticipated: nothing decreases this variant"],
    );
    alone(
        &format!("variant bool(x > 0)\n{ZERO} event e convergent\n guard g x > 0\n action a x ≔ x − 1"),
        &["M.bum: error[B0203]: a variant is a number or a finite set, this is BOOL"],
    );
    let kept = |how: &str, refined: &str| {
        let anticipated = ABSTRACT.replace("event inc", &format!("event inc {how}"));
        format!(
            "{anticipated}---machine C refines A\n variable x\n event INITIALISATION extended\n variant 3 − x\n \
             event inc refines inc extended {refined}"
        )
    };
    check(&kept("anticipated", "convergent"), &[]);
    check(&kept("anticipated", "anticipated"), &[]);
    check(
        &kept("anticipated", ""),
        &[
            "C.bum: warning[B0433]: no event is convergent or anticipated: nothing decreases this variant",
            "C.bum: warning[B0433]: event `inc` refines an anticipated event: it is anticipated or convergent",
        ],
    );
    check(
        &kept("", "convergent"),
        &["C.bum: warning[B0433]: event `inc` refines an ordinary event, so it is ordinary as well"],
    );
}

#[test]
fn contexts_are_named_once() {
    let contexts = "context K\n set S\n---context L extends K\n constant c\n axiom a c ∈ S\n---";
    let machine = "machine M sees L\n event INITIALISATION\n";
    check(&format!("{contexts}{machine}"), &[]);
    check(
        &format!("{contexts}{}", machine.replace("sees L", "sees L K")),
        &["M.bum: warning[B0434]: context `K` is seen by way of `L` already"],
    );
    check(
        &format!("{contexts}{}", machine.replace("sees L", "sees L L")),
        &["M.bum: warning[B0434]: context `L` is seen twice"],
    );
    check(
        &format!("{contexts}{machine}---machine N refines M sees K\n event INITIALISATION"),
        &["N.bum: warning[B0434]: `N` does not see `L`, which its abstraction sees: it is added"],
    );
    check(
        &format!("{contexts}{}", machine.replace("sees L", "sees Q")),
        &["M.bum: error[B0420]: there is no context `Q`"],
    );
    check(
        &format!("{ABSTRACT}---{START}").replace("machine C refines A", "machine C refines A refines A"),
        &["C.bum: error[B0040]: machine `C` refines two machines"],
    );
}
