//! Our own package and Rodin project: read in every way they come, and broken in every way we know.

use std::io::Write;
use std::path::{Path, PathBuf};

use bsym_language::diagnostic::Severity;
use bsym_language::files::Texts;
use bsym_language::load::{LoadRequest, Loaded, load_from, load_model, load_with};
use bsym_language::model::*;
use bsym_language::{print, render, walk};

fn ours(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/eventb").join(name)
}

fn model(loaded: Loaded) -> Model {
    let messages: Vec<String> =
        loaded.diagnostics.iter().map(|d| render::render_line(&loaded.sources, d)).collect();
    loaded.model.unwrap_or_else(|| panic!("{messages:#?}"))
}

fn component(path: &Path, name: &str) -> Model {
    let request = LoadRequest { component: Some(name.into()), ..LoadRequest::default() };
    model(load_with(path, &request).expect("it can be read"))
}

fn errors(path: &Path, component: Option<&str>) -> Vec<String> {
    let request = LoadRequest { component: component.map(String::from), ..LoadRequest::default() };
    match load_with(path, &request) {
        Err(e) => vec![e.to_string()],
        Ok(loaded) => {
            assert_eq!(
                loaded.model.is_none(),
                loaded.diagnostics.iter().any(|d| d.severity == Severity::Error)
            );
            loaded.diagnostics.iter().map(|d| render::render_line(&loaded.sources, d)).collect()
        }
    }
}

fn copy(to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for name in ["Valve.buc", "Tank0.bum", "Tank1.bum", "Tank2.bum"] {
        std::fs::copy(ours("Tank").join(name), to.join(name)).expect("a copy");
    }
}

#[test]
fn a_package_and_a_project_give_the_same_model() {
    let package = model(load_model(&ours("tank.eventb")).expect("it can be read"));
    let rodin = model(load_model(&ours("Tank/Tank1.bum")).expect("it can be read"));
    assert_eq!(walk::normalised(&package), walk::normalised(&rodin));
    let labels =
        |m: &Model| m.invariant.iter().map(|c| c.label.clone().unwrap_or_default()).collect::<Vec<_>>();
    assert_eq!(labels(&rodin), ["inv1", "inv1", "inv2"]);
    assert_eq!(labels(&package), labels(&rodin));
    assert_eq!(rodin.invariant[0].text, "level ∈ 0 ‥ cap");
    assert_eq!(package.invariant[0].text, "level : 0 .. cap");
    let origins: Vec<&str> =
        rodin.invariant.iter().map(|c| rodin.text.components[c.origin.index()].name.as_str()).collect();
    assert_eq!(origins, ["Tank0", "Tank1", "Tank1"]);
}

#[test]
fn an_event_carries_its_abstractions_along() {
    let m = component(&ours("Tank"), "Tank1");
    let names: Vec<&str> = m.events.iter().map(|e| e.name.as_str()).collect();
    assert_eq!(names, ["open", "drop", "drain"]);
    assert_eq!(m.events[0].convergence, Convergence::Convergent);
    assert_eq!(m.events[1].refines, ["fill"]);
    let text = print::event(&m, &m.events[1]);
    for part in ["ASSERT 1 : 1 .. 2", "ASSERT level + 1 <= cap", "level, room := level + 1, room - 1"] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    let checks: Vec<String> = m.refinement.checks.iter().map(|c| c.message(&m)).collect();
    assert_eq!(checks[0], "guard grd1 of the abstract event fill (Tank0) is false");
    // `drain` is left to the witness of the new level.
    assert!(print::event(&m, &m.events[2]).contains("cap - x"));
}

#[test]
fn an_extended_event_checks_nothing_twice() {
    let m = component(&ours("Tank"), "Tank2");
    assert_eq!(m.variables.len(), 4);
    assert_eq!(m.invariant.len(), 4);
    let drop = &m.events[1];
    assert_eq!(
        (drop.name.as_str(), drop.refines.as_slice()),
        ("drop", &["drop".to_string(), "fill".into()][..])
    );
    // Only what Tank0 demands of Tank1 is left: the extension gives Tank1 all it asks for.
    assert!(m.refinement.checks.iter().all(|c| m.text.components[c.origin.index()].name == "Tank0"));
    assert!(!m.refinement.checks.is_empty());
}

#[test]
fn a_context_alone_is_a_model() {
    let m = component(&ours("Tank"), "Valve");
    assert_eq!((m.events.len(), m.variables.len(), m.axioms.len(), m.assertions.len()), (0, 0, 1, 1));
    assert_eq!(m.types.carriers[0].kind, CarrierKind::Enumerated(vec!["OPEN".into(), "CLOSED".into()]));
    assert_eq!(m.constants.len(), 1);
}

