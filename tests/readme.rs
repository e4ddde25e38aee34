//! The README says what the program prints: every block that begins with `$ bsym` is run and compared.

mod common;

use common::{check_document, has_solver, root};

#[test]
fn commands_of_the_readme_print_what_it_says() {
    if !has_solver() {
        return;
    }
    check_document("README.md");
}

#[test]
fn the_machine_of_the_readme_is_the_example() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let example = std::fs::read_to_string(root().join("examples/overflow.mch")).unwrap();
    let machine = readme.split("```").find(|block| block.trim_start().starts_with("MACHINE")).unwrap();
    assert!(example.contains(machine.trim()), "the README shows another machine than examples/overflow.mch");
}
