//! A contestant in a process of its own: this program, which gets its order on standard input.
//!
//! The process ends with the one that started it, however that ends: its standard input ends then.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use super::control::{Control, locked};
use super::protocol::{Assignment, Message, Order, Request};
use crate::answer::Answer;
use crate::answer::found::Found;
use crate::answer::several::Row;
use crate::arguments::OutputArguments;
use crate::exit::Exit;
use crate::output;
use crate::tuning::tuning;

/// Tells a process that carries out the command line of another one that it is waited for, which attempt it is, and for
/// how many milliseconds the program has run: see [`super::supervise`].
#[cfg(unix)]
pub const VARIABLE: &str = "BSYM_ATTEMPT";
/// The signal that does not count as a crash: the user or the system sends it.
const SIGKILL: i32 = 9;

/// A process that works for this one. It is killed where this is dropped.
pub struct Process {
    child: Arc<Mutex<Child>>,
    requests: Mutex<Option<ChildStdin>>,
    messages: Mutex<Option<BufReader<ChildStdout>>>,
    complaint: Mutex<Option<JoinHandle<String>>>,
}

/// The end of a process.
pub enum End {
    /// The process gave an answer.
    Answered(Message),
    /// The process ended without an answer.
    Died(Death),
}

/// A death without an answer.
pub struct Death {
    status: std::io::Result<ExitStatus>,
    complaint: String,
}

impl Process {
    /// Starts a process.
    ///
    /// # Errors
    /// The system has none, or a name in the order is not Unicode.
    pub fn start(assignment: &Assignment) -> std::io::Result<Process> {
        let order = serde_json::to_string(assignment)?;
        let mut command = Command::new(std::env::current_exe()?);
        // Only the first word is read: the others are for users who look at a list of processes.
        command.arg("worker").arg(assignment.order.name()).arg(assignment.order.file());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.env_remove("RUST_LOG");
        #[cfg(unix)]
        {
            command.env_remove(VARIABLE);
            // Ctrl-C of a terminal reaches it once, through this process.
            std::os::unix::process::CommandExt::process_group(&mut command, 0);
        }
        let mut child = command.spawn()?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let process = Process {
            child: Arc::new(Mutex::new(child)),
            requests: Mutex::new(stdin),
            messages: Mutex::new(stdout.map(BufReader::new)),
            complaint: Mutex::new(Some(std::thread::spawn(move || first_line(stderr)))),
        };
        // A process that cannot be written to ends without an answer, which is reported then.
        let _ = process.write(&order);
        Ok(process)
    }

    /// Reads the messages of the process until it answers or ends.
    pub fn listen(&self, progress: &mut dyn FnMut(Message)) -> End {
        if let Some(messages) = locked(&self.messages).take() {
            for line in messages.lines() {
                let Ok(line) = line else { break };
                match serde_json::from_str(&line) {
                    Ok(message @ Message::Progress(_)) => progress(message),
                    Ok(answer) => return End::Answered(answer),
                    // A line that was cut off is no JSON.
                    Err(_) => break,
                }
            }
        }
        let status = self.status();
        let complaint = locked(&self.complaint).take().and_then(|thread| thread.join().ok());
        End::Died(Death { status, complaint: complaint.unwrap_or_default() })
    }

    /// Asks the process to stop with the known part of its result.
    pub fn stop(&self) {
        if let Ok(request) = serde_json::to_string(&Request::Stop) {
            // One that has ended needs no request.
            let _ = self.write(&request);
        }
    }

    /// Ends the process at once.
    pub fn kill(&self) {
        // One that has ended before cannot be killed.
        let _ = locked(&self.child).kill();
    }

    /// The process, so that its memory can be counted.
    pub fn child(&self) -> Arc<Mutex<Child>> {
        self.child.clone()
    }

    fn write(&self, line: &str) -> std::io::Result<()> {
        match &mut *locked(&self.requests) {
            Some(stdin) => stdin.write_all(format!("{line}\n").as_bytes()).and_then(|()| stdin.flush()),
            None => Ok(()),
        }
    }

    /// Waits for the end without keeping the process from being killed meanwhile.
    fn status(&self) -> std::io::Result<ExitStatus> {
        loop {
            if let Some(status) = locked(&self.child).try_wait()? {
                return Ok(status);
            }
            std::thread::sleep(tuning().race.process_tick);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
        // This removes it from the table of processes.
        let _ = locked(&self.child).wait();
    }
}

impl Death {
    /// Describes the death in a sentence.
    pub fn in_words(&self) -> String {
        let how = match &self.status {
            Ok(status) => status.to_string(),
            Err(error) => error.to_string(),
        };
        match self.complaint.as_str() {
            "" => format!("it ended without an answer ({how})"),
            complaint => format!("it ended without an answer ({how}): {complaint}"),
        }
    }

    /// Returns whether it was a crash, so that another attempt with other random choices may succeed after this many
    /// crashes.
    pub fn is_worth_another_attempt(&self, crashes: u64) -> bool {
        crashes < tuning().race.attempts && self.signal().is_some_and(|signal| signal != SIGKILL)
    }

    /// The signal that ended the process.
    fn signal(&self) -> Option<i32> {
        #[cfg(unix)]
        return std::os::unix::process::ExitStatusExt::signal(self.status.as_ref().ok()?);
        #[cfg(not(unix))]
        None
    }
}

fn first_line(stderr: Option<impl Read>) -> String {
    let mut kept = vec![];
    if let Some(mut stderr) = stderr {
        // Unreadable output is no part of the answer; the rest is read so that the process can write it.
        let _ = stderr.by_ref().take(tuning().race.complaint).read_to_end(&mut kept);
        let _ = std::io::copy(&mut stderr, &mut std::io::sink());
    }
    let text = String::from_utf8_lossy(&kept);
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.next().unwrap_or_default().to_string()
}

/// Reads the work of this process.
///
/// # Errors
/// Standard input has no assignment: the command is not meant for people.
pub fn receive() -> anyhow::Result<Assignment> {
    let mut line = String::new();
    std::io::stdin().read_line(&mut line)?;
    Ok(serde_json::from_str(&line)?)
}

/// Carries out the requests of the process that this one works for, in a thread of its own, and ends when that process
/// does.
pub fn obey(control: &Control) {
    let control = control.clone();
    std::thread::spawn(move || {
        for line in std::io::stdin().lines() {
            match line.map(|line| serde_json::from_str(&line)) {
                Ok(Ok(Request::Stop)) => control.stop(),
                Ok(Err(error)) => output::note(&format!("a request that nobody knows: {error}")),
                Err(_) => break,
            }
        }
        std::process::exit(Exit::Unknown as i32);
    });
}

/// Prints an answer: to the process that this one works for, if there is one, and else to the user in the requested
/// form. Returns the exit code of the program.
pub fn show(control: &Control, answer: &Answer, format: &OutputArguments) -> Exit {
    match &control.order {
        None => output::show(answer, format, control.seconds()),
        Some(order) => {
            output::json_line(&message(order, answer, control.seconds()));
            answer.exit()
        }
    }
}

fn message(order: &Order, answer: &Answer, seconds: f64) -> Message {
    match (order, answer) {
        (_, Answer::Found(found)) => Message::Found(found.clone()),
        (Order::Search(_), Answer::Verification(result)) => {
            Message::Found(Box::new(Found::undecided(result)))
        }
        (Order::Search(_), Answer::Refused(refused)) => Message::Refused(refused.error().into()),
        (order, answer) => Message::Row(Box::new(Row::of(
            order.file().display().to_string(),
            answer,
            answer.exit(),
            seconds,
        ))),
    }
}
