use std::path::Path;

use super::super::testing::{count, event_b, folder, listed, read};
use crate::OpenKind;
use crate::file::*;
use crate::proven::Level;
use crate::sources::{attach, convert};
use crate::{ImportOptions, read_status};

/// An element as Rodin writes it: attributes after the name, those with a dot as they are.
pub(super) fn element(kind: &str, name: &str, attributes: &[(&str, &str)], inside: &str) -> String {
    let mut text = format!("<org.eventb.core.{kind} name=\"{name}\"");
    for (key, value) in attributes {
        let value = value.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
        text += &format!(" org.eventb.core.{key}=\"{value}\"");
    }
    text + &format!(">{inside}</org.eventb.core.{kind}>\n")
}

pub(super) fn file(root: &str, inside: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<org.eventb.core.{root}>\n{inside}</org.eventb.core.{root}>\n"
    )
}

fn event(name: &str, label: &str, refines: &[&str], actions: &[&str]) -> String {
    let mut inside = String::new();
    for (i, target) in refines.iter().enumerate() {
        inside += &element("refinesEvent", &format!("r{i}"), &[("target", target)], "");
    }
    for (i, action) in actions.iter().enumerate() {
        let label = format!("act{i}");
        inside += &element("action", &format!("a{i}"), &[("label", &label), ("assignment", action)], "");
    }
    element("event", name, &[("label", label), ("convergence", "0")], &inside)
}

pub(super) fn invariant(name: &str, label: &str, predicate: &str, theorem: &str) -> String {
    element("invariant", name, &[("label", label), ("predicate", predicate), ("theorem", theorem)], "")
}

/// A sequent: name, stamp, and its sources as file, kind and name of the elements.
pub(super) fn sequent(name: &str, stamp: &str, sources: &[(&str, &str, &str)]) -> String {
    let mut inside = String::new();
    for (i, (file, root, way)) in sources.iter().enumerate() {
        let stem = file.split('.').next().unwrap();
        let way: Vec<String> = way.split('|').map(|s| format!("org.eventb.core.{s}")).collect();
        let source = format!("/Tank P/{file}|org.eventb.core.{root}#{stem}|{}", way.join("|"));
        inside += &element("poSource", &format!("s{i}"), &[("poRole", "DEFAULT"), ("source", &source)], "");
    }
    let attributes = [("accurate", "true"), ("poDesc", "some description"), ("poStamp", stamp)];
    element("poSequent", name, &attributes, &inside)
}

pub(super) fn status(name: &str, confidence: &str, stamp: &str, more: &[(&str, &str)]) -> String {
    let attributes = [&[("confidence", confidence), ("poStamp", stamp)], more].concat();
    element("psStatus", name, &attributes, "")
}