#[test]
fn folders_and_archives_give_their_last_refinement() {
    let place = tempfile::tempdir().expect("a folder");
    let folder = place.path().join("it's a project");
    copy(&folder);
    let last = model(load_model(&folder).expect("it can be read"));
    assert_eq!((last.name.as_str(), last.text.notation), ("Tank2", Notation::EventB));

    let archive = place.path().join("tank.zip");
    let mut zip = zip::ZipWriter::new(std::fs::File::create(&archive).expect("a file"));
    for project in ["A", "B"] {
        for name in ["Valve.buc", "Tank0.bum", "Tank1.bum"] {
            let options = zip::write::SimpleFileOptions::default();
            zip.start_file(format!("{project}/{name}"), options).expect("an entry");
            zip.write_all(&std::fs::read(ours("Tank").join(name)).expect("a file")).expect("written");
        }
    }
    zip.finish().expect("an archive");
    let problem = errors(&archive, None);
    assert!(
        problem[0].ends_with("several projects could be meant; choose one with --machine: A/Tank1, B/Tank1")
    );
    assert_eq!(component(&archive, "B/Tank0").name, "Tank0");
    let unknown = errors(&archive, Some("Tank7"));
    assert!(unknown[0].contains("there is no component `Tank7`; there are: A/Tank0"), "{unknown:?}");

    let bytes = std::fs::read(&archive).expect("an archive");
    std::fs::write(&archive, &bytes[..bytes.len() / 2]).expect("written");
    assert!(errors(&archive, None)[0].contains("cut off or damaged"));

    std::fs::copy(folder.join("Tank1.bum"), folder.join("Other.bum")).expect("a copy");
    let several = errors(&folder, None);
    assert!(several[0].ends_with("choose one with --machine: Other, Tank2"), "{several:?}");
}

#[test]
fn mistakes_have_file_line_and_column() {
    let place = tempfile::tempdir().expect("a folder");
    let folder = place.path().join("P");
    copy(&folder);
    let change = |name: &str, from: &str, to: &str| {
        let text = std::fs::read_to_string(ours("Tank").join(name)).expect("a text");
        assert!(text.contains(from), "{from}");
        std::fs::write(folder.join(name), text.replacen(from, to, 1)).expect("written");
        let found = errors(&folder, Some("Tank1"));
        std::fs::copy(ours("Tank").join(name), folder.join(name)).expect("a copy");
        let first = found.first().cloned().unwrap_or_default();
        first.rsplit_once("/P/").map_or(first.clone(), |(_, rest)| rest.to_string())
    };
    let check = |(name, from, to): (&str, &str, &str), expected: &str| {
        let found = change(name, from, to);
        assert!(found.starts_with(expected), "{found}");
    };
    check(
        ("Tank1.bum", "room + level = cap", "room + levl = cap"),
        "Tank1.bum:7:102: error[B0301]: `levl` is not declared",
    );
    check(
        ("Tank0.bum", "level + amount ≤ cap", "level + amount ≤ ≤ cap"),
        "Tank0.bum:13:109: error[B0010]: expected an expression or predicate, found `≤`",
    );
    check(("Tank0.bum", "level ≔ 0", "level = 0"), "Tank0.bum:8:");
    // The place counts what the file holds, not what `&lt;` stands for.
    check(
        ("Valve.buc", "cap ∈ 2 ‥ 3", "cap &lt; 2 ∧ cep = 3"),
        "Valve.buc:8:104: error[B0301]: `cep` is not declared",
    );
    let found = change("Tank1.bum", " org.eventb.core.label=\"drain\"", "");
    assert!(found.ends_with("error[B0062]: the attribute `label` of this `event` is missing"), "{found}");
    let found = change("Tank1.bum", "</org.eventb.core.machineFile>", "");
    assert!(found.contains("error[B0062]: this is no well-formed XML"), "{found}");
    let found = change("Tank1.bum", "target=\"Tank0\"", "target=\"Tank9\"");
    assert!(found.contains("error[B0420]: there is no machine `Tank9`"), "{found}");
}

