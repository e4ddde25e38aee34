//! Random machines through all engines: no two may contradict each other.
//!
//! `BSYM_MACHINES=1000 cargo test --release --test machines -- --nocapture` checks more of them;
//! `BSYM_FIRST_MACHINE=N` begins at another one.

mod common;
#[allow(dead_code)]
#[path = "../semantics/tests/formulas/generate.rs"]
mod generate;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use common::{bsym, file, has_solver, json, number};
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

/// The machine of a number with integers near the bounds of machine words, divisions, remainders and powers.
fn large(number: u64) -> String {
    let mut g = Generator::new(number, false);
    let mut constant = |g: &mut Generator| {
        let power = [0u32, 1, 2, 31, 32, 33, 62, 63, 64, 65, 127, 128][g.below(12)];
        let near = (1i128 << power.min(126)) + g.below(5) as i128 - 2;
        if g.below(3) == 0 { format!("({})", -near) } else { near.to_string() }
    };
    let names = ["a", "b"];
    let term = |g: &mut Generator, constant: &mut dyn FnMut(&mut Generator) -> String| {
        let name = names[g.below(2)];
        let c = constant(g);
        match g.below(13) {
            0 => format!("{name} + {c}"),
            1 => format!("{c} - {name}"),
            2 => format!("{name} * {}", [-3, -1, 2, 3, 65536][g.below(5)]),
            3 => format!("{name} / {}", [-7, -2, 2, 3, 4096][g.below(5)]),
            4 => format!("({name} + {c}) / {}", [-5, 2, 10][g.below(3)]),
            5 => format!("max({{{name}, 0}}) mod {}", [2, 7, 1000][g.below(3)]),
            6 => format!("{name} mod {}", [3, 10][g.below(2)]),
            7 => format!("max({{-100000, min({{{name}, 100000}})}}) ** {}", g.below(4)),
            8 => format!("2 ** {}", [0, 31, 63, 64, 100][g.below(5)]),
            9 => format!("max({{{name}, {c}}})"),
            10 => format!("size([{name}, {c}]) + last([{name}, {c}])"),
            11 => format!("card({{{name}, {c}, a}})"),
            _ => c,
        }
    };
    let condition = |g: &mut Generator, constant: &mut dyn FnMut(&mut Generator) -> String| {
        let left = term(g, constant);
        let right = if g.below(3) == 0 { names[g.below(2)].to_string() } else { constant(g) };
        match g.below(7) {
            0 => format!("{left} = {right}"),
            1 => format!("{left} /= {right}"),
            2 => format!("{left} < {right}"),
            3 => format!("{left} >= {right}"),
            4 => format!("{left} : {{{right}, {}}}", constant(g)),
            5 => format!("{left} <= {right} + {}", g.below(9)),
            _ => format!("not({left} : {right} .. {right} + {})", g.below(9)),
        }
    };
    let initial = format!("a, b := {}, {}", constant(&mut g), [0, 1, 2][g.below(3)]);
    let invariant: Vec<String> = (0..g.below(3)).map(|_| condition(&mut g, &mut constant)).collect();
    let operations: Vec<String> = (0..=g.below(3))
        .map(|i| {
            let (name, guard) = (names[g.below(2)], condition(&mut g, &mut constant));
            let value = term(&mut g, &mut constant);
            let body = match g.below(5) {
                0 => format!("ANY k WHERE k : 0..2 & {guard} THEN {name} := {value} + k END"),
                1 => format!("IF {guard} THEN {name} := {value} END"),
                2 => format!("BEGIN {name} := {value} ; b := {} END", term(&mut g, &mut constant)),
                _ => format!("SELECT {guard} THEN {name} := {value} END"),
            };
            format!("  op{i} = {body}")
        })
        .collect();
    let (invariant, operations) = (invariant.join(" &\n  "), operations.join(";\n"));
    let also = if invariant.is_empty() { "" } else { " &\n  " };
    format!(
        "MACHINE Drawn\nVARIABLES a, b\nINVARIANT a : INTEGER & b : INTEGER{also}{invariant}\n\
         INITIALISATION {initial}\nOPERATIONS\n{operations}\nEND\n"
    )
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

/// Draws machines and asks the engines about each; more than half of them have two answers.
fn compare(draw: fn(u64) -> String, usual: u64, engines: &[(&str, &[&str])]) {
    if !has_solver() {
        return;
    }
    let first = number("BSYM_FIRST_MACHINE").unwrap_or(0);
    let folder = tempfile::tempdir().expect("a folder");
    let mut seen: BTreeMap<Vec<Option<String>>, usize> = BTreeMap::new();
    for n in first..first + number("BSYM_MACHINES").unwrap_or(usual) {
        let text = draw(n);
        let path = file(folder.path(), "Drawn.mch", &text);
        let verdicts: Vec<_> = engines.iter().map(|(engine, more)| verdict(engine, &path, more)).collect();
        let different: BTreeSet<_> = verdicts.iter().flatten().collect();
        assert!(different.len() <= 1, "machine {n}: {engines:?} say {verdicts:?}\n{text}");
        *seen.entry(verdicts).or_default() += 1;
    }
    for (verdicts, n) in &seen {
        let words: Vec<_> = verdicts.iter().map(|v| v.as_deref().unwrap_or("unknown")).collect();
        println!("{n:5}  {}", words.join(" "));
    }
    let decided = seen.iter().filter(|(v, _)| v.iter().flatten().count() > 1).map(|(_, n)| n).sum::<usize>();
    assert!(decided * 2 > seen.values().sum(), "too few are decided to compare anything: {seen:?}");
}

#[test]
fn engines_do_not_contradict_each_other() {
    let engines: &[(&str, &[&str])] = &[
        ("mc", &["--timeout", "1s", "--max-states", "3000"]),
        ("bmc", &["--timeout", "1s", "--depth", "8"]),
        ("kind", &["--timeout", "1s"]),
        ("ic3", &["--timeout", "1s"]),
    ];
    compare(machine, 16, engines);
}

#[test]
fn nor_do_they_about_large_integers() {
    let engines: &[(&str, &[&str])] = &[
        ("mc", &["--timeout", "1s", "--max-states", "1000"]),
        ("ldd", &["--timeout", "1s"]),
        ("tree", &["--timeout", "1s", "--depth", "5"]),
        ("bmc", &["--timeout", "1s", "--depth", "8"]),
        ("kind", &["--timeout", "1s"]),
        ("ic3", &["--timeout", "1s"]),
        ("check", &["--timeout", "1s"]),
    ];
    compare(large, 8, engines);
}
