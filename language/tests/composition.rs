//! Machines made of several machines: what the model holds, and what is refused where.

use std::path::PathBuf;

use bsym_language::diagnostic::Severity;
use bsym_language::files::Texts;
use bsym_language::load::{LoadRequest, Loaded, check_expression, check_predicate, load_from, load_in};
use bsym_language::model::*;
use bsym_language::print;
use bsym_language::render::render_line;
use bsym_language::types::Type;
use bsym_language::walk::Visitor;

const PARTS: &[(&str, &str)] = &[
    (
        "Counter.mch",
        "MACHINE Counter(top) CONSTRAINTS top : 1..9 SETS MODE = {slow, fast} CONSTANTS step PROPERTIES step : 1..2
VARIABLES x INVARIANT x : 0..top INITIALISATION x := 0
OPERATIONS inc(n) = PRE n : 1..step & x + n <= top THEN x := x + n END; r <-- get = r := x END",
    ),
    (
        "Abs.mch",
        "MACHINE Abs SETS COL CONSTANTS k PROPERTIES k : 1..3 VARIABLES a, b CONCRETE_VARIABLES c
INVARIANT a <: COL & b : 0..k & c : BOOL & (c = TRUE => a = {})
INITIALISATION a, b, c := {}, 0, TRUE
OPERATIONS add(e) = PRE e : COL & e /: a & b < k THEN a := a \\/ {e} || b := b + 1 END; flip = c := TRUE END",
    ),
];

fn load(file: &str, main: &str, more: &[(&str, &str)]) -> Loaded {
    let files: Texts = PARTS.iter().chain(more).chain(&[(file, main)]).copied().collect();
    load_from(&files, file.as_ref()).expect("the file is there")
}

fn model(file: &str, main: &str) -> Model {
    let loaded = load(file, main, &[]);
    let messages = errors(&loaded);
    loaded.model.unwrap_or_else(|| panic!("{main}\n{messages:#?}"))
}

fn errors(loaded: &Loaded) -> Vec<String> {
    let errors = loaded.diagnostics.iter().filter(|d| d.severity == Severity::Error);
    errors.map(|d| render_line(&loaded.sources, d)).collect()
}

#[track_caller]
fn refuses_with(file: &str, main: &str, more: &[(&str, &str)], expected: &[&str]) {
    let loaded = load(file, main, more);
    assert_eq!(errors(&loaded), expected, "{main}");
    assert!(loaded.model.is_none());
}

#[track_caller]
fn refuses(main: &str, expected: &[&str]) {
    refuses_with("M.mch", main, &[], expected);
}

fn names(list: &[Variable]) -> Vec<&str> {
    list.iter().map(|v| v.name.as_str()).collect()
}

fn texts(list: &[Conjunct]) -> Vec<&str> {
    list.iter().map(|c| c.text.as_str()).collect()
}

#[test]
fn instances_share_constants_and_have_their_own_variables() {
    let m = model(
        "M.mch",
        "MACHINE M CONSTANTS big PROPERTIES big = 4 INCLUDES p.Counter(big), q.Counter(2) PROMOTES p.inc
         VARIABLES mode INVARIANT mode : MODE & p.x + q.x < 9 INITIALISATION mode := slow
         OPERATIONS both = BEGIN p.inc(step) || q.inc(1) || mode := fast END END",
    );
    assert_eq!(names(&m.variables), ["mode", "p.x", "q.x"]);
    assert_eq!(names(&m.constants), ["p.Counter.top", "step", "q.Counter.top", "big"]);
    assert_eq!(m.types.carriers.len(), 1);
    assert_eq!(texts(&m.axioms), ["top = big", "step : 1 .. 2", "top = 2", "big = 4"]);
    // What the includer owes: that 2 is in 1..9 is plain.
    assert_eq!(texts(&m.assertions), ["p.Counter.top : 1 .. 9"]);
    assert_eq!(
        texts(&m.invariant),
        ["p.x : 0 .. p.Counter.top", "q.x : 0 .. q.Counter.top", "mode : MODE", "p.x + q.x < 9"]
    );
    assert_eq!(print::pred(&m, &m.invariant[1].pred), "q.x : 0 .. q.Counter.top");
    let events: Vec<&str> = m.events.iter().map(|e| e.name.as_str()).collect();
    assert_eq!(events, ["both", "p.inc"]);
    let components: Vec<_> =
        m.text.components.iter().map(|c| (c.name.as_str(), c.prefix.as_deref(), c.relation)).collect();
    assert_eq!(components[0], ("M", None, Relation::Main));
    assert!(components.contains(&("Counter", Some("q"), Relation::Includes)));
    assert_eq!(m.events[1].origin, ComponentId(1));
    // Every binder and choice has an id of its own, also where an operation is called twice.
    assert_ne!(m.events[0].body, m.events[1].body);
}

