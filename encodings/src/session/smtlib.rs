//! Terms as SMT-LIB 2.6.
//!
//! Every shared part is written once: parts without bound symbols as `define-fun`, parts under a
//! binder in a `let` of that binder's body.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::rc::Rc;

use num_rational::BigRational;
use rustc_hash::{FxHashMap, FxHashSet};

use super::backend::SolverError;
use super::choices::Choices;
use super::names::{BOUND, Names, quoted};
use crate::term::{Node, Op, Sort, SortKind, SymbolId, Term, Terms};
use crate::tuning::tuning;

/// Language that a solver reads beyond the standard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    /// Z3: `(_ map f)` on arrays, arrays by `lambda`, constant arrays of any value.
    Z3,
    /// cvc5 and others: constant arrays of literals; other arrays are introduced with a defining
    /// quantifier.
    Generic,
}

/// Writes terms for one solver; remembers what was declared.
pub(super) struct Printer {
    terms: Rc<Terms>,
    dialect: Dialect,
    names: Names,
    sorts: FxHashMap<Sort, String>,
    symbols: FxHashMap<SymbolId, String>,
    /// Closed parts with their text, a name where they have one.
    done: FxHashMap<Term, String>,
    /// Symbols under a binder anywhere so far.
    bound: FxHashSet<SymbolId>,
    /// Symbols that occurred so far.
    seen: FxHashSet<SymbolId>,
    /// The symbols of `bound` that are free in a term.
    open: FxHashMap<Term, Rc<BTreeSet<SymbolId>>>,
    /// Declarations and definitions not yet handed out.
    pending: String,
    /// Elements of enumerations by name.
    pub constructors: FxHashMap<String, (Sort, u32)>,
    /// Constructors of tuples by name.
    pub tuples: FxHashMap<String, Sort>,
    constructor_names: FxHashMap<(Sort, u32), String>,
    accessors: FxHashMap<Sort, Vec<String>>,
}

/// Context of a part under a binder: the names that `let` gave so far.
type Local = FxHashMap<Term, String>;

impl Printer {
    pub fn new(terms: Rc<Terms>, dialect: Dialect) -> Self {
        Printer {
            terms,
            dialect,
            names: Names::default(),
            sorts: FxHashMap::default(),
            symbols: FxHashMap::default(),
            done: FxHashMap::default(),
            bound: FxHashSet::default(),
            seen: FxHashSet::default(),
            open: FxHashMap::default(),
            pending: String::new(),
            constructors: FxHashMap::default(),
            tuples: FxHashMap::default(),
            constructor_names: FxHashMap::default(),
            accessors: FxHashMap::default(),
        }
    }

    /// Declarations and definitions that the texts made since the last call need, one a line.
    pub fn take_declarations(&mut self) -> String {
        std::mem::take(&mut self.pending)
    }

    /// Returns whether everything in a term is declared, so that it may be written without declarations.
    pub fn is_declared(&self, t: Term) -> bool {
        let mut all = true;
        self.terms.visit(&[t], |_, n| {
            all &= match n.op {
                Op::Symbol(id) => self.symbols.contains_key(&id),
                _ => self.is_declared_sort(n.sort),
            }
        });
        all
    }

    fn is_declared_sort(&self, sort: Sort) -> bool {
        self.sorts.contains_key(&sort) || matches!(sort, Terms::BOOL | Terms::INT | Terms::REAL)
    }

    /// The name that a sort was declared with.
    pub fn declared_sort(&self, sort: Sort) -> Option<&str> {
        self.sorts.get(&sort).map(String::as_str)
    }

    /// Returns whether a symbol was declared.
    pub fn declared_symbol(&self, id: SymbolId) -> bool {
        self.symbols.contains_key(&id)
    }

    /// The text of a term. Declarations it needs are pending afterwards.
    pub fn term(&mut self, t: Term) -> Result<String, SolverError> {
        self.prepare(t);
        let mut uses = self.count(t, &Local::default());
        // The caller uses the root.
        *uses.entry(t).or_default() += 1;
        let mut order = vec![];
        self.terms.visit(&[t], |t, _| order.push(t));
        for part in order {
            if self.done.contains_key(&part) || !self.is_closed(part) {
                continue;
            }
            let node = self.terms.node(part);
            let text = self.node(part, &node, &Local::default())?;
            let leaf = node.args.is_empty();
            let named = !leaf
                && part != t
                && (uses.get(&part).is_some_and(|&n| n > 1) || text.len() > tuning().session.longest_part);
            let text = if named { self.define(&text, node.sort)? } else { text };
            if part == t && !leaf {
                // Not kept: a later use would write it out again, and it may be long.
                return Ok(text);
            }
            self.done.insert(part, text);
        }
        if self.is_closed(t) {
            return Ok(self.done[&t].clone());
        }
        // A symbol that is bound elsewhere and free here is a constant like any other.
        for id in self.open[&t].clone().iter() {
            self.declare_symbol(*id)?;
        }
        self.body(t, &Local::default())
    }

