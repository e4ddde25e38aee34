//! Sequents in first-order logic: sets as predicates, functions as functions, carriers as sorts.
//!
//! The encoding of states makes arrays of sets. For a proof that follows from how sets are composed, that hides what
//! a solver is good at. Here a membership is written out by the definition of the set (B-Book, chapter 2; Konrad and
//! Voisin, *Translation from Set-Theory to Predicate Calculus*, 2012, the rules of ppTrans):
//!
//! - Couples are flattened: `a |-> b : r` is `r(a, b)`.
//! - A carrier is its sort, so a membership in it is true.
//! - A name that a hypothesis calls a function (`f : A +-> B` and its kin) is a function symbol and a predicate for its
//!   domain; where it is total on a whole type there is no such predicate.
//! - An application to a composed relation (`f <+ {a |-> b}`) is a distinction of cases.
//! - A set that is an element of another is an element of an uninterpreted sort with a membership relation; a set
//!   expression that is compared with such an element has a name that its members define. These sorts are extensional.
//! - A hypothesis about all sets has an instance for the greater set of an inclusion (`instances`), and a goal that a
//!   set exists is tried with the sets that its equations suggest (`witness`).
//!
//! Sets as elements of sorts are why only `unsat` says anything: the elements of such a sort need not be all sets.
//! Every formula is true in the interpretation in which they are, so what is unsatisfiable has no counterexample in B.
//! An application outside of a domain has some value in that interpretation, which is sound since a formula that B
//! calls true is so whatever the value is; that a goal is well-defined is a part of the goal.

mod application;
mod cardinality;
mod instances;
mod membership;
mod predicate;
mod quantifiers;
mod sequent;
mod sorts;
mod split;
mod split_terms;
mod value;
mod well_definedness;
mod witness;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use bsym_language::model::{
    BinaryOp, BuiltinSet, CompareOp, Expr, ExprKind, LocalId, Model, Pred, PredKind, UnaryOp,
};
use bsym_language::source::Span;
use bsym_semantics::scope::Scope;
use bsym_semantics::value::env::Name;
use rustc_hash::{FxHashMap, FxHashSet};

pub use self::sequent::{Goal, Selection, Sequent};

use self::sequent::{Part, name_of};
use crate::symbolic::Unsupported;
use crate::term::{Sort, SymbolId, Term, Terms};

/// Values of bound names, without couples around them.
type Env = BTreeMap<LocalId, Rc<[Term]>>;

/// The result of lowering a part of a formula.
type Found<T> = Result<T, Unsupported>;

/// A part of a sequent in first-order logic.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// Arena of the terms.
    pub terms: Rc<Terms>,
    /// Asserted formulas: the part is proved if they are unsatisfiable. Arrays in them are only read, as functions.
    pub assertions: Vec<Term>,
    /// Number of hypotheses that have no form here and are left out.
    pub left_out: usize,
}

/// Lowers a sequent to parts that have to be proved one by one.
///
/// # Errors
/// [`Unsupported`] for a part of the goal that has no form in first-order logic.
pub fn lower(
    model: &Model,
    scope: &Scope,
    sequent: &Sequent,
    selection: Selection,
) -> Result<Vec<Lowered>, Unsupported> {
    let mut all = vec![];
    for part in split::parts(model, &sequent.goal) {
        let part = part.with(sequent, selection);
        all.extend(lower_part(model, scope, &part)?);
    }
    Ok(all)
}

fn lower_part(model: &Model, scope: &Scope, part: &Part) -> Found<Vec<Lowered>> {
    let mut part = part.clone();
    part.hypotheses.extend(instances::suggested(model, &part));
    let mut elements = BTreeSet::new();
    loop {
        let mut lowering = Lowering::new(model, scope, functions(&part.hypotheses), elements.clone());
        let found = lowering.part(&part)?;
        // A set that is needed as an element is one from the beginning: its members need no second predicate.
        if lowering.asked.is_subset(&elements) {
            return Ok(found);
        }
        elements.extend(lowering.asked);
    }
}