#[test]
fn arguments_satisfy_the_constraints_or_are_a_mistake() {
    refuses(
        "MACHINE M INCLUDES Counter(12) END",
        &[
            "M.mch:1:20: error[B0423]: the arguments of machine `Counter` break its constraint `Counter.top : 1 .. 9`",
        ],
    );
    refuses(
        "MACHINE M INCLUDES Counter(2), r.Counter(3 - 3) END",
        &[
            "M.mch:1:34: error[B0423]: the arguments of machine `Counter` break its constraint `r.Counter.top : 1 .. 9`",
        ],
    );
    // Those of the main machine are assumed of its own parameters.
    let alone = model("N.mch", "MACHINE N(top) CONSTRAINTS top : 1..9 END");
    assert_eq!((texts(&alone.axioms), alone.assertions.len()), (vec!["top : 1..9"], 0));
}

#[test]
fn formulas_are_typed_over_all_instances() {
    let sees = "MACHINE S VARIABLES v INVARIANT v : BOOL INITIALISATION v := TRUE END";
    let mut m =
        load("M.mch", "MACHINE M SEES S INCLUDES p.Counter(1) END", &[("S.mch", sees)]).model.unwrap();
    assert_eq!(names(&m.variables), ["p.x", "S.v"]);
    let p = check_predicate(&mut m, "p.x : 0..p.Counter.top & S.v = v & fast : MODE").unwrap();
    assert_eq!(print::pred(&m, &p), "p.x : 0 .. p.Counter.top & S.v = S.v & fast : MODE");
    assert_eq!(check_expression(&mut m, "{p.x |-> v}").unwrap().ty, Type::relation(Type::Int, Type::Bool));
    assert!(check_predicate(&mut m, "x = 1").is_err());
}

#[test]
fn a_refinement_keeps_what_it_names_and_glues_the_rest() {
    let m = model(
        "R.ref",
        "REFINEMENT R REFINES Abs VARIABLES b, list
         INVARIANT list : seq(COL) & ran(list) = a & size(list) = b
         INITIALISATION b := 0; list := []; c := TRUE
         OPERATIONS add(e) = BEGIN list := list <- e; b := b + 1 END END",
    );
    assert_eq!(names(&m.variables), ["b", "list", "c"]);
    assert_eq!(names(&m.refinement.abstract_variables), ["a"]);
    assert_eq!(texts(&m.refinement.gluing), ["a <: COL", "c = TRUE => a = {}", "ran(list) = a"]);
    assert_eq!(texts(&m.invariant), ["b : 0..k", "c : BOOL", "list : seq(COL)", "size(list) = b"]);
    let events: Vec<_> = m.events.iter().map(|e| (e.name.as_str(), e.refines.clone())).collect();
    assert_eq!(events, [("add", vec!["add".to_string()]), ("flip", vec![])]);
    // `e /: a` cannot be asked any more, and that is said.
    let guard = print::subst(&m, &m.events[0].body);
    assert!(guard.contains("e : COL") && guard.contains("b < k") && !guard.contains("/:"), "{guard}");
    let loaded =
        load("R.ref", "REFINEMENT R REFINES Abs INITIALISATION c := TRUE OPERATIONS add(e) = skip END", &[]);
    let warnings: Vec<_> = loaded.diagnostics.iter().map(|d| d.message.as_str()).collect();
    let said = "this part of the abstraction's precondition does not guard the refinement: `a` is a variable of the abstraction";
    assert!(warnings.contains(&said), "{warnings:?}");
}

