//! The README says what the program prints: every block that begins with `$ bsym` is run and compared.

mod common;

use common::{bsym, has_solver, root};

/// The text with every `N.NN s` made the same.
fn without_times(text: &str) -> String {
    let mut words: Vec<String> = vec![];
    for line in text.trim_end().lines() {
        let line: Vec<&str> = line.trim_end().split(' ').collect();
        let mut out = vec![];
        for (i, word) in line.iter().enumerate() {
            let seconds = line.get(i + 1).is_some_and(|next| next.starts_with("s]"));
            out.push(if seconds && word.parse::<f64>().is_ok() { "TIME" } else { word });
        }
        words.push(out.join(" "));
    }
    words.join("\n")
}

#[test]
fn commands_of_the_readme_print_what_it_says() {
    if !has_solver() {
        return;
    }
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let mut compared = 0;
    for block in readme.split("```").skip(1).step_by(2) {
        let Some(rest) = block.trim_start().strip_prefix("$ bsym ") else { continue };
        let (command, expected) = rest.split_once('\n').unwrap();
        let output = bsym().args(command.split_whitespace()).output().unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        assert_eq!(without_times(&printed), without_times(expected), "bsym {command}");
        compared += 1;
    }
    assert!(compared > 0, "the README shows no command");
}

#[test]
fn the_machine_of_the_readme_is_the_example() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let example = std::fs::read_to_string(root().join("examples/overflow.mch")).unwrap();
    let machine = readme.split("```").find(|block| block.trim_start().starts_with("MACHINE")).unwrap();
    assert!(example.contains(machine.trim()), "the README shows another machine than examples/overflow.mch");
}
