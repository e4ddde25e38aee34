//! One closed formula: what the evaluator and the solver say about it.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bsym_encodings::budget::Budget;
use bsym_encodings::session::{Answer, Session};
use bsym_encodings::symbolic::Symbolic;
use bsym_encodings::symbolic::encoder::{Encoder, Env};
use bsym_encodings::term::{Term, Terms};
use bsym_language::load::{check_expression, check_predicate, load_text};
use bsym_language::model::{ConstId, Expr, ExprKind, Model, Pred};
use bsym_language::types::Type;
use bsym_language::walk::{Visitor, VisitorMut, walk_expr_mut};
use bsym_semantics::error::EvalErrorKind;
use bsym_semantics::evaluator::{Evaluator, Limits};
use bsym_semantics::scope::{Scope, ScopeRequest};

use crate::coverage::Operators;

/// Time for one question to the solver.
const QUERY: Duration = Duration::from_millis(500);

const MACHINE: &str = "MACHINE M CONSTANTS n0, n1, n2, n3, n4, n5, b0, b1, t0, t1, t2, t3
PROPERTIES n0 : INTEGER & n1 : INTEGER & n2 : INTEGER & n3 : INTEGER & n4 : INTEGER & n5 : INTEGER
& b0 : BOOL & b1 : BOOL & t0 : STRING & t1 : STRING & t2 : STRING & t3 : STRING
END";

/// How far the evaluator and a solver agree about a formula.
#[derive(Debug)]
pub enum Agreement {
    /// Both say the same: `true`, `false` or `ill-defined`. An expression has its value: `true`.
    Agreed(&'static str),
    /// The solver gives up.
    Unknown,
    /// The formula has no term, with the reason.
    NoTerm(String),
    /// The evaluator has no answer.
    NoAnswer,
    /// They differ, with what is wrong.
    Different(String),
    /// They differed, but not when the same was asked again in a new session, with what was wrong.
    DifferedOnce(String),
}

/// Compares formulas one by one.
pub struct Comparison {
    pristine: Model,
    scope: Scope,
    open: fn(Rc<Terms>) -> Option<Session>,
}

impl Comparison {
    /// With the solver whose sessions these are.
    pub fn new(open: fn(Rc<Terms>) -> Option<Session>) -> Comparison {
        let loaded = load_text("M.mch", MACHINE);
        let pristine = loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
        let request = ScopeRequest { prob: true, ..ScopeRequest::default() };
        let scope = Scope::settle(&pristine, &request).expect("the scope is fine");
        Comparison { pristine, scope, open }
    }

    /// The operators of a formula, and what came of it; `symbolic` replaces half of the literals.
    pub fn compare(&mut self, line: &str, symbolic: bool) -> (Operators, Agreement) {
        let mut operators = Operators::default();
        let mut model = self.pristine.clone();
        let (claim, expected) = match self.expected(&mut model, line, &mut operators) {
            Ok(expected) => expected,
            Err(outcome) => return (operators, outcome),
        };
        match self.solve(model.clone(), claim.clone(), expected, symbolic) {
            Agreement::Different(how) => match self.solve(model, claim, expected, symbolic) {
                Agreement::Agreed(_) => (operators, Agreement::DifferedOnce(how)),
                _ => (operators, Agreement::Different(how)),
            },
            outcome => (operators, outcome),
        }
    }

    /// The formula as a predicate, and its truth value; `Err(())` where it is ill-defined.
    fn expected(
        &self,
        model: &mut Model,
        line: &str,
        operators: &mut Operators,
    ) -> Result<(Pred, Result<bool, ()>), Agreement> {
        let stop = AtomicBool::new(false);
        let limits = Limits { listing: 5_000, rounds: 1_000, branching: 5_000 };
        let failed = |kind| match kind {
            EvalErrorKind::IllDefined => Ok(()),
            _ => Err(Agreement::NoAnswer),
        };
        if let Ok(pred) = check_predicate(model, line) {
            operators.pred(&pred);
            let eval = Evaluator::new(model, &self.scope).with_limits(limits).with_interrupt(&stop);
            let truth = in_time(&stop, || eval.pred(&Default::default(), &pred));
            return match truth {
                Ok(truth) => Ok((pred, Ok(truth))),
                Err(e) => failed(e.kind).map(|()| (pred, Err(()))),
            };
        }
        let expr =
            check_expression(model, line).map_err(|d| Agreement::Different(format!("not read: {d:?}")))?;
        operators.expr(&expr);
        let eval = Evaluator::new(model, &self.scope).with_limits(limits).with_interrupt(&stop);
        let value = in_time(&stop, || eval.expr(&Default::default(), &expr).map(|v| eval.text(&v)));
        let (text, truth) = match value {
            Ok(text) => (text, Ok(true)),
            Err(e) => failed(e.kind).map(|()| (format!("({line})"), Err(())))?,
        };
        let equation = check_predicate(model, &format!("({line}) = ({text})"));
        // A set that is printed in words of its own.
        equation.map(|p| (p, truth)).map_err(|_| Agreement::NoAnswer)
    }

