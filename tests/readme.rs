//! The README and the pages of `docs` say what the program does: every block that begins with `$ bsym` is run and
//! compared, links lead somewhere, and every command and flag that is named exists.

mod common;

use std::path::{Path, PathBuf};

use common::{bsym, has_solver, root};

/// The machines that the README and the pages next to it are about.
#[cfg(unix)]
const EXAMPLES: [(&str, &str); 1] = [("examples", "examples")];

#[cfg(unix)]
#[test]
fn commands_of_the_readme_print_what_it_says() {
    if !has_solver() {
        return;
    }
    common::document::check_document("README.md", &EXAMPLES);
}

#[cfg(unix)]
#[test]
fn commands_of_the_tutorial_print_what_it_says() {
    if !has_solver() {
        return;
    }
    common::document::check_document("docs/tutorial.md", &EXAMPLES);
    let tutorial = std::fs::read_to_string(root().join("docs/tutorial.md")).unwrap();
    let machine = std::fs::read_to_string(root().join("examples/tutorial/Tank.mch")).unwrap();
    assert!(tutorial.contains(&machine), "the tutorial shows another machine than its example");
}

/// Everything that the table for users of ProB names exists.
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
            // A value that may be left out stands in brackets.
            assert!(
                [" ", "\n", "[="].iter().any(|end| help.contains(&format!("{flag}{end}"))),
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
    let book = root().join("docs");
    for page in pages().iter().filter_map(|page| page.strip_prefix(&book).ok()) {
        let name = page.to_str().unwrap();
        assert!(
            name == "SUMMARY.md" || summary.contains(&format!("({name})")),
            "docs/SUMMARY.md lacks {name}"
        );
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

/// Links between pages work in the book as well, which has copies of the pages outside of `docs`.
#[cfg(unix)]
#[test]
fn links_of_the_book_lead_to_its_pages() {
    let made = bsym_testing::process::Limited::new(root().join("tools/book")).arg("true").output().unwrap();
    assert!(made.status.success(), "{made:?}");
    let book = root().join("target/book-source");
    let summary = std::fs::read_to_string(book.join("SUMMARY.md")).unwrap();
    let links = |text: &str| -> Vec<String> {
        let all = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
        all.map(|(link, _)| link.split('#').next().unwrap().to_string()).collect()
    };
    let listed: Vec<PathBuf> =
        links(&summary).iter().map(|link| book.join(link).canonicalize().expect(link)).collect();
    let mut followed = 0;
    for page in &listed {
        for link in links(&std::fs::read_to_string(page).unwrap()) {
            if link.is_empty() || link.contains("://") {
                continue;
            }
            let target = page.parent().unwrap().join(&link).canonicalize();
            let target = target.unwrap_or_else(|_| panic!("{}: the book has no {link}", page.display()));
            assert!(!link.ends_with(".md") || listed.contains(&target), "{}: {link}", page.display());
            followed += 1;
        }
    }
    assert!(followed > 100, "only {followed} links");
}

/// The README, the pages next to it that it links to, and all pages of the book.
fn pages() -> Vec<PathBuf> {
    let mut pages: Vec<PathBuf> = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "benches/README.md"]
        .iter()
        .map(|name| root().join(name))
        .collect();
    for folder in ["docs", "docs/decisions", "docs/guides"] {
        let files = std::fs::read_dir(root().join(folder)).unwrap().map(|file| file.unwrap().path());
        pages.extend(files.filter(|path| path.extension().is_some_and(|e| e == "md")));
    }
    pages
}

/// The headings of a page as the anchors that links name.
fn anchors(text: &str) -> Vec<String> {
    let headings =
        text.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    let kept = |c: &char| c.is_alphanumeric() || [' ', '-', '_'].contains(c);
    headings.map(|h| h.to_lowercase().chars().filter(kept).collect::<String>().replace(' ', "-")).collect()
}

#[test]
fn links_of_all_pages_lead_somewhere() {
    let mut followed = 0;
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        for (link, _) in text.split("](").skip(1).filter_map(|rest| rest.split_once(')')) {
            if link.contains("://") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { page.clone() } else { page.parent().unwrap().join(file) };
            assert!(target.exists(), "{}: there is no {link}", page.display());
            if !anchor.is_empty() {
                let there = anchors(&std::fs::read_to_string(target).unwrap());
                assert!(there.iter().any(|a| a == anchor), "{}: {link} leads to {there:?}", page.display());
            }
            followed += 1;
        }
    }
    assert!(followed > 60, "only {followed} links");
}

/// The commands that `bsym --help` lists.
fn commands() -> Vec<String> {
    let output = bsym().arg("--help").output().unwrap();
    let help = String::from_utf8(output.stdout).unwrap();
    let (_, rest) = help.split_once("Commands:\n").unwrap();
    let (list, _) = rest.split_once("\n\n").unwrap();
    let lines = list.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    lines
        .map(|line| line.split_whitespace().next().unwrap().to_string())
        .filter(|name| name != "help")
        .collect()
}

#[test]
fn every_command_has_a_row_in_the_readme_and_a_section_in_its_page() {
    let read = |path: &str| std::fs::read_to_string(root().join(Path::new(path))).unwrap();
    let (readme, page) = (read("README.md"), read("docs/commands.md"));
    let (commands, sections) = (commands(), anchors(&page));
    assert!(commands.len() > 20, "{commands:?}");
    for command in &commands {
        assert!(readme.contains(&format!("| [`{command}`](")), "README.md has no row for {command}");
        assert!(sections.contains(command), "docs/commands.md has no section for {command}");
    }
}

/// Flags that `docs/flags.md` names belong to `check`, `mc` or `po`.
#[test]
fn every_flag_of_the_page_of_flags_exists() {
    let page = std::fs::read_to_string(root().join("docs/flags.md")).unwrap();
    let help =
        |command| String::from_utf8(bsym().args([command, "--help"]).output().unwrap().stdout).unwrap();
    let helps = ["check", "mc", "po"].map(help).concat();
    let words =
        page.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').filter(|word| word.starts_with("--"));
    let mut named = 0;
    for flag in words.filter(|word| word.len() > 3 && word.trim_matches('-').len() + 2 == word.len()) {
        assert!(helps.contains(&format!("{flag} ")) || helps.contains(&format!("{flag}\n")), "{flag}");
        named += 1;
    }
    assert!(named > 25, "only {named} flags");
}
