use std::path::Path;

use bsym_language::load::load_text;
use bsym_language::model::{EventId, Model};

use super::file::*;
use super::import::{Import, ImportOptions, OpenKind, import};
use super::{PoError, digest};
use crate::proven::Level;

const COUNTER: &str =
    "MACHINE Counter VARIABLES n, m INVARIANT n : INTEGER & m : NAT & /*@ label bound */ n <= 10
INITIALISATION n, m := 0, 0
OPERATIONS inc = SELECT n < 10 THEN n := n + 1 END; far = n := n + 3; other = BEGIN m := 1 END END";

fn model(text: &str) -> Model {
    let loaded = load_text("m.mch", text);
    loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics))
}

fn entry(event: Option<&str>, key: &str, text: Option<&str>, status: &str) -> Obligation {
    let target = serde_json::json!({"key": key, "text": text});
    let kind = if event.is_some() { "INV" } else { "INV_EST" };
    let id = format!("Counter/{}/{key}/{status}/{text:?}", event.unwrap_or("init"));
    serde_json::from_value(serde_json::json!({
        "id": id, "component": "Counter", "kind": kind, "event": event, "target": target, "status": status,
        "prover": ["atelierb:pr"], "source": {"status": "s1"}
    }))
    .expect("an obligation")
}

fn file(machine: &str, sha256: String, obligations: Vec<Obligation>) -> PoFile {
    let source =
        serde_json::json!({"id": "s1", "path": "m.mch", "kind": "mch", "sha256": sha256, "trust": "tool"});
    let mut file: PoFile = serde_json::from_value(serde_json::json!({
        "format": "bsym-po", "version": 1, "model": {"main": machine}, "sources": [source], "obligations": []
    }))
    .expect("a file");
    file.obligations = obligations;
    file
}

/// The file of exactly this machine.
fn imported(m: &Model, obligations: Vec<Obligation>) -> Import {
    let file = file("Counter", digest::source(m.text.sources.get(Default::default())), obligations);
    import(Path::new("po.json"), &file, m, &ImportOptions::default()).expect("an import")
}

/// The pairs that the file proves, without those that need no obligation.
fn proven(import: &Import) -> Vec<(Option<u32>, usize)> {
    let pairs = import.status.iter().filter(|(p, _)| !import.trivial.contains(p));
    pairs.map(|(p, _)| (p.0.map(|e| e.0), p.1)).collect()
}

fn parse_error(text: &str, part: &str) {
    let error = PoFile::parse(Path::new("p.json"), text.as_bytes()).expect_err(text).to_string();
    assert!(error.starts_with("p.json") && error.contains(part), "{error}");
}

#[test]
fn other_files_are_refused_with_their_place() {
    parse_error("", "an empty file");
    parse_error("MACHINE m END", "found a machine");
    parse_error("<?xml version='1.0'?>", "found XML");
    parse_error("[]", "no object");
    parse_error("{", "p.json:1:1");
    parse_error("{\"a\": 1}", "without `format`");
    parse_error("{\"format\": \"other\"}", "format \"other\"");
    parse_error("{\"format\": \"bsym-po\", \"version\": 7}", "version 7");
    parse_error("{\"format\": \"bsym-po\", \"version\": 1, \"sources\": []}", "missing field `obligations`");
    let wrong =
        "{\"format\": \"bsym-po\", \"version\": 1, \"sources\": [],\n\"obligations\": [{\"id\": \"a\",
        \"component\": \"m\", \"kind\": \"INV\", \"status\": \"done\", \"source\": {}}]}";
    parse_error(wrong, "p.json:3:");
    parse_error(wrong, "obligations[0].status");
    parse_error(
        &wrong.replace("done", "pending").replace("{}", "{\"status\": \"s9\"}"),
        "`s9` is not among the sources",
    );
    assert!(matches!(PoFile::read(Path::new("/nowhere/po.json")), Err(PoError::Read { .. })));
    assert!(matches!(PoFile::parse(Path::new("p"), &[0xff, 0xfe, 0]), Err(PoError::OtherFormat { .. })));
}

#[test]
fn another_machine_is_refused() {
    let m = model(COUNTER);
    let other = file("Lift", "0".repeat(64), vec![]);
    let error =
        import(Path::new("po.json"), &other, &m, &ImportOptions::default()).expect_err("another machine");
    assert!(error.to_string().contains("this is about Lift, not about Counter"), "{error}");
    let same_name = file("Counter", "0".repeat(64), vec![entry(Some("up"), "safe", None, "discharged")]);
    assert!(matches!(
        import(Path::new("po.json"), &same_name, &m, &ImportOptions::default()),
        Err(PoError::OtherMachine { .. })
    ));
}

