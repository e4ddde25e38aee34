//! The predicates that IC3 abstracts states by.
//!
//! They come from [`seeds`](super::seeds). When these do not suffice, [`templates`](super::templates) over the
//! variables are added, then [weakest preconditions](super::weakest_precondition) through deterministic events, then
//! bounds at values met in spurious counterexamples.

use std::collections::BTreeSet;

use bsym_encodings::system::System;
use bsym_encodings::term::{Term, Terms};
use bsym_language::int::Int;
use bsym_language::model::*;
use bsym_language::types::Type;
use bsym_language::walk::{Names, Visitor, walk_pred};

use crate::invariants::cube::{Cube, Literal};
use crate::tuning::tuning;

/// A predicate over one state.
#[derive(Clone, Debug)]
pub struct Predicate {
    /// In B.
    pub pred: Pred,
    /// As a term over the current state; true exactly where the predicate is defined and true.
    pub term: Term,
    /// Elements of deferred sets that are free in it, each with the symbol that stands for it in the term.
    pub elements: Vec<(LocalId, Term)>,
}

/// The predicates in use, without repetitions.
#[derive(Debug, Default)]
pub struct Predicates {
    all: Vec<Predicate>,
    known: BTreeSet<Term>,
}

impl Predicates {
    /// All predicates in the order they were added.
    pub fn all(&self) -> &[Predicate] {
        &self.all
    }

    /// The negation of a cube in B: where elements are free in it, for all of them.
    pub fn clause(&self, model: &Model, cube: &Cube) -> Pred {
        let atom = |l: &Literal| &self.all[l.position];
        let elements: BTreeSet<LocalId> =
            cube.literals().iter().flat_map(|l| atom(l).elements.iter().map(|e| e.0)).collect();
        let literals: Vec<(Pred, bool)> =
            cube.literals().iter().map(|l| (atom(l).pred.clone(), !l.positive)).collect();
        if elements.is_empty() { clause(&literals) } else { for_all(model, &elements, literals) }
    }

    /// Number of predicates.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Adds a predicate unless it has no term, says nothing, or is there already (also negated). A
    /// predicate that is not defined everywhere is taken only if `always` says that the condition of
    /// its definedness, over the current state, holds wherever the assumed conjuncts hold.
    pub fn add(
        &mut self,
        system: &mut System,
        pred: &Pred,
        always: &mut dyn FnMut(&mut System, Term) -> bool,
    ) -> bool {
        let Ok(encoded) = system.predicate(pred) else { return false };
        let terms = system.terms.clone();
        let t = encoded.holds;
        if t == terms.bool(true) || t == terms.bool(false) || self.known.contains(&t) {
            return false;
        }
        if encoded.defined != terms.bool(true) && !always(system, encoded.defined) {
            return false;
        }
        // Constants alone say nothing about states.
        let symbols: BTreeSet<Term> = system.state_symbols().into_iter().collect();
        let speaks = terms.symbols(&[t]).iter().any(|&s| symbols.contains(&terms.symbol_term(s)));
        if !speaks || terms.quantifiers(&[t]) > 0 && self.all.len() > tuning().invariants.quantified_until {
            return false;
        }
        if !self.known.insert(t) {
            return false;
        }
        self.known.insert(terms.not(t));
        self.all.push(Predicate { pred: pred.clone(), term: t, elements: vec![] });
        true
    }

    /// Adds a predicate of another collection, whatever it says.
    pub fn share(&mut self, predicate: &Predicate) {
        self.all.push(predicate.clone());
    }

    /// Adds an atom in which elements of deferred sets are free. Its position; none if it has no term or says nothing.
    pub fn add_about(
        &mut self,
        system: &mut System,
        pred: &Pred,
        elements: &[(LocalId, Term)],
    ) -> Option<usize> {
        let encoded = system.predicate_about(pred, elements).ok()?;
        if encoded.holds == Terms::TRUE || encoded.holds == Terms::FALSE || encoded.defined != Terms::TRUE {
            return None;
        }
        let free = Names::of_pred(pred).locals;
        let elements = elements.iter().copied().filter(|(l, _)| free.contains(l)).collect();
        self.all.push(Predicate { pred: pred.clone(), term: encoded.holds, elements });
        Some(self.all.len() - 1)
    }
}