#[test]
fn broken_files_are_answered_by_a_message() {
    let place = tempfile::tempdir().expect("a folder");
    let package = std::fs::read_to_string(ours("tank.eventb")).expect("a text");
    let at = |text: &str| {
        let path = place.path().join("p.eventb");
        std::fs::write(&path, text).expect("written");
        let found = errors(&path, None);
        found.first().and_then(|m| m.rsplit_once("p.eventb:")).map(|(_, m)| m.to_string()).unwrap_or_default()
    };
    assert_eq!(at("hello(world)."), "1:1: error[B0061]: the fact `package/1` is missing");
    assert!(at(&package[..package.len() / 2]).contains("error[B0060]"));
    let unknown = at(&package.replacen("greater(", "grater(", 1));
    assert!(unknown.ends_with("error[B0061]: `grater/3` is no known form of a formula"), "{unknown}");
    let missing = at(&package.replacen("refines(none,'Tank0')", "refines(none,'Tank9')", 1));
    assert!(missing.ends_with("error[B0420]: there is no machine `Tank9`"), "{missing}");
    let typed = at(&package.replacen("integer(none,4)", "boolean_true(none)", 1));
    assert!(typed.contains("error[B0203]"), "{typed}");
}

/// Every change of a few characters gives a model or a message, never a panic.
#[test]
fn mutated_files_never_panic() {
    let place = tempfile::tempdir().expect("a folder");
    let folder = place.path().join("Tank");
    copy(&folder);
    let package = place.path().join("tank.eventb");
    let mut random = fastrand::Rng::with_seed(7);
    let mut random = |below: usize| random.usize(..below);
    const BITS: [&str; 12] = ["(", ")", "[", "]", "'", ",", "\\", "none", "\"", "<", "∀", "0"];
    let mut models = 0;
    for round in 0..600 {
        let names = ["tank.eventb", "Tank/Valve.buc", "Tank/Tank0.bum", "Tank/Tank1.bum"];
        let name = names[round % names.len()];
        let text = std::fs::read_to_string(ours(name)).expect("a text");
        let mut chars: Vec<char> = text.chars().collect();
        for _ in 0..=random(2) {
            let at = random(chars.len());
            let end = (at + 1 + random(6)).min(chars.len());
            match random(4) {
                0 => drop(chars.drain(at..end)),
                1 => drop(chars.splice(at..at, BITS[random(BITS.len())].chars())),
                2 => drop(chars.splice(at..end, BITS[random(BITS.len())].chars())),
                _ => chars.truncate(at.max(1)),
            }
        }
        let broken: String = chars.into_iter().collect();
        let path = if name.ends_with(".eventb") { &package } else { &folder };
        std::fs::write(place.path().join(name), broken).expect("written");
        let component = (path == &folder).then_some("Tank1");
        let messages = errors(path, component);
        models += usize::from(messages.is_empty());
        if path == &folder {
            std::fs::copy(ours(name), place.path().join(name)).expect("a copy");
        }
    }
    assert!((1..500).contains(&models), "{models} of 600 mutants are models");
}

#[test]
fn theories_of_a_project_are_read() {
    let shelf = model(load_model(&ours("Shelf/Shelf.bum")).expect("it can be read"));
    let stack = &shelf.types.free_types[0];
    assert_eq!((stack.name.as_str(), stack.parameters, shelf.types.free_types.len()), ("Stack", 1, 1));
    assert_eq!(stack.constructors[1].destructors, ["top", "rest"]);
    // Direct definitions are written out, also infix ones; the recursive one is an operator.
    let text = |i: usize| print::pred(&shelf, &shelf.invariant[i].pred);
    assert_eq!(text(1), "2 * height(items) <= 4");
    assert_eq!(text(2), "2 > min({height(items), 1})");
    assert!(
        shelf.definitions.operators.iter().all(|o| o.name == "height"),
        "{:?}",
        shelf.definitions.operators
    );
    assert!(matches!(shelf.definitions.operators[0].definition, OperatorDefinition::Expr(_)));
    // Axioms give no value: that is a mistake only where one is needed.
    let priced = model(load_model(&ours("Shelf/Priced.bum")).expect("it can be read"));
    assert!(priced.definitions.operators.iter().any(|o| o.definition == OperatorDefinition::Axiomatic));
}

/// The same theory from a project and from a package: conditions are obligations in both.
#[test]
fn conditions_of_operators_come_from_every_format() {
    for name in ["Halved", "Guarded", "Evened", "Popped"] {
        let rodin = model(load_model(&ours(&format!("Ration/{name}.bum"))).expect("it can be read"));
        let package = format!("Ration/{}.eventb", name.to_lowercase());
        let package = model(load_model(&ours(&package)).expect("it can be read"));
        assert_eq!(walk::normalised(&rodin), walk::normalised(&package), "{name}");
    }
    let halved = model(load_model(&ours("Ration/Halved.bum")).expect("it can be read"));
    let text = print::event(&halved, &halved.events[0]);
    let said = "ASSERT_EXPR(bool(x > 0), \"operator half is used outside of its condition\", x / 2)";
    assert!(text.contains(said), "{text}");
    let evened = model(load_model(&ours("Ration/Evened.bum")).expect("it can be read"));
    assert!(print::event(&evened, &evened.events[0]).contains("ASSERT_TRUE(bool(x > 0), "));
}

