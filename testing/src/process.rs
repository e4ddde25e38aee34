//! Processes of tests, each with a time limit.

use std::ffi::OsStr;
use std::io::{Error, ErrorKind, Read, Result};
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Output, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Longest time of a process that names no other: no test takes as long.
const LONGEST: Duration = Duration::from_secs(300);
const NAP: Duration = Duration::from_millis(10);

/// A command whose process ends, with all that it started, after a time limit.
///
/// It is built like [`Command`]. On Unix its process leads a group of its own, so that a signal to a test does not
/// reach it and the whole group can be killed.
#[derive(Debug)]
pub struct Limited {
    command: Command,
    limit: Duration,
    has_stdout: bool,
    has_stderr: bool,
}

impl Limited {
    /// A command for a program, with a limit of five minutes.
    ///
    /// bsym neither uses nor fills the cache of whoever runs the tests.
    pub fn new(program: impl AsRef<OsStr>) -> Limited {
        let mut command = Command::new(program);
        command.env("BSYM_CACHE", "off");
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        Limited { command, limit: LONGEST, has_stdout: false, has_stderr: false }
    }

    /// Sets the time limit.
    pub fn limit(&mut self, limit: Duration) -> &mut Limited {
        self.limit = limit;
        self
    }

    /// Adds an argument.
    pub fn arg(&mut self, argument: impl AsRef<OsStr>) -> &mut Limited {
        self.command.arg(argument);
        self
    }

    /// Adds arguments.
    pub fn args(&mut self, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> &mut Limited {
        self.command.args(arguments);
        self
    }

    /// Sets the working folder.
    pub fn current_dir(&mut self, folder: impl AsRef<Path>) -> &mut Limited {
        self.command.current_dir(folder);
        self
    }

    /// Sets a variable of the environment.
    pub fn env(&mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> &mut Limited {
        self.command.env(name, value);
        self
    }

    /// Sets variables of the environment.
    pub fn envs(
        &mut self,
        variables: impl IntoIterator<Item = (impl AsRef<OsStr>, impl AsRef<OsStr>)>,
    ) -> &mut Limited {
        self.command.envs(variables);
        self
    }

    /// Removes a variable of the environment.
    pub fn env_remove(&mut self, name: impl AsRef<OsStr>) -> &mut Limited {
        self.command.env_remove(name);
        self
    }

    /// Sets standard input.
    pub fn stdin(&mut self, from: impl Into<Stdio>) -> &mut Limited {
        self.command.stdin(from);
        self
    }

    /// Sets standard output.
    pub fn stdout(&mut self, to: impl Into<Stdio>) -> &mut Limited {
        self.command.stdout(to);
        self.has_stdout = true;
        self
    }

    /// Sets standard error.
    pub fn stderr(&mut self, to: impl Into<Stdio>) -> &mut Limited {
        self.command.stderr(to);
        self.has_stderr = true;
        self
    }

    /// Starts the process.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn spawn(&mut self) -> Result<Running> {
        let mut child = self.command.spawn()?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let end = Instant::now() + self.limit;
        Ok(Running { child, end, limit: self.limit, stdin, stdout, stderr })
    }

    /// Runs the process and collects what it writes, where that was not sent elsewhere.
    ///
    /// # Errors
    /// It cannot be started, or reaches the time limit.
    pub fn output(&mut self) -> Result<Output> {
        if !self.has_stdout {
            self.command.stdout(Stdio::piped());
        }
        if !self.has_stderr {
            self.command.stderr(Stdio::piped());
        }
        self.spawn()?.wait_with_output()
    }

    /// Runs the process.
    ///
    /// # Errors
    /// It cannot be started, or reaches the time limit.
    pub fn status(&mut self) -> Result<ExitStatus> {
        self.spawn()?.wait()
    }
}

/// A process with a time limit. It is killed with its group when it reaches the limit, and when this is dropped.
#[derive(Debug)]
pub struct Running {
    child: Child,
    end: Instant,
    limit: Duration,
    /// Standard input, if it is a pipe.
    pub stdin: Option<ChildStdin>,
    /// Standard output, if it is a pipe.
    pub stdout: Option<ChildStdout>,
    /// Standard error, if it is a pipe.
    pub stderr: Option<ChildStderr>,
}

impl Running {
    /// Number of the process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// The status of the process, if it has ended.
    ///
    /// # Errors
    /// The system does not tell.
    pub fn try_wait(&mut self) -> Result<Option<ExitStatus>> {
        self.child.try_wait()
    }

    /// Kills the process alone.
    ///
    /// # Errors
    /// The system does not allow it.
    pub fn kill(&mut self) -> Result<()> {
        self.child.kill()
    }

    /// Sends a signal by its name, such as `TERM`, to the process alone.
    ///
    /// # Errors
    /// There is no program `kill`.
    pub fn signal(&self, name: &str) -> Result<ExitStatus> {
        Command::new("kill").arg(format!("-{name}")).arg(self.id().to_string()).status()
    }

    /// Waits for the end of the process.
    ///
    /// # Errors
    /// It reaches the time limit.
    pub fn wait(&mut self) -> Result<ExitStatus> {
        drop(self.stdin.take());
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            if Instant::now() >= self.end {
                self.kill_group();
                let message = format!("the process was killed after {:?}", self.limit);
                return Err(Error::new(ErrorKind::TimedOut, message));
            }
            std::thread::sleep(NAP);
        }
    }

    /// Waits for the end of the process, and collects what it writes to its pipes.
    ///
    /// # Errors
    /// It reaches the time limit.
    pub fn wait_with_output(mut self) -> Result<Output> {
        let (stdout, stderr) = (reader(self.stdout.take()), reader(self.stderr.take()));
        let status = self.wait()?;
        // A process that it left behind may keep the pipes open.
        while !(stdout.is_finished() && stderr.is_finished()) {
            if Instant::now() >= self.end {
                self.kill_group();
                return Err(Error::new(ErrorKind::TimedOut, "something that the process started goes on"));
            }
            std::thread::sleep(NAP);
        }
        let all = |reader: JoinHandle<Vec<u8>>| reader.join().unwrap_or_default();
        Ok(Output { status, stdout: all(stdout), stderr: all(stderr) })
    }

    fn kill_group(&mut self) {
        #[cfg(unix)]
        {
            // The group may be gone.
            let _ = Command::new("kill")
                .args(["-KILL", "--", &format!("-{}", self.child.id())])
                .stderr(Stdio::null())
                .status();
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            self.kill_group();
        }
    }
}

fn reader(pipe: Option<impl Read + Send + 'static>) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // Output written before an error counts all the same.
        let _ = pipe.map(|mut pipe| pipe.read_to_end(&mut bytes));
        bytes
    })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_killed_with_what_it_started() {
        let begin = Instant::now();
        let error =
            Limited::new("sh").args(["-c", "sleep 60 & sleep 60"]).limit(Duration::from_millis(300)).output();
        assert_eq!(error.expect_err("it hangs").kind(), ErrorKind::TimedOut);
        assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
    }

    #[test]
    fn what_a_process_writes_is_collected() {
        let output =
            Limited::new("sh").args(["-c", "echo out; echo err >&2; exit 3"]).output().expect("it runs");
        assert_eq!(
            (output.status.code(), &*output.stdout, &*output.stderr),
            (Some(3), &b"out\n"[..], &b"err\n"[..])
        );
    }
}
