//! `bsym check` of several machines, each in a process of its own.
//!
//! A machine that crashes or takes all memory does not touch the others then, and each has limits of its own. The
//! processes are this program with the same flags, one file and `--json`.

use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, mpsc};
use std::time::{Duration, Instant};

use anyhow::bail;

use crate::answer::Answer;
use crate::answer::several::{Row, Several};
use crate::answer::statistics::seconds;
use crate::arguments::{self, CheckArguments};
use crate::commands::targets::{Target, targets};
use crate::control::Control;
use crate::output;
use crate::paint::Paint;
use crate::refusal::Refusal;

/// How often an interrupt is looked for.
const TICK: Duration = Duration::from_millis(20);
/// The processes end within their own time after a limit or an interrupt, and their rows are read after that.
const PATIENCE: u32 = 3;

/// Runs the command.
///
/// # Errors
/// A flag that names one file, which several machines cannot share.
pub fn run(arguments: &CheckArguments, control: &Control) -> anyhow::Result<Answer> {
    refuse_flags_of_one(arguments)?;
    let files = targets(arguments)?;
    let jobs = arguments::jobs(arguments.jobs).min(files.len());
    let processes = Processes {
        program: std::env::current_exe()?,
        flags: flags(arguments, std::env::args_os().skip(1)),
        next: AtomicUsize::new(0),
        running: Mutex::default(),
    };
    let done: Arc<Mutex<Vec<Option<Row>>>> = Arc::new(Mutex::new(vec![None; files.len()]));
    let (so_far, names, start) = (done.clone(), files.clone(), control.start);
    control.be_patient(PATIENCE);
    control.set_fallback(move |_| several(&names, &so_far, seconds(start.elapsed())));
    std::thread::scope(|scope| {
        let (send, rows) = mpsc::channel();
        for _ in 0..jobs {
            let (send, processes, files) = (send.clone(), &processes, &files);
            scope.spawn(move || processes.work(files, &send));
        }
        drop(send);
        let table = Table::new(arguments, &files);
        loop {
            match rows.recv_timeout(TICK) {
                Ok((index, row)) => {
                    table.show(&row);
                    locked(&done)[index] = Some(row);
                }
                Err(mpsc::RecvTimeoutError::Timeout) if control.stopped().is_some() => processes.stop(),
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
            }
        }
    });
    control.finish();
    let answer = several(&files, &done, control.seconds());
    // The lines were written as the machines ended.
    Ok(if arguments.verify.output.jsonl { Answer::Said(answer.exit()) } else { answer })
}

fn several(files: &[Target], done: &Mutex<Vec<Option<Row>>>, seconds: f64) -> Answer {
    let done = locked(done);
    let rows = files.iter().zip(done.iter());
    let rows = rows.map(|(file, row)| {
        row.clone()
            .unwrap_or_else(|| Row::interrupted(file.file.display().to_string()).part(file.component.clone()))
    });
    Answer::Several(Box::new(Several::new(rows.collect(), seconds)))
}

fn refuse_flags_of_one(arguments: &CheckArguments) -> anyhow::Result<()> {
    let verify = &arguments.verify;
    let flag = match verify {
        v if v.trace.is_some() => "--trace",
        v if v.certificate.is_some() => "--certificate",
        v if v.component.component.is_some() => "--machine",
        v if v.proofs.as_ref().is_some_and(|p| p != Path::new("auto")) => "--proofs",
        _ => return Ok(()),
    };
    bail!(
        Refusal::new(format!("{flag} goes with one machine, and several are named"))
            .help("name one machine, or leave the flag out")
    )
}

/// The flags of this command line for a process with one machine: without what is named, and how the answer is shown.
fn flags(arguments: &CheckArguments, given: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let named: Vec<&Path> =
        std::iter::once(&arguments.verify.file).chain(&arguments.more).map(PathBuf::as_path).collect();
    let mut given = given.skip_while(|a| a != "check").skip(1);
    let mut flags: Vec<OsString> = vec![];
    while let Some(flag) = given.next() {
        if flag == "--format" || flag == "--jobs" {
            given.next();
        } else if !named.contains(&Path::new(&flag)) && !is_of_all(&flag) {
            flags.push(flag);
        }
    }
    // The machines share the cores, so that each has one for its engines.
    flags.extend(["--json", "--jobs=1"].map(OsString::from));
    flags
}