    /// The text of a term without new definitions where that is possible: shared parts in `let`s.
    pub fn inline(&mut self, t: Term) -> Result<String, SolverError> {
        self.prepare(t);
        self.body(t, &Local::default())
    }

    /// Finds the binders of a term, and which parts are under them.
    fn prepare(&mut self, t: Term) {
        let (mut new, mut occurring) = (vec![], vec![]);
        self.terms.visit(&[t], |_, n| match &n.op {
            Op::Forall(b) | Op::Exists(b) => new.extend(b.iter().copied()),
            Op::Lambda(b) => new.push(*b),
            Op::Symbol(id) => occurring.push(*id),
            _ => {}
        });
        new.retain(|b| !self.bound.contains(b));
        // A symbol seen free before it was first bound: what was named with it must not be used under the binder.
        if new.iter().any(|b| self.seen.contains(b)) {
            self.done.clear();
            self.open.clear();
        }
        self.bound.extend(new);
        self.seen.extend(occurring);
        let mut open = std::mem::take(&mut self.open);
        self.terms.visit(&[t], |t, n| {
            if open.contains_key(&t) {
                return;
            }
            let mut free = BTreeSet::new();
            for a in n.args.iter() {
                free.extend(open[a].iter().copied());
            }
            match &n.op {
                Op::Symbol(id) if self.bound.contains(id) => {
                    free.insert(*id);
                }
                Op::Forall(b) | Op::Exists(b) => free.retain(|s| !b.contains(s)),
                Op::Lambda(b) => {
                    free.remove(b);
                }
                _ => {}
            }
            open.insert(t, Rc::new(free));
        });
        self.open = open;
    }

    fn is_closed(&self, t: Term) -> bool {
        self.open.get(&t).is_none_or(|o| o.is_empty())
    }

    /// Counts how often each part is used within a term, without looking into parts that have a text.
    fn count(&self, t: Term, local: &Local) -> FxHashMap<Term, usize> {
        let mut uses: FxHashMap<Term, usize> = FxHashMap::default();
        let mut stack = vec![t];
        let mut seen = FxHashSet::default();
        while let Some(t) = stack.pop() {
            if !seen.insert(t) {
                continue;
            }
            for &a in self.terms.node(t).args.iter() {
                *uses.entry(a).or_default() += 1;
                if !self.done.contains_key(&a) && !local.contains_key(&a) {
                    stack.push(a);
                }
            }
        }
        uses
    }

    /// A body under a binder: shared parts in `let`s before it.
    fn body(&mut self, t: Term, local: &Local) -> Result<String, SolverError> {
        let mut local = local.clone();
        // Parts of inner bodies belong to those, except where they are used here as well.
        let mut order = vec![];
        let mut uses: FxHashMap<Term, usize> = FxHashMap::default();
        let mut seen = FxHashSet::default();
        let mut stack = vec![(t, false)];
        while let Some((part, ready)) = stack.pop() {
            if ready {
                order.push(part);
                continue;
            }
            if self.done.contains_key(&part) || local.contains_key(&part) || !seen.insert(part) {
                continue;
            }
            stack.push((part, true));
            let node = self.terms.node(part);
            if !matches!(node.op, Op::Forall(_) | Op::Exists(_) | Op::Lambda(_)) {
                for &a in node.args.iter().rev() {
                    *uses.entry(a).or_default() += 1;
                    stack.push((a, false));
                }
            }
        }
        let (mut lets, mut depth) = (String::new(), 0);
        for part in order {
            let node = self.terms.node(part);
            let text = self.node(part, &node, &local)?;
            let shared =
                uses.get(&part).is_some_and(|&n| n > 1) || text.len() > tuning().session.longest_part;
            if part != t && !node.args.is_empty() && shared && !text.contains(UNWRITABLE) {
                let name = self.names.fresh("let");
                write!(lets, "(let (({} {text})) ", quoted(&name)).expect("strings grow");
                depth += 1;
                local.insert(part, quoted(&name));
            } else {
                local.insert(part, text);
            }
        }
        let text = self.text(t, &local);
        Ok(format!("{lets}{text}{}", ")".repeat(depth)))
    }

