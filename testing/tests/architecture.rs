//! Places in ARCHITECTURE.md and CONTRIBUTING.md: they exist, and the words of the field lead to them.

use std::path::Path;

/// The parts between backquotes that are paths of the repository.
fn paths(text: &str) -> impl Iterator<Item = &str> {
    let quoted = text.split("```").step_by(2).flat_map(|part| part.split('`').skip(1).step_by(2));
    quoted.filter(|q| q.contains("/src") || q.contains("testing/"))
}

#[test]
fn every_place_that_is_named_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the repository");
    for document in ["ARCHITECTURE.md", "CONTRIBUTING.md"] {
        let text = std::fs::read_to_string(root.join(document)).expect("it can be read");
        let named: Vec<_> = paths(&text).collect();
        assert!(named.len() > 30, "{document} names only {} places", named.len());
        let missing: Vec<_> = named.into_iter().filter(|p| !root.join(p).exists()).collect();
        assert!(missing.is_empty(), "{document}: there is no {missing:?}");
    }
}

#[test]
fn every_word_leads_to_its_file_by_name_or_by_what_the_module_says_of_itself() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the repository");
    let text = std::fs::read_to_string(root.join("ARCHITECTURE.md")).expect("it can be read");
    let (_, table) = text.split_once("## Where is").expect("the look-ups have a heading");
    let rows: Vec<_> = table
        .lines()
        .filter_map(|line| {
            let (word, rest) = line.strip_prefix("| ")?.split_once(" | `")?;
            Some((word, rest.split('`').next()?))
        })
        .collect();
    assert!(rows.len() >= 20, "only {} words are looked up", rows.len());
    let plain = |s: &str| s.to_lowercase().replace(['-', '_', '/'], " ");
    let lost: Vec<_> = rows
        .into_iter()
        .filter(|(words, path)| {
            let file = std::fs::read_to_string(root.join(path)).unwrap_or_default();
            let head: Vec<_> = file.lines().take_while(|l| l.starts_with("//!")).collect();
            let said = plain(&format!("{path} {}", head.join(" ")));
            // The longest word of each: endings differ.
            let stem = |w: &str| plain(w).trim_end_matches("ing").chars().take(8).collect::<String>();
            !words.split([',', ' ']).filter(|w| w.len() > 3).all(|w| said.contains(&stem(w)))
        })
        .collect();
    assert!(lost.is_empty(), "neither file name nor documentation has the word: {lost:?}");
}