/// A tank and its refinement by a valve. Handles name events `e'1` and invariants by internal names.
fn tank() -> Vec<(&'static str, String)> {
    let abstract_machine = [
        element("variable", "v", &[("identifier", "level")], ""),
        invariant("i(1", "inv1", "level ∈ 0 ‥ 10", "false"),
        event("e0", "INITIALISATION", &[], &["level ≔ 0"]),
        event("e'1", "fill", &[], &["level ≔ level+1"]),
        event("e2", "drain", &[], &["level ≔ 0"]),
    ];
    let concrete = [
        element("refinesMachine", "r", &[("target", "Tank0")], ""),
        element("variable", "v", &[("identifier", "level")], ""),
        element("variable", "w", &[("identifier", "open")], ""),
        invariant("j1", "inv1", "open = TRUE ⇒ level < 10", "false"),
        // Rodin keeps white space at the ends of labels.
        invariant("j2", "inv2\n", "open ∈ BOOL", "false"),
        event("f0", "INITIALISATION", &[], &["level ≔ 0", "open ≔ FALSE"]),
        event("f1", "fill", &["fill"], &["level ≔ level+1", "open ≔ FALSE"]),
        event("f2", "drain", &["drain"], &["level ≔ 0"]),
        event("f3", "turn", &[], &["open ≔ bool(open=FALSE ∧ level<10)"]),
    ];
    let m = "machineFile";
    let (a, c) = ("Tank0.bum", "Tank1.bum");
    let abstract_obligations = [
        sequent("INITIALISATION/inv1/INV", "3", &[(a, m, "event#e0"), (a, m, "invariant#i(1")]),
        sequent("fill/inv1/INV", "3", &[(a, m, "event#e'1"), (a, m, "invariant#i(1")]),
        sequent("drain/inv1/INV", "3", &[(a, m, "event#e2"), (a, m, "invariant#i(1")]),
    ];
    let both = |e: &'static str, f: &'static str| [(a, m, e), (c, m, f), (c, m, "invariant#j1")];
    let concrete_obligations = [
        sequent("INITIALISATION/inv1/INV", "4", &both("event#e0", "event#f0")),
        sequent("fill/inv1/INV", "4", &both("event#e'1", "event#f1")),
        sequent("drain/inv1/INV", "4", &both("event#e2", "event#f2")),
        // An obsolete internal name: only the name identifies the pair.
        sequent("turn/inv1/INV", "4", &[(c, m, "event#gone"), (c, m, "invariant#gone")]),
        sequent("fill/act0/SIM", "4", &[(a, m, "event#e'1|action#a0"), (c, m, "event#f1")]),
        sequent("drain/act0/SIM", "4", &[(a, m, "event#e2|action#a0"), (c, m, "event#f2")]),
    ];
    let abstract_statuses =
        ["INITIALISATION/inv1/INV", "fill/inv1/INV", "drain/inv1/INV"].map(|n| status(n, "1000", "3", &[]));
    let concrete_statuses = [
        status("INITIALISATION/inv1/INV", "1000", "4", &[]),
        status("fill/inv1/INV", "1000", "4", &[("psManual", "true")]),
        status("drain/inv1/INV", "500", "4", &[]),
        status("turn/inv1/INV", "1000", "4", &[]),
        status("fill/act0/SIM", "1000", "4", &[]),
        status("drain/act0/SIM", "0", "4", &[]),
    ];
    vec![
        ("Tank's project/Tank0.bum", file("machineFile", &abstract_machine.concat())),
        ("Tank's project/Tank1.bum", file("machineFile", &concrete.concat())),
        ("Tank's project/Tank0.bpo", file("poFile", &abstract_obligations.concat())),
        ("Tank's project/Tank1.bpo", file("poFile", &concrete_obligations.concat())),
        ("Tank's project/Tank0.bps", file("psFile", &abstract_statuses.concat())),
        ("Tank's project/Tank1.bps", file("psFile", &concrete_statuses.concat())),
    ]
}

/// The tank with a part of one file replaced.
fn changed(name: &str, from: &str, to: &str) -> tempfile::TempDir {
    let mut files = tank();
    let (_, text) = files.iter_mut().find(|(n, _)| n.ends_with(name)).unwrap();
    assert!(text.contains(from), "{text}");
    *text = text.replace(from, to);
    folder(&files)
}

const TEXT: &str = "MACHINE Tank1 VARIABLES level, open INVARIANT /*@ label inv1 */ level : 0..10 &
 /*@ label inv1 */ (open = TRUE => level < 10) & /*@ label inv2 */ open : BOOL
INITIALISATION level, open := 0, FALSE
OPERATIONS fill = SELECT level < 10 THEN level, open := level + 1, FALSE END; drain = level := 0;
 turn = open := bool(open = FALSE & level < 10) END";

fn model(folder: &Path) -> bsym_language::model::Model {
    event_b(folder.join("Tank's project/Tank1.bum"), TEXT, &["Tank0", "Tank1", "Tank1"])
}

#[test]
fn obligations_are_placed_by_their_sources() {
    let folder = folder(&tank());
    let all = read(folder.path());
    assert_eq!(all.warnings, [""; 0]);
    assert_eq!(all.file.model.as_ref().unwrap().main.as_deref(), Some("Tank1"));
    assert_eq!(
        listed(&all.file.obligations),
        [
            "Tank0/INITIALISATION/inv1/INV discharged",
            "Tank0/fill/inv1/INV discharged",
            "Tank0/drain/inv1/INV discharged",
            "Tank1/INITIALISATION/inv1/INV discharged",
            "Tank1/fill/inv1/INV discharged",
            "Tank1/drain/inv1/INV reviewed",
            "Tank1/turn/inv1/INV discharged",
            "Tank1/fill/act0/SIM discharged",
            "Tank1/drain/act0/SIM pending",
        ]
    );
    let fill = &all.file.obligations[4];
    assert_eq!((fill.event.as_deref(), fill.abstract_event.as_deref()), (Some("fill"), Some("fill")));
    let target = fill.target.as_ref().unwrap();
    assert_eq!((target.owner.as_deref(), target.label.as_deref()), (Some("Tank1"), Some("inv1")));
    assert_eq!((fill.manual, fill.source.mapped_by), (Some(true), Some(MappedBy::Handle)));
    assert_eq!(all.file.obligations[6].source.mapped_by, Some(MappedBy::Name));
    assert_eq!(all.file.obligations[0].kind, Kind::InvEst);
}

