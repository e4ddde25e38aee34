//! A solver that fails now and then, by a seed: it does not know, says that time is up, dies, or makes up
//! a model. It never says `unsat` where that is wrong: proofs rest on it.

use std::rc::Rc;

use bsym_encodings::budget::{Budget, Stopped};
use bsym_encodings::session::z3::Z3;
use bsym_encodings::session::{Backend, RawAnswer, Session, SolverError, TermValue};
use bsym_encodings::term::{Sort, SortKind, Term, Terms};
use bsym_language::int::Int;

/// What goes wrong.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Fault {
    Unknown,
    Timeout,
    /// Its first answer is that it does not know, the others are right.
    First,
    /// The time of the whole run is up when it answers.
    Late,
    Dies,
    /// Models of satisfiable queries have made-up values.
    Garbled,
    /// It answers `sat` whatever is asked, with a made-up model.
    Sat,
}

pub const FAULTS: [Fault; 5] = [Fault::Unknown, Fault::Timeout, Fault::Dies, Fault::Garbled, Fault::Sat];

/// The dice of a whole run: sessions that are opened later fall differently.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice((seed + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) % n
    }
}

/// The linked solver, where one query in `every` goes wrong in one of the given ways.
pub struct Faulty {
    terms: Rc<Terms>,
    inner: Z3,
    dice: Dice,
    faults: Vec<Fault>,
    every: u64,
    dead: bool,
    /// Number of checks.
    asked: u64,
    /// The model is made up.
    garbled: bool,
}

impl Faulty {
    pub fn session(terms: Rc<Terms>, seed: u64, faults: &[Fault], every: u64) -> Session {
        let inner = Z3::new(terms.clone());
        let backend = Faulty {
            terms: terms.clone(),
            inner,
            dice: Dice::new(seed),
            faults: faults.to_vec(),
            every,
            dead: false,
            asked: 0,
            garbled: false,
        };
        Session::new(terms, Box::new(backend))
    }

    fn alive(&self) -> Result<(), SolverError> {
        if self.dead { Err(SolverError::Exited("it was made to".into())) } else { Ok(()) }
    }

    /// Some value, mostly of the sort.
    fn made_up(&mut self, sort: Sort, depth: u32) -> TermValue {
        match (self.dice.below(12), self.terms.sort_kind(sort)) {
            (0, _) => TermValue::Opaque("(_ nonsense 7)".into()),
            (1, _) => TermValue::Bool(true),
            (_, SortKind::Bool) => TermValue::Bool(self.dice.below(2) == 0),
            (2, SortKind::Int) => TermValue::Int(Int::from(i64::MAX)),
            (_, SortKind::Int) => TermValue::Int(Int::from(self.dice.below(7) as i64 - 2)),
            (_, SortKind::Real) => TermValue::Int(Int::from(1)),
            (_, SortKind::Enum(_, names)) => {
                TermValue::Constructor(sort, self.dice.below(names.len() as u64 + 1) as u32)
            }
            (_, SortKind::Uninterpreted(_)) => {
                TermValue::Element(sort, format!("made!{}", self.dice.below(4)).into())
            }
            (_, SortKind::Tuple(fields)) if depth < 4 => {
                let shorter = usize::from(self.dice.below(8) == 0);
                let fields = &fields[..fields.len().saturating_sub(shorter)];
                TermValue::Tuple(fields.iter().map(|&f| self.made_up(f, depth + 1)).collect())
            }
            (_, SortKind::Array(index, value)) if depth < 4 => {
                let count = self.dice.below(3);
                let default = Box::new(self.made_up(value, depth + 1));
                let entries = (0..count)
                    .map(|_| (self.made_up(index, depth + 1), self.made_up(value, depth + 1)))
                    .collect();
                TermValue::Array { default, entries }
            }
            _ => TermValue::Opaque("(_ nonsense 8)".into()),
        }
    }
}

impl Backend for Faulty {
    fn name(&self) -> String {
        "faulty".into()
    }

    fn assert(&mut self, t: Term) -> Result<(), SolverError> {
        self.alive()?;
        self.garbled = false;
        self.inner.assert(t)
    }

    fn check(&mut self, assumptions: &[Term], budget: &Budget) -> Result<RawAnswer, SolverError> {
        self.alive()?;
        self.garbled = false;
        self.asked += 1;
        let fault = match self.dice.below(self.every) {
            0 => Some(self.faults[self.dice.below(self.faults.len() as u64) as usize]),
            _ => None,
        };
        match fault {
            None => return self.inner.check(assumptions, budget),
            Some(Fault::Unknown) => return Ok(RawAnswer::Unknown(Stopped::Incomplete("a fault".into()))),
            Some(Fault::First) if self.asked == 1 => {
                return Ok(RawAnswer::Unknown(Stopped::Incomplete("a fault".into())));
            }
            Some(Fault::First) => return self.inner.check(assumptions, budget),
            Some(Fault::Late) => {
                while budget.check().is_ok() {
                    std::thread::sleep(std::time::Duration::from_millis(10));
                }
                return Ok(RawAnswer::Unknown(Stopped::Timeout));
            }
            Some(Fault::Timeout) => return Ok(RawAnswer::Unknown(Stopped::Timeout)),
            Some(Fault::Dies) => self.dead = true,
            Some(Fault::Sat) => {
                self.garbled = true;
                return Ok(RawAnswer::Sat);
            }
            Some(Fault::Garbled) => {
                let answer = self.inner.check(assumptions, budget)?;
                self.garbled = answer == RawAnswer::Sat;
                return Ok(answer);
            }
        }
        self.alive()?;
        Ok(RawAnswer::Unknown(Stopped::Timeout))
    }

    fn core(&mut self) -> Result<Vec<usize>, SolverError> {
        self.alive()?;
        self.inner.core()
    }

    fn value(&mut self, t: Term) -> Result<TermValue, SolverError> {
        self.alive()?;
        if self.garbled {
            return Ok(self.made_up(self.terms.sort_of(t), 0));
        }
        self.inner.value(t)
    }

    fn universe(&mut self, sort: Sort) -> Result<Vec<TermValue>, SolverError> {
        self.alive()?;
        if self.garbled {
            return Ok(vec![self.made_up(sort, 0), self.made_up(sort, 0)]);
        }
        self.inner.universe(sort)
    }
}
