//! `bsym po --open`: what a proof status leaves open.

mod common;

use std::path::Path;

use common::{bsym, file, has_solver, json, root, run};
use serde_json::Value as Json;

/// `far` and `odd` break the invariant; no state with `k = 3` is reachable.
const COUNTER: &str = "MACHINE Counter VARIABLES n, k INVARIANT n : INTEGER & k : INTEGER &
  /*@ label bound */ n <= 10 & /*@ label small */ k <= 5
INITIALISATION n, k := 0, 0
OPERATIONS inc = SELECT n < 10 THEN n := n + 1 END;
  far = n := n + 3;
  odd = SELECT k = 3 THEN k := 9 END
END";

fn text(machine: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let output = run("po", machine, arguments);
    let said =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.code(), said)
}

/// The summary without the time.
fn summary(said: &str) -> &str {
    said.lines().next().unwrap_or_default().split("  [").next().unwrap_or_default()
}

fn assert_of_status(object: &Json) {
    let schema = std::fs::read_to_string(root().join("schema/of_status.schema.json")).expect("a schema");
    let schema = serde_json::from_str(&schema).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let wrong: Vec<String> = validator.iter_errors(&object["of_status"]).map(|e| e.to_string()).collect();
    assert!(wrong.is_empty(), "{wrong:?}\n{object:#}");
}

#[test]
fn only_what_is_open_is_tried_and_only_a_reachable_state_refutes() {
    if !has_solver() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let machine = file(folder.path(), "Counter.mch", COUNTER);
    let po = folder.path().join("po.json");
    let proofs = po.display().to_string();
    assert_eq!(text(&machine, &["-o", &proofs]).0, Some(3));
    // The obligations of `inc` are discharged in the first file, and open in the second one.
    let mut status: Json = serde_json::from_str(&std::fs::read_to_string(&po).expect("text")).expect("JSON");
    status.as_object_mut().expect("an object").remove("summary");
    let with = |names: &[&str]| {
        let mut status = status.clone();
        for o in status["obligations"].as_array_mut().expect("obligations") {
            if names.contains(&o["source"]["name"].as_str().unwrap_or_default()) {
                o["status"] = "pending".into();
            }
        }
        std::fs::write(&po, status.to_string()).expect("a file");
    };
    let arguments = ["--open", "--proofs", &proofs, "--each", "5s"];
    with(&["inc/bound/INV"]);
    let (code, said) = text(&machine, &arguments);
    let words = "3 open in po.json: 1 discharged, 1 refuted by a reachable state, 1 open";
    assert_eq!((code, summary(&said)), (Some(1), words), "{said}");
    assert!(said.contains("refuted  far/bound/INV") && said.contains("open  odd/small/INV"), "{said}");
    let output = bsym().arg("po").arg(&machine).args(arguments).arg("--json").output().expect("it runs");
    let object = json(&output);
    assert_of_status(&object);
    assert_eq!(object["of_status"]["refuted"], 1, "{object:#}");
    let tried = |o: &&Json| o["status"] != "trivial";
    assert_eq!(object["obligations"].as_array().unwrap().iter().filter(tried).count(), 3, "{object:#}");

    // Without the fault that is reached, one is open; without the other one, none.
    let mend = |text: &str, from: &str, to: &str| {
        assert!(text.contains(from));
        text.replace(from, to)
    };
    let less = mend(COUNTER, "far = n := n + 3", "far = n := n - 3");
    std::fs::write(&machine, &less).expect("a file");
    assert_eq!(text(&machine, &["-o", &proofs]).0, Some(3));
    let (code, said) = text(&machine, &arguments);
    assert_eq!((code, summary(&said)), (Some(3), "1 open in po.json: 1 open"), "{said}");
    std::fs::write(&machine, mend(&less, "k := 9", "k := 4")).expect("a file");
    assert_eq!(text(&machine, &["-o", &proofs]).0, Some(0));
    let (code, said) = text(&machine, &arguments);
    assert_eq!((code, summary(&said)), (Some(0), "nothing is open in po.json"), "{said}");
    // Obligations proved for another text are open again.
    std::fs::write(&machine, mend(&less, "k := 9", "k := 5")).expect("a file");
    let (code, said) = text(&machine, &arguments);
    assert!(code == Some(0) && summary(&said).ends_with("discharged"), "{code:?} {said}");
    assert!(!summary(&said).starts_with("nothing"), "{said}");
    assert!(said.contains("not taken: ") && said.contains("proved for another text"), "{said}");
    // What is only reviewed is tried, unless it is to count.
    std::fs::write(&machine, mend(&less, "k := 9", "k := 4")).expect("a file");
    let mut status: Json = serde_json::from_str(&std::fs::read_to_string(&po).expect("text")).expect("JSON");
    status.as_object_mut().expect("an object").remove("summary");
    for o in status["obligations"].as_array_mut().expect("obligations") {
        if o["source"]["name"] == "inc/bound/INV" {
            o["status"] = "reviewed".into();
        }
    }
    std::fs::write(&po, status.to_string()).expect("a file");
    let (code, said) = text(&machine, &["--proofs", &proofs]);
    assert_eq!((code, summary(&said)), (Some(0), "1 open in po.json: 1 discharged"), "{said}");
    assert!(said.contains("not taken: 1 only reviewed (--trust-reviewed)"), "{said}");
    let (code, said) = text(&machine, &["--proofs", &proofs, "--trust-reviewed"]);
    assert_eq!((code, summary(&said)), (Some(0), "nothing is open in po.json"), "{said}");
}

