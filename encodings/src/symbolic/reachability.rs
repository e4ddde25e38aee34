//! Transitive closures of relations that cannot be listed: ghost relations, with what updates say of them.
//!
//! For each sort of relations there is a rigid function that says of a relation and two ends whether its closure has
//! them, in the interpretation at hand. Of the closure `t` of a relation `r` that is not known further it is noted that
//! it has `r` in it and is transitive, and that parts of a relation have smaller closures. That it is the least such
//! relation is of second order and left out: a solver may find closures that are too large, which a replay notices, and
//! `unsat` stays what it is.
//!
//! A couple `a |-> b` that is added leads from x to y where x leads to a, or is it, and b leads to y, or is it: `t(x,
//! y) or (x = a or t(x, a)) & (b = y or t(b, y))`, which is exact (Dong and Su: *Incremental and decremental evaluation
//! of transitive closure by first-order queries*, 1995). A relation that is the value of a variable after a step has
//! the closure that its new value has ([`Encoder::same_closure`]).

use std::rc::Rc;

use bsym_language::types::Type;

use crate::symbolic::encoder::Encoder;
use crate::symbolic::{Form, Set, Symbolic, Unsupported};
use crate::term::{Op, Term, Terms};
use crate::tuning::tuning;

impl Encoder {
    /// `closure1(r)` of any relation.
    pub(crate) fn ghost_closure(&mut self, relation: &Set) -> Result<Rc<Set>, Unsupported> {
        let (nodes, _) = self.sides(relation)?;
        let closed = self.is_closed(relation);
        let array = self.as_array(relation)?;
        let test: super::Test = Rc::new(move |e, couple| {
            let (x, y) = e.as_couple(couple)?;
            let ends = (e.pack(x)?, e.pack(y)?);
            Ok(e.leads(array, &nodes, ends, tuning().symbolic.added))
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
        if !self.set_uses.closed.contains(&own.element) {
            return Ok(vec![]);
        }
        let (nodes, _) = self.sides(own)?;
        let array = self.as_array(new)?;
        let ((id, _), (other, _)) = (self.binder("x", &nodes), self.binder("y", &nodes));
        let ends = (self.symbol(id), self.symbol(other));
        let said = self.leads(array, &nodes, ends, tuning().symbolic.added);
        let here = self.leads(after, &nodes, ends, 0);
        let same = self.terms.forall(&[id, other], self.terms.eq(here, said));
        self.forget(id);
        self.forget(other);
        Ok(vec![same])
    }

    /// Returns whether a relation leads from one node to another. The `added` couples that were added last are
    /// followed.
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
                self.note_closure(array, nodes);
                self.is_reached(array, x, y)
            }
        }
    }

    /// The closure itself. It is one array from relations and both ends: as an array of arrays, Z3 finds no model of it
    /// that satisfies a quantifier.
    fn is_reached(&self, array: Term, x: Term, y: Term) -> Term {
        let t = &self.terms;
        let name = format!("closure of {}", t.sort_text(t.sort_of(array)));
        let place = t.tuple(&[array, x, y]);
        t.select(t.rigid(&name, t.set_sort(t.sort_of(place))), place)
    }

    /// Notes what holds of the closure of a relation as such.
    fn note_closure(&mut self, array: Term, nodes: &Type) {
        if self.made.closures.contains(&array) {
            return;
        }
        self.made.closures.push(array);
        let t = self.terms.clone();
        let bound = [(); 3].map(|()| self.binder("x", nodes).0);
        let [x, y, z] = bound.map(|id| self.symbol(id));
        // A closure is false for strays, so that no range is needed.
        let step = t.implies(t.select(array, t.tuple(&[x, y])), self.is_reached(array, x, y));
        let path = t.and([self.is_reached(array, x, y), self.is_reached(array, y, z)]);
        let mut facts = vec![
            t.forall(&bound[..2], step),
            t.forall(&bound, t.implies(path, self.is_reached(array, x, z))),
        ];
        let node = t.node(array);
        let (smaller, larger): (&[Term], &[Term]) = match node.op {
            Op::SetUnion => (&node.args, &[]),
            Op::SetInter => (&[], &node.args),
            Op::SetMinus => (&[], &node.args[..1]),
            Op::Store if node.args[2] == Terms::TRUE => (&node.args[..1], &[]),
            Op::Store if node.args[2] == Terms::FALSE => (&[], &node.args[..1]),
            _ => (&[], &[]),
        };
        let pairs =
            smaller.iter().map(|&part| (part, array)).chain(larger.iter().map(|&whole| (array, whole)));
        for (part, whole) in pairs.collect::<Vec<_>>() {
            let other = if part == array { whole } else { part };
            self.note_closure(other, nodes);
            let grows = t.implies(self.is_reached(part, x, y), self.is_reached(whole, x, y));
            facts.push(t.forall(&bound[..2], grows));
        }
        bound.into_iter().for_each(|id| self.forget(id));
        for fact in facts {
            let bound = self.bound_in(&[fact]);
            self.made.noted.push((fact, bound));
        }
    }
}