    fn solve(&self, model: Model, mut claim: Pred, expected: Result<bool, ()>, symbolic: bool) -> Agreement {
        let mut literals = Literals { replaced: vec![] };
        if symbolic {
            literals.pred(&mut claim);
        }
        let terms = Rc::new(Terms::new());
        let model = Arc::new(model);
        let mut e = Encoder::new(terms.clone(), model.clone(), self.scope.clone());
        let mut background: Vec<Term> = vec![];
        let mut constants = vec![];
        for (i, constant) in model.constants.iter().enumerate() {
            let symbol = terms.symbol(&constant.name, e.sort(&constant.ty));
            if let Some((_, literal)) = literals.replaced.iter().find(|(id, _)| id.index() == i) {
                match e.expr(&Env::default(), literal).map(|v| v.value) {
                    Ok(Symbolic::Atom(value)) => background.push(terms.eq(symbol, value)),
                    other => return Agreement::Different(format!("a literal is no atom: {other:?}")),
                }
            }
            constants.push(Symbolic::Atom(symbol));
        }
        let env = Env { constants: Rc::new(constants), ..Env::default() };
        let encoded = match e.pred(&env, &claim) {
            Ok(p) => p,
            Err(u) => return Agreement::NoTerm(u.reason),
        };
        background.extend(e.take_witnesses().definitions);
        let (right, name) = match expected {
            Ok(true) => (terms.and([encoded.defined, encoded.holds]), "true"),
            Ok(false) => (terms.and([encoded.defined, terms.not(encoded.holds)]), "false"),
            Err(()) => (terms.not(encoded.defined), "ill-defined"),
        };
        if right == Terms::TRUE {
            return Agreement::Agreed(name);
        }
        if right == Terms::FALSE {
            return Agreement::Different(format!("expected {name}, the term is constant and says otherwise"));
        }
        let Some(mut session) = (self.open)(terms.clone()) else { return Agreement::Unknown };
        for &b in &background {
            if let Err(e) = session.assert(b) {
                return Agreement::Different(format!("expected {name}: {e}"));
            }
        }
        let shown = |term| terms.text(term).chars().take(1200).collect::<String>();
        let words = || {
            format!(
                "expected {name}\n    holds {}\n    defined {}",
                shown(encoded.holds),
                shown(encoded.defined)
            )
        };
        match ask(&mut session, terms.not(right)) {
            // Of a ghost not all is known: then only what is refuted is a difference.
            Ok(Some(true)) if has_ghost(&terms, right) => match ask(&mut session, right) {
                Ok(Some(false)) => Agreement::Different(words()),
                _ => Agreement::Unknown,
            },
            Ok(Some(true)) => Agreement::Different(words()),
            Ok(None) => Agreement::Unknown,
            Ok(Some(false)) => match ask(&mut session, right) {
                Ok(Some(false)) => {
                    Agreement::Different(format!("the background is contradictory; {}", words()))
                }
                Ok(_) => Agreement::Agreed(name),
                Err(e) => Agreement::Different(format!("{e}; {}", words())),
            },
            Err(e) => Agreement::Different(format!("{e}; {}", words())),
        }
    }
}

/// Whether a term speaks of a function of which only some facts are said.
fn has_ghost(terms: &Terms, term: Term) -> bool {
    let is_ghost = |name: &str| name.starts_with("closure of") || name.starts_with("power of");
    terms.symbols(&[term]).into_iter().any(|s| is_ghost(&terms.symbol_name(s)))
}

/// Whether a term can be true; `None` where the solver does not know.
fn ask(session: &mut Session, term: Term) -> Result<Option<bool>, String> {
    let budget = Budget::unlimited().within(QUERY);
    match session.check(&[term], &budget).map_err(|e| e.to_string())? {
        Answer::Sat(_) => Ok(Some(true)),
        Answer::Unsat(_) => Ok(Some(false)),
        Answer::Unknown(_) => Ok(None),
    }
}

/// Runs an evaluation that is stopped after two seconds.
fn in_time<T>(stop: &AtomicBool, evaluate: impl FnOnce() -> T) -> T {
    std::thread::scope(|threads| {
        let (done, waiting) = std::sync::mpsc::channel::<()>();
        threads.spawn(move || {
            use std::sync::mpsc::RecvTimeoutError::Timeout;
            if waiting.recv_timeout(Duration::from_secs(2)) == Err(Timeout) {
                stop.store(true, Ordering::Relaxed);
            }
        });
        let result = evaluate();
        drop(done);
        result
    })
}

/// Replaces about half of the literals by constants of the machine, as long as there are some.
struct Literals {
    replaced: Vec<(ConstId, Expr)>,
}

impl VisitorMut for Literals {
    fn expr(&mut self, e: &mut Expr) {
        walk_expr_mut(self, e);
        let constants = match (&e.kind, &e.ty) {
            (ExprKind::Integer(_), Type::Int) => 0..6,
            (ExprKind::Bool(_), Type::Bool) => 6..8,
            (ExprKind::String(_), Type::String) => 8..12,
            _ => return,
        };
        let mut hasher = DefaultHasher::new();
        (e.span.start, e.span.end).hash(&mut hasher);
        if hasher.finish().is_multiple_of(2) {
            return;
        }
        let of_kind = |id: &ConstId| constants.contains(&id.0);
        let known = self.replaced.iter().find(|(id, l)| of_kind(id) && l.kind == e.kind).map(|(id, _)| *id);
        let used = self.replaced.iter().filter(|(id, _)| of_kind(id)).count() as u32;
        let id = match known {
            Some(id) => id,
            None if constants.start + used < constants.end => ConstId(constants.start + used),
            None => return,
        };
        if known.is_none() {
            self.replaced.push((id, e.clone()));
        }
        e.kind = ExprKind::Const(id);
    }
}