#[test]
fn a_project_proves_pairs_of_all_levels() {
    let folder = folder(&tank());
    let m = model(folder.path());
    let status = read_status(&folder.path().join("Tank's project"), &m, &ImportOptions::default()).unwrap();
    let word = |event: Option<u32>, i: usize| {
        let pair = (event.map(bsym_language::model::EventId), i);
        match (status.status.get(pair), status.open.iter().find(|o| o.pair == pair)) {
            (Some(s), None) if status.trivial.contains(&pair) => s.provers[0].clone(),
            (Some(s), None) => format!("{:?}", s.level),
            (None, Some(o)) => format!("{:?}", o.kind),
            both => panic!("{both:?}"),
        }
    };
    let (tool, frame, typing) = ("Tool", "bsym:frame", "bsym:typing");
    // The invariant of the abstraction: `drain` has a simulation that is open.
    assert_eq!([None, Some(0), Some(1), Some(2)].map(|e| word(e, 0)), [tool, tool, "Refinement", frame]);
    assert_eq!([None, Some(0), Some(1), Some(2)].map(|e| word(e, 1)), [tool, tool, "Reviewed", tool]);
    assert_eq!([None, Some(0), Some(1), Some(2)].map(|e| word(e, 2)), [typing, typing, frame, typing]);
    assert_eq!(
        (status.used.len(), status.reviewed, status.stale.len(), status.unmatched.len()),
        (5, 0, 0, 0)
    );
    let options = ImportOptions { trust_reviewed: true, scope: None };
    let trusting = read_status(folder.path(), &m, &options).unwrap();
    assert_eq!((trusting.reviewed, trusting.open.len()), (1, 1));
    assert_eq!(trusting.open[0].kind, OpenKind::Refinement);
}

#[test]
fn what_is_written_says_the_same_again() {
    let folder = folder(&tank());
    let m = model(folder.path());
    let path = folder.path().join("po.json");
    let mut converted = convert(&folder.path().join("Tank's project"), folder.path()).unwrap();
    let before = read_status(folder.path(), &m, &ImportOptions::default()).unwrap();
    for attached in [false, true] {
        if attached {
            attach(&mut converted.file, &m);
        }
        converted.file.write(&path).unwrap();
        let again = read_status(&path, &m, &ImportOptions::default()).unwrap();
        assert_eq!((&again.status, &again.open, &again.used), (&before.status, &before.open, &before.used));
    }
    let schema = serde_json::from_str(SCHEMA).unwrap();
    let value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    let errors: Vec<String> =
        jsonschema::validator_for(&schema).unwrap().iter_errors(&value).map(|e| e.to_string()).collect();
    assert_eq!(errors, [""; 0]);
    // With the hashes, a comment in the file takes nothing away; the tool's files alone would be stale.
    let bum = folder.path().join("Tank's project/Tank1.bum");
    let text = std::fs::read_to_string(&bum).unwrap();
    std::fs::write(
        &bum,
        text.replace("</org.eventb.core.machineFile>", "<!-- x --></org.eventb.core.machineFile>"),
    )
    .unwrap();
    let kept = read_status(&path, &m, &ImportOptions::default()).unwrap();
    assert_eq!(kept.status, before.status);
    // Nothing is attached to a machine that is not the one it was proven for.
    let mut other = convert(&path, folder.path()).unwrap();
    let recorded = other.file.clone();
    attach(&mut other.file, &m);
    assert_eq!(other.file, recorded);
}

