//! The encoder of typed expressions and predicates, its environments, and the fresh symbols it makes.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use bsym_language::model::{CarrierKind, ExprKind, LocalId, Model, Target};
use bsym_language::source::Span;
use bsym_language::types::{CarrierId, Type};
use bsym_semantics::scope::Scope;
use rustc_hash::FxHashMap;

use super::unsupported::Unsupported;
use crate::budget::Budget;
use crate::symbolic::closed::closed_types;
use crate::symbolic::counted::counted_types;
use crate::symbolic::effort::Effort;
use crate::symbolic::finiteness::{asks_finite, finite_carriers};
use crate::symbolic::{Form, Set, Symbolic};
use crate::term::{Sort, SortKind, Substitution, SymbolId, Term, Terms};
use crate::tuning::{WrittenOut, tuning};

/// Turns expressions and predicates into symbolic values and terms.
#[derive(Debug)]
pub struct Encoder {
    /// Arena of the terms.
    pub terms: Rc<Terms>,
    /// The model that is encoded.
    pub model: Arc<Model>,
    /// Sizes of carriers, bounds of `INT`.
    pub scope: Scope,
    /// Limits of what is written out case by case.
    pub(crate) written_out: WrittenOut,
    /// Limit on the work, where it is bounded.
    pub(crate) effort: Option<Effort>,
    pub(crate) made: Made,
    /// Innermost construct that is being encoded, for [`Unsupported`].
    pub(crate) span: Span,
    /// Every symbol that was made to be bound, with its type.
    pub(crate) bound: BTreeMap<SymbolId, Type>,
    /// The carrier of each sort that was asked for, if it has one.
    pub(crate) carriers: RefCell<FxHashMap<Sort, Option<Term>>>,
    pub(crate) set_uses: SetUses,
    /// Facts that need a quantifier are asserted as well.
    pub(crate) complete: bool,
    /// Sorts of the carriers that facts are asserted of.
    pub(crate) compared: BTreeSet<Sort>,
    elements: RefCell<FxHashMap<Type, Option<Rc<[Symbolic]>>>>,
    strings: Vec<Arc<str>>,
}

/// The uses of sets as a whole that a model has.
#[derive(Debug)]
pub(crate) struct SetUses {
    /// `true` if the model asks for finiteness of sets.
    pub(crate) asks_finite: bool,
    /// Deferred sets that are finite in every interpretation.
    pub(crate) finite: BTreeSet<CarrierId>,
    /// Types of elements whose sets are counted by ghost integers (see [`counting`](crate::symbolic::counting)).
    pub(crate) counted: BTreeSet<Type>,
    /// Types of the couples of relations with ghost closures (see [`reachability`](crate::symbolic::reachability)).
    pub(crate) closed: BTreeSet<Type>,
}

impl SetUses {
    fn of(model: &Model) -> SetUses {
        SetUses {
            asks_finite: asks_finite(model),
            finite: finite_carriers(model),
            counted: counted_types(model),
            closed: closed_types(model),
        }
    }
}

/// Symbols and definitions that were made since the last [`Encoder::take_witnesses`].
#[derive(Debug, Default)]
pub(crate) struct Made {
    witnesses: Witnesses,
    /// Witnesses of values of functions, by the function and the argument.
    pub(crate) choices: FxHashMap<(Term, Term), Term>,
    /// Facts that were noted of values read from functions, each with the bound symbols in it (see
    /// [`carriers`](crate::symbolic::carriers)).
    pub(crate) noted: Vec<(Term, Vec<SymbolId>)>,
    /// Relations whose closures facts were noted of.
    pub(crate) closures: Vec<Term>,
}

impl Made {
    /// Takes the witnesses, with the facts without bound symbols among their definitions.
    fn take(&mut self) -> Witnesses {
        let Made { mut witnesses, noted, .. } = std::mem::take(self);
        let facts = noted.into_iter().filter(|(_, bound)| bound.is_empty());
        witnesses.definitions.extend(facts.map(|(fact, _)| fact));
        witnesses
    }
}

/// Fresh symbols made on the way, what defines them, and facts about values. For lifted values of everything
/// else (see [`carriers`](crate::symbolic::carriers)) some value of the symbols satisfies the definitions.
#[derive(Clone, Debug, Default)]
pub struct Witnesses {
    /// The symbols.
    pub symbols: Vec<Term>,
    /// Their definitions.
    pub definitions: Vec<Term>,
}