#[test]
fn values_make_a_deferred_set_an_interval() {
    let m = model(
        "I.imp",
        "IMPLEMENTATION I REFINES Abs VALUES COL = 0..3; k = 2 CONCRETE_VARIABLES t
         INVARIANT t : COL --> BOOL & a = t~[{TRUE}] INITIALISATION t := COL * {FALSE}; c := TRUE
         OPERATIONS add(e) = t(e) := TRUE END",
    );
    assert!(m.types.carriers.is_empty());
    assert_eq!(m.locals[m.events[0].parameters[0].index()].ty, Type::Int);
    assert!(texts(&m.axioms).contains(&"COL = 0..3"));
    refuses_with(
        "I.imp",
        "IMPLEMENTATION I REFINES Abs VALUES b = 2 INITIALISATION c := TRUE OPERATIONS add(e) = skip END",
        &[],
        &["I.imp:1:37: error[B0427]: `b` is no constant or deferred set that could be given a value"],
    );
}

#[test]
fn machines_that_are_not_there_or_wrong() {
    refuses(
        "MACHINE M SEES Countr END",
        &[
            "M.mch:1:16: error[B0420]: machine `Countr` is not found: there is no `Countr.ref`, `Countr.mch`, `Countr.sys` or `Countr.imp`",
        ],
    );
    let loaded = load("M.mch", "MACHINE M SEES Countr END", &[]);
    assert_eq!(loaded.diagnostics[0].help.as_deref(), Some("did you mean the machine of `Counter.mch`?"));
    refuses("MACHINE M SEES M END", &["M.mch:1:16: error[B0421]: machine `M` refers to itself"]);
    refuses_with(
        "M.mch",
        "MACHINE M SEES N END",
        &[("N.mch", "MACHINE N INCLUDES M END")],
        &["N.mch:1:20: error[B0421]: machines need each other: `M` needs `N` needs `M`"],
    );
    refuses_with(
        "M.mch",
        "MACHINE M SEES N END",
        &[("N.mch", "MACHINE Other END")],
        &["M.mch:1:16: error[B0409]: the file `N.mch` holds machine `Other`, not `N`"],
    );
    let broken = load("M.mch", "MACHINE M SEES N END", &[("N.mch", "MACHINE N PROPERTIES 1 = = 1 END")]);
    assert!(errors(&broken)[0].starts_with("N.mch:1:26: error"), "{:?}", errors(&broken));
    assert_eq!(broken.diagnostics[0].labels.last().unwrap().1, "this file is read for SEES `N`");
    let spelt = load("M.mch", "MACHINE M SEES N END", &[("n.mch", "MACHINE N END")]);
    assert!(spelt.model.is_some() && spelt.diagnostics[0].message.contains("`n.mch`"));
    let elsewhere = [("lib/N.mch", "MACHINE N SEES K END"), ("lib/K.mch", "MACHINE K END")];
    assert!(load("M.mch", "MACHINE M SEES N /*@ file \"lib/N.mch\" */ END", &elsewhere).model.is_some());
}

#[test]
fn what_a_machine_may_not_do_with_others() {
    let wrong = |body: &str, expected: &str| {
        let text = format!(
            "MACHINE M\nINCLUDES Counter(2)\nSEES S\nVARIABLES y\nINVARIANT y : 0..9\nINITIALISATION y := 0\nOPERATIONS {body} END"
        );
        let seen = "MACHINE S VARIABLES v INVARIANT v : BOOL INITIALISATION v := TRUE
OPERATIONS set = v := TRUE; r <-- ask = r := v END";
        refuses_with("M.mch", &text, &[("S.mch", seen)], &[&format!("M.mch:7:{expected}")]);
    };
    wrong("o = x := 1", "16: error[B0304]: `x` belongs to machine `Counter` and cannot be assigned to here");
    wrong("o = v := TRUE", "16: error[B0304]: `v` belongs to machine `S`, which is only seen");
    wrong("o = set", "16: error[B0424]: operation `set` changes the machine `S`, which is only seen");
    wrong(
        "o = skip; p = o",
        "26: error[B0424]: operation `o` belongs to this machine and cannot be called here",
    );
    wrong("o = inc", "16: error[B0209]: operation `inc` has 1 parameters, 0 are given");
    wrong("o = inc(TRUE)", "20: error[B0203]: expected INTEGER, this is BOOL");
    wrong("o = y <-- ask", "16: error[B0203]: `y` holds INTEGER, this is BOOL");
    wrong("o = incr(1)", "16: error[B0301]: operation `incr` is not declared");
    wrong("o = BEGIN inc(1) || inc(1) END", "32: error[B0404]: `x` is assigned twice at the same time");
    wrong("o(y) = PRE y : NAT THEN y <-- get END", "36: error[B0304]: `y` cannot be assigned to");
    wrong("o = y := get", "21: error[B0401]: the operation `get` in an expression is not supported yet");
    wrong("get = skip", "12: error[B0302]: operation `get` is declared twice");
}