/// A project of Atelier B: the machine in `src`, what it sees in `lib`, their database in `bdp`.
fn atelier(folder: &Path) {
    for (from, to) in [
        ("src/Parking.mch", "src/Parking.mch"),
        ("src/Limits.mch", "lib/Limits.mch"),
        ("bdp/Parking.pmi", "bdp/Parking.pmi"),
        ("bdp/Parking.pog", "bdp/Parking.pog"),
        ("bdp/Parking.bxml", "bdp/Parking.bxml"),
        ("bdp/Parking.dep", "bdp/Parking.dep"),
        ("bdp/Limits.dep", "bdp/Limits.dep"),
    ] {
        let target = folder.join(to);
        std::fs::create_dir_all(target.parent().expect("a folder")).expect("a folder");
        std::fs::copy(root().join("docs/guides/files/atelier-b").join(from), target).expect("a file");
    }
}

#[test]
fn the_names_and_folders_of_atelier_b_are_understood() {
    if !has_solver() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    atelier(folder);
    let machine = folder.join("src/Parking.mch");
    let (lib, pmi) = (folder.join("lib"), folder.join("bdp/Parking.pmi"));
    let (lib, pmi) = (lib.display().to_string(), pmi.display().to_string());
    let arguments = ["-I", &lib, "--open", "--proofs", &pmi];
    let (code, said) = text(&machine, &arguments);
    assert_eq!((code, summary(&said)), (Some(0), "1 open in Parking.pmi: 1 discharged"), "{said}");
    assert!(said.contains("9 taken from Parking.pmi, 5 trivial\n"), "{said}");
    let counted = bsym().args(["proofs", &pmi, "-I", &lib, "--json"]).output().expect("it runs");
    let counted = String::from_utf8_lossy(&counted.stdout).into_owned();
    assert!(!counted.contains("not counted") && counted.contains("\"used\""), "{counted}");
    // The database of the other folder may be with its own project.
    let (with_us, with_it) = (folder.join("bdp/Limits.dep"), folder.join("lib/bdp/Limits.dep"));
    std::fs::create_dir(folder.join("lib/bdp")).expect("a folder");
    std::fs::rename(&with_us, &with_it).expect("a file");
    let (_, said) = text(&machine, &arguments);
    assert!(said.contains("9 taken from Parking.pmi, 5 trivial\n"), "{said}");
    // Another text of it, and no record of its text, leave nothing to take.
    let text_of_limits = std::fs::read_to_string(folder.join("lib/Limits.mch")).expect("text");
    std::fs::write(folder.join("lib/Limits.mch"), text_of_limits.clone() + "\n").expect("a file");
    let (_, said) = text(&machine, &arguments);
    assert!(said.contains("14 proved for another text"), "{said}");
    assert!(said.contains("Limits has changed since its obligations were generated"), "{said}");
    std::fs::write(folder.join("lib/Limits.mch"), text_of_limits).expect("a file");
    std::fs::remove_file(with_it).expect("a file");
    let (_, said) = text(&machine, &arguments);
    assert!(said.contains("14 proved for another text") && said.contains("there is no Limits.dep"), "{said}");
    // Every name of the obligation explains it.
    for name in ["enter/#0/INV", "Parking/enter/#0/INV", "enter/inv1/INV", " enter / inv1 /INV"] {
        let (code, said) = text(&machine, &["-I", &lib, "--explain", name]);
        assert!(code == Some(0) && said.contains("enter/inv1/INV: `inside : 0..capacity` follows"), "{said}");
    }
    let (code, said) = text(&machine, &["-I", &lib, "--explain", "enter/#9/INV"]);
    assert!(code == Some(2) && said.contains("no obligation `enter/#9/INV`"), "{code:?} {said}");
}