/// Values of names. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Env {
    /// By `ConstId`.
    pub constants: Rc<Vec<Symbolic>>,
    /// By `VarId`.
    pub state: Rc<Vec<Symbolic>>,
    /// Values of `x$0`, by `VarId`; the same as `state` if there is nothing else.
    pub old: Option<Rc<Vec<Symbolic>>>,
    /// Bound variables, parameters, results and locals in scope.
    pub locals: Rc<FxHashMap<LocalId, Symbolic>>,
    /// Names that perhaps have not been assigned yet (locals of `VAR`, results, the variables in the
    /// initialisation), with the condition under which they have. Reading one elsewhere is ill-defined,
    /// and its value there arbitrary.
    pub assigned: Rc<BTreeMap<Target, Term>>,
}

impl Env {
    /// The environment with one more local.
    pub fn with(&self, local: LocalId, value: Symbolic) -> Env {
        let mut env = self.clone();
        env.bind(local, value);
        env
    }

    /// Adds or replaces a local.
    pub fn bind(&mut self, local: LocalId, value: Symbolic) {
        Rc::make_mut(&mut self.locals).insert(local, value);
    }

    /// Removes the value of a name: nothing has been assigned to it yet.
    pub(crate) fn unassign(&mut self, target: Target) {
        Rc::make_mut(&mut self.assigned).insert(target, Terms::FALSE);
    }

    /// Gives a name a value that it has where `assigned` holds.
    pub(crate) fn assign(&mut self, target: Target, value: Symbolic, assigned: Term) {
        match target {
            Target::Var(v) => Rc::make_mut(&mut self.state)[v.index()] = value,
            Target::Local(l) => self.bind(l, value),
        }
        if assigned != Terms::TRUE {
            Rc::make_mut(&mut self.assigned).insert(target, assigned);
        } else if self.assigned.contains_key(&target) {
            Rc::make_mut(&mut self.assigned).remove(&target);
        }
    }

    /// The condition under which a name has a value.
    pub(crate) fn has_value(&self, target: Target) -> Term {
        self.assigned.get(&target).copied().unwrap_or(Terms::TRUE)
    }

    /// Returns whether an expression is a name that perhaps has no value.
    pub(crate) fn is_perhaps_unassigned(&self, e: &ExprKind) -> bool {
        let target = match e {
            ExprKind::Var(v) | ExprKind::Old(v) => Target::Var(*v),
            ExprKind::Local(l) => Target::Local(*l),
            _ => return false,
        };
        self.assigned.contains_key(&target)
    }
}

impl Encoder {
    /// An encoder for a model under a scope.
    pub fn new(terms: Rc<Terms>, model: Arc<Model>, scope: Scope) -> Encoder {
        Encoder {
            terms,
            set_uses: SetUses::of(&model),
            model,
            scope,
            written_out: tuning().written_out,
            effort: None,
            made: Made::default(),
            span: Span::default(),
            bound: BTreeMap::new(),
            carriers: RefCell::default(),
            complete: false,
            compared: BTreeSet::new(),
            elements: RefCell::default(),
            strings: vec![],
        }
    }

    /// From now on at most as many steps are done as the budget has for one query, and none after its end.
    pub(crate) fn within(&mut self, budget: &Budget) {
        self.effort = Some(Effort::new(budget, self.terms.work()));
    }

    /// Spends `steps` steps.
    ///
    /// # Errors
    /// [`Unsupported`] if fewer steps are left, or time is up.
    pub(crate) fn spend(&self, steps: usize) -> Result<(), Unsupported> {
        let Some(effort) = &self.effort else { return Ok(()) };
        effort.spend(steps, self.terms.work()).or_else(|why| self.unsupported(why))
    }

    /// Returns the witnesses made since the last call. The caller decides whether they belong to the constants, a state
    /// or a transition.
    pub fn take_witnesses(&mut self) -> Witnesses {
        self.made.take()
    }

    /// Notes a fact, unless it is noted already.
    pub(crate) fn note_fact(&mut self, fact: Term) {
        if fact != Terms::TRUE && !self.made.noted.iter().any(|(known, _)| *known == fact) {
            let bound = self.bound_in(&[fact]);
            self.made.noted.push((fact, bound));
        }
    }