#[test]
fn sections_that_do_not_fit_the_other_machine() {
    let v = "VARIABLES y INVARIANT y = 0 INITIALISATION y := 0";
    refuses(
        &format!("MACHINE M INCLUDES Counter(2) PROMOTES ink {v} END"),
        &["M.mch:1:40: error[B0425]: no included machine has an operation `ink`"],
    );
    refuses(
        "MACHINE M INCLUDES Counter END",
        &["M.mch:1:20: error[B0423]: machine `Counter` has 1 parameters, 0 arguments are given"],
    );
    refuses(
        "MACHINE M INCLUDES Counter(BOOL) END",
        &["M.mch:1:28: error[B0203]: parameter `top` is INTEGER, this is POW(BOOL)"],
    );
    refuses(
        "MACHINE M SEES Abs CONSTANTS k PROPERTIES k = 1 END",
        &["M.mch:1:30: error[B0302]: `k` is declared twice"],
    );
    refuses(
        &format!("MACHINE M SEES Abs {} END", v.replace("y = 0", "y = b")),
        &[
            "M.mch:1:46: error[B0303]: `b` is a variable of `Abs`, which is only seen: the invariant may not use it",
        ],
    );
    refuses_with(
        "M.mch",
        "MACHINE M INCLUDES N, Abs END",
        &[("N.mch", "MACHINE N INCLUDES Abs END")],
        &["M.mch:1:23: error[B0440]: machine `Abs` is included twice under the same name"],
    );
    let refinement = |text: &str, expected: &str| {
        let text = format!("REFINEMENT R REFINES Abs {text} END");
        refuses_with("R.ref", &text, &[], &[&format!("R.ref:1:{expected}")]);
    };
    let skip = "INITIALISATION c := TRUE OPERATIONS";
    refinement(
        &format!("{skip} add(e) = skip; more = skip"),
        "77: error[B0426]: the abstraction `Abs` has no operation `more`",
    );
    refinement(
        &format!("{skip} add = skip"),
        "62: error[B0426]: operation `add` has 0 parameters, in the abstraction it has 1",
    );
    refinement(
        &format!("{skip} add(e) = c := bool(b = 0)"),
        "81: error[B0303]: `b` is a variable of the abstraction `Abs` and has no value here",
    );
    refinement(
        "INITIALISATION c := TRUE",
        "12: error[B0426]: `R` does not refine operation `add`, which needs `a`, a variable of the abstraction",
    );
    refuses_with(
        "I.imp",
        "IMPLEMENTATION I REFINES Abs INITIALISATION c := TRUE LOCAL_OPERATIONS f = g; g = f OPERATIONS add(e) = skip END",
        &[],
        &["I.imp:1:79: error[B0424]: operation `g` calls itself, by way of `f`"],
    );
}

