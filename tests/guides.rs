//! The guides and the gallery: every command is run in a copy of the files that a page is about, and prints what the page
//! shows. The comparison with other tools has a source for every cell.
#![cfg(unix)]

mod common;

use std::collections::BTreeSet;

use common::document::check_document;
use common::{has_solver, root};

/// Runs the commands of a guide in a copy of its files.
fn guide(name: &str) {
    if has_solver() {
        check_document(&format!("docs/guides/{name}.md"), &[(&format!("docs/guides/files/{name}"), "")]);
    }
}

#[test]
fn a_user_of_atelier_b_sees_what_the_guide_says() {
    guide("atelier-b");
}

#[test]
fn a_user_of_rodin_sees_what_the_guide_says() {
    guide("rodin");
}

#[test]
fn a_user_of_prob_sees_what_the_guide_says() {
    guide("prob");
}

#[test]
fn a_user_of_tla_sees_what_the_guide_says() {
    guide("tlaplus");
}

#[test]
fn continuous_integration_prints_what_the_guide_says() {
    guide("ci");
}

#[test]
fn the_models_of_the_gallery_answer_what_it_shows() {
    if has_solver() {
        let lock = "docs/guides/files/tlaplus/Lock.mch";
        check_document("docs/gallery.md", &[("examples", "examples"), (lock, lock)]);
    }
}

#[test]
fn pictures_of_the_gallery_are_small_and_all_shown() {
    let page = std::fs::read_to_string(root().join("docs/gallery.md")).unwrap();
    let pictures: Vec<_> =
        std::fs::read_dir(root().join("docs/gallery")).unwrap().map(Result::unwrap).collect();
    assert!(pictures.len() >= 6);
    for picture in pictures {
        let name = picture.file_name().into_string().unwrap();
        assert!(page.contains(&format!("(gallery/{name})")), "docs/gallery.md does not show {name}");
        assert!(picture.metadata().unwrap().len() < 100_000, "{name} is too large");
    }
}

#[test]
fn every_cell_of_the_comparison_has_a_source() {
    let page = std::fs::read_to_string(root().join("docs/comparison.md")).unwrap();
    let (tables, sources) = page.split_once("## Sources").unwrap();
    let (_, features) = tables.split_once("## Models").unwrap();
    let sources: BTreeSet<&str> =
        sources.lines().filter_map(|line| Some(line.strip_prefix("- ")?.split_once(": ")?.0)).collect();
    let mut cells = 0;
    for row in features.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| |")) {
        for cell in row.trim_matches('|').split(" | ").skip(1).map(str::trim) {
            assert!(cell == "not known" || cell.contains("]("), "no source for `{cell}` in {row}");
            cells += 1;
        }
    }
    assert!(cells > 150, "{cells} cells");
    let cited = tables.split('[').skip(1).filter_map(|rest| rest.split_once("](#sources)"));
    let cited: BTreeSet<&str> = cited.map(|(name, _)| name).collect();
    assert_eq!(cited, sources);
}
