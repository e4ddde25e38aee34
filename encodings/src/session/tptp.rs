//! First-order terms as TPTP problems, for automated theorem provers such as Vampire and E.
//!
//! The language is TFX, typed first-order logic with `$ite` (Sutcliffe and Kotelnikov, *TFX: the TPTP extended typed
//! first-order form*, 2018). Arrays that are only read are functions and predicates. Where a truth value is an argument
//! or is quantified, it is an element of a sort of two: Vampire 5.0 and E 2.6 are incomplete for formulas as arguments.
//! The last assertion is the negated conjecture, all others are axioms.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::backend::SolverError;
use crate::term::{Op, Sort, SortKind, SymbolId, Term, Terms};
use crate::tuning::tuning;

/// Writes assertions as a problem that is unsatisfiable if and only if they are.
///
/// # Errors
/// [`SolverError::Inexpressible`] if a term is not in first-order logic, or the text would be too long.
pub fn tptp(terms: &Rc<Terms>, assertions: &[Term]) -> Result<String, SolverError> {
    let mut printer = Printer {
        terms,
        sorts: FxHashMap::default(),
        symbols: BTreeMap::new(),
        bound: FxHashSet::default(),
        declarations: String::new(),
    };
    let mut text = String::new();
    for (i, &assertion) in assertions.iter().enumerate() {
        let role = if i + 1 == assertions.len() { "negated_conjecture" } else { "axiom" };
        let mut formula = String::new();
        printer.write(assertion, &mut formula)?;
        if text.len() + formula.len() > tuning().session.longest_problem {
            return Err(too_long());
        }
        writeln!(text, "tff(a{i}, {role}, {formula}).").expect("strings grow");
    }
    Ok(printer.declarations + &text)
}

fn too_long() -> SolverError {
    SolverError::Inexpressible(format!("a problem of more than {} bytes", tuning().session.longest_problem))
}

struct Printer<'t> {
    terms: &'t Rc<Terms>,
    sorts: FxHashMap<Sort, String>,
    symbols: BTreeMap<SymbolId, String>,
    /// The symbols under whose binder the text is.
    bound: FxHashSet<SymbolId>,
    declarations: String,
}

