//! Solvers as processes that read SMT-LIB.
//!
//! Three threads serve a process: one writes, one reads answers, one keeps what it says on the error
//! channel. The session's own thread only waits on channels, with a limit, so a solver that hangs, in
//! whatever state, is killed in time. After a kill the next check starts a new process and tells it
//! everything again.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::rc::Rc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use rustc_hash::FxHashMap;

use super::backend::{Backend, RawAnswer, SolverError};
use super::choices::Choices;
use super::evaluate::{any_value, evaluate};
use super::parse::{Meaning, element_name};
use super::sexpr::{self, Sexpr};
use super::smtlib::{Dialect, Printer, refuse_unwritable};
use super::value::TermValue;
use crate::budget::{Budget, Stopped};
use crate::term::{Sort, SortKind, Term, Terms};
use crate::tuning::tuning;

/// A running solver.
struct Running {
    child: Child,
    /// Gone when there is no more input.
    input: Option<Sender<String>>,
    output: Receiver<String>,
    errors: Arc<Mutex<String>>,
    /// Disconnected when the error channel is at its end.
    silent: Receiver<()>,
}

impl Running {
    fn start(path: &Path, arguments: &[&str]) -> Result<Self, SolverError> {
        let failed = |e: std::io::Error| SolverError::NotStarted(path.display().to_string(), e.to_string());
        let mut child = Command::new(path)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let (Some(mut stdin), Some(stdout), Some(mut stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(SolverError::NotStarted(path.display().to_string(), "no pipes".into()));
        };
        let (input, lines) = channel::<String>();
        std::thread::spawn(move || {
            for text in lines {
                if stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).is_err() {
                    break;
                }
            }
        });
        let (send, output) = channel();
        std::thread::spawn(move || {
            let mut reader = BufReader::new(stdout);
            let mut line = Vec::new();
            loop {
                line.clear();
                match reader.read_until(b'\n', &mut line) {
                    Ok(n) if n > 0 => {
                        if send.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                            break;
                        }
                    }
                    _ => break,
                }
            }
        });
        let errors = Arc::new(Mutex::new(String::new()));
        let kept = errors.clone();
        let (until_silent, silent) = channel::<()>();
        std::thread::spawn(move || {
            let _until_silent = until_silent;
            let mut buffer = [0; 1024];
            while let Ok(n @ 1..) = stderr.read(&mut buffer) {
                let mut all = kept.lock().unwrap_or_else(PoisonError::into_inner);
                if all.len() < tuning().process.messages {
                    all.push_str(&String::from_utf8_lossy(&buffer[..n]));
                }
            }
        });
        Ok(Running { child, input: Some(input), output, errors, silent })
    }

    /// Sends text. The next reply shows whether it arrived.
    fn tell(&self, text: String) {
        let _ = self.input.as_ref().map(|input| input.send(text));
    }

    /// Describes a process that ended, as far as known.
    fn exited(&mut self) -> SolverError {
        // It closed its output, so it is ending; one that is not is ended here.
        let patience = Instant::now() + tuning().process.last_words;
        while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < patience {
            std::thread::sleep(tuning().process.ending_poll);
        }
        let _ = self.child.kill();
        let status = match self.child.wait() {
            Ok(status) => status.to_string(),
            Err(e) => e.to_string(),
        };
        // An error here says that the other thread has read all there is.
        let _ = self.silent.recv_timeout(tuning().process.last_words);
        let said = self.errors.lock().unwrap_or_else(PoisonError::into_inner).trim().to_string();
        SolverError::Exited(if said.is_empty() { status } else { format!("{status}: {said}") })
    }

    /// The next line of the output, `None` at its end.
    fn line(&self, budget: &Budget, end: Option<Instant>) -> Result<Option<String>, Stopped> {
        loop {
            let now = Instant::now();
            if budget.is_cancelled() {
                return Err(Stopped::Cancelled);
            }
            if end.is_some_and(|e| now >= e) {
                return Err(Stopped::Timeout);
            }
            let wait = end.map_or(tuning().process.poll, |e| tuning().process.poll.min(e - now));
            match self.output.recv_timeout(wait) {
                Ok(line) => return Ok(Some(line)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
            }
        }
    }

    /// The next reply as text. `Ok(Err)` if the budget ended first.
    fn reply(
        &mut self,
        budget: &Budget,
        end: Option<Instant>,
    ) -> Result<Result<(Sexpr, String), Stopped>, SolverError> {
        let mut text = String::new();
        loop {
            match self.line(budget, end) {
                Err(stopped) => return Ok(Err(stopped)),
                Ok(None) => return Err(self.exited()),
                Ok(Some(line)) => {
                    text.push_str(&line);
                    if let Some(mut read) = sexpr::read(&text)
                        && !read.is_empty()
                    {
                        return Ok(Ok((read.swap_remove(0), text)));
                    }
                }
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Both fail only if the process is gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A solver in another process.
pub struct Process {
    terms: Rc<Terms>,
    path: PathBuf,
    version: String,
    dialect: Dialect,
    choices: Choices,
    printer: Printer,
    running: Option<Running>,
    /// All that a new process has to be told.
    told: String,
    /// Input that came up while there was a model, and has to be sent before the next check.
    late: String,
    /// The solver refused something, so it does not know everything that it should.
    broken: Option<SolverError>,
    /// The assumptions of the last check, as read back.
    assumed: Vec<Sexpr>,
    has_model: bool,
    /// The time limit that the process was told last.
    limit: Option<u128>,
}

impl Process {
    /// Starts the solver at `path`.
    ///
    /// # Errors
    /// [`SolverError::NotStarted`] if it is no program, or nothing that answers.
    pub fn start(terms: Rc<Terms>, path: &Path, dialect: Dialect) -> Result<Self, SolverError> {
        let told = match dialect {
            Dialect::Z3 => {
                "(set-option :produce-models true)\n(set-option :produce-unsat-assumptions true)\n"
            }
            Dialect::Generic => {
                "(set-option :incremental true)\n(set-option :produce-models true)\n\
                 (set-option :produce-unsat-assumptions true)\n(set-logic ALL)\n"
            }
        };
        let (choices, printer) = (Choices::new(terms.clone()), Printer::new(terms.clone(), dialect));
        let mut process = Process {
            terms,
            path: path.to_path_buf(),
            version: String::new(),
            dialect,
            choices,
            printer,
            running: None,
            told: told.into(),
            late: String::new(),
            broken: None,
            assumed: vec![],
            has_model: false,
            limit: None,
        };
        process.version = process.greet()?;
        Ok(process)
    }

    /// Starts the process and asks for the name and version of the solver.
    fn greet(&mut self) -> Result<String, SolverError> {
        self.restart()?;
        let mut names = vec![];
        for what in [":name", ":version"] {
            let reply = self.ask(&format!("(get-info {what})\n"))?;
            match reply.0.list() {
                [_, Sexpr::Text(t)] => names.push(t.clone()),
                _ => return Err(SolverError::Refused(reply.1)),
            }
        }
        Ok(format!(
            "{} {} (process)",
            names[0].to_lowercase(),
            names[1].split(' ').next().unwrap_or_default()
        ))
    }

    fn restart(&mut self) -> Result<(), SolverError> {
        let running = Running::start(&self.path, arguments(&self.path, self.dialect))?;
        running.tell(self.told.clone());
        self.running = Some(running);
        self.limit = None;
        Ok(())
    }

    fn running(&mut self) -> Result<&mut Running, SolverError> {
        self.running.as_mut().ok_or_else(|| SolverError::Exited("killed after its time was up".into()))
    }

    /// Sends text that a new process has to be told as well.
    fn tell(&mut self, text: &str) -> Result<(), SolverError> {
        refuse_unwritable(text).inspect_err(|e| self.broken = Some(e.clone()))?;
        if text.is_empty() {
            return Ok(());
        }
        self.told.push_str(text);
        if let Some(running) = &self.running {
            running.tell(text.into());
        }
        Ok(())
    }

    /// Asks for something that takes no search.
    fn ask(&mut self, question: &str) -> Result<(Sexpr, String), SolverError> {
        let running = self.running()?;
        running.tell(question.into());
        match running.reply(&Budget::unlimited(), Some(Instant::now() + tuning().process.reply)) {
            Ok(Ok(reply)) => self.accepted(reply),
            Ok(Err(_)) => {
                self.running = None;
                Err(SolverError::Exited("no reply".into()))
            }
            Err(gone) => {
                self.running = None;
                Err(gone)
            }
        }
    }

    /// A reply that is no error message. After an error the solver lacks something it was told.
    fn accepted(&mut self, reply: (Sexpr, String)) -> Result<(Sexpr, String), SolverError> {
        match reply.0.applied("error") {
            Some(message) => {
                let text = match message {
                    [Sexpr::Text(t)] => t.trim().to_string(),
                    _ => reply.1.trim().to_string(),
                };
                let error = SolverError::Refused(text);
                self.broken = Some(error.clone());
                Err(error)
            }
            None => Ok(reply),
        }
    }

    fn sound(&self) -> Result<(), SolverError> {
        self.broken.clone().map_or(Ok(()), Err)
    }

    fn declared(&mut self, t: Term) -> Result<String, SolverError> {
        let late = std::mem::take(&mut self.late);
        self.tell(&late)?;
        let text = self.printer.term(t);
        // Handed over even if the term is refused: the printer will not write them again.
        let declarations = self.printer.take_declarations();
        self.tell(&declarations)?;
        let text = text?;
        refuse_unwritable(&text)?;
        Ok(text)
    }

    fn get_value(&mut self, text: &str, sort: Sort) -> Result<TermValue, SolverError> {
        let (reply, all) = self.ask(&format!("(get-value ({text}))\n"))?;
        let [pair] = reply.list() else { return Err(SolverError::Refused(all)) };
        let [_, value] = pair.list() else { return Err(SolverError::Refused(all)) };
        let meaning = Meaning {
            terms: &self.terms,
            constructors: &self.printer.constructors,
            tuples: &self.printer.tuples,
        };
        Ok(meaning.value(value, sort))
    }
}

impl Backend for Process {
    fn name(&self) -> String {
        self.version.clone()
    }

    fn is_doubtful(&self) -> bool {
        self.dialect == Dialect::Z3
    }

    fn assert(&mut self, t: Term) -> Result<(), SolverError> {
        self.sound()?;
        self.has_model = false;
        let all = match self.dialect {
            Dialect::Z3 => self.choices.assertions(t),
            Dialect::Generic => vec![t],
        };
        for t in all {
            let text = self.declared(t)?;
            self.tell(&format!("(assert {text})\n"))?;
        }
        Ok(())
    }

    fn check(&mut self, assumptions: &[Term], budget: &Budget) -> Result<RawAnswer, SolverError> {
        self.sound()?;
        self.has_model = false;
        let late = std::mem::take(&mut self.late);
        self.tell(&late)?;
        let end = budget.query_time().map(|t| Instant::now() + t);
        let mut literals = vec![];
        for &a in assumptions {
            literals.push(self.declared(a)?);
        }
        self.assumed = literals.iter().filter_map(|l| sexpr::read(l)?.pop()).collect();
        if self.running.is_none() {
            self.restart()?;
        }
        let mut question = String::new();
        if self.dialect == Dialect::Z3 {
            let rest = end.map(|e| e.saturating_duration_since(Instant::now()).as_millis().max(1));
            if rest != self.limit {
                let most = rest.unwrap_or(u32::MAX.into()).min(u32::MAX.into());
                writeln!(question, "(set-option :timeout {most})").expect("strings grow");
                self.limit = rest;
            }
        }
        if literals.is_empty() {
            question.push_str("(check-sat)\n");
        } else {
            writeln!(question, "(check-sat-assuming ({}))", literals.join(" ")).expect("strings grow");
        }
        let hard = end.map(|e| if self.dialect == Dialect::Z3 { e + tuning().process.grace } else { e });
        let running = self.running()?;
        running.tell(question);
        let reply = match running.reply(budget, hard) {
            Ok(Ok(reply)) => self.accepted(reply)?,
            Ok(Err(stopped)) => {
                self.running = None;
                return Ok(RawAnswer::Unknown(stopped));
            }
            Err(gone) => {
                self.running = None;
                return Err(gone);
            }
        };
        match reply.0.atom() {
            Some("sat") => {
                self.has_model = true;
                Ok(RawAnswer::Sat)
            }
            Some("unsat") => Ok(RawAnswer::Unsat),
            Some("unknown" | "timeout") => {
                if end.is_some_and(|e| Instant::now() >= e) {
                    return Ok(RawAnswer::Unknown(Stopped::Timeout));
                }
                let (reason, text) = self.ask("(get-info :reason-unknown)\n")?;
                let reason = match reason.list() {
                    [_, Sexpr::Atom(r) | Sexpr::Text(r)] => r.trim_matches(['(', ')']).to_string(),
                    _ => text.trim().to_string(),
                };
                Ok(RawAnswer::Unknown(match reason.as_str() {
                    "timeout" | "canceled" if end.is_some() => Stopped::Timeout,
                    _ => Stopped::Incomplete(reason),
                }))
            }
            _ => {
                let error = SolverError::Refused(reply.1.trim().to_string());
                self.broken = Some(error.clone());
                Err(error)
            }
        }
    }

    fn core(&mut self) -> Result<Vec<usize>, SolverError> {
        if self.assumed.is_empty() {
            return Ok(vec![]);
        }
        let (core, _) = self.ask("(get-unsat-assumptions)\n")?;
        Ok((0..self.assumed.len()).filter(|&i| core.list().contains(&self.assumed[i])).collect())
    }

    fn value(&mut self, t: Term) -> Result<TermValue, SolverError> {
        if !self.has_model {
            return Err(SolverError::Refused("there is no model".into()));
        }
        let sort = self.terms.sort_of(t);
        if self.printer.is_declared(t) {
            let text = self.printer.inline(t)?;
            let declarations = self.printer.take_declarations();
            if self.late.is_empty() && declarations.is_empty() {
                refuse_unwritable(&text)?;
                return self.get_value(&text, sort);
            }
            // Telling them now would end the model: cvc5 1.0.3 answers with values of another one.
            self.late.push_str(&declarations);
        }
        // The solver never heard of some symbol, so its value is free: any will do.
        let mut symbols = FxHashMap::default();
        for id in self.terms.symbols(&[t]) {
            let symbol_sort = self.terms.symbol_sort(id);
            let value = if self.printer.declared_symbol(id) {
                let symbol = self.terms.symbol(&self.terms.symbol_name(id), symbol_sort);
                let text = self.printer.inline(symbol)?;
                self.get_value(&text, symbol_sort)?
            } else {
                any_value(&self.terms, symbol_sort)
            };
            symbols.insert(id, value);
        }
        Ok(evaluate(&self.terms, t, &symbols).unwrap_or_else(|| TermValue::Opaque(self.terms.text(t))))
    }

    fn universe(&mut self, sort: Sort) -> Result<Vec<TermValue>, SolverError> {
        if !self.has_model || !matches!(self.terms.sort_kind(sort), SortKind::Uninterpreted(_)) {
            return Ok(vec![]);
        }
        let Some(name) = self.printer.declared_sort(sort).map(str::to_string) else { return Ok(vec![]) };
        let Some(wanted) = sexpr::read(&name).and_then(|mut r| r.pop()) else { return Ok(vec![]) };
        let (model, text) = self.ask("(get-model)\n")?;
        let mut elements = BTreeMap::new();
        for part in model.list() {
            if let Some([element, _, of]) = part.applied("declare-fun")
                && *of == wanted
                && let Some(name) = element_name(element)
            {
                elements.insert(name.to_string(), ());
            }
        }
        // cvc5 says it in comments: `; rep: (as @S_0 S)`.
        for line in text.lines().filter_map(|l| l.trim().strip_prefix("; rep: ")) {
            if let Some([Sexpr::List(parts)]) = sexpr::read(line).as_deref()
                && let [_, element, of] = &parts[..]
                && *of == wanted
                && let Some(name) = element_name(element)
            {
                elements.insert(name.to_string(), ());
            }
        }
        Ok(elements.into_keys().map(|name| TermValue::Element(sort, name.into())).collect())
    }
}

/// Returns the arguments that make a solver read SMT-LIB from its input.
fn arguments(path: &Path, dialect: Dialect) -> &'static [&'static str] {
    let program = path.file_stem().map(|n| n.to_string_lossy().to_lowercase()).unwrap_or_default();
    match dialect {
        Dialect::Z3 => &["-in", "-smt2"],
        Dialect::Generic if program.contains("z3") => &["-in", "-smt2"],
        Dialect::Generic if program.contains("cvc5") => &["--lang=smt2", "--model-u-print=decl-fun"],
        Dialect::Generic => &[],
    }
}

/// Runs a complete script in a process of its own, with more arguments for the solver, within the budget of a query.
///
/// # Errors
/// If the solver cannot be started, ends without an answer, or complains.
pub fn run_script(
    path: &Path,
    dialect: Dialect,
    more: &[&str],
    script: &str,
    budget: &Budget,
) -> Result<RawAnswer, SolverError> {
    let end = budget.query_time().map(|t| Instant::now() + t);
    let mut running = Running::start(path, &[arguments(path, dialect), more].concat())?;
    running.tell(format!("{script}\n(exit)\n"));
    match running.reply(budget, end)? {
        Err(stopped) => Ok(RawAnswer::Unknown(stopped)),
        Ok((reply, text)) => match reply.atom() {
            Some("sat") => Ok(RawAnswer::Sat),
            Some("unsat") => Ok(RawAnswer::Unsat),
            Some("unknown") => Ok(RawAnswer::Unknown(Stopped::Incomplete("unknown".into()))),
            _ => Err(SolverError::Refused(text.trim().to_string())),
        },
    }
}

/// Gives a TPTP problem to a prover that reads its input and prints an SZS status (Sutcliffe, *The SZS ontologies for
/// automated reasoning software*, 2008), within the budget of a query.
///
/// # Errors
/// If the prover cannot be started, or ends without a status.
pub fn run_prover(
    path: &Path,
    arguments: &[&str],
    problem: String,
    budget: &Budget,
) -> Result<RawAnswer, SolverError> {
    let end = budget.query_time().map(|t| Instant::now() + t);
    let mut running = Running::start(path, arguments)?;
    running.tell(problem);
    running.input = None;
    let mut complaint = String::new();
    loop {
        let line = match running.line(budget, end) {
            Err(stopped) => return Ok(RawAnswer::Unknown(stopped)),
            Ok(Some(line)) => line,
            Ok(None) if complaint.is_empty() => return Err(running.exited()),
            Ok(None) => return Err(SolverError::Refused(complaint)),
        };
        let Some((_, status)) = line.split_once("SZS status ") else {
            if complaint.is_empty() {
                complaint = line.trim().to_string();
            }
            continue;
        };
        let status = status.split_whitespace().next().unwrap_or_default();
        return match status {
            "Unsatisfiable" | "Theorem" | "ContradictoryAxioms" => Ok(RawAnswer::Unsat),
            "Satisfiable" | "CounterSatisfiable" => Ok(RawAnswer::Sat),
            "Timeout" => Ok(RawAnswer::Unknown(Stopped::Timeout)),
            "GaveUp" | "ResourceOut" | "MemoryOut" | "Unknown" => {
                Ok(RawAnswer::Unknown(Stopped::Incomplete(status.into())))
            }
            _ => Err(SolverError::Refused(line.trim().to_string())),
        };
    }
}

/// Finds the program of a solver: by `BSYM_Z3`, `BSYM_CVC5` and so on, in the folder that set-up filled, or in the
/// `PATH`.
pub fn find_solver(name: &str) -> Option<PathBuf> {
    if let Some(path) = std::env::var_os(format!("BSYM_{}", name.to_uppercase())) {
        return Some(path.into()).filter(|p: &PathBuf| p.is_file());
    }
    // The set-up folder is beside the sources; an installed program finds it if they are still there.
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    let fetched = root.map(|r| r.join(".z3/bin").join(name)).filter(|p| p.is_file());
    fetched.or_else(|| which::which(name).ok())
}

/// Name and version of the solver at `path`; `None` if it does not answer.
pub fn solver_version(path: &Path, dialect: Dialect) -> Option<String> {
    Process::start(Rc::new(Terms::new()), path, dialect).ok().map(|p| p.name())
}
