//! `--encoding sat`: the machines of `benches/rich`, with a fault and without one.

mod common;

use std::path::Path;
use std::process::Output;

use common::{bsym, root};
use serde_json::Value as Json;

fn run(engine: &str, machine: &str, scope: &str, more: &[&str]) -> Output {
    let folder = root().join("benches/rich");
    bsym()
        .args([engine, "--scope", scope])
        .args((!more.contains(&"--text")).then_some("--json"))
        .arg(folder.join(machine).with_extension("mch"))
        .args(more.iter().filter(|flag| **flag != "--text"))
        .output()
        .expect("the program runs")
}

fn answer(engine: &str, machine: &str, scope: &str) -> Json {
    let output = run(engine, machine, scope, &["--encoding", "sat"]);
    let text = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{engine} {machine}: {e}: {text}"))
}

#[test]
fn faults_in_functions_sequences_and_relations_are_found() {
    let known = [
        ("BankWrong", "ACCOUNT=1,CLIENT=1"),
        ("QueueWrong", "MESSAGE=3"),
        ("LibraryWrong", "BOOK=3,READER=2"),
    ];
    for (machine, scope) in known {
        let answer = answer("bmc", machine, scope);
        assert_eq!(answer["verdict"], "violated", "{machine}: {answer:#}");
        assert!(answer["trace"].as_array().is_some_and(|t| t.len() > 2), "{machine}: {answer:#}");
    }
}

/// A path of the search is a single formula that grows: each step adds as much to it as any other.
#[test]
fn a_path_grows_by_the_same_size_with_each_step() {
    // In the middle: now and then a single query that rests on time adds its terms to one of the steps.
    let middle = |mut grown: Vec<u64>| {
        grown.sort_unstable();
        grown[(grown.len() - 1) / 2]
    };
    // Sums of balances have a bit more now and then.
    let machines =
        [("Library", "BOOK=2,READER=2", 0), ("Bank", "ACCOUNT=2,CLIENT=2", 15), ("Queue", "MESSAGE=3", 0)];
    for (machine, scope, percent) in machines {
        let output = run("bmc", machine, scope, &["--encoding", "sat", "--depth", "12"]);
        let answer: Json = serde_json::from_slice(&output.stdout).expect("an answer");
        let steps = answer["stats"]["steps"].as_array().expect("steps");
        for of in ["variables", "clauses"] {
            let sizes: Vec<u64> = steps.iter().map(|step| step[of].as_u64().expect("a number")).collect();
            let grown: Vec<u64> = sizes.windows(2).map(|two| two[1] - two[0]).collect();
            assert_eq!(grown.len(), 12, "{machine}: {sizes:?}");
            let (before, after) = (middle(grown[4..8].to_vec()), middle(grown[8..].to_vec()));
            let text = format!("{machine}: {sizes:?}");
            assert!(before > 0 && before <= after && after * 100 <= before * (100 + percent), "{text}");
        }
    }
}

#[test]
fn a_proof_is_checked_by_another_solver() {
    let answer = answer("kind", "Library", "BOOK=3,READER=2");
    assert_eq!(answer["verdict"], "holds", "{answer:#}");
    let solver = answer["checked"]["solver"].to_string();
    assert!(["z3", "cvc5", "proofs checked"].iter().any(|name| solver.contains(name)), "{answer:#}");
}

#[test]
fn the_answer_names_the_encoding() {
    // In `check` the search in parallel may be first.
    assert_eq!(answer("check", "LibraryWrong", "BOOK=3,READER=2")["verdict"], "violated");
    let asked = answer("bmc", "LibraryWrong", "BOOK=3,READER=2");
    assert_eq!(asked["encoding"]["name"], "sat", "{asked:#}");
    assert!(asked["stats"]["clauses"].as_u64().is_some_and(|n| n > 500), "{asked:#}");
    let text = run("bmc", "QueueWrong", "MESSAGE=2", &["--encoding", "sat", "--text"]);
    let said = String::from_utf8_lossy(&text.stdout);
    assert!(said.contains("encoding: propositional logic over the scope (as asked)"), "{said}");
    let auto = run("bmc", "LibraryWrong", "BOOK=3,READER=2", &[]);
    let auto: Json = serde_json::from_slice(&auto.stdout).expect("an answer");
    let version = bsym().arg("--version").output().expect("the program runs");
    let is_solver = String::from_utf8_lossy(&version.stdout).contains("solver: ");
    let expected = if is_solver { "unbounded" } else { "sat" };
    assert_eq!(auto["encoding"]["name"], expected, "{auto:#}");
}

#[test]
fn flags_that_contradict_each_other_are_refused() {
    for (engine, flags) in
        [("bmc", ["--solver=sat", "--encoding=unbounded"]), ("mc", ["--encoding=sat", "--seed=0"])]
    {
        let output = run(engine, "Queue", "MESSAGE=2", &flags);
        assert_eq!(output.status.code(), Some(2), "{engine} {flags:?}");
        assert!(String::from_utf8_lossy(&output.stdout).contains("--encoding"), "{engine} {flags:?}");
    }
}

