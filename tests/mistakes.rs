//! Mistakes that beginners make, each in a machine of its own: the messages of bsym next to those of ProB.
//!
//! `tests/mistakes.md` shows both; `BSYM_BLESS=1` writes it again, to be read before it is kept. ProB's messages stand
//! in `tests/mistakes/prob.tsv`, the first message of `probcli NAME.mch -init` with columns counted from 1.

mod common;

use std::fmt::Write as _;

use bsym_language::diagnostic::Diagnostic;
use bsym_language::diagnostic::render::render;
use bsym_language::load::{Loaded, load_model};
use common::root;

/// Message of ProB about a machine.
struct Peer {
    name: String,
    line: Option<u32>,
    column: Option<u32>,
    said: String,
}

fn peers() -> Vec<Peer> {
    let table = std::fs::read_to_string(root().join("tests/mistakes/prob.tsv")).expect("a table");
    let rows = table.lines().skip(1).map(|row| {
        let cells: Vec<&str> = row.split('\t').collect();
        let [name, line, column, said] = cells[..] else { panic!("{row}") };
        let (line, column) = (line.parse().ok(), column.parse().ok());
        Peer { name: name.into(), line, column, said: said.into() }
    });
    rows.collect()
}

fn load(name: &str) -> Loaded {
    load_model(&root().join(format!("tests/mistakes/{name}.mch"))).expect("a file")
}

/// The messages that the user has to act on: errors, or where there are none all warnings but those of names not used.
fn messages(loaded: &Loaded) -> Vec<&Diagnostic> {
    let unused = 501..=507;
    loaded.diagnostics.iter().filter(|d| !unused.contains(&d.code.number)).collect()
}

#[test]
fn every_mistake_is_named_with_its_place_and_remedy() {
    let peers = peers();
    assert!(peers.len() >= 20);
    let files = std::fs::read_dir(root().join("tests/mistakes")).expect("a folder");
    let machines =
        files.filter(|f| f.as_ref().is_ok_and(|f| f.path().extension().is_some_and(|e| e == "mch")));
    assert_eq!(machines.count(), peers.len(), "a row for each machine");
    for peer in peers {
        let loaded = load(&peer.name);
        let messages = messages(&loaded);
        let first = messages.first().unwrap_or_else(|| panic!("nothing is said about {}", peer.name));
        assert!(first.help.is_some(), "{}: what can the user do? {first:?}", peer.name);
        // One mistake has one message, or shows at two places.
        assert!(messages.len() <= 2, "{}: {messages:?}", peer.name);
        let at = loaded.sources.position(first.span);
        // The mistake is reported no later than where ProB stops.
        assert!(peer.line.is_none_or(|line| at.line <= line), "{}: line {}", peer.name, at.line);
    }
}

#[test]
fn what_is_said_stands_beside_what_prob_says() {
    let mut text = String::from(
        "# Beginner's mistakes\n\nWhat bsym says about each, and what ProB 1.8.2 says (columns counted from 1). Written by \
         `BSYM_BLESS=1 cargo test --test mistakes`.\n",
    );
    for peer in peers() {
        let loaded = load(&peer.name);
        let _ = write!(text, "\n## {}\n\n```text\n", peer.name.replace('_', " "));
        for d in messages(&loaded) {
            let shown = render(&loaded.sources, d, false);
            let folder = format!("{}/tests/mistakes/", root().display());
            let _ = writeln!(text, "{}", shown.replace(&folder, ""));
        }
        let place = match (peer.line, peer.column) {
            (Some(line), Some(column)) => format!("{line}:{column}: {}", peer.said),
            _ => "nothing".into(),
        };
        let _ = write!(text, "```\n\nProB: {}\n", place.replace('*', "\\*"));
    }
    let path = root().join("tests/mistakes.md");
    if std::env::var_os("BSYM_BLESS").is_some() {
        std::fs::write(&path, &text).expect("the document can be written");
    }
    let stands = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(stands == text, "tests/mistakes.md is old: read what BSYM_BLESS=1 makes of it\n{text}");
}