#[test]
fn confidence_and_broken_decide() {
    let check = |from: &str, to: &str, expected: &str| {
        let all = read(changed("Tank1.bps", from, to).path()).file.obligations;
        let fill = all.iter().find(|o| o.id == "Tank1/fill/inv1/INV").unwrap();
        assert_eq!(listed(std::slice::from_ref(fill)), [format!("Tank1/fill/inv1/INV{expected}")], "{to}");
    };
    let now = "fill/inv1/INV\" org.eventb.core.confidence=\"1000\" org.eventb.core.poStamp=\"4\"";
    let with = |confidence: &str, rest: &str| {
        format!(
            "fill/inv1/INV\" org.eventb.core.confidence=\"{confidence}\" org.eventb.core.poStamp=\"4\"{rest}"
        )
    };
    for (confidence, expected) in [
        ("1000", " discharged"),
        ("501", " discharged"),
        ("500", " reviewed"),
        ("101", " reviewed"),
        ("100", " uncertain"),
        ("0", " pending"),
        ("-99", " unattempted"),
        ("1001", " unknown"),
        ("-1", " unknown"),
        ("many", " unknown"),
    ] {
        check(now, &with(confidence, ""), expected);
    }
    check(now, &with("1000", " org.eventb.core.psBroken=\"true\""), " broken");
    check(now, &with("1000", " org.eventb.core.psBroken=\"false\""), " discharged");
    check(now, "fill/inv1/INV\" org.eventb.core.poStamp=\"4\"", " unattempted");
    check(now, &with("1000", "").replace("poStamp=\"4\"", "poStamp=\"3\""), "! discharged");
    check(now, "fill/inv1/INV\" org.eventb.core.confidence=\"1000\"", "! discharged");
}

#[test]
fn what_was_proved_for_another_text_is_stale() {
    let hypotheses = "<org.eventb.core.poPredicateSet name=\"ABSHYP\"><org.eventb.core.poPredicate name=\"p\" \
         org.eventb.core.predicate=\"level∈0 ‥ 10\" org.eventb.core.source=\"/Tank P/Tank0.bum|\
         org.eventb.core.machineFile#Tank0|org.eventb.core.invariant#i(1\"/></org.eventb.core.poPredicateSet>";
    let quoting = |files: &mut Vec<(&str, String)>| {
        let (_, text) = files.iter_mut().find(|(n, _)| n.ends_with("Tank1.bpo")).unwrap();
        *text = text.replacen(
            "<org.eventb.core.poSequent",
            &format!("{hypotheses}<org.eventb.core.poSequent"),
            1,
        );
    };
    let mut files = tank();
    quoting(&mut files);
    assert_eq!(read(folder(&files).path()).warnings, [""; 0]);
    for (_, text) in files.iter_mut().filter(|(n, _)| n.ends_with("Tank0.bum")) {
        *text = text.replace("0 ‥ 10", "0 ‥ 9");
    }
    let all = read(folder(&files).path());
    assert_eq!(
        all.warnings,
        [
            "the proofs of Tank1 are stale: the invariant `level∈0 ‥ 10` of Tank0 that it was proven with is gone"
        ]
    );
    assert!(all.file.obligations.iter().all(|o| o.stale == (o.component == "Tank1")));
    // The checked machine has the actions.
    let checked = |action: &str| {
        let source = "/Tank P/Tank0.bum|org.eventb.core.machineFile#Tank0|org.eventb.core.event#e2|org.eventb.core.action#a0";
        let act = |text: &str| {
            element("scAction", "a", &[("label", "act0"), ("assignment", text), ("source", source)], "")
        };
        let events: Vec<String> =
            [("INITIALISATION", "level ≔ 0"), ("fill", "level ≔ level+1"), ("drain", action)]
                .iter()
                .map(|(label, text)| element("scEvent", label, &[("label", label)], &act(text)))
                .collect();
        let mut files = tank();
        files.push(("Tank's project/Tank0.bcm", file("scMachineFile", &events.concat())));
        read(folder(&files).path()).warnings
    };
    assert_eq!(checked("level ≔ 0"), [""; 0]);
    let said = checked("level ≔ 1");
    assert!(said[0].starts_with("the proofs of Tank0 are stale: the action `level ≔ 1`"), "{said:?}");
}