/// A machine in a file of its own.
fn machine(name: &str, text: &str) -> tempfile::NamedTempFile {
    let file = tempfile::Builder::new().prefix(name).suffix(".mch").tempfile().expect("a file");
    std::fs::write(file.path(), text).expect("it is written");
    file
}

fn answer_about(engine: &str, file: &Path, more: &[&str]) -> Json {
    let output = bsym()
        .args([engine, "--encoding=sat", "--json"])
        .arg(file)
        .args(more)
        .output()
        .expect("the program runs");
    serde_json::from_slice(&output.stdout).expect("an answer")
}

/// No number wraps: where 64 bits are not enough, another solver is asked, and the answer reports it.
#[test]
fn wide_numbers_go_to_the_unbounded_encoding() {
    let text = "MACHINE Wide VARIABLES x INVARIANT x : INTEGER & x < 9223372036854775810
                INITIALISATION x := 9223372036854775805 OPERATIONS up = x := x + 3 END";
    let file = machine("Wide", text);
    let answer = answer_about("bmc", file.path(), &["--depth=4"]);
    if cfg!(feature = "z3") {
        assert_eq!(answer["verdict"], "violated", "{answer:#}");
        assert!(answer["warnings"].to_string().contains("64 bits"), "{answer:#}");
    } else {
        assert_ne!(answer["verdict"], "holds", "{answer:#}");
    }
}

/// Propositional logic is asked what the unbounded encoding leaves open, here because its solver answers `unknown` or
/// dies.
#[test]
#[cfg(unix)]
fn what_the_unbounded_encoding_leaves_open_propositional_logic_is_asked() {
    use std::os::unix::fs::PermissionsExt;
    for (name, check) in [("shuns", "echo unknown"), ("dies", "exit 3")] {
        let solver = std::env::temp_dir().join(format!("bsym-{name}-{}", std::process::id()));
        let script = format!(
            "#!/bin/sh\nwhile read -r line; do case \"$line\" in\n\
             *get-info*:name*) echo '(:name \"fake\")';;\n*get-info*) echo '(:version \"1\")';;\n\
             *check-sat*) {check};;\nesac; done\n"
        );
        std::fs::write(&solver, script).expect("a script can be written");
        std::fs::set_permissions(&solver, std::fs::Permissions::from_mode(0o755)).expect("it can be run");
        let path = solver.to_str().expect("a name in ASCII");
        let asked = |more: &[&str]| -> Json {
            let all = [&["--solver", path], more].concat();
            let output = run("kind", "Library", "BOOK=2,READER=2", &all);
            serde_json::from_slice(&output.stdout).expect("an answer")
        };
        let answer = asked(&["--timeout", "20"]);
        assert_eq!(answer["verdict"], "holds", "{name}: {answer:#}");
        assert_eq!(answer["encoding"]["name"], "sat", "{name}: {answer:#}");
        let checked = answer["checked"]["solver"].to_string();
        assert!(checked.contains("proofs checked"), "{name}: {answer:#}");
        let one = asked(&["--encoding", "unbounded", "--timeout", "1"]);
        assert_eq!(one["verdict"], "unknown", "{name}: {one:#}");
        std::fs::remove_file(&solver).expect("the script is there");
    }
}

/// The evaluator finds the only order that the axioms allow, so that the encoding has nothing to search; what is said of
/// the axioms does not rest on it.
#[test]
fn constants_with_few_valuations_are_no_unknowns() {
    let folder = tempfile::tempdir().expect("a folder");
    let verdict = |name: &str, properties: &str, engine: &str| {
        let text = format!(
            "MACHINE {name} SETS GUEST = {{ann, bob, cid, dan, eve}} CONSTANTS seat PROPERTIES {properties}
             VARIABLES at INVARIANT at : 1..5 & seat(at) : GUEST INITIALISATION at := seat~(eve)
             OPERATIONS go = SELECT at < 5 THEN at := at + 1 END END"
        );
        let machine = common::file(folder.path(), &format!("{name}.mch"), text);
        let flags = ["--encoding", "sat", "--scope", "prob", "--json", "--timeout", "60s"];
        common::json(&bsym().arg(engine).arg(machine).args(flags).output().expect("the program runs"))
    };
    let seats = "seat : perm(GUEST) & seat(1) = ann & seat(5) = bob
        & !i.(i : 1..4 => seat(i) |-> seat(i + 1) /: {ann |-> cid, ann |-> dan, cid |-> eve, dan |-> bob})";
    for engine in ["kind", "ic3"] {
        let answer = verdict("Seats", seats, engine);
        assert_eq!(answer["verdict"], "holds", "{engine}: {answer:#}");
    }
    let late = "seat : 1..5 >+> GUEST & seat(1) = ann & 1 : dom(seat) & seat : perm(GUEST)
        & seat(2) = eve & seat(3) = cid & seat(4) = dan";
    let answer = verdict("Late", late, "kind");
    assert_eq!(answer["verdict"], "unknown", "{answer:#}");
    assert!(answer["reason"].as_str().is_some_and(|why| why.contains("`seat(1) = ann`")), "{answer:#}");
}
