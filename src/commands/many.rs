//! A command about several machines, each in a process of its own.
//!
//! So a machine that crashes or takes all memory does not affect the others, and each has limits of its own.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Instant;

use anyhow::{Context, bail};

use crate::answer::Answer;
use crate::answer::several::{Row, Several};
use crate::answer::statistics::seconds;
use crate::arguments::{self, Batch, Command};
use crate::baseline::Baseline;
use crate::cache;
use crate::commands::targets::{Target, targets};
use crate::output;
use crate::paint::Paint;
use crate::race::control::{Control, locked};
use crate::race::process::{End, Process};
use crate::race::protocol::{Assignment, Message, Order};
use crate::refusal::Refusal;
use crate::settings::Settings;
use crate::tuning::tuning;

/// Runs the command for each machine.
///
/// # Errors
/// A flag that names one file, which several machines cannot share.
pub fn run(command: &Command, baseline: Option<&Baseline>, control: &Control) -> anyhow::Result<Answer> {
    let batch = command.batch().context("the command takes one machine")?;
    if let Some(flag) = batch.flags_of_one.first() {
        bail!(
            Refusal::new(format!("{flag} goes with one machine, and several are named"))
                .help("name one machine, or leave the flag out")
        );
    }
    let files = targets(&batch)?;
    let jobs = arguments::jobs(batch.jobs).min(files.len());
    let processes =
        Processes { command, files: &files, next: AtomicUsize::new(0), running: Mutex::default() };
    let done: Arc<Mutex<Vec<Option<Row>>>> = Arc::new(Mutex::new(vec![None; files.len()]));
    let (so_far, names, start) = (done.clone(), files.clone(), control.start);
    control.be_patient(tuning().sessions.many_patience);
    control.set_fallback(move |_| several(&names, &so_far, seconds(start.elapsed())));
    std::thread::scope(|scope| {
        let (send, rows) = mpsc::channel();
        for _ in 0..jobs {
            let (send, processes) = (send.clone(), &processes);
            scope.spawn(move || processes.work(&send));
        }
        drop(send);
        let mut table = Table::new(&batch, baseline, &files);
        loop {
            match rows.recv_timeout(tuning().sessions.many_tick) {
                Ok((index, row)) => {
                    locked(&done)[index] = Some(row);
                    table.show(&locked(&done));
                }
                Err(mpsc::RecvTimeoutError::Timeout) if control.stopped().is_some() => processes.stop(),
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
            }
        }
    });
    control.finish();
    let answer = several(&files, &done, control.seconds());
    let answer = match baseline {
        Some(baseline) => baseline.apply(answer, batch.output, control.seconds()),
        None => answer,
    };
    // The lines were written before.
    Ok(if batch.output.jsonl { Answer::Said(answer.exit()) } else { answer })
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

/// The processes of the machines.
struct Processes<'a> {
    command: &'a Command,
    files: &'a [Target],
    /// The file that is started next.
    next: AtomicUsize,
    running: Mutex<Running>,
}

/// Processes at work, by the number of their file.
#[derive(Default)]
struct Running {
    processes: BTreeMap<usize, Arc<Process>>,
    is_stopped: bool,
}

impl Processes<'_> {
    /// Takes one file after the other, until there are no more or an interrupt comes.
    fn work(&self, rows: &mpsc::Sender<(usize, Row)>) {
        loop {
            let index = self.next.fetch_add(1, Ordering::SeqCst);
            let Some(file) = self.files.get(index) else { return };
            let Some(row) = self.check(index, file) else { return };
            // The receiver reads until all are done.
            let _ = rows.send((index, row.part(file.component.clone())));
        }
    }

    /// Checks one machine, and restarts after a crash. `None` once there was an interrupt.
    fn check(&self, index: usize, target: &Target) -> Option<Row> {
        let (file, start) = (target.file.display().to_string(), Instant::now());
        let mut crashes = 0;
        loop {
            let order = match self.order(target) {
                Ok(order) => order,
                Err(error) => {
                    let (answer, spent) = (Answer::refused(&error), seconds(start.elapsed()));
                    return Some(Row::of(file, &answer, answer.exit(), spent));
                }
            };
            if let Order::One { command, .. } = &order
                && let Some(answer) = cache::answer(command)
            {
                return Some(Row::of(file, &answer, answer.exit(), seconds(start.elapsed())));
            }
            let process = match self.start(index, Assignment { order, crashes, spent: start.elapsed() })? {
                Ok(process) => process,
                Err(e) => {
                    let why = format!("no process could be started: {e}");
                    return Some(Row::failed(file, why, seconds(start.elapsed())));
                }
            };
            let end = process.listen(&mut |_| {});
            locked(&self.running).processes.remove(&index);
            let why = match end {
                End::Answered(Message::Row(row)) => {
                    return Some(Row { file, seconds: seconds(start.elapsed()), ..*row });
                }
                End::Answered(_) => "its process answered another question".into(),
                End::Died(death) => {
                    crashes += 1;
                    if death.is_worth_another_attempt(crashes) {
                        continue;
                    }
                    format!("its process: {}; check it alone to see why", death.in_words())
                }
            };
            return Some(Row::failed(file, why, seconds(start.elapsed())));
        }
    }

    /// The question about one machine.
    ///
    /// # Errors
    /// As [`Settings::of`].
    fn order(&self, target: &Target) -> anyhow::Result<Order> {
        let mut command = self.command.of_one(&target.file, target.component.as_deref());
        Settings::fill(&mut command)?;
        Ok(Order::One { command: Box::new(command), file: target.file.clone() })
    }

    /// Starts a process. `None` once there was an interrupt.
    fn start(&self, index: usize, assignment: Assignment) -> Option<std::io::Result<Arc<Process>>> {
        let mut running = locked(&self.running);
        if running.is_stopped {
            return None;
        }
        Some(Process::start(&assignment).map(|process| {
            let process = Arc::new(process);
            running.processes.insert(index, process.clone());
            process
        }))
    }

    /// Asks all processes to stop with the known part of their results. Once is enough.
    fn stop(&self) {
        let mut running = locked(&self.running);
        if !std::mem::replace(&mut running.is_stopped, true) {
            running.processes.values().for_each(|process| process.stop());
        }
    }
}

/// The rows, shown in the order of the machines as far as they are there.
struct Table<'a> {
    batch: &'a Batch<'a>,
    baseline: Option<&'a Baseline>,
    width: usize,
    paint: Paint,
    /// Number of rows that were shown.
    shown: usize,
}

impl<'a> Table<'a> {
    fn new(batch: &'a Batch<'a>, baseline: Option<&'a Baseline>, files: &[Target]) -> Table<'a> {
        let width = files.iter().map(|f| f.shown().chars().count()).max().unwrap_or(0);
        Table { batch, baseline, width, paint: Paint::stdout(batch.output.color), shown: 0 }
    }

    fn show(&mut self, rows: &[Option<Row>]) {
        while let Some(Some(row)) = rows.get(self.shown) {
            self.shown += 1;
            let format = self.batch.output;
            let is_whole = format.is_for_programs() && !format.jsonl;
            let is_known = self.baseline.is_some_and(|baseline| baseline.knows(row));
            if is_whole || (self.batch.batch.quiet && (row.holds() || is_known)) {
                continue;
            }
            match format.jsonl {
                true => output::json_line(row),
                false => output::result(&row.line(self.width, is_known, self.paint)),
            }
        }
    }
}
