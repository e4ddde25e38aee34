//! The help of each command ends with examples, which run in a copy of the folder `examples`.

mod common;

use std::path::Path;
use std::process::{Command, Stdio};

use common::{bsym, has_solver, root};

/// The commands that the help names.
fn commands() -> Vec<String> {
    let help = bsym().arg("--help").output().expect("it runs");
    let text = String::from_utf8_lossy(&help.stdout).into_owned();
    let list = text.lines().skip_while(|l| *l != "Commands:").skip(1).take_while(|l| l.starts_with("  "));
    let names = list.filter(|l| !l.starts_with("    ")).filter_map(|l| l.split_whitespace().next());
    names.filter(|name| *name != "help").map(String::from).collect()
}

fn examples(command: &str) -> Vec<String> {
    let help = bsym().args([command, "--help"]).output().expect("it runs");
    let text = String::from_utf8_lossy(&help.stdout).into_owned();
    let lines = text.lines().skip_while(|l| *l != "Examples:").skip(1);
    lines.map(|l| l.trim().to_string()).filter(|l| !l.is_empty()).collect()
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder").flatten() {
        let target = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(std::fs::copy(entry.path(), target).expect("a file")),
        }
    }
}

#[test]
fn the_examples_of_the_help_run() {
    let commands = commands();
    for name in ["check", "mc", "manual", "completions"] {
        assert!(commands.iter().any(|c| c == name), "{name} is not listed: {commands:?}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    copy(&root().join("examples"), folder.path());
    let program = Path::new(env!("CARGO_BIN_EXE_bsym")).parent().expect("a folder");
    let path = std::env::join_paths(
        std::iter::once(program.to_path_buf())
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    )
    .expect("a path");
    let run = &|command: &String| {
        let lines = examples(command);
        assert!(lines.len() >= 2, "{command}: {lines:?}");
        for line in lines.iter().filter(|_| has_solver()) {
            assert!(line.contains(&format!("bsym {command}")), "{line}");
            let mut shell = Command::new("sh");
            shell
                .args(["-c", line])
                .current_dir(folder.path())
                .env("PATH", &path)
                .env("BSYM_CACHE", folder.path().join("kept"))
                .env("XDG_STATE_HOME", folder.path())
                .stdin(Stdio::null());
            let output = shell.output().expect("a shell");
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(matches!(output.status.code(), Some(0 | 1 | 3)), "{line}: {:?} {said}", output.status);
        }
    };
    // An editor is at the other end of `lsp`.
    let commands: Vec<&String> = commands.iter().filter(|c| *c != "lsp").collect();
    std::thread::scope(|threads| {
        for part in commands.chunks(commands.len().div_ceil(4)) {
            threads.spawn(move || part.iter().for_each(|command| run(command)));
        }
    });
}
