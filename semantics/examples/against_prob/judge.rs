//! Our answer beside ProB's, and why they differ where they do.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bsym_language::load::{check_expression, check_predicate};
use bsym_language::model::{Expr, Model, Pred};
use bsym_language::walk::Visitor;
use bsym_semantics::error::{EvalError, EvalErrorKind};
use bsym_semantics::evaluator::{Evaluator, Limits};
use bsym_semantics::scope::Scope;
use bsym_semantics::value::env::Env;

use crate::coverage::Operators;
use crate::readings;
use crate::totalize::{StandIn, totalized};

/// Choices of stand-ins that are tried before a part counts as one without influence.
const STAND_INS: u64 = 64;

/// What came of a formula.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Judgement {
    /// The same answer: `true`, `false`, `value` or `ill-defined`.
    Same(&'static str),
    /// Another answer, for a reason that was checked.
    Explained(&'static str),
    /// Another answer.
    Unexplained,
    /// One of the two has no answer, or the answers are sets that cannot be compared.
    Open(&'static str, String),
}

/// What ProB says about a formula.
pub struct Theirs<'a> {
    /// A value, `TRUE`, `FALSE`, `ill-defined` or `error`.
    pub value: &'a str,
    /// Its words where it has no answer.
    pub raw: &'a str,
    /// Its answer about the negation.
    pub negation: Option<&'a str>,
}

impl Theirs<'_> {
    /// Whether a formula and its negation have the same answer, or only the one of them has any.
    fn contradicts_itself(&self) -> bool {
        self.negation.is_some_and(|negation| negation == self.value || negation == "ill-defined")
    }
}

/// An answer of ours.
pub enum Answer {
    Truth(bool),
    Value(String),
    IllDefined(String),
    Open(String),
    Unread(String),
}

impl Answer {
    /// The answer as text.
    pub fn text(&self) -> String {
        match self {
            Answer::Truth(true) => "TRUE".into(),
            Answer::Truth(false) => "FALSE".into(),
            Answer::Value(text) => text.clone(),
            Answer::IllDefined(why) => format!("ill-defined: {why}"),
            Answer::Open(why) => format!("no answer: {why}"),
            Answer::Unread(why) => format!("not read: {why}"),
        }
    }
}

/// A formula that was read.
pub enum Formula {
    Expr(Expr),
    Pred(Pred),
}

/// Compares formulas one by one.
pub struct Judge {
    model: Model,
    scope: Scope,
    pristine: Model,
}

impl Judge {
    pub fn new(model: Model, scope: Scope) -> Judge {
        Judge { pristine: model.clone(), model, scope }
    }

    /// Our answer, its operators, and how it stands to ProB's.
    pub fn judge(&mut self, line: &str, theirs: &Theirs<'_>) -> (Answer, Operators, Judgement) {
        let stop = AtomicBool::new(false);
        std::thread::scope(|threads| {
            let (done, waiting) = std::sync::mpsc::channel::<()>();
            let flag = &stop;
            threads.spawn(move || {
                use std::sync::mpsc::RecvTimeoutError::Timeout;
                if waiting.recv_timeout(Duration::from_secs(5)) == Err(Timeout) {
                    flag.store(true, Ordering::Relaxed);
                }
            });
            let result = self.compare(line, theirs, flag);
            drop(done);
            self.model.text.sources = self.pristine.text.sources.clone();
            self.model.locals.truncate(self.pristine.locals.len());
            result
        })
    }

    fn read(&mut self, line: &str) -> Result<Formula, String> {
        if let Ok(pred) = check_predicate(&mut self.model, line) {
            return Ok(Formula::Pred(pred));
        }
        match check_expression(&mut self.model, line) {
            Ok(expr) => Ok(Formula::Expr(expr)),
            Err(problems) => Err(problems.first().map(|d| d.message.clone()).unwrap_or_default()),
        }
    }