impl Printer<'_> {
    fn write(&mut self, t: Term, text: &mut String) -> Result<(), SolverError> {
        if text.len() > tuning().session.longest_problem {
            return Err(too_long());
        }
        let node = self.terms.node(t);
        let args = &node.args[..];
        match &node.op {
            Op::True => text.push_str("$true"),
            Op::False => text.push_str("$false"),
            Op::Int(n) => text.push_str(&n.to_string()),
            Op::Symbol(_) if matches!(self.terms.sort_kind(node.sort), SortKind::Array(..)) => {
                return Err(inexpressible(self.terms, t));
            }
            Op::Symbol(id) => {
                let name = self.symbol(*id)?;
                if node.sort == Terms::BOOL && self.bound.contains(id) {
                    write!(text, "({name} = {})", self.truth(true)).expect("strings grow");
                } else {
                    text.push_str(&name);
                }
            }
            Op::Constructor(sort, i) => {
                let sort = self.sort(*sort)?;
                text.push_str(&element(&sort, *i as usize));
            }
            Op::Not => {
                text.push_str("~ ");
                self.write(args[0], text)?;
            }
            Op::And => self.joined(args, " & ", text)?,
            Op::Or => self.joined(args, " | ", text)?,
            Op::Ite if node.sort == Terms::BOOL => {
                let [condition, yes, no] = [args[0], args[1], args[2]];
                let not = self.terms.not(condition);
                let parts = [self.terms.or([not, yes]), self.terms.or([condition, no])];
                self.joined(&parts, " & ", text)?;
            }
            Op::Ite => self.applied("$ite", args, text)?,
            Op::Eq => {
                let between = if self.terms.sort_of(args[0]) == Terms::BOOL { " <=> " } else { " = " };
                self.joined(args, between, text)?;
            }
            // These are binary.
            Op::Add => self.nested("$sum", args, text)?,
            Op::Mul => self.nested("$product", args, text)?,
            Op::Div => self.applied("$quotient_e", args, text)?,
            Op::Mod => self.applied("$remainder_e", args, text)?,
            Op::Le => self.applied("$lesseq", args, text)?,
            Op::Lt => self.applied("$less", args, text)?,
            Op::Select => {
                let Some(id) = self.terms.as_symbol(args[0]) else {
                    return Err(inexpressible(self.terms, t));
                };
                let name = self.symbol(id)?;
                let mut flat = vec![];
                self.flatten(args[1], &mut flat)?;
                self.read(&name, node.sort, flat, text)?;
            }
            Op::Forall(bound) | Op::Exists(bound) => {
                let mut list = vec![];
                for &b in bound.iter() {
                    let name = format!("X{}", b.0);
                    list.push(format!("{name}: {}", self.argument_sort(self.terms.symbol_sort(b))?));
                    self.symbols.insert(b, name);
                    self.bound.insert(b);
                }
                let word = if matches!(node.op, Op::Forall(_)) { '!' } else { '?' };
                write!(text, "( {word} [{}] : ", list.join(", ")).expect("strings grow");
                self.write(args[0], text)?;
                text.push(')');
                for b in bound.iter() {
                    self.symbols.remove(b);
                    self.bound.remove(b);
                }
            }
            _ => return Err(inexpressible(self.terms, t)),
        }
        Ok(())
    }

    fn joined(&mut self, args: &[Term], between: &str, text: &mut String) -> Result<(), SolverError> {
        text.push('(');
        for (i, &a) in args.iter().enumerate() {
            if i > 0 {
                text.push_str(between);
            }
            self.write(a, text)?;
        }
        text.push(')');
        Ok(())
    }

    fn applied(&mut self, function: &str, args: &[Term], text: &mut String) -> Result<(), SolverError> {
        text.push_str(function);
        text.push('(');
        for (i, &a) in args.iter().enumerate() {
            if i > 0 {
                text.push_str(", ");
            }
            self.write(a, text)?;
        }
        text.push(')');
        Ok(())
    }

    fn nested(&mut self, function: &str, args: &[Term], text: &mut String) -> Result<(), SolverError> {
        let [first, rest @ ..] = args else { return Ok(()) };
        if rest.is_empty() {
            return self.write(*first, text);
        }
        write!(text, "{function}(").expect("strings grow");
        self.write(*first, text)?;
        text.push_str(", ");
        self.nested(function, rest, text)?;
        text.push(')');
        Ok(())
    }

    /// A function or predicate of arguments. A formula as an argument is a distinction of cases outside.
    fn read(
        &mut self,
        function: &str,
        value: Sort,
        mut arguments: Vec<Term>,
        text: &mut String,
    ) -> Result<(), SolverError> {
        let formula = arguments.iter().position(|&a| self.is_formula(a));
        let Some(i) = formula else {
            text.push_str(function);
            for (i, &argument) in arguments.iter().enumerate() {
                text.push_str(if i == 0 { "(" } else { ", " });
                self.argument(argument, text)?;
            }
            text.push(')');
            return Ok(());
        };
        let condition = std::mem::replace(&mut arguments[i], Terms::TRUE);
        let otherwise =
            arguments.iter().enumerate().map(|(j, &a)| if j == i { Terms::FALSE } else { a }).collect();
        let [start, then, end] = match value == Terms::BOOL {
            true => ["((", " => ", "))"],
            false => ["$ite(", ", ", ")"],
        };
        text.push_str(start);
        self.write(condition, text)?;
        text.push_str(then);
        self.read(function, value, arguments, text)?;
        if value == Terms::BOOL {
            text.push_str(") & (");
            self.write(condition, text)?;
            text.push_str(" | ");
        } else {
            text.push_str(", ");
        }
        self.read(function, value, otherwise, text)?;
        text.push_str(end);
        Ok(())
    }

    /// Returns whether the term is a truth value that has to be decided.
    fn is_formula(&self, t: Term) -> bool {
        let node = self.terms.node(t);
        let decided = match node.op {
            Op::True | Op::False => true,
            Op::Symbol(id) => self.bound.contains(&id),
            _ => false,
        };
        node.sort == Terms::BOOL && !decided
    }

    /// An argument of a function or predicate, which is no formula.
    fn argument(&mut self, t: Term, text: &mut String) -> Result<(), SolverError> {
        let node = self.terms.node(t);
        if node.sort != Terms::BOOL {
            return self.write(t, text);
        }
        match node.op {
            Op::True | Op::False => text.push_str(&self.truth(node.op == Op::True)),
            Op::Symbol(id) if self.bound.contains(&id) => text.push_str(&self.symbols[&id]),
            _ => return Err(inexpressible(self.terms, t)),
        }
        Ok(())
    }

    /// The sort of arguments, which are no formulas.
    fn argument_sort(&mut self, sort: Sort) -> Result<String, SolverError> {
        if sort != Terms::BOOL {
            return self.sort(sort);
        }
        let truths = SortKind::Enum("truth".into(), ["false".into(), "true".into()].into());
        self.sort(self.terms.sort(truths))
    }

    fn truth(&mut self, value: bool) -> String {
        let sort = self.argument_sort(Terms::BOOL).expect("a sort of two");
        element(&sort, usize::from(value))
    }

    /// The components of an index that is a tuple of tuples.
    fn flatten(&self, index: Term, parts: &mut Vec<Term>) -> Result<(), SolverError> {
        let node = self.terms.node(index);
        match node.op {
            Op::Tuple(_) => node.args.iter().try_for_each(|&a| self.flatten(a, parts)),
            _ if matches!(self.terms.sort_kind(node.sort), SortKind::Tuple(_)) => {
                Err(inexpressible(self.terms, index))
            }
            _ => {
                parts.push(index);
                Ok(())
            }
        }
    }

    fn symbol(&mut self, id: SymbolId) -> Result<String, SolverError> {
        if let Some(name) = self.symbols.get(&id) {
            return Ok(name.clone());
        }
        let name = format!("c{}_{}", id.0, plain(&self.terms.symbol_name(id)));
        let sort = self.terms.symbol_sort(id);
        let signature = match self.terms.sort_kind(sort) {
            SortKind::Array(index, value) => {
                let arguments = self.terms.argument_sorts(index);
                let arguments =
                    arguments.iter().map(|&s| self.argument_sort(s)).collect::<Result<Vec<_>, _>>()?;
                format!("({}) > {}", arguments.join(" * "), self.sort(value)?)
            }
            _ => self.sort(sort)?,
        };
        writeln!(self.declarations, "tff(t_{name}, type, {name}: {signature}).").expect("strings grow");
        self.symbols.insert(id, name.clone());
        Ok(name)
    }

    fn sort(&mut self, sort: Sort) -> Result<String, SolverError> {
        if let Some(name) = self.sorts.get(&sort) {
            return Ok(name.clone());
        }
        let name = match self.terms.sort_kind(sort) {
            SortKind::Bool => "$o".into(),
            SortKind::Int => "$int".into(),
            SortKind::Uninterpreted(name) => self.declare_sort(&name),
            SortKind::Enum(name, elements) if !elements.is_empty() => {
                let sort = self.declare_sort(&name);
                let all: Vec<String> = (0..elements.len()).map(|i| element(&sort, i)).collect();
                let text = &mut self.declarations;
                for e in &all {
                    writeln!(text, "tff(t_{e}, type, {e}: {sort}).").expect("strings grow");
                }
                let cases: Vec<String> = all.iter().map(|e| format!("X = {e}")).collect();
                writeln!(text, "tff(d_{sort}, axiom, ! [X: {sort}] : ({})).", cases.join(" | "))
                    .expect("strings grow");
                for (i, a) in all.iter().enumerate() {
                    for b in &all[i + 1..] {
                        writeln!(text, "tff(d_{a}_{b}, axiom, {a} != {b}).").expect("strings grow");
                    }
                }
                sort
            }
            SortKind::Enum(name, _) => {
                return Err(SolverError::Inexpressible(format!("the empty enumeration {name}")));
            }
            SortKind::Real | SortKind::Array(..) | SortKind::Tuple(_) => {
                let what = format!("the sort {} in first-order logic", self.terms.sort_text(sort));
                return Err(SolverError::Inexpressible(what));
            }
        };
        self.sorts.insert(sort, name.clone());
        Ok(name)
    }

    fn declare_sort(&mut self, name: &str) -> String {
        let name = format!("s{}_{}", self.sorts.len(), plain(name));
        writeln!(self.declarations, "tff(t_{name}, type, {name}: $tType).").expect("strings grow");
        name
    }
}

fn element(sort: &str, i: usize) -> String {
    format!("e{i}_{sort}")
}

/// The letters and digits of a name: with a number before them they are a lower word of TPTP.
fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).collect()
}

fn inexpressible(terms: &Terms, t: Term) -> SolverError {
    SolverError::Inexpressible(format!("{} in first-order logic", terms.text(t)))
}