#[test]
fn a_broken_theory_is_told_with_its_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let check = |from: &str, to: &str, expected: &[&str]| {
        for name in ["Stock.tuf", "Shelf.bum"] {
            let text = std::fs::read_to_string(ours("Shelf").join(name)).expect("our file");
            let changed = text.replace(from, to);
            assert!(name != "Stock.tuf" || changed != text, "{from}");
            let text = if name == "Stock.tuf" { changed } else { text };
            std::fs::write(folder.path().join(name), text).expect("a copy");
        }
        let said = errors(&folder.path().join("Shelf.bum"), None);
        for part in expected {
            assert!(said.iter().any(|m| m.contains(part)), "{part}: {said:#?}");
        }
        said
    };
    check("</org.eventb.theory.core.theoryRoot>", "", &["Stock.tuf:", "no well-formed XML"]);
    check("2∗n", "2∗", &["Stock.tuf:", "expected an expression or predicate, the text ends here"]);
    check(
        "\"s\">\n            <org.eventb.theory.core.recursiveDefinitionCase",
        "\"t\">\n            <org.eventb.theory.core.recursiveDefinitionCase",
        &["Stock.tuf:", "`t` is no argument of this operator"],
    );
    check("push(x, r)", "push(x, 1)", &["Stock.tuf:", "expected a constructor with names for its parts"]);
    check("label=\"height\"", "label=\"tallness\"", &["Shelf.bum:"]);
    check(
        "org.eventb.core.identifier=\"n\"",
        "",
        &["Shelf.bum:", "operator `twice` has 0 parameters, 1 arguments are given"],
    );
    // What is not used does no harm.
    let said = check("union({{x} ∣ x ∈ s})", "union({{x} ∣ x ∈ })", &["Stock.tuf:"]);
    assert!(said.iter().all(|m| m.contains("warning")), "{said:#?}");
}

/// A theory that others wrote: the user's file and what the plug-in makes of it say the same.
#[test]
fn a_theory_is_the_same_in_each_of_its_files() {
    let Some(corpus) = bsym_testing::corpus() else { return };
    let project = corpus.join("rodin/prob2_kernel/TheoryWDTest");
    let mut models = vec![];
    for extension in ["tuf", "tcf", "dtf"] {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["TestTheoryWD.buc", &format!("SimpleWDTheory.{extension}")] {
            std::fs::copy(project.join(name), folder.path().join(name)).expect("a copy");
        }
        let m = model(load_model(&folder.path().join("TestTheoryWD.buc")).expect("it can be read"));
        let texts: Vec<String> =
            m.axioms.iter().chain(&m.assertions).map(|c| print::pred(&m, &c.pred)).collect();
        models.push(texts);
    }
    // Checked files have the types of bound names in addition.
    let plain = |texts: &[String]| texts.iter().map(|t| t.replace("v : INTEGER & ", "")).collect::<Vec<_>>();
    assert_eq!(plain(&models[0]), plain(&models[1]));
    assert_eq!(models[1], models[2]);
    assert_eq!(models[0].len(), 4, "{models:?}");
}

/// A machine without contexts, as Rodin writes it.
fn bum(variables: &[&str], invariants: &[&str], initially: &[&str], event: &str) -> String {
    let element = |tag: &str, attribute: &str, (i, text): (usize, &&str)| {
        let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        format!(
            "<org.eventb.core.{tag} org.eventb.core.label=\"l{i}\" org.eventb.core.{attribute}=\"{text}\"/>\n"
        )
    };
    let all = |tag: &str, attribute: &str, list: &[&str]| -> String {
        list.iter().enumerate().map(|numbered| element(tag, attribute, numbered)).collect()
    };
    format!(
        "<org.eventb.core.machineFile>\n{}{}<org.eventb.core.event org.eventb.core.label=\"INITIALISATION\">\n{}\
         </org.eventb.core.event>\n<org.eventb.core.event org.eventb.core.label=\"step\">\n{event}\
         </org.eventb.core.event>\n</org.eventb.core.machineFile>",
        all("variable", "identifier", variables),
        all("invariant", "predicate", invariants),
        all("action", "assignment", initially),
    )
}

fn lines(loaded: &Loaded) -> Vec<String> {
    loaded.diagnostics.iter().map(|d| render::render_line(&loaded.sources, d)).collect()
}

