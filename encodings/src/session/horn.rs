//! A transition relation as constrained Horn clauses (SMT-LIB, logic `HORN`): the form that Spacer, Golem and Eldarica
//! read.
//!
//! One predicate stands for the reachable states. `sat` says that an interpretation of it exists that excludes every bad
//! step, so that the model is right; `unsat` that a bad step is reachable.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::rc::Rc;

use super::smtlib::{Dialect, Printer};
use crate::propositional::circuit::{Refused, Relation};
use crate::term::{Op, SortKind, SymbolId, Term, Terms};

/// Writes the clauses of a relation whose values are integers, truth values and elements of enumerations.
///
/// # Errors
/// The part that has another form.
pub fn horn(terms: &Rc<Terms>, relation: &Relation) -> Result<String, Refused> {
    let before = relation.constants.iter().copied().chain(relation.state.iter().map(|s| s.0));
    let before = before.filter_map(|t| terms.as_symbol(t)).collect();
    let printer = Printer::new(terms.clone(), Dialect::Generic);
    Writer { terms, printer, before, text: String::new() }.write(relation)
}

struct Writer<'t> {
    terms: &'t Rc<Terms>,
    printer: Printer,
    /// The symbols of the state before a step.
    before: BTreeSet<SymbolId>,
    text: String,
}

impl Writer<'_> {
    fn write(mut self, relation: &Relation) -> Result<String, Refused> {
        let constants = &relation.constants;
        let before: Vec<Term> = constants.iter().copied().chain(relation.state.iter().map(|s| s.0)).collect();
        let after: Vec<Term> = constants.iter().copied().chain(relation.state.iter().map(|s| s.1)).collect();
        let mut sorts = vec![];
        for &symbol in &before {
            self.admit(symbol)?;
            sorts.push(self.sort_of(symbol)?);
        }
        let signature = sorts.join(" ");
        let reachable = |me: &mut Self, all: &[Term]| -> Result<String, Refused> {
            if all.is_empty() {
                return Ok("reachable".into());
            }
            let mut text = "(reachable".to_string();
            for &symbol in all {
                text.push(' ');
                text.push_str(&me.term(symbol)?);
            }
            Ok(text + ")")
        };
        let (here, there) = (reachable(&mut self, &before)?, reachable(&mut self, &after)?);
        let terms = self.terms;
        let selectors: Vec<Term> = relation.alternatives.iter().map(|a| a.0).collect();
        let fixed = |t: Term, of: &[(Term, Term)]| {
            let mut by = crate::term::Substitution::new(of.iter().copied());
            terms.substitute(t, &mut by)
        };
        let facts = relation.axioms.iter().chain(&relation.facts).copied();
        let facts: Vec<Term> = facts.collect();
        for (i, &(_, step)) in relation.alternatives.iter().enumerate() {
            for first in [true, false] {
                // Each alternative belongs to the first step or to all others.
                let mut known: Vec<(Term, Term)> = vec![(relation.first, terms.bool(first))];
                known.extend(selectors.iter().enumerate().map(|(j, &s)| (s, terms.bool(i == j))));
                let step = fixed(step, &known);
                if step == Terms::FALSE {
                    continue;
                }
                let from = if first { None } else { Some(here.as_str()) };
                let bad = fixed(relation.bad, &known);
                // Also the facts that define what else belongs to the state before.
                let known = if first { &[][..] } else { &relation.known };
                let body: Vec<Term> = facts.iter().chain(known).copied().chain([step]).collect();
                self.clause(from, &body, &there, &after)?;
                let bad = body.into_iter().chain([bad]).collect::<Vec<_>>();
                self.clause(from, &bad, "false", &[])?;
            }
        }
        // The symbols are those of the quantifiers.
        let declarations = self.printer.take_declarations();
        let sorts = declarations.lines().filter(|line| !line.starts_with("(declare-const "));
        let declarations: String = sorts.map(|line| format!("{line}\n")).collect();
        Ok(format!(
            "(set-logic HORN)\n{declarations}(declare-fun reachable ({signature}) Bool)\n{}(check-sat)\n",
            self.text
        ))
    }

    fn term(&mut self, t: Term) -> Result<String, Refused> {
        self.printer.inline(t).map_err(|why| Refused::NoForm(why.to_string()))
    }

    fn sort_of(&mut self, t: Term) -> Result<String, Refused> {
        self.printer.sort(self.terms.sort_of(t)).map_err(|why| Refused::NoForm(why.to_string()))
    }

    /// Writes a clause over all symbols that occur in it.
    fn clause(
        &mut self,
        from: Option<&str>,
        body: &[Term],
        head: &str,
        in_head: &[Term],
    ) -> Result<(), Refused> {
        if body.contains(&Terms::FALSE) {
            return Ok(());
        }
        let mut parts: Vec<String> = from.into_iter().map(str::to_string).collect();
        for &t in body.iter().filter(|&&t| t != Terms::TRUE) {
            self.admit(t)?;
            parts.push(self.term(t)?);
        }
        let mut symbols: BTreeSet<SymbolId> = self.terms.symbols(body).into_iter().collect();
        symbols.extend(in_head.iter().filter_map(|&t| self.terms.as_symbol(t)));
        if from.is_some() {
            symbols.extend(self.before.iter().copied());
        }
        let mut bound = vec![];
        for id in symbols {
            let t = self.terms.symbol_term(id);
            bound.push(format!("({} {})", self.term(t)?, self.sort_of(t)?));
        }
        let body = match parts.len() {
            0 => "true".into(),
            1 => parts.remove(0),
            _ => format!("(and {})", parts.join(" ")),
        };
        let clause = format!("(=> {body} {head})");
        if bound.is_empty() {
            writeln!(self.text, "(assert {clause})").expect("strings grow");
        } else {
            writeln!(self.text, "(assert (forall ({}) {clause}))", bound.join(" ")).expect("strings grow");
        }
        Ok(())
    }

    /// Refuses what solvers for Horn clauses do not read.
    fn admit(&self, t: Term) -> Result<(), Refused> {
        let mut refused = None;
        self.terms.visit(&[t], |part, node| {
            let is_simple = matches!(
                self.terms.sort_kind(node.sort),
                SortKind::Bool | SortKind::Int | SortKind::Enum(..)
            );
            if matches!(node.op, Op::Forall(_) | Op::Exists(_)) {
                refused.get_or_insert_with(|| "a quantifier".to_string());
            } else if !is_simple {
                let name = self.terms.as_symbol(part).map(|id| self.terms.symbol_name(id).to_string());
                let what = name.map_or_else(
                    || "a value that is no integer, truth value or element".to_string(),
                    |name| {
                        format!("`{}`, which is no integer, truth value or element", name.replace("@0", ""))
                    },
                );
                refused.get_or_insert(what);
            }
        });
        match refused {
            Some(what) => Err(Refused::NoForm(what)),
            None => Ok(()),
        }
    }
}