#[test]
fn entries_are_matched_by_label_position_and_text() {
    let m = model(COUNTER);
    let all = imported(
        &m,
        vec![
            entry(Some("inc"), "bound", None, "discharged"),
            entry(Some("far"), "#1", Some("m:NAT"), "discharged"),
            // The position is wrong, the text is right.
            entry(Some("inc"), "#2", Some("n : INTEGER"), "discharged"),
            entry(None, "#1", None, "discharged"),
        ],
    );
    assert_eq!(proven(&all), [(None, 1), (Some(0), 0), (Some(0), 2), (Some(1), 1)]);
    assert_eq!(all.used.len(), 4);
    assert_eq!(all.levels()[&Level::Tool], 4);
}

#[test]
fn what_is_not_used_is_reported() {
    let m = model(COUNTER);
    let all = imported(
        &m,
        vec![
            entry(Some("inc"), "bound", None, "discharged"),
            entry(Some("gone"), "bound", None, "discharged"),
            entry(Some("inc"), "lost", None, "discharged"),
            entry(Some("inc"), "#0", Some("n > 77"), "discharged"),
            entry(Some("far"), "bound", None, "pending"),
            entry(Some("far"), "#0", None, "reviewed"),
            entry(Some("inc"), "#1", None, "trivial"),
            entry(Some("far"), "#0", Some("n : INTEGER"), "trivial"),
            entry(Some("other"), "bound", None, "discharged"),
            entry(Some("other"), "bound", None, "unknown"),
        ],
    );
    assert_eq!(proven(&all), [(Some(0), 1), (Some(0), 2)]);
    assert_eq!((all.used.len(), all.unmatched.len(), all.stale.len()), (2, 2, 1));
    assert_eq!((all.ignored.len(), all.ambiguous.len()), (4, 1), "{all:#?}");
    assert!(all.ignored.iter().any(|e| e.reason.contains("far writes n")));
    // Every pair is either proven or open, with the reason.
    let reason = |pair: (Option<u32>, usize)| {
        let open = all.open.iter().find(|o| o.pair == (pair.0.map(EventId), pair.1));
        open.map(|o| (o.kind, o.reason.as_str()))
    };
    assert_eq!(all.status.len() + all.open.len(), 4 * 3);
    assert_eq!(reason((None, 2)), Some((OpenKind::NoObligation, "there is no obligation about it")));
    let (kind, said) = reason((Some(1), 2)).expect("it is open");
    assert!(kind == OpenKind::Unproven && said.ends_with("its status is pending"), "{said}");
    // `n` has no other type; `far` does not write `m`, `other` not `n`.
    let trivial = [(None, 0), (Some(0), 0), (Some(1), 0), (Some(1), 1), (Some(2), 0), (Some(2), 2)];
    assert_eq!(all.trivial, trivial.map(|(e, i)| (e.map(EventId), i)));
}

#[test]
fn reviewed_counts_only_when_asked() {
    let m = model(COUNTER);
    let file = file(
        "Counter",
        digest::source(m.text.sources.get(Default::default())),
        vec![entry(Some("inc"), "bound", None, "reviewed")],
    );
    let options = ImportOptions { trust_reviewed: true, scope: None };
    let all = import(Path::new("po.json"), &file, &m, &options).expect("an import");
    assert_eq!((proven(&all), all.reviewed), (vec![(Some(0), 2)], 1));
}

#[test]
fn open_theorems_take_the_tools_proofs_away() {
    let m = model(COUNTER);
    let mut theorem = entry(None, "t", None, "pending");
    theorem.kind = Kind::Assertion;
    let all = imported(&m, vec![theorem, entry(Some("inc"), "bound", None, "discharged")]);
    assert!(proven(&all).is_empty() && all.ignored.len() == 2, "{all:?}");
}

#[test]
fn another_file_needs_everything_recorded() {
    let m = model(COUNTER);
    let other =
        file("Counter", "0".repeat(64), vec![entry(Some("inc"), "bound", Some("n <= 10"), "discharged")]);
    let all = import(Path::new("po.json"), &other, &m, &ImportOptions::default()).expect("an import");
    assert!(proven(&all).is_empty() && all.stale[0].reason.contains("file has changed"), "{all:?}");
}
