//! Answers that are kept: found again while nothing changes, and never where anything did.

mod common;

use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use common::{assert_valid, bsym, file, has_solver, json, root};
use serde_json::Value as Json;

/// Runs the program with a cache of its own in the folder of its machines.
fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = bsym();
    command.current_dir(folder).env("BSYM_CACHE", folder.join("kept")).stdin(Stdio::null());
    command.args(arguments).output().expect("it runs")
}

/// Runs it with `--json` and says whether the answer was kept before.
fn asked(folder: &Path, arguments: &[&str]) -> (Option<i32>, Json, bool) {
    let output = run(folder, &[arguments, &["--json"]].concat());
    let object = json(&output);
    let cached = object["cached"] == true;
    (output.status.code(), object, cached)
}

/// The object without what says that it was kept.
fn without(mut object: Json) -> Json {
    object.as_object_mut().expect("an object").remove("cached");
    object
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

const LIFT: &str = "MACHINE Lift INCLUDES Door DEFINITIONS \"most.def\" VARIABLES n INVARIANT n : 0..most
INITIALISATION n := 0 OPERATIONS up = SELECT n < most THEN n := n + 1 END; go = BEGIN close END END";
const DOOR: &str = "MACHINE Door VARIABLES shut INVARIANT shut : BOOL INITIALISATION shut := TRUE
OPERATIONS close = BEGIN shut := TRUE END END";
const DEFINITIONS: &str = "DEFINITIONS most == 3";

/// A machine with an included one in another folder and a file of definitions.
fn lift() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir_all(folder.path().join("lib")).expect("a folder");
    std::fs::create_dir_all(folder.path().join("m")).expect("a folder");
    file(folder.path(), "m/Lift.mch", LIFT);
    file(folder.path(), "lib/Door.mch", DOOR);
    file(folder.path(), "lib/most.def", DEFINITIONS);
    folder
}

const CHECK: [&str; 4] = ["mc", "m/Lift.mch", "-I", "lib"];

#[test]
fn an_answer_is_the_same_again_in_every_form() {
    let folder = lift();
    let folder = folder.path();
    let (code, first, cached) = asked(folder, &CHECK);
    assert!(code == Some(0) && !cached, "{first:#}");
    let (again, second, cached) = asked(folder, &CHECK);
    assert!(cached && again == code, "{second:#}");
    assert_eq!(without(second.clone()), first);
    assert_valid("result", &second);
    let text = run(folder, &CHECK);
    assert!(!err(&text).contains("cache"), "{}", err(&text));
    let kept = run(folder, &CHECK);
    assert_eq!((out(&text), text.status.code()), (out(&kept), kept.status.code()));
    assert!(err(&kept).contains("from the cache"), "{}", err(&kept));
    for form in ["sarif", "junit", "github", "csv"] {
        let form = [CHECK.as_slice(), &["--format", form]].concat();
        let new = run(folder, &[form.as_slice(), &["--no-cache"]].concat());
        let kept = run(folder, &form);
        assert_eq!((new.status.code(), out(&kept).len()), (kept.status.code(), out(&new).len()), "{form:?}");
    }
    assert!(!asked(folder, &[CHECK.as_slice(), &["--no-cache"]].concat()).2);
    // Another flag is another question.
    for more in [["--maxint", "7"], ["--seed", "7"], ["--max-states", "99"], ["--prop", "deadlock"]] {
        let question = [CHECK.as_slice(), &more].concat();
        assert!(!asked(folder, &question).2, "{more:?}");
        assert!(asked(folder, &question).2, "{more:?}");
    }
    // Limits that stop a run are not.
    assert!(asked(folder, &[CHECK.as_slice(), &["--timeout", "50s"]].concat()).2);
}

/// Runs until the answer is kept, then makes a change, and fails unless the question is asked anew.
fn changes(folder: &Path, question: &[&str], what: &str, change: impl FnOnce()) -> Json {
    asked(folder, question);
    assert!(asked(folder, question).2, "before: {what}");
    change();
    let (code, object, cached) = asked(folder, question);
    assert!(!cached, "{what}: {object:#}");
    let (new, fresh, _) = asked(folder, &[question, &["--no-cache"]].concat());
    assert_eq!((code, &object["verdict"]), (new, &fresh["verdict"]), "{what}");
    object
}