    pub(crate) fn unsupported<T>(&self, reason: impl Into<String>) -> Result<T, Unsupported> {
        Err(Unsupported { part: String::new(), span: self.span, reason: reason.into() })
    }

    /// The packed sort of a type: the sort of a term that holds a whole value of it. A string is the
    /// integer of [`Encoder::string_code`].
    pub fn sort(&self, ty: &Type) -> Sort {
        match ty {
            Type::Bool => Terms::BOOL,
            Type::Int | Type::String => Terms::INT,
            Type::Real => Terms::REAL,
            Type::Carrier(id) => self.carrier_sort(*id),
            // Nothing is known of a free type but its equality; its operators have no term.
            Type::Free(..) | Type::Parameter(_) => {
                let name = bsym_language::print::type_text(&self.model, ty);
                self.terms.sort(SortKind::Uninterpreted(name.as_str().into()))
            }
            Type::Pow(t) => self.terms.set_sort(self.sort(t)),
            Type::Pair(a, b) => {
                let sides = [self.sort(a), self.sort(b)];
                self.terms.tuple_sort(&sides)
            }
            Type::Record(fields) => {
                let sorts: Vec<Sort> = fields.iter().map(|(_, t)| self.sort(t)).collect();
                self.terms.tuple_sort(&sorts)
            }
        }
    }

    fn carrier_sort(&self, id: CarrierId) -> Sort {
        let carrier = &self.model.types.carriers[id.index()];
        let name: Rc<str> = carrier.name.as_str().into();
        let kind = match (&carrier.kind, self.scope.size(&self.model, id)) {
            (CarrierKind::Enumerated(names), _) => {
                SortKind::Enum(name, names.iter().map(|n| Rc::from(n.as_str())).collect())
            }
            (CarrierKind::Deferred, Some(n)) => {
                SortKind::Enum(name, (1..=n).map(|i| Rc::from(format!("{}!{i}", carrier.name))).collect())
            }
            (CarrierKind::Deferred, None) => SortKind::Uninterpreted(name),
        };
        self.terms.sort(kind)
    }

    /// Number of values of a type, if there are few of them.
    pub(crate) fn count(&self, ty: &Type) -> Option<usize> {
        let n = match ty {
            Type::Bool => 2,
            Type::Int | Type::Real | Type::String | Type::Free(..) | Type::Parameter(_) => return None,
            Type::Carrier(id) => self.scope.size(&self.model, *id)?,
            Type::Pow(t) => 1usize.checked_shl(self.count(t).filter(|&n| n <= 6)? as u32)?,
            Type::Pair(a, b) => self.count(a)?.checked_mul(self.count(b)?)?,
            Type::Record(fields) => {
                fields.iter().try_fold(1usize, |n, (_, t)| n.checked_mul(self.count(t)?))?
            }
        };
        (n <= tuning().symbolic.small_type).then_some(n)
    }

    /// Returns whether a type has finitely many values in every scope.
    pub(crate) fn is_finite(&self, ty: &Type) -> bool {
        match ty {
            Type::Bool => true,
            Type::Carrier(id) => {
                self.set_uses.finite.contains(id) || self.scope.size(&self.model, *id).is_some()
            }
            Type::Int | Type::Real | Type::String | Type::Free(..) | Type::Parameter(_) => false,
            Type::Pow(t) => self.is_finite(t),
            Type::Pair(a, b) => self.is_finite(a) && self.is_finite(b),
            Type::Record(fields) => fields.iter().all(|(_, t)| self.is_finite(t)),
        }
    }

    /// All values of a small finite type, in the order that characteristic vectors use.
    pub(crate) fn elements(&self, ty: &Type) -> Option<Rc<[Symbolic]>> {
        if let Some(known) = self.elements.borrow().get(ty) {
            return known.clone();
        }
        let all = self.list_elements(ty).map(Rc::from);
        self.elements.borrow_mut().insert(ty.clone(), all.clone());
        all
    }