/// A value of a type whose parts come one after the other.
pub(crate) fn built(ty: &Type, parts: &mut dyn Iterator<Item = Expr>) -> Expr {
    match ty {
        Type::Pair(a, b) => {
            let (left, right) = (built(a, parts), built(b, parts));
            expr(ExprKind::Binary(BinaryOp::Maplet, Box::new(left), Box::new(right)), ty.clone())
        }
        _ => match parts.next() {
            Some(part) => part,
            None => unreachable!("there is a part for each place"),
        },
    }
}

/// `!(x, y).(x : S & y : S & a & b => c or d)` for a clause `not(a) or not(b) or c or d` in which x and y are free.
pub(crate) fn for_all(model: &Model, elements: &BTreeSet<LocalId>, literals: Vec<(Pred, bool)>) -> Pred {
    let member = |&l: &LocalId| {
        let ty = &model.locals[l.index()].ty;
        let set = match ty {
            Type::Carrier(c) => ExprKind::Carrier(*c),
            _ => unreachable!("elements are those of deferred sets"),
        };
        compare(CompareOp::Member, expr(ExprKind::Local(l), ty.clone()), expr(set, Type::pow(ty.clone())))
    };
    let (said, mut denied): (Vec<_>, Vec<_>) = literals.into_iter().partition(|(_, positive)| *positive);
    let mut left: Vec<Pred> = elements.iter().map(member).collect();
    let right = if said.is_empty() { denied.pop().into_iter().collect() } else { said };
    left.extend(denied.into_iter().map(|(p, _)| p));
    let right = clause(&right);
    let body = pred(PredKind::Implies(Box::new(pred(PredKind::And(left))), Box::new(right)));
    pred(PredKind::Forall(elements.iter().copied().collect(), Box::new(body)))
}

/// A predicate without a place in the source.
pub(crate) fn pred(kind: PredKind) -> Pred {
    Pred { kind, span: Default::default() }
}

/// An expression without a place in the source.
pub(crate) fn expr(kind: ExprKind, ty: Type) -> Expr {
    Expr { kind, ty, span: Default::default() }
}

/// A comparison.
pub(crate) fn compare(op: CompareOp, a: Expr, b: Expr) -> Pred {
    pred(PredKind::Compare(op, Box::new(a), Box::new(b)))
}

/// A number.
pub(crate) fn integer(n: Int) -> Expr {
    expr(ExprKind::Integer(n), Type::Int)
}

/// A variable as an expression.
pub(crate) fn variable(model: &Model, v: VarId) -> Expr {
    expr(ExprKind::Var(v), model.variables[v.index()].ty.clone())
}

/// All variables.
pub(crate) fn variables(model: &Model) -> impl Iterator<Item = VarId> {
    (0..model.variables.len() as u32).map(VarId)
}

/// Number of expressions and predicates in a predicate.
pub(crate) fn size(p: &Pred) -> usize {
    struct Count(usize);
    impl Visitor for Count {
        fn expr(&mut self, e: &Expr) {
            self.0 += 1;
            bsym_language::walk::walk_expr(self, e);
        }
        fn pred(&mut self, p: &Pred) {
            self.0 += 1;
            walk_pred(self, p);
        }
    }
    let mut count = Count(0);
    count.pred(p);
    count.0
}

