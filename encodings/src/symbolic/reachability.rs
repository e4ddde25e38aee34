//! Transitive closures of relations that nobody can list: ghost relations, with what updates say of them.
//!
//! For each sort of relations there is a rigid function, an array from relations to relations, that is the closure in the
//! interpretation at hand. Of the closure `t` of a relation `r` that is not known further it is noted that it has `r`
//! in it and is transitive, and that parts of a relation have smaller closures. That it is the least such relation is
//! of second order and left out: a solver may find closures that are too large, which a replay notices, and `unsat`
//! stays what it is.
//!
//! A couple `a |-> b` that is added leads from x to y where x leads to a, or is it, and b leads to y, or is it:
//! `t(x, y) or (x = a or t(x, a)) & (b = y or t(b, y))`, which is exact (Dong and Su: *Incremental and decremental evaluation of
//! transitive closure by first-order queries*, 1995). A relation that is the value of a variable after a step has the closure
//! that its new value has ([`Encoder::same_closure`]).

use std::rc::Rc;

use bsym_language::types::Type;

use crate::symbolic::encoder::Encoder;
use crate::symbolic::{Form, Set, Symbolic, Unsupported};
use crate::term::{Op, Term, Terms};

/// So many couples that were added one after the other are followed; the formula has four times the size for each.
const ADDED: usize = 3;

impl Encoder {
    /// `closure1(r)` of any relation.
    pub(crate) fn ghost_closure(&mut self, relation: &Set) -> Result<Rc<Set>, Unsupported> {
        let (nodes, _) = self.sides(relation)?;
        let closed = self.is_closed(relation);
        let array = self.as_array(relation)?;
        let test: super::Test = Rc::new(move |e, couple| {
            let (x, y) = e.as_couple(couple)?;
            let ends = (e.pack(x)?, e.pack(y)?);
            Ok(e.leads(array, &nodes, ends, ADDED))
        });
        Ok(Set::new(relation.element.clone(), Form::Where(test, closed)))
    }

    /// A variable that takes a value has the closure of the value, where the model asks for closures.
    pub(crate) fn same_closure(
        &mut self,
        variable: &Symbolic,
        value: &Symbolic,
    ) -> Result<Vec<Term>, Unsupported> {
        let (Symbolic::Set(own), Symbolic::Set(new)) = (variable, value) else { return Ok(vec![]) };
        let Form::Array(after) = own.form else { return Ok(vec![]) };
        if !self.closed.contains(&own.element) {
            return Ok(vec![]);
        }
        let (nodes, _) = self.sides(own)?;
        let array = self.as_array(new)?;
        let ((id, _), (other, _)) = (self.binder("x", &nodes), self.binder("y", &nodes));
        let ends = (self.symbol(id), self.symbol(other));
        let said = self.leads(array, &nodes, ends, ADDED);
        let here = self.leads(after, &nodes, ends, 0);
        let same = self.terms.forall(&[id, other], self.terms.eq(here, said));
        self.forget(id);
        self.forget(other);
        Ok(vec![same])
    }

    /// A relation leads from one node to another; so many couples that were added last are followed.
    fn leads(&mut self, array: Term, nodes: &Type, (x, y): (Term, Term), added: usize) -> Term {
        let t = self.terms.clone();
        let node = t.node(array);
        match node.op {
            Op::ConstArray(_) if node.args[0] == Terms::FALSE => Terms::FALSE,
            Op::Store if node.args[2] == Terms::TRUE && added > 0 => {
                let rest = node.args[0];
                let (a, b) = (t.field(node.args[1], 0), t.field(node.args[1], 1));
                let mut before = |ends| self.leads(rest, nodes, ends, added - 1);
                let (known, to, from) = (before((x, y)), before((x, a)), before((b, y)));
                let (to, from) = (t.or([t.eq(x, a), to]), t.or([t.eq(b, y), from]));
                t.or([known, t.and([to, from])])
            }
            Op::Ite => {
                let yes = self.leads(node.args[1], nodes, (x, y), added);
                let no = self.leads(node.args[2], nodes, (x, y), added);
                t.ite(node.args[0], yes, no)
            }
            _ => {
                let whole = self.ghost_of(array, nodes);
                t.select(whole, t.tuple(&[x, y]))
            }
        }
    }

    /// The closure itself, with what holds of it as such.
    fn ghost_of(&mut self, array: Term, nodes: &Type) -> Term {
        let t = self.terms.clone();
        let sort = t.sort_of(array);
        let name = format!("closure of {}", t.sort_text(sort));
        let closures = t.rigid(&name, t.array_sort(sort, sort));
        let whole = t.select(closures, array);
        let mut facts = vec![t.subset(array, whole)];
        let node = t.node(array);
        let (smaller, larger): (&[Term], &[Term]) = match node.op {
            Op::SetUnion => (&node.args, &[]),
            Op::SetInter => (&[], &node.args),
            Op::SetMinus => (&[], &node.args[..1]),
            Op::Store if node.args[2] == Terms::TRUE => (&node.args[..1], &[]),
            Op::Store if node.args[2] == Terms::FALSE => (&[], &node.args[..1]),
            _ => (&[], &[]),
        };
        for &part in smaller {
            let of_part = self.ghost_of(part, nodes);
            facts.push(t.subset(of_part, whole));
        }
        for &around in larger {
            let of_all = self.ghost_of(around, nodes);
            facts.push(t.subset(whole, of_all));
        }
        facts.push(self.is_transitive(whole, nodes));
        for fact in facts {
            if fact != Terms::TRUE && !self.noted.iter().any(|(known, _)| *known == fact) {
                let bound = self.bound_in(&[fact]);
                self.noted.push((fact, bound));
            }
        }
        whole
    }

    fn is_transitive(&mut self, relation: Term, nodes: &Type) -> Term {
        if let Some((_, known)) = self.transitive.iter().find(|(of, _)| *of == relation) {
            return *known;
        }
        let t = self.terms.clone();
        let bound = [(); 3].map(|()| self.binder("x", nodes).0);
        let [x, y, z] = bound.map(|id| self.symbol(id));
        let leads = |a: Term, b: Term| t.select(relation, t.tuple(&[a, b]));
        let body = t.implies(t.and([leads(x, y), leads(y, z)]), leads(x, z));
        // A closure is false for strays, so that no range is needed.
        let fact = t.forall(&bound, body);
        self.transitive.push((relation, fact));
        fact
    }
}