    fn text(&self, t: Term, local: &Local) -> String {
        local.get(&t).or_else(|| self.done.get(&t)).expect("arguments come first").clone()
    }

    fn define(&mut self, text: &str, sort: Sort) -> Result<String, SolverError> {
        let sort = self.sort(sort)?;
        let name = quoted(&self.names.fresh("def"));
        writeln!(self.pending, "(define-fun {name} () {sort} {text})").expect("strings grow");
        Ok(name)
    }

    /// The text of a node whose arguments have theirs.
    fn node(&mut self, t: Term, node: &Node, local: &Local) -> Result<String, SolverError> {
        // Declared first, so that what follows only reads.
        match &node.op {
            Op::Tuple(sort) => drop(self.sort(*sort)?),
            Op::Field(_) => drop(self.sort(self.terms.sort_of(node.args[0]))?),
            _ => {}
        }
        let apply = |head: &str| {
            let mut text = format!("({head}");
            for &a in node.args.iter() {
                text.push(' ');
                text.push_str(&self.text(a, local));
            }
            text.push(')');
            text
        };
        let z3 = self.dialect == Dialect::Z3;
        Ok(match &node.op {
            Op::True => "true".into(),
            Op::False => "false".into(),
            Op::Int(n) if n.is_negative() => format!("(- {})", -n),
            Op::Int(n) => n.to_string(),
            Op::Real(r) => real(r),
            Op::Symbol(id) if self.bound.contains(id) => quoted_bound(&self.terms, *id),
            Op::Symbol(id) => self.declare_symbol(*id)?,
            Op::Constructor(sort, i) => {
                self.sort(*sort)?;
                self.constructor_names[&(*sort, *i)].clone()
            }
            Op::Not => apply("not"),
            Op::And => apply("and"),
            Op::Or => apply("or"),
            Op::Ite => apply("ite"),
            Op::Eq => match self.pointwise_equality(t, node) {
                Some(expanded) => self.expanded(expanded, local)?,
                None => apply("="),
            },
            Op::Add => apply("+"),
            Op::Mul => apply("*"),
            Op::Div => apply("div"),
            Op::Mod => apply("mod"),
            Op::RealDiv => apply("/"),
            Op::Le => apply("<="),
            Op::Lt => apply("<"),
            Op::ToReal => apply("to_real"),
            Op::Floor => apply("to_int"),
            Op::Select => match self.pushed_select(t, node) {
                Some(expanded) => self.expanded(expanded, local)?,
                None => apply("select"),
            },
            Op::Store => apply("store"),
            Op::ConstArray(sort) if z3 || self.is_literal(node.args[0]) => {
                let value = if z3 { self.text(node.args[0], local) } else { self.literal(node.args[0])? };
                format!("((as const {}) {value})", self.sort(*sort)?)
            }
            Op::SetUnion if z3 => apply("(_ map or)"),
            Op::SetInter if z3 => apply("(_ map and)"),
            Op::SetComplement if z3 => apply("(_ map not)"),
            Op::SetMinus if z3 => {
                let (a, b) = (self.text(node.args[0], local), self.text(node.args[1], local));
                format!("((_ map and) {a} ((_ map not) {b}))")
            }
            Op::ArrayIte if z3 => {
                let (_, value) = self.terms.array_parts(node.sort);
                let value = self.sort(value)?;
                let list: Vec<String> = node.args.iter().map(|&a| self.text(a, local)).collect();
                format!("((_ map (ite (Bool {value} {value}) {value})) {})", list.join(" "))
            }
            Op::Lambda(bound) if z3 => {
                let sort = self.sort(self.terms.symbol_sort(*bound))?;
                let body = self.body(node.args[0], local)?;
                format!("(lambda (({} {sort})) {body})", quoted_bound(&self.terms, *bound))
            }
            Op::ConstArray(_)
            | Op::SetUnion
            | Op::SetInter
            | Op::SetComplement
            | Op::SetMinus
            | Op::ArrayIte
            | Op::Lambda(_) => self.introduced_array(t, node)?,
            Op::Tuple(sort) => {
                let make = &self.constructor_names[&(*sort, 0)];
                if node.args.is_empty() { make.clone() } else { apply(make) }
            }
            Op::Field(i) => {
                let tuple = self.terms.sort_of(node.args[0]);
                apply(&self.accessors[&tuple][*i as usize])
            }
            Op::Forall(bound) | Op::Exists(bound) => {
                let mut list = vec![];
                for &b in bound.iter() {
                    let sort = self.sort(self.terms.symbol_sort(b))?;
                    list.push(format!("({} {sort})", quoted_bound(&self.terms, b)));
                }
                let word = if matches!(node.op, Op::Forall(_)) { "forall" } else { "exists" };
                let body = self.body(node.args[0], local)?;
                format!("({word} ({}) {body})", list.join(" "))
            }
        })
    }

