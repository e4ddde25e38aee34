//! The guide of the messages: every code has an entry, every wrong example gives its code and no other, and no mended one
//! gives any.

use std::collections::BTreeSet;
use std::path::Path;

use bsym_language::diagnostic::codes::DOCUMENTATION;
use bsym_language::diagnostic::guide::{Entry, Example, document, entry};
use bsym_language::load::load_model;

/// Codes whose mistake a short text cannot show, with the reason.
const WITHOUT_EXAMPLE: &[(u16, &str)] = &[
    (1, "the text of the guide is UTF-8"),
    (24, "hundreds of parentheses"),
    (401, "what is not treated yet changes"),
    (428, "of the machine alone, in commands that look at no abstraction"),
];

/// Files of other tools, which are not mended by hand.
const NOT_MENDED: [u16; 3] = [60, 61, 62];

fn codes(files: &[Example]) -> BTreeSet<u16> {
    let folder = tempfile::tempdir().expect("a folder");
    for file in files {
        std::fs::write(folder.path().join(&file.name), file.text).expect("a file");
    }
    let loaded = load_model(&folder.path().join(Path::new(&files[0].name))).expect("it can be read");
    loaded.diagnostics.iter().map(|d| d.code.number).collect()
}

fn all() -> Vec<Entry> {
    let entries = DOCUMENTATION.iter().map(|(code, _)| entry(code.number));
    let missing: Vec<_> =
        DOCUMENTATION.iter().zip(entries.clone()).filter(|(_, e)| e.is_none()).map(|(d, _)| d.0).collect();
    assert!(missing.is_empty(), "no entry for {missing:?}");
    entries.flatten().collect()
}

#[test]
fn every_code_is_explained_by_examples_that_give_it() {
    let mut wrong = vec![];
    for entry in all() {
        let number = entry.code.number;
        assert!(entry.text.len() > 20, "{}: {}", entry.code, entry.text);
        let excused = WITHOUT_EXAMPLE.iter().any(|(code, _)| *code == number);
        if entry.wrong.is_empty() || (entry.right.is_empty() && !NOT_MENDED.contains(&number)) {
            assert!(excused, "{} has no example", entry.code);
            continue;
        }
        assert!(!excused, "{} has an example after all", entry.code);
        let found = codes(&entry.wrong);
        if found != BTreeSet::from([number]) {
            wrong.push(format!("{}: the wrong example gives {found:?}", entry.code));
        }
        if !entry.right.is_empty() && !codes(&entry.right).is_empty() {
            wrong.push(format!("{}: the mended example gives {:?}", entry.code, codes(&entry.right)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_document_is_the_guide() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/diagnostics.md");
    if std::env::var_os("BSYM_BLESS").is_some() {
        std::fs::write(&path, document()).expect("the document can be written");
    }
    let stands = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(stands == document(), "docs/diagnostics.md is old: BSYM_BLESS=1 writes it again");
}