    fn evaluator<'m>(&'m self, stop: &'m AtomicBool) -> Evaluator<'m> {
        let limits = Limits { listing: 20_000, rounds: 1000, branching: 20_000 };
        Evaluator::new(&self.model, &self.scope).with_limits(limits).with_interrupt(stop)
    }

    fn compare(
        &mut self,
        line: &str,
        theirs: &Theirs<'_>,
        stop: &AtomicBool,
    ) -> (Answer, Operators, Judgement) {
        let mut operators = Operators::default();
        let formula = match self.read(line) {
            Ok(formula) => formula,
            Err(why) => return (Answer::Unread(why), operators, Judgement::Unexplained),
        };
        match &formula {
            Formula::Expr(e) => operators.expr(e),
            Formula::Pred(p) => operators.pred(p),
        }
        let answer = answer(&self.evaluator(stop), &formula);
        let judgement = match self.judgement(line, &answer, theirs, stop) {
            Judgement::Unexplained if matches!(answer, Answer::IllDefined(_)) => {
                match self.explanation(line, &formula, theirs, stop) {
                    Some(class) => Judgement::Explained(class),
                    // That explains nothing: such an answer is none.
                    None if theirs.contradicts_itself() => {
                        Judgement::Open("ProB contradicts itself about the negation", theirs.value.into())
                    }
                    None => Judgement::Unexplained,
                }
            }
            Judgement::Unexplained
                if theirs.value == "ill-defined"
                    && readings::closed_parts(&formula).iter().any(|e| self.is_ill_defined(e, stop)) =>
            {
                Judgement::Explained("an ill-defined part that is never evaluated, but that ProB looks at")
            }
            judgement => judgement,
        };
        (answer, operators, judgement)
    }

    fn judgement(
        &mut self,
        line: &str,
        answer: &Answer,
        theirs: &Theirs<'_>,
        stop: &AtomicBool,
    ) -> Judgement {
        match answer {
            Answer::Open(why) => Judgement::Open("ours", cause(why)),
            _ if theirs.value == "error" => Judgement::Open("ProB's", cause_of_prob(theirs.raw)),
            Answer::IllDefined(_) if theirs.value == "ill-defined" => Judgement::Same("ill-defined"),
            Answer::Truth(b) if theirs.value == if *b { "TRUE" } else { "FALSE" } => {
                Judgement::Same(if *b { "true" } else { "false" })
            }
            Answer::Value(text) if text == theirs.value => Judgement::Same("value"),
            Answer::Value(_) if theirs.value != "ill-defined" => {
                let Some(equal) = self.equation(line, theirs) else { return Judgement::Unexplained };
                match self.evaluator(stop).pred(&Env::default(), &equal) {
                    Ok(true) => Judgement::Same("value"),
                    Ok(false) => Judgement::Unexplained,
                    Err(_) => Judgement::Open("either's", "sets that cannot be compared".into()),
                }
            }
            _ => Judgement::Unexplained,
        }
    }

    fn is_ill_defined(&self, e: &Expr, stop: &AtomicBool) -> bool {
        let value = self.evaluator(stop).expr(&Env::default(), e);
        value.is_err_and(|e| e.kind == EvalErrorKind::IllDefined)
    }

    /// That an expression has the value that ProB writes.
    fn equation(&mut self, line: &str, theirs: &Theirs<'_>) -> Option<Pred> {
        let theirs = readable(theirs.value);
        let text = match shortened(&theirs) {
            Some((size, elements)) => format!("card({line}) = {size} & {{{elements}}} <: ({line})"),
            None => format!("({line}) = ({theirs})"),
        };
        check_predicate(&mut self.model, &text).ok()
    }

