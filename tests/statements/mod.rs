//! Random machines at the level of statements, through all engines: no two answers may contradict each other.

pub mod compare;
pub mod domain;
pub mod draw;
pub mod machine;
pub mod proved;
pub mod run;
pub mod shrink;
pub mod table;

use std::panic::catch_unwind;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bsym_language::load::load_model;
use compare::{Contradiction, contradictions};
use machine::Machine;
use proved::{Counts, Effort, Looked, Wrong};
use run::{Answer, Bench, Fault, Question, Scope};

/// Questions about each machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plan {
    /// A few of the engines, others for the next machine.
    Short,
    /// All of them.
    Full,
    /// Machines about relations over deferred sets: proofs for any size, against small sizes.
    Deferred,
}

impl Plan {
    /// The machine of a number.
    pub fn draw(self, number: u64) -> Machine {
        match self {
            Plan::Deferred => draw::relations::machine(number),
            Plan::Short | Plan::Full => draw::machine(number),
        }
    }
}

/// A failure of a machine.
#[derive(Clone, Debug)]
pub enum Failure {
    Fault(Fault),
    /// A proof of a false claim.
    Wrong(Wrong),
    Contradiction(Box<Contradiction>),
}

/// Everything observed about one machine.
pub struct Seen {
    pub number: u64,
    pub machine: Machine,
    pub answers: Vec<Answer>,
    pub failures: Vec<Failure>,
    /// Counts of proofs about machines with deferred sets.
    pub proved: Counts,
}

const fn question(engine: &'static str, sizes: Option<Scope>) -> Question {
    Question { engine, sizes, wd: true, status: false, every: false, other: false }
}

/// Searches that visit one of several symmetric states, by the way it is chosen.
pub const REDUCED: [&str; 4] = ["canonical", "representatives", "canonical+markers", "flood"];

/// One of them.
fn reduced(number: u64) -> &'static str {
    REDUCED[(number / 2 % 4) as usize]
}

/// The questions about the machine of a number.
fn questions(number: u64, machine: &Machine, plan: Plan) -> Vec<Question> {
    let deferred = !machine.deferred().is_empty();
    let every = |q: Question| Question { every: true, ..q };
    let mut all = vec![];
    let finite = 1 + (number / 4 % 3) as u32;
    match (deferred, plan) {
        (_, Plan::Deferred) => {
            all.extend([1, 2, 3, 4].map(|n| every(question("mc", Some(Scope::Size(n))))));
        }
        (true, Plan::Full) => all.extend([1, 2, 3].map(|n| every(question("mc", Some(Scope::Size(n)))))),
        // The size that an engine is asked about as well.
        (true, Plan::Short) => all.push(every(question("mc", Some(Scope::Size(finite))))),
        (false, _) => all.push(every(question("mc", Some(Scope::Prob)))),
    }
    let symbolic = ["bmc", "tree", "kind", "ic3", "check"];
    let turn = |n: u64| symbolic[(n % 5) as usize];
    let sizes = match deferred {
        true => Scope::Size(finite),
        false => Scope::Prob,
    };
    let with_status = |e| Question { status: true, ..question(e, None) };
    let without_wd = |e, sizes| Question { wd: false, ..question(e, sizes) };
    // One proof about any size is checked by another solver as well.
    let any = |e| Question { other: e == turn(number), ..question(e, None) };
    match plan {
        Plan::Deferred => {
            all.extend(["kind", "ic3", "bits"].map(|e| question(e, None)));
            all.push(question("bits", Some(Scope::Size(finite))));
        }
        Plan::Short => {
            let other = match number % 4 {
                1 => every(question("ldd", Some(sizes))),
                3 => question("por", Some(sizes)),
                _ => every(question(reduced(number), Some(sizes))),
            };
            all.push(other);
            all.push(any(turn(number)));
            all.push(question(turn(number + 1), Some(sizes)));
            match number % 6 {
                0 => all.push(with_status(turn(1 + number / 6 % 3))),
                3 => {
                    let once = turn(number / 6);
                    all.extend([every(without_wd("mc", Some(sizes))), without_wd(once, Some(sizes))]);
                }
                _ => {}
            }
        }
        Plan::Full => {
            all.extend(["ldd", REDUCED[0], reduced(number)].map(|e| every(question(e, Some(sizes)))));
            all.push(question("por", Some(sizes)));
            all.extend(symbolic.map(any));
            // A finite scope, where all engines are asked the same.
            all.push(question(turn(number), Some(sizes)));
            if number.is_multiple_of(3) {
                all.push(with_status(turn(number / 3)));
            }
            if number.is_multiple_of(5) {
                all.push(every(without_wd("mc", Some(sizes))));
                all.push(without_wd(turn(number / 5), Some(sizes)));
                all.push(without_wd(turn(number / 5 + 1), None));
            }
            if number.is_multiple_of(7) {
                all.push(every(question(turn(number / 7), None)));
            }
        }
    }
    all
}