/// The names that hypotheses call functions, and whether each is total on a whole type.
fn functions(hypotheses: &[Pred]) -> BTreeMap<Name, bool> {
    let mut found = BTreeMap::new();
    for p in hypotheses {
        let PredKind::Compare(CompareOp::Member, f, space) = &p.kind else { continue };
        let Some(name) = name_of(f) else { continue };
        let total = match &space.kind {
            ExprKind::Binary(op, from, _) => match op.relation_space() {
                Some(space) if space.functional => space.total && is_whole(from),
                _ => continue,
            },
            ExprKind::Unary(UnaryOp::Seq | UnaryOp::Seq1 | UnaryOp::Iseq | UnaryOp::Iseq1, _) => false,
            _ => continue,
        };
        *found.entry(name).or_default() |= total;
    }
    found
}

/// Returns whether a set is all of a type by its form.
fn is_whole(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Carrier(_) | ExprKind::Set(BuiltinSet::Integer | BuiltinSet::Bool) => true,
        ExprKind::Binary(BinaryOp::Cartesian, a, b) => is_whole(a) && is_whole(b),
        _ => false,
    }
}

/// Lowers formulas over one table of terms.
struct Lowering<'m> {
    terms: Rc<Terms>,
    model: &'m Model,
    scope: &'m Scope,
    /// See [`functions`].
    functions: BTreeMap<Name, bool>,
    /// Sets that are elements of the sort of their type, and not predicates.
    elements: BTreeSet<Name>,
    /// Sets that were needed as elements.
    asked: BTreeSet<Name>,
    /// Functions whose values are defined by an axiom, by the text of that.
    named: FxHashMap<String, String>,
    /// Facts about the names that were introduced.
    facts: Vec<Term>,
    /// All bound symbols.
    bound: FxHashSet<SymbolId>,
    /// The sorts of sets, with the sorts of what their elements are made of.
    powers: BTreeMap<Sort, Vec<Sort>>,
    /// Number of the next local that stands for terms.
    given: u32,
    /// A symbol would be free and bound in one formula.
    is_confused: Cell<bool>,
}

impl<'m> Lowering<'m> {
    fn new(
        model: &'m Model,
        scope: &'m Scope,
        functions: BTreeMap<Name, bool>,
        elements: BTreeSet<Name>,
    ) -> Self {
        Lowering {
            terms: Rc::new(Terms::new()),
            model,
            scope,
            functions,
            elements,
            asked: BTreeSet::new(),
            named: FxHashMap::default(),
            facts: vec![],
            bound: FxHashSet::default(),
            powers: BTreeMap::new(),
            given: u32::MAX / 2,
            is_confused: Cell::new(false),
        }
    }

    fn part(&mut self, part: &Part) -> Found<Vec<Lowered>> {
        let env = Env::new();
        let goal = match &part.goal {
            Goal::Holds(p) => self.goal(p, &env)?,
            Goal::Defined(p) => self.defined(p, &env)?,
            Goal::Meant(..) => unreachable!("a goal is split before it is lowered"),
        };
        let goals = self.split_goal(goal);
        if goals.is_empty() {
            return Ok(vec![]);
        }
        let mut left_out = 0;
        let mut hypotheses = vec![];
        for p in &part.hypotheses {
            match self.pred(p, &env) {
                Ok(t) => hypotheses.push(t),
                Err(_) => left_out += 1,
            }
        }
        for p in &part.defined {
            match self.defined(p, &env) {
                Ok(t) => hypotheses.push(t),
                Err(_) => left_out += 1,
            }
        }
        hypotheses.extend(self.extensionality());
        hypotheses.append(&mut self.facts);
        if self.is_confused.get() {
            return unsupported(part.goal.pred().span, "a name that is free and bound");
        }
        let lowered = |(assumed, goal): (Vec<Term>, Term)| {
            let mut assertions = hypotheses.clone();
            assertions.extend(assumed);
            assertions.push(self.terms.not(goal));
            assertions.retain(|&t| t != Terms::TRUE);
            Lowered { terms: self.terms.clone(), assertions, left_out }
        };
        Ok(goals.into_iter().map(lowered).collect())
    }

    /// A local of an expression that stands for terms.
    fn given(&mut self, ty: &bsym_language::types::Type, terms: &[Term], env: &Env) -> (Expr, Env) {
        let local = LocalId(self.given);
        self.given += 1;
        let mut env = env.clone();
        env.insert(local, terms.into());
        (ExprKind::Local(local).typed(ty.clone(), Span::default()), env)
    }
}

fn unsupported<T>(span: Span, reason: &str) -> Found<T> {
    Err(Unsupported { part: String::new(), span, reason: format!("{reason} has no first-order form") })
}