#[test]
fn every_file_that_is_read_counts_and_every_one_that_is_not_there() {
    let folder = lift();
    let folder = folder.path();
    let write = |name: &str, text: &str| {
        file(folder, name, text);
    };
    let more = "n := n + 1 END; go = BEGIN close";
    changes(folder, &CHECK, "the machine", || {
        write("m/Lift.mch", &LIFT.replace(more, &more.replace("1", "2")))
    });
    write("m/Lift.mch", LIFT);
    // The former answer is still there.
    assert!(asked(folder, &CHECK).2);
    let object = changes(folder, &CHECK, "the included machine", || {
        write("lib/Door.mch", &DOOR.replace("shut : BOOL", "shut = FALSE"));
    });
    assert_eq!(object["verdict"], "violated");
    write("lib/Door.mch", DOOR);
    changes(folder, &CHECK, "the definitions", || write("lib/most.def", "DEFINITIONS most == 4"));
    // A file beside the machine is read before those of the include path.
    let object = changes(folder, &CHECK, "a file that comes first", || {
        write("m/Door.mch", &DOOR.replace("shut : BOOL", "shut = FALSE"));
    });
    assert_eq!(object["verdict"], "violated");
    // Without it everything is as it was before, and so is the answer.
    std::fs::remove_file(folder.join("m/Door.mch")).expect("it is there");
    let (code, object, cached) = asked(folder, &CHECK);
    assert!(code == Some(0) && cached, "{object:#}");
    // One of another kind comes first as well.
    changes(folder, &CHECK, "a refinement of the same name", || {
        write("m/Door.ref", "REFINEMENT Door REFINES Nothing END");
    });
    std::fs::remove_file(folder.join("m/Door.ref")).expect("it is there");
    changes(folder, &CHECK, "definitions that come first", || write("m/most.def", "DEFINITIONS most == 2"));
    changes(folder, &CHECK, "the settings", || write("m/bsym.toml", "maxint = 9"));
    changes(folder, &CHECK, "other settings", || write("m/bsym.toml", "maxint = 8"));
    // A change of time alone is none.
    write("m/Lift.mch", LIFT);
    assert!(asked(folder, &CHECK).2);
}

#[test]
fn a_change_that_keeps_size_and_time_is_seen() {
    let folder = lift();
    let machine = folder.path().join("m/Lift.mch");
    let time = std::fs::metadata(&machine).expect("it is there").modified().expect("a time");
    let object = changes(folder.path(), &CHECK, "the same size and time", || {
        std::fs::write(&machine, LIFT.replace("n := n + 1", "n := n + 9")).expect("a file");
        let opened = std::fs::File::options().append(true).open(&machine).expect("a file");
        opened.set_modified(time).expect("a time");
    });
    assert_eq!(object["verdict"], "violated");
}

#[test]
fn the_status_of_proofs_counts() {
    if !has_solver() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    for name in ["counter.mch", "counter.po.json"] {
        std::fs::copy(root().join("examples").join(name), folder.join(name)).expect("a file");
    }
    let question = ["check", "counter.mch", "--proofs", "counter.po.json"];
    let proofs = folder.join("counter.po.json");
    let text = std::fs::read_to_string(&proofs).expect("text");
    changes(folder, &question, "the status", || {
        std::fs::write(&proofs, text.replace("\"sources\"", " \"sources\"")).expect("a file");
    });
}

/// The components of a project of Rodin in a folder: a machine that sees a context.
#[test]
fn contexts_and_packages_count() {
    let machine = |bound: &str| {
        format!(
            r#"<?xml version="1.0" encoding="UTF-8"?>
<org.eventb.core.machineFile org.eventb.core.configuration="org.eventb.core.fwd" version="5">
<org.eventb.core.seesContext name="c" org.eventb.core.target="C"/>
<org.eventb.core.variable name="v" org.eventb.core.identifier="x"/>
<org.eventb.core.invariant name="i" org.eventb.core.label="inv1" org.eventb.core.predicate="x ∈ 0 ‥ {bound}"/>
<org.eventb.core.event name="s" org.eventb.core.convergence="0" org.eventb.core.extended="false" org.eventb.core.label="INITIALISATION">
<org.eventb.core.action name="a" org.eventb.core.assignment="x ≔ k" org.eventb.core.label="act1"/>
</org.eventb.core.event>
</org.eventb.core.machineFile>"#
        )
    };
    let context = |value: &str| {
        format!(
            r#"<?xml version="1.0" encoding="UTF-8"?>
<org.eventb.core.contextFile org.eventb.core.configuration="org.eventb.core.fwd" version="3">
<org.eventb.core.constant name="k" org.eventb.core.identifier="k"/>
<org.eventb.core.axiom name="x" org.eventb.core.label="axm1" org.eventb.core.predicate="k = {value}"/>
</org.eventb.core.contextFile>"#
        )
    };
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    file(folder, "M.bum", machine("9"));
    file(folder, "C.buc", context("3"));
    // The cache of the test is beside the files of the project.
    std::fs::create_dir_all(folder.join("kept")).expect("a folder");
    let question = ["mc", "M.bum"];
    let object = changes(folder, &question, "the context", || {
        file(folder, "C.buc", context("10"));
    });
    assert_eq!(object["verdict"], "violated");
    let object = changes(folder, &question, "the machine", || {
        file(folder, "M.bum", machine("10"));
    });
    assert_eq!(object["verdict"], "holds");
    // A status of Rodin that appears.
    changes(folder, &question, "a status", || {
        file(folder, "M.bps", "<?xml version=\"1.0\"?><org.eventb.core.psFile/>");
    });
}