    /// Returns whether every solver takes the term as the value of a constant array.
    fn is_literal(&self, t: Term) -> bool {
        let node = self.terms.node(t);
        match node.op {
            Op::ConstArray(_) => self.is_literal(node.args[0]),
            _ => self.terms.is_value(t),
        }
    }

    /// Writes out a literal: a solver does not take a name that is defined as one for a literal.
    fn literal(&mut self, t: Term) -> Result<String, SolverError> {
        let node = self.terms.node(t);
        let mut local = Local::default();
        for &a in node.args.iter() {
            let text = self.literal(a)?;
            local.insert(a, text);
        }
        self.node(t, &node, &local)
    }

    /// Returns whether a solver without combinators cannot be given the array as it is.
    fn needs_definition(&self, t: Term) -> bool {
        let node = self.terms.node(t);
        match node.op {
            Op::ConstArray(_) => !self.is_literal(node.args[0]),
            Op::SetUnion | Op::SetInter | Op::SetComplement | Op::SetMinus | Op::ArrayIte | Op::Lambda(_) => {
                true
            }
            Op::Store => self.needs_definition(node.args[0]),
            Op::Ite => node.args[1..].iter().any(|&a| self.needs_definition(a)),
            _ => false,
        }
    }

    /// An equation of arrays under a binder that the dialect cannot write, index by index.
    fn pointwise_equality(&self, t: Term, node: &Node) -> Option<Term> {
        if self.dialect == Dialect::Z3 || self.is_closed(t) {
            return None;
        }
        let sort = self.terms.sort_of(node.args[0]);
        let SortKind::Array(index, _) = self.terms.sort_kind(sort) else { return None };
        if !node.args.iter().any(|&a| self.needs_definition(a)) {
            return None;
        }
        let i = self.terms.fresh("i", index);
        let at = |a: Term| self.terms.select(a, i);
        let id = self.terms.as_symbol(i).expect("just made");
        Some(self.terms.forall(&[id], self.terms.eq(at(node.args[0]), at(node.args[1]))))
    }

    /// A selection under a binder from an array that the dialect cannot write, from its parts instead.
    fn pushed_select(&self, t: Term, node: &Node) -> Option<Term> {
        if self.dialect == Dialect::Z3 || self.is_closed(t) || !self.needs_definition(node.args[0]) {
            return None;
        }
        Some(self.terms.select(node.args[0], node.args[1])).filter(|&pushed| pushed != t)
    }

    /// The text of a term that came up while another was written.
    fn expanded(&mut self, t: Term, local: &Local) -> Result<String, SolverError> {
        // Binds nothing but fresh symbols, so nothing known is forgotten.
        self.prepare(t);
        self.body(t, local)
    }

    /// An array that the dialect has no operator for, as a constant with a defining quantifier.
    fn introduced_array(&mut self, t: Term, node: &Node) -> Result<String, SolverError> {
        if !self.is_closed(t) {
            // Inside an equation it is expanded and this text is never used; a use anywhere else is refused where the
            // text is sent.
            return Ok(UNWRITABLE.into());
        }
        let (index, _) = self.terms.array_parts(node.sort);
        let array = self.terms.fresh("array", node.sort);
        let id = self.terms.as_symbol(array).expect("just made");
        let name = self.declare_symbol(id)?;
        self.done.insert(array, name.clone());
        let i = self.terms.fresh("i", index);
        let value = self.terms.eq(self.terms.select(array, i), self.terms.select(t, i));
        let i = self.terms.as_symbol(i).expect("just made");
        let definition = self.terms.forall(&[i], value);
        let text = self.expanded(definition, &Local::default())?;
        refuse_unwritable(&text)?;
        writeln!(self.pending, "(assert {text})").expect("strings grow");
        Ok(name)
    }

    fn declare_symbol(&mut self, id: SymbolId) -> Result<String, SolverError> {
        if let Some(known) = self.symbols.get(&id) {
            return Ok(known.clone());
        }
        let sort = self.sort(self.terms.symbol_sort(id))?;
        let name = if self.bound.contains(&id) {
            // Under its binder it has the same text.
            quoted_bound(&self.terms, id)
        } else {
            quoted(&self.names.unique(&self.terms.symbol_name(id)))
        };
        writeln!(self.pending, "(declare-const {name} {sort})").expect("strings grow");
        self.symbols.insert(id, name.clone());
        Ok(name)
    }

