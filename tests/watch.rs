//! `--watch`: each change of a file that a machine depends on is a run of its own.
#![cfg(unix)]

mod common;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use bsym_testing::process::Running;
use common::{bsym, file};

/// Longest time until something is said, on a busy computer.
const LONGEST: Duration = Duration::from_secs(60);

struct Watched {
    process: Running,
    lines: Receiver<String>,
}

impl Watched {
    fn start(folder: &Path, arguments: &[&str]) -> Watched {
        let mut command = bsym();
        command.current_dir(folder).args(arguments).arg("--watch");
        let mut process = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it runs");
        let (send, lines) = channel();
        let pipes: [Box<dyn std::io::Read + Send>; 2] = [
            Box::new(process.stdout.take().expect("a pipe")),
            Box::new(process.stderr.take().expect("a pipe")),
        ];
        for pipe in pipes {
            let send = send.clone();
            std::thread::spawn(move || {
                for line in BufReader::new(pipe).lines().map_while(Result::ok) {
                    if send.send(line).is_err() {
                        return;
                    }
                }
            });
        }
        Watched { process, lines }
    }

    /// Waits for a line with these words.
    fn says(&self, words: &str) {
        let (begin, mut said) = (Instant::now(), vec![]);
        while begin.elapsed() < LONGEST {
            match self.lines.recv_timeout(Duration::from_millis(100)) {
                Ok(line) if line.contains(words) => return,
                Ok(line) => said.push(line),
                Err(_) => {}
            }
        }
        panic!("`{words}` is not said: {said:#?}");
    }

    /// Ends it as Ctrl-C does, and returns the exit code.
    fn end(mut self) -> Option<i32> {
        self.process.signal("TERM").expect("a signal");
        let begin = Instant::now();
        while begin.elapsed() < LONGEST {
            if let Some(status) = self.process.try_wait().expect("a status") {
                return status.code();
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("it goes on")
    }
}

const LIFT: &str = "MACHINE Lift INCLUDES Door VARIABLES n INVARIANT n : 0..3
INITIALISATION n := 0 OPERATIONS up = SELECT n < 3 THEN n := n + 1 END; go = BEGIN close END END";
const DOOR: &str = "MACHINE Door VARIABLES shut INVARIANT shut : BOOL INITIALISATION shut := TRUE
OPERATIONS close = BEGIN shut := TRUE END END";

#[test]
fn a_change_of_the_machine_or_of_what_it_includes_is_a_new_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    std::fs::create_dir(folder.join("lib")).expect("a folder");
    file(folder, "Lift.mch", LIFT);
    file(folder, "lib/Door.mch", DOOR);
    let watched = Watched::start(folder, &["mc", "Lift.mch", "-I", "lib"]);
    watched.says("watching");
    file(folder, "Lift.mch", LIFT.replace("n < 3", "n < 4"));
    watched.says("changed: Lift.mch");
    watched.says("violated");
    watched.says("watching");
    // A new file is put in the place of the old one, as editors do.
    file(folder, "other", LIFT);
    std::fs::rename(folder.join("other"), folder.join("Lift.mch")).expect("a file");
    watched.says("holds");
    watched.says("watching");
    // One is deleted, and written a little later.
    std::fs::remove_file(folder.join("lib/Door.mch")).expect("a file");
    std::thread::sleep(Duration::from_millis(150));
    file(folder, "lib/Door.mch", DOOR.replace("shut : BOOL", "shut = FALSE"));
    watched.says("Door.mch");
    watched.says("violated");
    watched.says("watching");
    // A machine that comes first in the search.
    file(folder, "Door.mch", DOOR);
    watched.says("holds");
    watched.says("watching");
    // A mistake, and its correction.
    file(folder, "Lift.mch", "MACHINE Lift VARIABLES");
    watched.says("error");
    watched.says("watching");
    file(folder, "Lift.mch", LIFT);
    watched.says("holds");
    watched.says("watching");
    assert_eq!(watched.end(), Some(0));
}

const LONG: &str = "MACHINE Long VARIABLES x, y INVARIANT x : INTEGER & y : INTEGER & x >= 0
INITIALISATION x, y := 0, 1
OPERATIONS step = BEGIN x := x + 1 || y := (x * x + y) mod 1000033 END END";

#[test]
fn a_change_ends_the_run_that_goes_on_and_so_does_an_interrupt() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    file(folder, "Long.mch", LONG);
    let watched = Watched::start(folder, &["mc", "Long.mch", "-v"]);
    watched.says("states");
    file(
        folder,
        "Long.mch",
        LONG.replace("x := x + 1", "x := 1 - x").replace("y := (x * x + y)", "y := (x + 1)"),
    );
    watched.says("changed");
    watched.says("holds");
    watched.says("watching");
    file(folder, "Long.mch", LONG);
    watched.says("changed");
    watched.says("states");
    // The last run that came to an end decides.
    assert_eq!(watched.end(), Some(0));
}

#[test]
fn folders_and_the_other_commands_are_watched() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    std::fs::create_dir(folder.join("all")).expect("a folder");
    file(folder, "all/Door.mch", DOOR);
    file(folder, "all/Lift.mch", LIFT);
    let watched = Watched::start(folder, &["parse", "all"]);
    watched.says("2 machines: 2 hold");
    watched.says("watching");
    file(folder, "all/More.mch", DOOR.replace("MACHINE Door", "MACHINE More"));
    watched.says("3 machines: 3 hold");
    watched.says("watching");
    // Settings that appear.
    file(folder, "all/bsym.toml", "maxint = \"x\"");
    watched.says("refused");
    watched.says("watching");
    assert_eq!(watched.end(), Some(2));
    let watched = Watched::start(folder, &["ltl", "all/More.mch", "-f", "G {shut = TRUE}", "--no-project"]);
    watched.says("holds");
    watched.says("watching");
    file(
        folder,
        "all/More.mch",
        DOOR.replace("MACHINE Door", "MACHINE More").replace("BEGIN shut := TRUE", "BEGIN shut := FALSE"),
    );
    watched.says("violated");
    watched.says("watching");
    assert_eq!(watched.end(), Some(1));
}
