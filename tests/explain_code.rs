//! `bsym explain`: the meaning of a code.

mod common;

use common::bsym;

fn said(arguments: &[&str]) -> (Option<i32>, String) {
    let output = bsym().arg("explain").args(arguments).output().expect("it runs");
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&text).into_owned())
}

#[test]
fn a_code_is_explained_however_it_is_written() {
    for code in ["B0203", "b203", "203", "[B0203]"] {
        let (exit, text) = said(&[code]);
        assert_eq!(exit, Some(0));
        assert!(text.starts_with("B0203: Two types that must be equal are not.\n"), "{text}");
        assert!(
            text.contains("\nWrong:\n\n    MACHINE") && text.contains("\nRight:\n\n    MACHINE"),
            "{text}"
        );
    }
    // Files of an example have headings.
    assert!(said(&["B0420"]).1.contains("\nRight, Inner.mch:\n"));
}

#[test]
fn without_a_code_all_are_listed() {
    let (exit, text) = said(&[]);
    assert_eq!(exit, Some(0));
    assert!(
        text.lines().count() > 80
            && text.contains("\nB0404  A variable is assigned twice at the same time.\n")
    );
    let (exit, text) = said(&["B9999"]);
    assert_eq!(exit, Some(2));
    assert!(text.contains("`bsym explain` lists them"), "{text}");
}