    /// The text of a sort, declared.
    pub fn sort(&mut self, sort: Sort) -> Result<String, SolverError> {
        if let Some(known) = self.sorts.get(&sort) {
            return Ok(known.clone());
        }
        let text = match self.terms.sort_kind(sort) {
            SortKind::Bool => "Bool".into(),
            SortKind::Int => "Int".into(),
            SortKind::Real => "Real".into(),
            SortKind::Uninterpreted(name) => {
                let name = quoted(&self.names.unique(&name));
                writeln!(self.pending, "(declare-sort {name} 0)").expect("strings grow");
                name
            }
            SortKind::Array(i, v) => format!("(Array {} {})", self.sort(i)?, self.sort(v)?),
            SortKind::Enum(name, elements) => {
                if elements.is_empty() {
                    return Err(SolverError::Inexpressible(format!("the empty enumeration {name}")));
                }
                let name = quoted(&self.names.unique(&name));
                let mut list = vec![];
                for (i, e) in elements.iter().enumerate() {
                    let plain = self.names.unique(e);
                    list.push(format!("({})", quoted(&plain)));
                    self.constructor_names.insert((sort, i as u32), quoted(&plain));
                    self.constructors.insert(plain, (sort, i as u32));
                }
                let list = list.join(" ");
                writeln!(self.pending, "(declare-datatypes (({name} 0)) (({list})))").expect("strings grow");
                name
            }
            SortKind::Tuple(fields) => {
                let fields = fields.iter().map(|&f| self.sort(f)).collect::<Result<Vec<_>, _>>()?;
                let plain = self.names.fresh("tuple");
                let make = format!("{plain}.make");
                let accessors: Vec<String> =
                    (0..fields.len()).map(|i| quoted(&format!("{plain}.{i}"))).collect();
                let parts = accessors.iter().zip(&fields);
                let list: String = parts.map(|(a, f)| format!(" ({a} {f})")).collect();
                let (name, make_text) = (quoted(&plain), quoted(&make));
                writeln!(self.pending, "(declare-datatypes (({name} 0)) ((({make_text}{list}))))")
                    .expect("strings grow");
                self.tuples.insert(make, sort);
                self.constructor_names.insert((sort, 0), make_text);
                self.accessors.insert(sort, accessors);
                name
            }
        };
        self.sorts.insert(sort, text.clone());
        Ok(text)
    }
}

/// Stands where a text cannot be written; never sent.
const UNWRITABLE: &str = "|bsym: array under a binder|";

/// Refuses a text with a part that the dialect cannot write.
pub(super) fn refuse_unwritable(text: &str) -> Result<(), SolverError> {
    if text.contains(UNWRITABLE) {
        return Err(SolverError::Inexpressible("an array that depends on bound symbols".into()));
    }
    Ok(())
}

/// Bound symbols have names of their own, which no declaration can take.
fn quoted_bound(terms: &Terms, id: SymbolId) -> String {
    let name: String = terms.symbol_name(id).chars().filter(|c| c.is_ascii_alphanumeric()).collect();
    format!("|{name}{BOUND}{}|", id.0)
}

fn real(r: &BigRational) -> String {
    let magnitude = |n: &num_bigint::BigInt| format!("{}.0", n.magnitude());
    let text = if r.is_integer() {
        magnitude(r.numer())
    } else {
        format!("(/ {} {})", magnitude(r.numer()), magnitude(r.denom()))
    };
    if r.numer().sign() == num_bigint::Sign::Minus { format!("(- {text})") } else { text }
}

/// A script that asserts the terms and checks: for certificates and exports.
///
/// # Errors
/// [`SolverError::Inexpressible`] if the dialect has no way to say a term.
pub fn script(terms: &Rc<Terms>, assertions: &[Term], dialect: Dialect) -> Result<String, SolverError> {
    let mut printer = Printer::new(terms.clone(), dialect);
    let mut text = match dialect {
        Dialect::Generic => "(set-logic ALL)\n".to_string(),
        // With a logic set, Z3 chooses a solver that knows less of arrays.
        Dialect::Z3 => String::new(),
    };
    let mut choices = Choices::new(terms.clone());
    let all = assertions.iter().flat_map(|&a| match dialect {
        Dialect::Z3 => choices.assertions(a),
        Dialect::Generic => vec![a],
    });
    for a in all {
        let assertion = printer.term(a)?;
        let declarations = printer.take_declarations();
        refuse_unwritable(&declarations)?;
        refuse_unwritable(&assertion)?;
        text.push_str(&declarations);
        writeln!(text, "(assert {assertion})").expect("strings grow");
    }
    text.push_str("(check-sat)\n");
    Ok(text)
}