#[test]
fn files_of_evidence_are_written_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    std::fs::create_dir(folder.join("m")).expect("a folder");
    file(
        folder,
        "m/N.mch",
        "MACHINE N VARIABLES n INVARIANT n : 0..2 INITIALISATION n := 0
OPERATIONS up = BEGIN n := n + 1 END END",
    );
    let question = ["mc", "m/N.mch", "--trace", "trace.json", "--html", "page.html"];
    let (code, _, cached) = asked(folder, &question);
    assert!(code == Some(1) && !cached);
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("it is there");
    let (trace, page) = (read("trace.json"), read("page.html"));
    std::fs::remove_file(folder.join("trace.json")).expect("a file");
    std::fs::remove_file(folder.join("page.html")).expect("a file");
    let (code, object, cached) = asked(folder, &question);
    assert!(code == Some(1) && cached, "{object:#}");
    assert_eq!(read("trace.json"), trace);
    assert!(read("page.html").len() >= page.len());
    // Where it cannot be written, that is said as ever.
    std::fs::remove_file(folder.join("trace.json")).expect("a file");
    std::fs::create_dir(folder.join("trace.json")).expect("a folder");
    assert_eq!(run(folder, &question).status.code(), Some(2));
}

const LONG: &str = "MACHINE Long VARIABLES x, y INVARIANT x : INTEGER & y : INTEGER & x >= 0
INITIALISATION x, y := 0, 1
OPERATIONS step = BEGIN x := x + 1 || y := (x * x + y) mod 1000033 END END";

#[test]
fn what_a_limit_of_time_left_open_is_asked_again() {
    let folder = tempfile::tempdir().expect("a folder");
    file(folder.path(), "Long.mch", LONG);
    let question = ["mc", "Long.mch", "--timeout", "300ms"];
    for _ in 0..2 {
        let (code, object, cached) = asked(folder.path(), &question);
        assert!(code == Some(3) && !cached, "{object:#}");
    }
    // A limit on states is part of the question.
    let question = ["mc", "Long.mch", "--max-states", "50"];
    assert_eq!((asked(folder.path(), &question).0, asked(folder.path(), &question).2), (Some(3), true));
    assert!(!asked(folder.path(), &["mc", "Long.mch", "--max-states", "51"]).2);
}

/// All files of the cache.
fn kept(folder: &Path) -> Vec<PathBuf> {
    let folders = std::fs::read_dir(folder.join("kept/answers-1")).expect("a folder").flatten();
    let files = folders.flat_map(|folder| std::fs::read_dir(folder.path()).expect("a folder").flatten());
    files.map(|file| file.path()).collect()
}

#[test]
fn a_damaged_answer_is_none() {
    let folder = lift();
    let folder = folder.path();
    asked(folder, &CHECK);
    assert!(asked(folder, &CHECK).2);
    let damage: [fn(Vec<u8>) -> Vec<u8>; 4] = [
        |_| vec![],
        |bytes| bytes[..bytes.len() / 2].to_vec(),
        |bytes| String::from_utf8(bytes).expect("text").replace("\"holds\"", "\"bolds\"").into_bytes(),
        |_| b"\xff\n{}".to_vec(),
    ];
    for damage in damage {
        let files = kept(folder);
        assert_eq!(files.len(), 1, "{files:?}");
        let bytes = std::fs::read(&files[0]).expect("bytes");
        std::fs::write(&files[0], damage(bytes)).expect("a file");
        let (code, object, cached) = asked(folder, &CHECK);
        assert!(code == Some(0) && !cached, "{object:#}");
        assert!(asked(folder, &CHECK).2);
    }
    // A folder that cannot be used costs nothing but the time.
    std::fs::remove_dir_all(folder.join("kept")).expect("a folder");
    file(folder, "kept", "a file");
    assert_eq!(asked(folder, &CHECK).0, Some(0));
    assert_eq!(asked(folder, &CHECK).0, Some(0));
}