/// Texts with a piece cut out or doubled give a model or a message, never a panic.
#[test]
fn damaged_parts_are_survived() {
    let main =
        "IMPLEMENTATION I REFINES R SEES S IMPORTS p.Counter(2) VALUES COL = 1..2; k = 1 PROMOTES p.get
CONCRETE_VARIABLES t INVARIANT t : 0..9 & p.x = b INITIALISATION t := 0; c := TRUE
LOCAL_OPERATIONS r <-- f(z) = PRE z : 0..3 THEN r := z END
OPERATIONS add(e) = VAR q IN q <-- f(1); t := q; p.inc(1);
WHILE q < 0 DO q := q + 1 INVARIANT q <= b VARIANT 0 - q END END END";
    let parts = [
        PARTS[0],
        PARTS[1],
        (
            "R.ref",
            "REFINEMENT R REFINES Abs VARIABLES b INVARIANT b >= 0 INITIALISATION b := 0 || c := TRUE OPERATIONS add(e) = b := b + 1 END",
        ),
        (
            "S.mch",
            "MACHINE S USES T VARIABLES v INVARIANT v = w INITIALISATION v := w OPERATIONS set = v := 0 END",
        ),
        ("T.mch", "MACHINE T(X) VARIABLES w INVARIANT w : INT INITIALISATION w := 0 END"),
        ("I.imp", main),
    ];
    let whole: Texts = parts.into_iter().collect();
    let loaded = load_from(&whole, "I.imp".as_ref()).unwrap();
    assert!(loaded.model.is_some() || !errors(&loaded).is_empty());
    let mut tried = 0;
    for (damaged, text) in parts {
        let words: Vec<&str> = text.split_inclusive([' ', '\n', '(', ';', ',']).collect();
        for at in 0..words.len() {
            for doubled in [false, true] {
                let mut new = words.clone();
                if doubled {
                    new.insert(at, words[(at * 7 + 3) % words.len()]);
                } else {
                    new.remove(at);
                }
                let mut files = whole.clone();
                files.insert(damaged, new.concat());
                let loaded = load_from(&files, "I.imp".as_ref()).unwrap();
                assert_eq!(
                    loaded.model.is_none(),
                    !errors(&loaded).is_empty(),
                    "{damaged}: {}",
                    new.concat()
                );
                tried += 1;
            }
        }
    }
    assert!(tried > 300);
}

#[test]
fn rare_messages_have_their_codes() {
    let check = |main: &str, more: &[(&str, &str)], code: u16| {
        let loaded = load("M.mch", main, more);
        let codes: Vec<u16> = loaded.diagnostics.iter().map(|d| d.code.number).collect();
        assert!(codes.contains(&code), "{code} in {codes:?}: {main}");
    };
    check("MACHINE M PROPERTIES (1 |-> 2 ; 3 |-> 4) = {} END", &[], 27);
    check("MACHINE M LOCAL_OPERATIONS o = skip END", &[], 429);
    check("MACHINE M DEFINITIONS scope_S == {1} SETS S END", &[], 407);
    check("MACHINE M SEES D END", &[("D.mch", "DEFINITIONS d == 1")], 408);
    let external = "EXTERNAL_FUNCTION_FOO == INTEGER --> INTEGER; FOO(x) == x + 1";
    check(&format!("MACHINE M DEFINITIONS {external} PROPERTIES FOO(1) = 2 END"), &[], 410);
    check("MACHINE M FREETYPES T = c(T) END", &[], 411);
    check("MACHINE M SEES N END", &[("n.mch", "MACHINE N END")], 422);
    let refinement =
        "REFINEMENT M REFINES Abs ASSERTIONS b : NAT INITIALISATION c := TRUE OPERATIONS flip = skip END";
    check(refinement, &[], 428);
}

#[test]
fn a_second_section_is_told_once() {
    let loaded = load("M.mch", "MACHINE M SETS A SETS B END", &[]);
    assert_eq!(loaded.diagnostics.iter().map(|d| d.code.number).collect::<Vec<_>>(), [40]);
}

#[test]
fn a_weakest_precondition_shares_no_bound_names() {
    let text =
        "MACHINE M VARIABLES k INVARIANT k : 0..1 & [CHOICE k := 0 OR k := 1 END] (#x.(x : 1..2 & x > k))
INITIALISATION k := 0 END";
    let m = model("M.mch", text);
    let mut bound = Bound::default();
    bound.pred(&m.invariant[1].pred);
    let text = print::pred(&m, &m.invariant[1].pred);
    assert_eq!(bound.0.len(), 2, "{text}");
    assert_ne!(bound.0[0], bound.0[1], "{text}");
}

#[derive(Default)]
struct Bound(Vec<LocalId>);

impl Visitor for Bound {
    fn binder(&mut self, local: &LocalId) {
        self.0.push(*local);
    }
}