#[test]
fn a_project_loads_from_memory() {
    let files: Texts = ["Valve.buc", "Tank0.bum", "Tank1.bum", "Tank2.bum"]
        .into_iter()
        .map(|name| (Path::new("p").join(name), std::fs::read(ours("Tank").join(name)).expect("a file")))
        .collect();
    for path in ["p", "p/Tank2.bum"] {
        let memory = model(load_from(&files, path.as_ref()).expect("it can be read"));
        let disk = model(load_model(&ours("Tank/Tank2.bum")).expect("it can be read"));
        assert_eq!(walk::normalised(&memory), walk::normalised(&disk));
    }
    let package: Texts =
        [("t.eventb", std::fs::read(ours("tank.eventb")).expect("a file"))].into_iter().collect();
    assert!(load_from(&package, "t.eventb".as_ref()).expect("it can be read").model.is_some());
    assert_eq!(
        load_from(&files, "q/Tank2.bum".as_ref()).expect_err("there is no such file").to_string(),
        "q/Tank2.bum: no such file"
    );
}

#[test]
fn a_machine_is_linted() {
    let event = "<org.eventb.core.guard org.eventb.core.label=\"g\" org.eventb.core.predicate=\"x &lt; x\"/>\n\
                 <org.eventb.core.action org.eventb.core.label=\"a\" org.eventb.core.assignment=\"y ≔ x\"/>\n";
    let text = bum(&["x", "y"], &["x ∈ 0‥3", "y ∈ 0‥3"], &["x ≔ 0", "y ≔ 0"], event);
    let files: Texts = [("M.bum", text)].into_iter().collect();
    let loaded = load_from(&files, "M.bum".as_ref()).expect("it can be read");
    assert!(loaded.model.is_some(), "{:#?}", lines(&loaded));
    let found: Vec<String> =
        lines(&loaded).iter().map(|l| l.split_once(": ").expect("a place").1.to_string()).collect();
    assert_eq!(
        found,
        [
            "warning[B0504]: no operation changes variable `x`",
            "warning[B0503]: the value of variable `y` is not used",
            "warning[B0511]: operation `step` can never happen: this guard is false",
        ]
    );
}

#[test]
fn one_broken_formula_hides_no_other_mistake() {
    let files = |invariants: &[&str]| -> Texts {
        let event =
            "<org.eventb.core.action org.eventb.core.label=\"a\" org.eventb.core.assignment=\"x ≔ z\"/>\n";
        [("M.bum", bum(&["x", "y"], invariants, &["x ≔ 0", "y ≔ 0"], event))].into_iter().collect()
    };
    let codes = |files: Texts| -> Vec<u16> {
        let loaded = load_from(&files, "M.bum".as_ref()).expect("it can be read");
        assert!(loaded.model.is_none());
        loaded.diagnostics.iter().map(|d| d.code.number).collect()
    };
    assert_eq!(codes(files(&["x ∈ BOOL", "y ∈ ℕ"])), [203, 301]);
    // The type of `y` stands in the formula that could not be read, the other mistakes do not.
    assert_eq!(codes(files(&["x ∈ BOOL", "y ∈ ℕ ℕ"])), [10, 203, 301]);
    // A declaration that is lost makes names unknown.
    let lost = bum(&["x", " "], &["x ∈ ℕ", "y ∈ ℕ"], &["x ≔ 0", "y ≔ TRUE"], "");
    assert_eq!(codes([("M.bum", lost)].into_iter().collect()), [62]);
}

#[test]
fn a_bound_name_of_a_context_may_be_that_of_a_variable() {
    let package = "package(load_event_b_project([event_b_model(none,'M',[sees(none,['C']),\
        variables(none,[identifier(none,n)]),\
        invariant(none,[member(rodinpos('M',inv1,x),identifier(none,n),natural_set(none))]),theorems(none,[]),\
        events(none,[event(rodinpos('M','INITIALISATION',e),'INITIALISATION',ordinary(none),[],[],[],[],\
        [assign(rodinpos('M',act1,a),[identifier(none,n)],[integer(none,0)])],[])])])],\
        [event_b_context(none,'C',[extends(none,[]),sets(none,[]),constants(none,[]),\
        axioms(none,[exists(rodinpos('C',axm1,x),[identifier(none,n)],\
        greater(none,identifier(none,n),integer(none,7)))]),\
        theorems(none,[])])],[exporter_version(3)],_Error)).";
    let files: Texts = [("M_mch.eventb", package)].into_iter().collect();
    let m = model(load_from(&files, Path::new("M_mch.eventb")).expect("it can be read"));
    assert_eq!(m.axioms[0].text, "#n.(n > 7)");
}
