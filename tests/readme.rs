//! The README says what the program prints: every block that begins with `$ bsym` is run and compared.

mod common;

use common::{bsym, check_document, has_solver, root};

#[test]
fn commands_of_the_readme_print_what_it_says() {
    if !has_solver() {
        return;
    }
    check_document("README.md");
}

#[test]
fn commands_of_the_tutorial_print_what_it_says() {
    if !has_solver() {
        return;
    }
    check_document("docs/tutorial.md");
    let tutorial = std::fs::read_to_string(root().join("docs/tutorial.md")).unwrap();
    let machine = std::fs::read_to_string(root().join("examples/tutorial/Tank.mch")).unwrap();
    assert!(tutorial.contains(&machine), "the tutorial shows another machine than its example");
}

/// What the table for users of ProB names exists.
#[test]
fn the_flags_beside_those_of_prob_exist() {
    let table = std::fs::read_to_string(root().join("docs/prob.md")).unwrap();
    let mut helps = std::collections::BTreeMap::new();
    let mut named = 0;
    for line in table.split('`').skip(1).step_by(2).filter_map(|code| code.strip_prefix("bsym ")) {
        let mut words = line.split_whitespace();
        let command = words.next().unwrap();
        let help = helps.entry(command).or_insert_with(|| {
            let output = bsym().args([command, "--help"]).output().unwrap();
            assert!(output.status.success(), "bsym {command}");
            String::from_utf8(output.stdout).unwrap()
        });
        for flag in words.filter(|word| word.starts_with("--")) {
            assert!(
                help.contains(&format!("{flag} ")) || help.contains(&format!("{flag}\n")),
                "bsym {command} {flag}"
            );
            named += 1;
        }
    }
    assert!(named > 15);
}

#[test]
fn the_book_has_every_document() {
    let summary = std::fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    for file in std::fs::read_dir(root().join("docs")).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        if name.ends_with(".md") && name != "SUMMARY.md" {
            assert!(summary.contains(&format!("({name})")), "docs/SUMMARY.md lacks {name}");
        }
    }
    for link in summary.split("](").skip(1).filter_map(|rest| rest.split_once(')')) {
        assert!(root().join("docs").join(link.0).exists(), "{}", link.0);
    }
}

#[test]
fn the_machine_of_the_readme_is_the_example() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let example = std::fs::read_to_string(root().join("examples/overflow.mch")).unwrap();
    let machine = readme.split("```").find(|block| block.trim_start().starts_with("MACHINE")).unwrap();
    assert!(example.contains(machine.trim()), "the README shows another machine than examples/overflow.mch");
}