#[test]
fn nothing_is_lost_without_a_word() {
    // A status whose obligation is gone.
    let all = read(changed("Tank1.bps", "fill/act0/SIM", "gone/inv1/INV").path());
    let lost = all.file.obligations.iter().find(|o| o.id == "Tank1/gone/inv1/INV").unwrap();
    assert_eq!(
        (lost.stale_reason.as_deref(), lost.kind),
        (Some("the .bpo has no such obligation any more"), Kind::Inv)
    );
    assert_eq!(count(&all.file.obligations, Status::Unattempted), 1);
    // A label that is gone.
    let folder = changed("Tank1.bum", "label=\"turn\"", "label=\"switch\"");
    let all = read(folder.path());
    let lost = all.file.obligations.iter().find(|o| o.id == "Tank1/turn/inv1/INV").unwrap();
    assert!(lost.unmatched.as_ref().unwrap().starts_with("Tank1 has no event and invariant"), "{lost:?}");
    let import = read_status(folder.path(), &model(folder.path()), &ImportOptions::default()).unwrap();
    assert_eq!(import.unmatched.len(), 1);
    // Elements without a name, twice the same name.
    let all = read(changed("Tank1.bps", "name=\"turn/inv1/INV\"", "").path());
    assert!(all.warnings[0].contains("Tank1.bps:6:1: a `psStatus` without `name`"), "{:?}", all.warnings);
    assert_eq!(all.file.obligations.len(), 10);
    let all = read(changed("Tank1.bps", "turn/inv1/INV", "fill/inv1/INV").path());
    assert!(all.warnings[0].ends_with("there are two statuses of `fill/inv1/INV`; they count as unknown"));
    let all = read(changed("Tank1.bpo", "name=\"turn/inv1/INV\"", "").path());
    assert!(all.warnings[0].contains("a `poSequent` without `name`"), "{:?}", all.warnings);
    // No obligations, no statuses.
    let without = |extension: &str| {
        let files: Vec<_> =
            tank().into_iter().filter(|(n, _)| !n.ends_with(&format!("Tank1.{extension}"))).collect();
        read(super::super::testing::folder(&files).path())
    };
    let all = without("bpo");
    assert_eq!(all.warnings, ["there is no Tank1.bpo beside Tank1.bps, so nothing says what was proven"]);
    assert_eq!(all.file.obligations.iter().filter(|o| o.stale).count(), 6);
    let all = without("bps");
    assert_eq!(all.warnings, ["there is no Tank1.bps, so no status of Tank1 is known"]);
    assert_eq!(count(&all.file.obligations, Status::Unattempted), 6);
    let all = without("bum");
    assert!(all.warnings.iter().any(|w| w.contains("there is no Tank1.bum")), "{:?}", all.warnings);
    assert!(all.file.obligations.iter().all(|o| o.stale == (o.component == "Tank1")));
}

#[test]
fn files_that_are_no_rodin_files_are_refused_with_their_place() {
    let refusal = |name: &str, from: &str, to: &str| {
        let folder = changed(name, from, to);
        let error = convert(folder.path(), Path::new("")).unwrap_err().to_string();
        error.replace(&format!("{}/Tank's project/", folder.path().display()), "")
    };
    let said = refusal("Tank1.bps", "</org.eventb.core.psFile>", "");
    assert!(said.starts_with("Tank1.bps:1:1: this is no well-formed XML"), "{said}");
    assert!(said.ends_with("the file is cut off; copy or export it again"), "{said}");
    let said = refusal("Tank1.bpo", "org.eventb.core.poFile", "org.eventb.core.psFile");
    assert_eq!(
        said,
        "Tank1.bpo:2:1: expected the element `poFile`, found `psFile`; name a file of the tool itself, or take \
         this one away"
    );
    let said = refusal(
        "Tank0.bum",
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
        "<!DOCTYPE a [<!ENTITY b \"c\">]>",
    );
    assert!(said.starts_with("Tank0.bum:1:"), "{said}");
    let empty = folder(&[("readme.txt", String::new())]);
    let said = convert(empty.path(), Path::new("")).unwrap_err().to_string();
    assert!(said.contains("there are no proofs in it; a Rodin project has .bpo and .bps files"), "{said}");
    let two: Vec<_> = tank().into_iter().chain([("other/M.bum", file("machineFile", ""))]).collect();
    let said = convert(folder(&two).path(), Path::new("")).unwrap_err().to_string();
    assert!(
        said.contains("there are 2 Rodin projects in it: `Tank's project`, `other`; name one of them"),
        "{said}"
    );
}

#[test]
fn an_open_theorem_takes_away_what_may_rest_on_it() {
    let mut files = tank();
    for (name, text) in &mut files {
        let add = |text: &str, inside: &str, end: &str| text.replace(end, &format!("{inside}{end}"));
        match name.rsplit('/').next().unwrap() {
            "Tank0.bum" => {
                *text =
                    add(text, &invariant("t", "thm", "level ≥ 0", "true"), "</org.eventb.core.machineFile>");
            }
            "Tank0.bpo" => {
                let theorem = sequent("thm/THM", "3", &[("Tank0.bum", "machineFile", "invariant#t")]);
                *text = add(text, &theorem, "</org.eventb.core.poFile>");
            }
            _ => {}
        }
    }
    let folder = folder(&files);
    let import = read_status(folder.path(), &model(folder.path()), &ImportOptions::default()).unwrap();
    // The initialisation has no state before it, so a theorem about states is no hypothesis.
    let proven: Vec<_> =
        import.status.iter().filter(|(p, _)| !import.trivial.contains(p)).map(|(p, _)| p).collect();
    assert_eq!(proven, [(None, 0), (None, 1)]);
    assert!(
        import.open.iter().any(|o| o.kind == OpenKind::Hypothesis && o.reason.contains("`Tank0/thm/THM`"))
    );
    assert!(import.levels()[&Level::Tool] == 2);
}