fn include(folders: &[&str], files: &[(&str, &str)]) -> Loaded {
    let files: Texts = files.iter().copied().collect();
    let include_path = folders.iter().map(PathBuf::from).collect();
    load_in(&files, "spec/M.mch".as_ref(), &LoadRequest { component: None, include_path }).unwrap()
}

const USER: (&str, &str) = ("spec/M.mch", "MACHINE M SEES Lib DEFINITIONS \"d.def\" INVARIANT one = 1 END");
const LIB: &str = "MACHINE Lib END";
const DEFINITIONS: &str = "DEFINITIONS one == 1";

#[test]
fn machines_and_definitions_are_found_in_the_include_path() {
    let files = [USER, ("lib/Lib.mch", LIB), ("defs/d.def", DEFINITIONS)];
    let loaded = include(&["lib", "defs"], &files);
    assert_eq!(errors(&loaded), [] as [&str; 0]);
    assert_eq!(loaded.sources.include_path(), [PathBuf::from("lib"), PathBuf::from("defs")]);
    // The folder of the file that names them comes first.
    let beside = [USER, ("spec/Lib.mch", LIB), ("lib/Lib.mch", "no machine"), ("spec/d.def", DEFINITIONS)];
    assert_eq!(errors(&include(&["lib"], &beside)), [] as [&str; 0]);
    // A machine of the include path finds its own neighbours, and the others of the path.
    let further = [
        USER,
        ("lib/Lib.mch", "MACHINE Lib SEES Near, Far END"),
        ("lib/Near.mch", "MACHINE Near END"),
        ("defs/Far.mch", "MACHINE Far END"),
        ("defs/d.def", DEFINITIONS),
    ];
    assert_eq!(errors(&include(&["lib", "defs"], &further)), [] as [&str; 0]);
}

#[test]
fn what_is_in_two_folders_of_the_include_path_is_named_with_both() {
    let files =
        [USER, ("a/Lib.mch", LIB), ("b/Lib.mch", LIB), ("a/d.def", DEFINITIONS), ("b/d.def", DEFINITIONS)];
    let found = errors(&include(&["a", "b"], &files));
    let both = |name: &str, a: &str, b: &str| {
        format!("`{name}` is found twice in the include path: `{a}` and `{b}`")
    };
    assert!(found.iter().any(|e| e.contains(&both("Lib", "a/Lib.mch", "b/Lib.mch"))), "{found:#?}");
    assert!(found.iter().any(|e| e.contains(&both("d.def", "a/d.def", "b/d.def"))), "{found:#?}");
    // The same folder twice is one.
    assert_eq!(errors(&include(&["a", "a"], &files)), [] as [&str; 0]);
}

#[test]
fn the_folder_of_a_machine_that_is_missing_is_named_where_it_is_near() {
    let help = |folders: &[&str], files: &[(&str, &str)]| {
        let loaded = include(folders, files);
        let missing = loaded.diagnostics.iter().find(|d| d.message.contains("`Lib` is not found"));
        missing.and_then(|d| d.help.clone()).unwrap_or_default()
    };
    let near = help(&[], &[USER, ("common/lib/Lib.mch", LIB), ("spec/d.def", DEFINITIONS)]);
    assert!(near.contains("`-I common/lib`"), "{near}");
    let nowhere = help(&["defs"], &[USER, ("defs/d.def", DEFINITIONS)]);
    assert!(nowhere.contains("then in `defs`"), "{nowhere}");
}

#[test]
fn a_guarded_event_of_event_b_is_read_as_select_after_one_message() {
    let text = "MACHINE M VARIABLES x INVARIANT x : 0..3 INITIALISATION x := 0
OPERATIONS inc = WHEN x < 3 THEN x := x + 1 END; both = SELECT x = 0 THEN x := 1 WHEN x = 1 THEN x := 2 END END";
    let loaded = load("M.mch", text, &[]);
    assert_eq!(
        errors(&loaded),
        ["M.mch:2:18: error[B0012]: expected a substitution, found `WHEN`, which is a guard of Event-B"]
    );
    let first = &loaded.diagnostics[0];
    assert_eq!(first.help.as_deref(), Some("write `SELECT`"));
}