    fn list_elements(&self, ty: &Type) -> Option<Vec<Symbolic>> {
        let count = self.count(ty)?;
        Some(match ty {
            Type::Bool => vec![Symbolic::Atom(Terms::FALSE), Symbolic::Atom(Terms::TRUE)],
            Type::Int | Type::Real | Type::String | Type::Free(..) | Type::Parameter(_) => return None,
            Type::Carrier(_) => {
                let sort = self.sort(ty);
                (0..count as u32).map(|i| Symbolic::Atom(self.terms.constructor(sort, i))).collect()
            }
            Type::Pow(t) => {
                let universe = self.whole(t)?;
                let n = universe.len();
                (0..count)
                    .map(|code| {
                        let bits = (0..n).map(|i| self.terms.bool(code >> i & 1 == 1)).collect();
                        Symbolic::set((**t).clone(), Form::Vector(universe.clone(), bits))
                    })
                    .collect()
            }
            Type::Pair(a, b) => {
                let (left, right) = (self.elements(a)?, self.elements(b)?);
                left.iter()
                    .flat_map(|x| right.iter().map(move |y| Symbolic::pair(x.clone(), y.clone())))
                    .collect()
            }
            Type::Record(fields) => {
                let mut rows: Vec<Vec<(String, Symbolic)>> = vec![vec![]];
                for (label, t) in fields {
                    let column = self.elements(t)?;
                    rows = rows
                        .iter()
                        .flat_map(|row| {
                            column.iter().map(|v| {
                                let mut row = row.clone();
                                row.push((label.clone(), v.clone()));
                                row
                            })
                        })
                        .collect();
                }
                rows.into_iter().map(Symbolic::Record).collect()
            }
        })
    }

    /// Position of a concrete value among [`Encoder::elements`] of its type.
    pub(crate) fn position(&self, x: &Symbolic, ty: &Type) -> Option<usize> {
        self.count(ty)?;
        match (x, ty) {
            (Symbolic::Atom(t), _) => match self.terms.node(*t).op {
                crate::term::Op::True => Some(1),
                crate::term::Op::False => Some(0),
                crate::term::Op::Constructor(_, i) => Some(i as usize),
                _ => None,
            },
            (Symbolic::Pair(a, b), Type::Pair(s, t)) => {
                Some(self.position(a, s)? * self.count(t)? + self.position(b, t)?)
            }
            (Symbolic::Record(values), Type::Record(fields)) => values
                .iter()
                .zip(fields)
                .try_fold(0, |n, ((_, v), (_, t))| Some(n * self.count(t)? + self.position(v, t)?)),
            (Symbolic::Set(set), _) => match &set.form {
                Form::Vector(_, bits) => bits.iter().enumerate().try_fold(0, |n, (i, &b)| match b {
                    Terms::TRUE => Some(n | 1 << i),
                    Terms::FALSE => Some(n),
                    _ => None,
                }),
                _ => None,
            },
            _ => None,
        }
    }

    /// The integer that stands for a string: strings are only compared for equality, and both
    /// `STRING` and `INTEGER` are countable.
    pub fn string_code(&mut self, text: &str) -> usize {
        match self.strings.iter().position(|s| **s == *text) {
            Some(i) => i,
            None => {
                self.strings.push(text.into());
                self.strings.len() - 1
            }
        }
    }

    /// The string that an integer stands for; different integers are different strings.
    pub fn string_of(&self, code: &bsym_language::int::Int) -> Arc<str> {
        if let Some(s) = code.to_usize().and_then(|i| self.strings.get(i)) {
            return s.clone();
        }
        // Underscores until no literal looks like it.
        let mut text = format!("string{code}");
        while self.strings.iter().any(|s| **s == *text) {
            text.push('_');
        }
        text.into()
    }

    /// A symbol to be bound by a quantifier or a lambda, as a value of the type.
    pub(crate) fn binder(&mut self, name: &str, ty: &Type) -> (SymbolId, Symbolic) {
        let term = self.terms.fresh(name, self.sort(ty));
        let id = self.terms.as_symbol(term).expect("a fresh symbol is a symbol");
        self.bound.insert(id, ty.clone());
        (id, self.unpack(term, ty))
    }

    /// The bound symbols that occur free in terms.
    pub(crate) fn bound_in(&self, terms: &[Term]) -> Vec<SymbolId> {
        self.terms.symbols(terms).into_iter().filter(|s| self.bound.contains_key(s)).collect()
    }