/// Whether a flag says what is of all machines together: which they are, and how the answer about them is shown.
fn is_of_all(flag: &OsStr) -> bool {
    ["--jsonl", "--json", "--all", "--"].iter().any(|f| flag == *f)
        || ["--format=", "--jobs="].iter().any(|f| flag.to_string_lossy().starts_with(f))
}

/// The processes of the machines.
struct Processes {
    program: PathBuf,
    flags: Vec<OsString>,
    /// The file that is begun next.
    next: AtomicUsize,
    running: Mutex<Running>,
}

/// Those that run. A process is taken from here before it is waited for, so that its number is still its own.
#[derive(Default)]
struct Running {
    children: Vec<(usize, Child)>,
    is_stopped: bool,
}

impl Processes {
    /// Takes one file after the other, until there are no more or an interrupt comes.
    fn work(&self, files: &[Target], rows: &mpsc::Sender<(usize, Row)>) {
        loop {
            let index = self.next.fetch_add(1, Ordering::SeqCst);
            let Some(file) = files.get(index) else { return };
            let Some(row) = self.check(index, file) else { return };
            // The other side reads until all are done.
            let _ = rows.send((index, row));
        }
    }

    /// Checks one machine. `None` once there was an interrupt.
    fn check(&self, index: usize, target: &Target) -> Option<Row> {
        let file = target.file.display().to_string();
        let start = Instant::now();
        let mut command = Command::new(&self.program);
        command.arg("check").args(&self.flags);
        if let Some(component) = &target.component {
            command.arg("--machine").arg(component);
        }
        command.arg("--").arg(&target.file);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        // Ctrl-C of a terminal reaches it once, through this process.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let stdout = {
            let mut running = locked(&self.running);
            if running.is_stopped {
                return None;
            }
            match command.spawn() {
                Ok(mut child) => {
                    let stdout = child.stdout.take();
                    running.children.push((index, child));
                    stdout
                }
                Err(_) => {
                    let row = Row::new(file, None, &[], seconds(start.elapsed()));
                    return Some(row.part(target.component.clone()));
                }
            }
        };
        let mut said = vec![];
        // It closes its output when it ends; what was cut off is no JSON.
        let _ = stdout.map(|mut stdout| stdout.read_to_end(&mut said));
        let child = {
            let mut running = locked(&self.running);
            let place = running.children.iter().position(|(i, _)| *i == index);
            place.map(|place| running.children.swap_remove(place).1)
        };
        let exit = child.and_then(|mut child| child.wait().ok()).and_then(|status| status.code());
        Some(Row::new(file, exit, &said, seconds(start.elapsed())).part(target.component.clone()))
    }

    /// Asks all to stop with what they know. Once is enough: a second time would end them without an answer.
    fn stop(&self) {
        let mut running = locked(&self.running);
        if std::mem::replace(&mut running.is_stopped, true) {
            return;
        }
        for (_, child) in &mut running.children {
            #[cfg(unix)]
            if let Ok(id) = i32::try_from(child.id()) {
                let _ =
                    nix::sys::signal::kill(nix::unistd::Pid::from_raw(id), nix::sys::signal::Signal::SIGINT);
            }
            #[cfg(not(unix))]
            let _ = child.kill();
        }
    }
}

/// The rows, shown as they come.
struct Table<'a> {
    arguments: &'a CheckArguments,
    width: usize,
    paint: Paint,
}

impl<'a> Table<'a> {
    fn new(arguments: &'a CheckArguments, files: &[Target]) -> Table<'a> {
        let width = files.iter().map(|f| f.shown().chars().count()).max().unwrap_or(0);
        Table { arguments, width, paint: Paint::stdout(arguments.verify.output.color) }
    }

    fn show(&self, row: &Row) {
        let format = &self.arguments.verify.output;
        let is_whole = format.is_for_programs() && !format.jsonl;
        if is_whole || (self.arguments.quiet && row.holds()) {
            return;
        }
        match format.jsonl {
            true => output::json_line(row),
            false => output::result(&row.line(self.width, self.paint)),
        }
    }
}

/// Rows are written whole, so that a thread that panicked leaves nothing half done.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|e| e.into_inner())
}
