//! Random machines through all engines: no two may contradict each other.
//!
//! `BSYM_MACHINES=1000 cargo test --release --test machines -- --nocapture` looks at more of them;
//! `BSYM_FIRST_MACHINE=N` begins at another one.

mod common;
#[allow(dead_code)]
#[path = "../semantics/tests/formulas/generate.rs"]
mod generate;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use common::{bsym, file, has_solver, json};
use generate::{Generator, Kind, relation_of, set_of};

/// The machine of a number: one to three variables that hold little, and operations that mostly keep it so.
fn machine(number: u64) -> String {
    let mut g = Generator::new(number, false);
    let kinds = [
        (Kind::Int, "-4..12"),
        (Kind::Bool, "BOOL"),
        (set_of(&Kind::Int), "POW(-1..3)"),
        (relation_of(&Kind::Int, &Kind::Bool), "0..2 <-> BOOL"),
        (relation_of(&Kind::Bool, &Kind::Int), "BOOL +-> 0..3"),
    ];
    let variables: Vec<(String, &(Kind, &str))> =
        (0..=g.below(3)).map(|i| (format!("v{i}"), &kinds[g.below(kinds.len())])).collect();
    let initial: Vec<String> = variables.iter().map(|(_, (kind, _))| g.atom(kind)).collect();
    for (name, (kind, _)) in &variables {
        g.locals.push((name.clone(), kind.clone()));
    }
    let names: Vec<&str> = variables.iter().map(|(name, _)| name.as_str()).collect();
    let mut invariant: Vec<String> =
        variables.iter().map(|(name, (_, bound))| format!("{name} : {bound}")).collect();
    invariant.extend((0..g.below(3)).map(|_| g.pred(2)));
    let operations: Vec<String> = (0..=g.below(3)).map(|i| operation(&mut g, i, &variables)).collect();
    let (names, initial) = (names.join(", "), initial.join(", "));
    let (invariant, operations) = (invariant.join(" &\n  "), operations.join(";\n"));
    format!(
        "MACHINE Drawn\nVARIABLES {names}\nINVARIANT\n  {invariant}\nINITIALISATION {names} := {initial}\n\
         OPERATIONS\n{operations}\nEND\n"
    )
}

fn operation(g: &mut Generator, number: usize, variables: &[(String, &(Kind, &str))]) -> String {
    let (name, (kind, bound)) = &variables[g.below(variables.len())];
    let value = g.expr(kind, 2);
    let mut guard = g.pred(1);
    if g.below(4) > 0 {
        write!(guard, " & {value} : {bound}").expect("a string");
    }
    let assignment = match g.below(6) {
        0 => format!("IF {} THEN {name} := {value} END", g.pred(1)),
        1 => format!("CHOICE {name} := {value} OR {name} := {} END", g.atom(kind)),
        2 => format!("{name} :: ({bound}) - {{{value}}}"),
        3 => {
            let (other, (kind, _)) = &variables[g.below(variables.len())];
            format!("BEGIN {name} := {value} ; {other} := {} END", g.expr(kind, 1))
        }
        _ => format!("{name} := {value}"),
    };
    format!("  op{number} = SELECT {guard} THEN {assignment} END")
}

/// The verdict of an engine, unless it is `unknown`; nothing where the machine is refused.
fn verdict(engine: &str, machine: &Path, more: &[&str]) -> Option<String> {
    let output =
        bsym().args([engine, "--scope", "prob", "--json"]).args(more).arg(machine).output().expect("it runs");
    assert_ne!(output.status.code(), Some(4), "{engine}: {}", String::from_utf8_lossy(&output.stderr));
    assert!(output.status.code().is_some(), "{engine} was killed on {}", machine.display());
    json(&output)["verdict"].as_str().filter(|v| *v != "unknown").map(String::from)
}

/// Functions that keep their values in arrays, overridden where a branch may have changed them. COLOUR is given below.
const PAINT: &str = "VARIABLES coat, sketch, copy
INVARIANT coat : NATURAL +-> COLOUR & sketch : NATURAL +-> COLOUR & copy : BOOL
INITIALISATION coat, sketch, copy := {}, {}, TRUE
OPERATIONS apply = BEGIN IF copy = TRUE THEN sketch := NATURAL * {red} END; coat := coat <+ sketch END
END";

#[test]
fn an_override_below_a_branch_ends_no_engine() {
    if !has_solver() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder can be made");
    let colours = [
        ("SETS COLOUR = {red, green}", PAINT.to_string()),
        ("SETS COLOUR CONSTANTS red PROPERTIES red : COLOUR", PAINT.to_string()),
        ("", PAINT.replace("COLOUR", "0..1").replace("red", "1")),
    ];
    for (sets, rest) in colours {
        let machine = file(folder.path(), "Paint.mch", format!("MACHINE Paint {sets} {rest}"));
        for engine in ["kind", "ic3"] {
            assert_eq!(verdict(engine, &machine, &[]).as_deref(), Some("holds"), "{engine}: {sets}");
        }
    }
    // No step, but an equation whose one side is such a function.
    let labels = r#"MACHINE Labels SETS BOX CONSTANTS one PROPERTIES one : BOX VARIABLES label
INVARIANT label = label <+ {one |-> ({"x", "y"} * {one})} => (one : dom(label) & label(one) = {})
INITIALISATION label := {one |-> ({"x", "y"} * {one})} END"#;
    let machine = file(folder.path(), "Labels.mch", labels);
    for engine in ["bmc", "kind", "ic3"] {
        let found = verdict(engine, &machine, &["--scope", "BOX=3"]);
        assert_eq!(found.as_deref(), Some("violated"), "{engine}");
    }
}

#[test]
fn engines_do_not_contradict_each_other() {
    if !has_solver() {
        return;
    }
    let number = |name: &str, default: u64| {
        std::env::var(name).map_or(default, |n| n.parse().unwrap_or_else(|_| panic!("{name}: {n}?")))
    };
    let first = number("BSYM_FIRST_MACHINE", 0);
    let folder = tempfile::tempdir().expect("a folder");
    let mut seen: BTreeMap<Vec<Option<String>>, usize> = BTreeMap::new();
    for n in first..first + number("BSYM_MACHINES", 16) {
        let text = machine(n);
        let path = file(folder.path(), "Drawn.mch", &text);
        let verdicts = vec![
            verdict("mc", &path, &["--timeout", "1s", "--max-states", "3000"]),
            verdict("bmc", &path, &["--timeout", "1s", "--depth", "8"]),
            verdict("kind", &path, &["--timeout", "1s"]),
            verdict("ic3", &path, &["--timeout", "1s"]),
        ];
        let different: BTreeSet<_> = verdicts.iter().flatten().collect();
        assert!(different.len() <= 1, "machine {n}: mc, bmc, kind, ic3 say {verdicts:?}\n{text}");
        *seen.entry(verdicts).or_default() += 1;
    }
    for (verdicts, n) in &seen {
        let words: Vec<_> = verdicts.iter().map(|v| v.as_deref().unwrap_or("unknown")).collect();
        println!("{n:5}  {}", words.join(" "));
    }
    let decided = seen.iter().filter(|(v, _)| v.iter().flatten().count() > 1).map(|(_, n)| n).sum::<usize>();
    assert!(decided * 2 > seen.values().sum(), "too few are decided to compare anything: {seen:?}");
}