    /// A fresh value `w` with `definition(w)`, which some value must satisfy whatever everything
    /// else is. Under bound variables it is an array over them, with a quantified definition.
    pub(crate) fn witness(
        &mut self,
        name: &str,
        sort: Sort,
        depends: &[Term],
        definition: impl FnOnce(&mut Encoder, Term) -> Result<Term, Unsupported>,
    ) -> Result<Term, Unsupported> {
        let bound = self.bound_in(depends);
        let whole =
            bound.iter().rev().fold(sort, |s, &b| self.terms.array_sort(self.terms.symbol_sort(b), s));
        let symbol = self.terms.fresh(name, whole);
        let mut value = symbol;
        for &b in &bound {
            let index = self.symbol(b);
            value = self.terms.select(value, index);
        }
        let mut definition = definition(self, value)?;
        // Every bound variable, also those that only the definition brought in, gets a copy of its own.
        let mut copies = vec![];
        let mut renaming = vec![];
        for b in self.bound_in(&[definition]) {
            let copy = self.terms.fresh("w", self.terms.symbol_sort(b));
            let id = self.terms.as_symbol(copy).expect("a fresh symbol is a symbol");
            let ty = self.bound.get(&b).cloned().unwrap_or(Type::Bool);
            self.bound.insert(id, ty.clone());
            copies.push((id, ty));
            renaming.push((self.symbol(b), copy));
        }
        if copies.len() > bound.len() {
            return self
                .unsupported("a chosen value depends on a bound variable in a way that is not followed");
        }
        definition = self.terms.substitute(definition, &mut Substitution::new(renaming));
        // Only of lifted values is it known that some value satisfies the definition.
        for (id, ty) in &copies {
            let value = self.unpack(self.symbol(*id), ty);
            let there = self.belongs(&value);
            definition = self.terms.implies(there, definition);
            self.forget(*id);
        }
        let copies: Vec<SymbolId> = copies.into_iter().map(|(id, _)| id).collect();
        let definition = self.terms.forall(&copies, definition);
        self.made.witnesses.symbols.push(symbol);
        if definition != Terms::TRUE {
            self.made.witnesses.definitions.push(definition);
        }
        Ok(value)
    }

    /// The term of a symbol.
    pub(crate) fn symbol(&self, id: SymbolId) -> Term {
        let name = self.terms.symbol_name(id);
        self.terms.symbol(&name, self.terms.symbol_sort(id))
    }

    /// `INTEGER`, `BOOL`, a carrier: all values of a type as a set.
    pub(crate) fn everything(&self, ty: &Type) -> Rc<Set> {
        let form = match (ty, self.whole(ty)) {
            (_, Some(whole)) => {
                let bits = vec![Terms::TRUE; whole.len()];
                Form::Vector(whole, bits)
            }
            (Type::Int, _) => Form::Interval(None, None),
            _ => match self.carrier(self.sort(ty)) {
                Some(carrier) => Form::Array(carrier),
                None => return self.everything_of(ty),
            },
        };
        Set::new(ty.clone(), form)
    }

    /// All values of a type that is made of others, and of types with infinitely many values.
    fn everything_of(&self, ty: &Type) -> Rc<Set> {
        let form = match ty {
            Type::Pair(a, b) => Form::Product(self.everything(a), self.everything(b)),
            Type::Pow(t) => Form::Power { of: self.everything(t), non_empty: false, finite: false },
            // Every value is one of these; what has strays in it is none.
            Type::Record(_) => Form::Where(Rc::new(|_, _| Ok(Terms::TRUE)), false),
            _ => Form::Array(self.terms.full_set(self.terms.set_sort(self.sort(ty)))),
        };
        Set::new(ty.clone(), form)
    }

    /// Returns whether a set is known to hold every value of its type.
    pub(crate) fn is_everything(&self, set: &Set) -> bool {
        match &set.form {
            Form::Vector(universe, bits) => universe.is_whole() && bits.iter().all(|&b| b == Terms::TRUE),
            Form::Array(t) => match self.carrier(self.sort(&set.element)) {
                Some(carrier) => *t == carrier,
                None => *t == self.terms.full_set(self.terms.sort_of(*t)),
            },
            Form::Interval(None, None) => true,
            Form::Product(a, b) => self.is_everything(a) && self.is_everything(b),
            Form::Power { of, non_empty: false, finite } => {
                self.is_everything(of) && (!finite || self.is_finite(&of.element))
            }
            _ => false,
        }
    }
}
