//! The guides and the gallery: every command is run in a copy of the files that a page is about, and prints what the page shows.
#![cfg(unix)]

mod common;

use common::document::check_document;
use common::has_solver;

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
        check_document("docs/gallery.md", &[("examples", "examples")]);
    }
}