    /// Why ProB has an answer where the formula is ill-defined for us: the formula evaluated as the class
    /// says must give that answer.
    fn explanation(
        &mut self,
        line: &str,
        formula: &Formula,
        theirs: &Theirs<'_>,
        stop: &AtomicBool,
    ) -> Option<&'static str> {
        let (compared, expected) = match formula {
            Formula::Pred(p) => (p.clone(), theirs.value == "TRUE"),
            Formula::Expr(_) => (self.equation(line, theirs)?, true),
        };
        let explains = |judge: &mut Judge, reading: &Pred, stand_ins: &[Option<StandIn>]| {
            stand_ins.iter().all(|stand_in| {
                let known = judge.model.locals.len();
                let reading = match stand_in {
                    Some(stand_in) => totalized(reading, *stand_in, &mut judge.model),
                    None => reading.clone(),
                };
                let explained = judge.evaluator(stop).pred(&Env::default(), &reading) == Ok(expected);
                judge.model.locals.truncate(known);
                explained
            })
        };
        let values: Vec<_> = (0..STAND_INS).map(|seed| Some(StandIn::Value(seed))).collect();
        if explains(self, &compared, &values) {
            return Some("an ill-defined part that ProB does not look at");
        }
        let mut readings: Vec<(&'static str, Pred)> = vec![];
        for reading in readings::ALL {
            let mut p = compared.clone();
            readings::apply(std::slice::from_ref(reading), &mut p, &mut self.model);
            readings.push((reading.0, p));
        }
        readings.retain(|(_, p)| *p != compared);
        if let Some((class, _)) = readings.iter().find(|(_, p)| explains(self, p, &[None])) {
            return Some(class);
        }
        let mut all = compared.clone();
        readings::apply(readings::ALL, &mut all, &mut self.model);
        readings.push(("", all));
        if readings.iter().any(|(_, p)| explains(self, p, &values)) {
            return Some("several of these, or one and a part that ProB does not look at");
        }
        readings.push(("", compared));
        // One rule for all places: with a choice for each of them some choice would give almost any answer.
        if readings.iter().any(|(_, p)| explains(self, p, &[Some(StandIn::LeastImage)])) {
            return Some("the first of several images");
        }
        for (_, mut p) in readings {
            readings::push_negations(&mut p);
            if explains(self, &p, &[Some(StandIn::False)]) {
                return Some("an ill-defined comparison that is false for ProB");
            }
        }
        None
    }
}

fn answer(eval: &Evaluator<'_>, formula: &Formula) -> Answer {
    let failed = |e: EvalError| match e.kind {
        EvalErrorKind::IllDefined => Answer::IllDefined(e.message),
        _ => Answer::Open(e.message),
    };
    let env = Env::default();
    match formula {
        Formula::Pred(p) => eval.pred(&env, p).map_or_else(failed, Answer::Truth),
        Formula::Expr(e) => eval.expr(&env, e).map_or_else(failed, |v| Answer::Value(eval.text(&v))),
    }
}

/// ProB's text, where names that it made up may begin with an underscore.
fn readable(text: &str) -> String {
    let mut readable = String::with_capacity(text.len());
    let mut inside = false;
    for c in text.chars() {
        let of_name = c == '_' || c.is_alphanumeric();
        if c == '_' && !inside {
            readable.push('z');
        }
        readable.push(c);
        inside = of_name;
    }
    readable
}

/// Size and some elements of a set that ProB shortens: `#511:{a,b,...,y,z}`.
fn shortened(text: &str) -> Option<(&str, String)> {
    let (size, set) = text.strip_prefix('#')?.split_once(':')?;
    let elements = set.strip_prefix('{')?.strip_suffix('}')?;
    Some((size, elements.replace(",...,", ",")))
}

/// The reason for having no answer, without the values at hand.
fn cause(message: &str) -> String {
    let words = message.split_whitespace().filter(|w| w.chars().all(|c| c.is_alphabetic() || c == ','));
    words.take(12).collect::<Vec<_>>().join(" ")
}

fn cause_of_prob(raw: &str) -> String {
    let known = [
        ("TYPE ERROR", "type error"),
        ("Not a valid expression", "not read"),
        ("enumerating", "enumeration of an infinite set"),
        ("TIME-OUT", "time-out"),
    ];
    let known = known.iter().find(|(words, _)| raw.contains(words));
    known.map_or_else(|| raw.chars().take(60).collect(), |(_, name)| (*name).into())
}