const MACHINE: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<org.eventb.core.machineFile org.eventb.core.configuration="org.eventb.core.fwd" version="5">
<org.eventb.core.variable name="v" org.eventb.core.identifier="x"/>
<org.eventb.core.invariant name="i" org.eventb.core.label="inv1" org.eventb.core.predicate="x ∈ 0 ‥ 9"/>
<org.eventb.core.event name="s" org.eventb.core.convergence="0" org.eventb.core.extended="false" org.eventb.core.label="INITIALISATION">
<org.eventb.core.action name="a" org.eventb.core.assignment="x ≔ 0" org.eventb.core.label="act1"/>
</org.eventb.core.event>
<org.eventb.core.event name="e" org.eventb.core.convergence="0" org.eventb.core.extended="false" org.eventb.core.label="up">
<org.eventb.core.guard name="g" org.eventb.core.label="grd1" org.eventb.core.predicate="x &lt; 9"/>
<org.eventb.core.action name="a" org.eventb.core.assignment="x ≔ x + 1" org.eventb.core.label="act1"/>
</org.eventb.core.event>
</org.eventb.core.machineFile>"#;

/// The files of Rodin's provers, which discharged nothing but the establishment of the invariant.
fn status_of_rodin(folder: &Path, others: &str) {
    let names = ["INITIALISATION/inv1/INV", "up/inv1/INV", others];
    let names = names.into_iter().filter(|n| !n.is_empty());
    let (mut sequents, mut states) = (String::new(), String::new());
    for (i, name) in names.enumerate() {
        sequents.push_str(&format!(
            "<org.eventb.core.poSequent name=\"{name}\" org.eventb.core.accurate=\"true\" \
             org.eventb.core.poDesc=\"Invariant  preservation\" org.eventb.core.poStamp=\"1\"/>\n"
        ));
        let confidence = if i == 0 { 1000 } else { 0 };
        states.push_str(&format!(
            "<org.eventb.core.psStatus name=\"{name}\" org.eventb.core.confidence=\"{confidence}\" \
             org.eventb.core.poStamp=\"1\" org.eventb.core.psManual=\"false\"/>\n"
        ));
    }
    let whole = |tag: &str, inner: &str| {
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<org.eventb.core.{tag}>\n{inner}</org.eventb.core.{tag}>"
        )
    };
    file(folder, "M.bpo", whole("poFile", &sequents));
    file(folder, "M.bps", whole("psFile", &states));
}

#[test]
fn a_project_of_rodin_brings_its_status_along() {
    if !has_solver() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let machine = file(folder.path(), "M.bum", MACHINE);
    status_of_rodin(folder.path(), "");
    let (code, said) = text(&machine, &["--open"]);
    assert_eq!((code, summary(&said)), (Some(0), "1 open in Rodin: 1 discharged"), "{said}");
    assert!(said.contains("1 taken from Rodin"), "{said}");
    // That is so without a flag, and not where all are asked for.
    let (code, said) = text(&machine, &[]);
    assert_eq!((code, summary(&said)), (Some(0), "1 open in Rodin: 1 discharged"), "{said}");
    let all = folder.path().join("all.json").display().to_string();
    for more in [["--no-proofs", "--each=5s"], ["-o", &all]] {
        let (code, said) = text(&machine, &more);
        assert!(code == Some(0) && summary(&said).starts_with("2 obligations: "), "{said}");
    }
    // An obligation of another name stays open.
    status_of_rodin(folder.path(), "up/grd7/WD");
    let (code, said) = text(&machine, &["--open"]);
    assert_eq!((code, summary(&said)), (Some(3), "2 open in Rodin: 1 discharged, 1 open"), "{said}");
    assert!(said.contains("up/grd7/WD: the machine has no obligation of this name"), "{said}");
}

#[test]
fn a_status_is_needed() {
    let folder = tempfile::tempdir().expect("a folder");
    let machine = file(folder.path(), "Counter.mch", COUNTER);
    let (code, said) = text(&machine, &["--open"]);
    assert!(code == Some(2) && said.contains("--proofs"), "{code:?} {said}");
}