/// A clause in B: an implication of those predicates of which one follows from the others, which are denied in it.
/// Comparisons are negated in place.
pub fn clause(literals: &[(Pred, bool)]) -> Pred {
    let all = literals.iter().map(|(p, positive)| if *positive { plain(p) } else { negate(p) });
    let (mut denied, mut said): (Vec<Pred>, Vec<Pred>) = all.partition(denies);
    if said.is_empty() {
        said.extend(denied.pop());
    }
    // The mode comes first: `on = TRUE or x = 0` is `on = FALSE => x = 0`.
    let last = said.iter().rposition(|p| !is_mode(p)).unwrap_or(said.len().saturating_sub(1));
    let mut at = 0;
    let (modes, said): (Vec<Pred>, Vec<Pred>) = said.into_iter().partition(|p| {
        at += 1;
        at - 1 != last && is_mode(p)
    });
    denied.extend(modes);
    let right = joined(PredKind::Or, said).unwrap_or_else(|| pred(PredKind::False));
    match joined(PredKind::And, denied.iter().map(negate).collect()) {
        Some(left) => pred(PredKind::Implies(Box::new(left), Box::new(right))),
        None => right,
    }
}

fn joined(kind: fn(Vec<Pred>) -> PredKind, mut all: Vec<Pred>) -> Option<Pred> {
    match all.len() {
        0 | 1 => all.pop(),
        _ => Some(pred(kind(all))),
    }
}

/// Returns whether a predicate tests a mode: a Boolean, or an element of a set that is listed.
fn is_mode(p: &Pred) -> bool {
    match &p.kind {
        PredKind::Compare(CompareOp::Equal, _, value) => {
            matches!(value.kind, ExprKind::Bool(_) | ExprKind::Element(..))
        }
        _ => false,
    }
}

/// Returns whether the negation of a predicate is easier to read.
fn denies(p: &Pred) -> bool {
    use CompareOp::{Equal, NotEqual, NotMember, NotStrictSubset, NotSubset};
    match &p.kind {
        PredKind::Not(_) => true,
        PredKind::Compare(NotEqual | NotMember | NotSubset | NotStrictSubset, ..) => true,
        PredKind::Compare(Equal, _, truth) => matches!(truth.kind, ExprKind::Bool(false)),
        _ => false,
    }
}

fn negate(p: &Pred) -> Pred {
    plain(&match &p.kind {
        PredKind::Not(inner) => return plain(inner),
        PredKind::Compare(op, a, b) => pred(PredKind::Compare(op.negated(), a.clone(), b.clone())),
        _ => pred(PredKind::Not(Box::new(p.clone()))),
    })
}

/// Rewrites `x /= TRUE` as `x = FALSE`, and `x /= FALSE` as `x = TRUE`.
fn plain(p: &Pred) -> Pred {
    match &p.kind {
        PredKind::Compare(CompareOp::NotEqual, a, b) => match b.kind {
            ExprKind::Bool(truth) => {
                compare(CompareOp::Equal, (**a).clone(), expr(ExprKind::Bool(!truth), Type::Bool))
            }
            _ => p.clone(),
        },
        _ => p.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::clause;
    use bsym_language::load::{check_predicate, load_text};
    use bsym_language::print;

    #[test]
    fn a_clause_names_the_mode_first() {
        let text = "MACHINE m SETS MODE = {idle, busy} VARIABLES bar, n, mode INVARIANT bar : BOOL & n : INTEGER & mode : MODE
            INITIALISATION bar, n, mode := TRUE, 0, idle END";
        let mut model = load_text("m.mch", text).model.expect("a machine");
        for (literals, shown) in [
            (&["bar = TRUE", "n = 0", "n = 1"][..], "bar = FALSE => n = 0 or n = 1"),
            (&["n = 0", "mode = idle"], "mode /= idle => n = 0"),
            (&["bar = FALSE", "n = 0"], "bar = TRUE => n = 0"),
            (&["bar = TRUE", "mode = busy"], "bar = FALSE => mode = busy"),
            (&["n = 0", "n = 1"], "n = 0 or n = 1"),
            (&["bar = TRUE"], "bar = TRUE"),
            (&[], "bfalse"),
        ] {
            let literals: Vec<_> = literals
                .iter()
                .map(|l| (check_predicate(&mut model, l).expect("a predicate"), true))
                .collect();
            let text = print::pred(&model, &clause(&literals));
            assert_eq!(text.replace(['(', ')'], ""), shown);
        }
    }
}
