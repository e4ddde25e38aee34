//! Numbers of elements of sets that cannot be listed: ghost integers, with what updates say of them.
//!
//! For each sort of sets over deferred elements there is a rigid function, an array from sets to integers. For a finite
//! set it has the number of its elements. For an infinite one it has, in the interpretation at hand, how many elements
//! the set has more than a chosen representative of all the sets that differ from it in finitely many elements; the
//! empty set represents the finite ones, so that both readings are one. Adding an element that is not there is one more
//! then and taking one away is one less, whether the set is finite or not. Everything else that is noted here is true
//! of finite sets and guarded by that.
//!
//! The facts are about the sets that terms speak of. A set that is the value of a variable after a step has the number
//! that its new value has ([`Encoder::same_size`]), which makes the number an unknown of each state.

use bsym_language::types::Type;

use crate::symbolic::encoder::Encoder;
use crate::symbolic::{Form, Set, Symbolic, Unsupported};
use crate::term::{Op, Term, Terms};

impl Encoder {
    /// Number of elements of a set over deferred elements, `None` for others.
    pub(crate) fn ghost_size(&mut self, set: &Set) -> Result<Option<Term>, Unsupported> {
        if !self.is_open(self.sort(&set.element)) || !self.is_countable(&set.element) {
            return Ok(None);
        }
        let array = self.as_array(set)?;
        Ok(Some(self.size_of_array(array, &set.element)))
    }

    /// A variable that takes a value has as many elements as the value, where the model counts.
    pub(crate) fn same_size(
        &mut self,
        variable: &Symbolic,
        value: &Symbolic,
    ) -> Result<Vec<Term>, Unsupported> {
        let (Symbolic::Set(own), Symbolic::Set(new)) = (variable, value) else { return Ok(vec![]) };
        let (own, new) = match &own.form {
            Form::Array(_) => (own.clone(), new.clone()),
            Form::Map { .. } => (self.domain(own)?, self.domain(new)?),
            _ => return Ok(vec![]),
        };
        if !self.set_uses.counted.contains(&own.element) {
            return Ok(vec![]);
        }
        let (Some(before), Some(after)) = (self.ghost_size(&own)?, self.ghost_size(&new)?) else {
            return Ok(vec![]);
        };
        Ok(vec![self.terms.eq(before, after)])
    }

    /// Returns whether values of a type are deferred elements, or have one in them, and nothing that there are
    /// infinitely many of by themselves: finiteness of sets over them is no question about numbers.
    fn is_countable(&self, ty: &Type) -> bool {
        match ty {
            Type::Carrier(_) => self.carrier(self.sort(ty)).is_some() || self.is_finite(ty),
            Type::Bool => true,
            Type::Pair(a, b) => self.is_countable(a) && self.is_countable(b),
            Type::Record(fields) => fields.iter().all(|(_, t)| self.is_countable(t)),
            _ => false,
        }
    }

    fn is_finite_array(&mut self, array: Term, element: &Type) -> Term {
        if self.is_finite(element) { Terms::TRUE } else { self.finite_array(array) }
    }

    fn size_of_array(&mut self, array: Term, element: &Type) -> Term {
        let t = self.terms.clone();
        let node = t.node(array);
        match node.op {
            Op::ConstArray(_) if node.args[0] == Terms::FALSE => t.int(0),
            Op::Store if matches!(node.args[2], Terms::TRUE | Terms::FALSE) => {
                let (set, x) = (node.args[0], node.args[1]);
                let before = self.size_of_array(set, element);
                let inside = t.select(set, x);
                let change = match node.args[2] {
                    Terms::TRUE => t.ite(inside, t.int(0), t.int(1)),
                    _ => t.ite(inside, t.int(-1), t.int(0)),
                };
                t.add([before, change])
            }
            Op::Ite => {
                let (a, b) =
                    (self.size_of_array(node.args[1], element), self.size_of_array(node.args[2], element));
                t.ite(node.args[0], a, b)
            }
            Op::SetUnion | Op::SetMinus => {
                let (a, b) = (node.args[0], node.args[1]);
                // The one that is written out, if one is, is taken element by element.
                for (listed, other) in [(a, b), (b, a)] {
                    if node.op == Op::SetMinus && listed == a {
                        continue;
                    }
                    if let Some(items) = self.written_out(listed) {
                        let with = node.op == Op::SetUnion;
                        let set = items.into_iter().rev().fold(other, |s, x| t.store(s, x, t.bool(with)));
                        return self.size_of_array(set, element);
                    }
                }
                let common = t.set_inter(a, b);
                let (of_a, of_common) = (self.size_of_array(a, element), self.size_of_array(common, element));
                let sum = match node.op {
                    Op::SetMinus => t.add([of_a, t.neg(of_common)]),
                    _ => {
                        let of_b = self.size_of_array(b, element);
                        t.add([of_a, of_b, t.neg(of_common)])
                    }
                };
                let finite = [self.is_finite_array(a, element), self.is_finite_array(b, element)];
                match t.and(finite) {
                    Terms::TRUE => sum,
                    finite => t.ite(finite, sum, self.ghost(array, element)),
                }
            }
            _ => self.ghost(array, element),
        }
    }

    /// The elements of a set that is written out.
    fn written_out(&self, array: Term) -> Option<Vec<Term>> {
        let node = self.terms.node(array);
        match node.op {
            Op::ConstArray(_) if node.args[0] == Terms::FALSE => Some(vec![]),
            Op::Store if node.args[2] == Terms::TRUE => {
                let mut items = self.written_out(node.args[0])?;
                items.push(node.args[1]);
                Some(items)
            }
            _ => None,
        }
    }

    /// The number itself, with what holds of it as such.
    fn ghost(&mut self, array: Term, element: &Type) -> Term {
        let t = self.terms.clone();
        let sort = t.sort_of(array);
        let name = format!("number of elements of {}", t.sort_text(sort));
        let number = t.select(t.rigid(&name, t.array_sort(sort, Terms::INT)), array);
        let is_empty = t.eq(array, t.empty_set(sort));
        let mut facts = vec![t.ge(number, t.int(0)), t.eq(t.eq(number, t.int(0)), is_empty)];
        let node = t.node(array);
        if node.op == Op::SetInter {
            for &whole in node.args.iter() {
                let of_whole = self.size_of_array(whole, element);
                let fact = t.and([t.le(number, of_whole), t.eq(t.eq(number, of_whole), t.eq(array, whole))]);
                let finite = self.is_finite_array(whole, element);
                facts.push(t.implies(finite, fact));
            }
        }
        let finite = self.is_finite_array(array, element);
        for fact in facts {
            let fact = t.implies(finite, fact);
            self.note_fact(fact);
        }
        number
    }
}