/// Bytes that are wrong, missing or twice there: an error or a status, never a panic.
#[test]
fn damaged_files_never_panic() {
    let mut random = fastrand::Rng::with_seed(7);
    let mut below = |n: usize| random.usize(..n);
    for round in 0..400 {
        let mut files = tank();
        let chosen = below(files.len());
        let mut chars: Vec<char> = files[chosen].1.chars().collect();
        for _ in 0..1 + round % 4 {
            let (at, length) = (below(chars.len()), 1 + below(40));
            let end = (at + length).min(chars.len());
            match below(4) {
                0 => drop(chars.drain(at..end)),
                1 => chars[at] = ['"', '<', '>', '|', '#', '\\', '/', '(', '⦂', '{'][below(10)],
                2 => {
                    let copy: Vec<char> = chars[at..end].to_vec();
                    chars.splice(at..at, copy);
                }
                _ => chars.truncate(at.max(1)),
            }
        }
        files[chosen].1 = chars.into_iter().collect();
        let folder = folder(&files);
        match read_status(folder.path(), &model(folder.path()), &ImportOptions::default()) {
            Ok(import) => assert_eq!(import.status.len() + import.open.len(), 12),
            Err(error) => assert!(error.to_string().contains("Tank"), "{error}"),
        }
    }
}

#[test]
fn an_archive_says_what_its_folder_says() {
    use std::io::Write;
    let folder = folder(&tank());
    let path = folder.path().join("a b.zip");
    let mut zip = zip::ZipWriter::new(std::fs::File::create(&path).unwrap());
    for (name, text) in tank() {
        zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap();
    let zipped = convert(&path, folder.path()).unwrap().file;
    let plain = convert(&folder.path().join("Tank's project"), folder.path()).unwrap().file;
    assert_eq!(zipped.obligations, plain.obligations);
    assert_eq!(zipped.sources[0].path, "a b.zip!/Tank's project/Tank0.bpo".replace("bpo", "bum"));
    assert_eq!(zipped.sources[0].sha256, plain.sources[0].sha256);
    // A model from the archive is recognised by its file there.
    let m = event_b(
        format!("{}!/Tank's project/Tank1.bum", path.display()).into(),
        TEXT,
        &["Tank0", "Tank1", "Tank1"],
    );
    let import = read_status(&path, &m, &ImportOptions::default()).unwrap();
    assert_eq!((import.used.len(), import.stale.len()), (5, 0));
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    let error = convert(&path, Path::new("")).unwrap_err().to_string();
    assert!(error.contains("a b.zip: the archive is cut off or damaged"), "{error}");
}

#[test]
fn archives_that_lead_out_or_are_bombs_are_refused() {
    use std::io::Write;
    let folder = tempfile::tempdir().unwrap();
    let packed = |name: &str, files: &[(&str, &[u8])]| {
        let path = folder.path().join(name);
        let mut zip = zip::ZipWriter::new(std::fs::File::create(&path).unwrap());
        for (name, bytes) in files {
            zip.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
            zip.write_all(bytes).unwrap();
        }
        zip.finish().unwrap();
        convert(&path, Path::new("")).unwrap_err().to_string()
    };
    let tank0 = tank()[0].1.clone();
    let said = packed("it's out.zip", &[("P/Tank0.bum", tank0.as_bytes()), ("../Tank0.bps", b"<a/>")]);
    assert!(said.contains("it's out.zip: `../Tank0.bps` leads out of the archive"), "{said}");
    let zeros = vec![b' '; 64 << 20];
    let said = packed("bomb.zip", &[("P/Tank0.bum", tank0.as_bytes()), ("P/Tank0.bps", &zeros)]);
    assert!(said.contains("`P/Tank0.bps` is more than 400 times as large as in the archive"), "{said}");
    let said = packed("no proofs.zip", &[("P/readme.txt", b"nothing")]);
    assert!(said.contains("there are no proofs in it"), "{said}");
}