#[test]
fn the_cache_says_what_it_has_and_stays_small() {
    let folder = lift();
    let folder = folder.path();
    let about = || out(&run(folder, &["cache"]));
    assert!(about().contains("0 answers"), "{}", about());
    asked(folder, &CHECK);
    assert!(about().contains("1 answer,") && about().contains(&folder.join("kept").display().to_string()));
    let size = std::fs::metadata(&kept(folder)[0]).expect("a file").len();
    // Room for some twenty of them: the oldest go.
    let limit = (size * 20).to_string();
    for seed in 0..30 {
        let seed = seed.to_string();
        let mut command = bsym();
        command.current_dir(folder).env("BSYM_CACHE", folder.join("kept")).env("BSYM_CACHE_SIZE", &limit);
        command.args(CHECK).args(["--seed", &seed, "--json"]).output().expect("it runs");
    }
    let all: u64 = kept(folder).iter().map(|file| std::fs::metadata(file).expect("a file").len()).sum();
    assert!(all <= size * 20 && kept(folder).len() > 10, "{all} {}", kept(folder).len());
    let last = [CHECK.as_slice(), &["--seed", "29"]].concat();
    assert!(asked(folder, &last).2);
    assert!(out(&run(folder, &["cache", "clear"])).contains("removed"));
    assert!(about().contains("0 answers"));
    assert!(!asked(folder, &CHECK).2);
    let mut off = bsym();
    let said = off.arg("cache").env("BSYM_CACHE", "off").output().expect("it runs");
    assert!(out(&said).contains("off"));
}

#[test]
fn processes_share_the_cache() {
    let folder = lift();
    let folder = folder.path();
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                for _ in 0..4 {
                    assert_eq!(asked(folder, &CHECK).0, Some(0));
                }
            });
        }
    });
    assert!(asked(folder, &CHECK).2);
    assert_eq!(kept(folder).len(), 1);
}

#[test]
fn several_machines_have_their_answers_from_the_cache() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    std::fs::create_dir(folder.join("all")).expect("a folder");
    for i in 0..5 {
        let most = if i == 3 { 1 } else { 9 };
        let text = format!(
            "MACHINE M{i} VARIABLES n INVARIANT n : 0..{most} INITIALISATION n := 0
OPERATIONS up = SELECT n < 5 THEN n := n + 1 END END"
        );
        file(folder, &format!("all/M{i}.mch"), text);
    }
    let question = ["mc", "all"];
    let (code, first, _) = asked(folder, &question);
    let (again, second, _) = asked(folder, &question);
    assert_eq!((code, again), (Some(1), Some(1)));
    assert_valid("results", &second);
    for (one, two) in first["machines"].as_array().unwrap().iter().zip(second["machines"].as_array().unwrap())
    {
        assert!(one["cached"].is_null() && two["cached"] == true, "{two:#}");
        assert_eq!(one["verdict"], two["verdict"]);
        assert_eq!(&one["result"], &without(two["result"].clone()));
    }
    // One alone has the same answer as one of several.
    assert!(asked(folder, &["mc", "all/M3.mch"]).2);
    let text = out(&run(folder, &question));
    assert_eq!(text.matches("(cached)").count(), 5, "{text}");
}