impl Bench {
    /// Asks all questions about a machine.
    pub fn look(&self, number: u64, machine: Machine, plan: Plan) -> Seen {
        let questions = questions(number, &machine, plan);
        let (answers, mut failures) = self.judge(number, &machine, &questions);
        let mut counts = Counts::default();
        if plan == Plan::Deferred {
            let looked = self.prove(&machine);
            counts = looked.counts;
            failures.extend(looked.wrong.into_iter().map(Failure::Wrong));
        }
        Seen { number, machine, answers, failures, proved: counts }
    }

    /// Proves claims for sets of any size, and checks which of them are false where the sets are small.
    fn prove(&self, machine: &Machine) -> Looked {
        let loaded = load_model(&self.write(machine)).ok();
        let Some(model) = loaded.and_then(|l| l.model) else { return Looked::default() };
        let effort = Effort { states: 200, work: 80_000, time: Duration::from_millis(self.limit / 8) };
        let looked = catch_unwind(|| proved::look(&Arc::new(model), effort));
        match looked {
            Ok(looked) => looked.unwrap_or_default(),
            Err(_) => Looked {
                wrong: vec![Wrong { kind: "a proof panics", detail: String::new() }],
                ..Looked::default()
            },
        }
    }

    fn judge(&self, number: u64, machine: &Machine, questions: &[Question]) -> (Vec<Answer>, Vec<Failure>) {
        self.write(machine);
        let (mut answers, mut failures) = (vec![], vec![]);
        let mut status = None;
        for question in questions {
            if question.status {
                let written = *status.get_or_insert_with(|| match self.falsify(machine, number) {
                    Ok(written) => written,
                    Err(fault) => {
                        failures.push(Failure::Fault(fault));
                        false
                    }
                });
                if !written {
                    continue;
                }
            }
            match self.ask(machine, question) {
                Ok(answer) => answers.push(answer),
                Err(fault) => {
                    let refused = fault.kind == "refused";
                    failures.push(Failure::Fault(fault));
                    if refused {
                        break;
                    }
                }
            }
        }
        let found = contradictions(&answers, &machine.deferred(), machine.speaks_of_integers());
        failures.extend(found.into_iter().map(|c| Failure::Contradiction(Box::new(c))));
        (answers, failures)
    }

    /// Returns the smallest machine that fails in the same way, after at most `attempts` attempts.
    pub fn shrink(&self, number: u64, machine: &Machine, failure: &Failure, attempts: usize) -> Machine {
        let questions = failure.questions();
        let mut fails = |m: &Machine| {
            if let Failure::Wrong(wrong) = failure {
                return self.prove(m).wrong.iter().any(|w| w.kind == wrong.kind);
            }
            let (_, failures) = self.judge(number, m, &questions);
            failures.iter().any(|f| f.kind() == failure.kind() && f.questions() == questions)
        };
        shrink::shrink(machine.clone(), attempts, &mut fails)
    }
}

impl Failure {
    pub fn kind(&self) -> &'static str {
        match self {
            Failure::Fault(f) => f.kind,
            Failure::Wrong(w) => w.kind,
            Failure::Contradiction(c) => c.kind,
        }
    }

    fn questions(&self) -> Vec<Question> {
        match self {
            Failure::Fault(f) => vec![f.question.clone()],
            Failure::Wrong(_) => vec![],
            Failure::Contradiction(c) => vec![c.left.question.clone(), c.right.question.clone()],
        }
    }

    /// In words.
    pub fn text(&self) -> String {
        match self {
            Failure::Fault(f) => {
                let detail: String = f.detail.chars().take(1500).collect();
                format!("{}: {}\n{detail}", f.kind, f.question)
            }
            Failure::Wrong(w) => format!("{}: {}", w.kind, w.detail),
            Failure::Contradiction(c) => {
                let said = |a: &Answer| {
                    let depth = a.depth.map_or(String::new(), |d| format!(" ({d})"));
                    format!("{} says {}{depth} at sizes {:?}", a.question, a.verdict, a.sizes)
                };
                format!("{}: {}\n  {}\n  {}", c.kind, c.detail, said(&c.left), said(&c.right))
            }
        }
    }
}

/// A run over many machines.
pub struct Range {
    pub program: PathBuf,
    pub first: u64,
    pub count: u64,
    pub plan: Plan,
    /// The time limit of one run of an engine in milliseconds.
    pub limit: u64,
    pub threads: usize,
    /// No further machine is begun after this time.
    pub within: Option<Duration>,
}

impl Range {
    /// Checks all machines; `see` gets them in no particular order, each with the bench where it was checked.
    pub fn run(&self, see: &(dyn Fn(&Bench, Seen) + Sync)) {
        let begin = Instant::now();
        let next = std::sync::atomic::AtomicU64::new(self.first);
        std::thread::scope(|scope| {
            for _ in 0..self.threads.max(1) {
                scope.spawn(|| {
                    let folder = tempfile::tempdir().expect("a folder");
                    let bench = Bench {
                        program: self.program.clone(),
                        folder: folder.path().to_path_buf(),
                        limit: self.limit,
                    };
                    loop {
                        let number = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                        let late = self.within.is_some_and(|limit| begin.elapsed() > limit);
                        if late || number >= self.first + self.count {
                            break;
                        }
                        see(&bench, bench.look(number, self.plan.draw(number), self.plan));
                    }
                });
            }
        });
    }
}