#[test]
fn formulas_of_branching_time_are_asked_again_after_each_change() {
    let folder = lift();
    let folder = folder.path();
    let base = ["ltl", "m/Lift.mch", "-I", "lib"];
    let formula = |text: &'static str| [base.as_slice(), &["--ctl", text]].concat();
    let question = formula("EF {n = 3}");
    let verdicts = |object: &Json| {
        let all = object["formulas"].as_array().expect("formulas");
        all.iter().map(|f| f["verdict"].as_str().expect("a word").to_string()).collect::<Vec<_>>()
    };
    let again = |what: &str, question: &[&str], change: &dyn Fn()| {
        asked(folder, question);
        assert!(asked(folder, question).2, "before: {what}");
        change();
        let (code, object, cached) = asked(folder, question);
        assert!(!cached, "{what}: {object:#}");
        let (new, fresh, _) = asked(folder, &[question, &["--no-cache"]].concat());
        assert_eq!((code, verdicts(&object)), (new, verdicts(&fresh)), "{what}");
        verdicts(&object)
    };
    let (code, object, _) = asked(folder, &question);
    assert!(code == Some(0) && verdicts(&object) == ["holds"], "{object:#}");
    // Another formula and another flag are other questions.
    let other = formula("AG {n < 3}");
    let (_, object, cached) = asked(folder, &other);
    assert!(!cached && verdicts(&object) == ["violated"], "{object:#}");
    let both = [question.as_slice(), &["--ctl", "AG {n < 3}"]].concat();
    let (_, object, cached) = asked(folder, &both);
    assert!(!cached && verdicts(&object) == ["holds", "violated"], "{object:#}");
    let as_path = [base.as_slice(), &["-f", "F {n = 3}"]].concat();
    assert!(!asked(folder, &as_path).2);
    assert!(!asked(folder, &[question.as_slice(), &["--max-states", "2"]].concat()).2);
    assert!(!asked(folder, &[question.as_slice(), &["--maxint", "7"]].concat()).2);
    // So are the same words about other files.
    let found = again("the definitions", &question, &|| {
        file(folder, "lib/most.def", "DEFINITIONS most == 2");
    });
    assert_eq!(found, ["violated"]);
    file(folder, "lib/most.def", DEFINITIONS);
    assert!(asked(folder, &question).2);
    let found = again("the machine", &question, &|| {
        file(folder, "m/Lift.mch", LIFT.replace("n := n + 1", "n := n + 2"));
    });
    assert_eq!(found, ["violated"]);
    again("the included machine", &question, &|| {
        file(folder, "lib/Door.mch", DOOR.replace("shut := TRUE END", "shut := FALSE END"));
    });
}

#[test]
fn the_other_commands_keep_their_answers_too() {
    if !has_solver() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    file(
        folder,
        "A.mch",
        "MACHINE A VARIABLES n INVARIANT n : 0..9 INITIALISATION n := 0
OPERATIONS up = SELECT n < 9 THEN n := n + 1 END END",
    );
    file(
        folder,
        "R.ref",
        "REFINEMENT R REFINES A VARIABLES m INVARIANT m : 0..9 & m = n INITIALISATION m := 0
OPERATIONS up = SELECT m < 9 THEN m := m + 1 END END",
    );
    let questions: [(&str, &[&str]); 7] = [
        ("result", &["check", "A.mch"]),
        ("result", &["bmc", "A.mch", "-k", "2"]),
        ("result", &["kind", "A.mch"]),
        ("result", &["ic3", "A.mch", "--certificate", "c.json"]),
        ("ltl", &["ltl", "A.mch", "-f", "G {n >= 0}"]),
        ("refine", &["refine", "R.ref"]),
        ("", &["po", "A.mch", "-o", "po.json"]),
    ];
    for (schema, question) in questions {
        // A file that is written beside the machine may be one that it reads.
        let (_, first, _) = asked(folder, question);
        asked(folder, question);
        let (code, object, cached) = asked(folder, question);
        assert!(cached, "{question:?}: {object:#}");
        if !schema.is_empty() {
            assert_valid(schema, &object);
        }
        let (new, fresh, _) = asked(folder, &[question, &["--no-cache"]].concat());
        assert_eq!(code, new, "{question:?}");
        for object in [&object, &fresh] {
            assert_eq!(object["verdict"], first["verdict"], "{question:?}");
        }
    }
    // Other questions may have other answers each time that they are asked, and none of theirs is kept.
    for question in [["cbc", "A.mch"], ["tests", "A.mch"]] {
        for _ in 0..2 {
            let (code, object, cached) = asked(folder, &question);
            assert!(code.is_some_and(|code| code < 2) && !cached, "{question:?}: {object:#}");
        }
    }
    // What `po --json` says is a status, from the cache as well.
    let kept = run(folder, &["po", "A.mch", "-o", "po.json", "--json"]);
    assert!(out(&kept).contains("\"cached\": true"));
    let status = file(folder, "kept.json", kept.stdout);
    let read = run(folder, &["check", "A.mch", "--proofs", &status.display().to_string()]);
    assert_eq!(read.status.code(), Some(0), "{}", err(&read));
    let certified = run(folder, &["certify", "c.json"]);
    assert_eq!(certified.status.code(), Some(0), "{}", err(&certified));
}
