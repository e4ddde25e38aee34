//! Claims that values fit their representation: that a value is within a [`Layout`], and that a [`Shape`] can hold it.
//!
//! The check of a proof does not believe the analysis of representations ([`functional`](crate::representation)). These
//! are its claims as terms over values that are represented without it, to be proved from what a step assigns. A layout
//! is an upper bound, so that the claims are about single values; no claim speaks of how they were found.

use std::rc::Rc;

use bsym_language::types::Type;

use crate::representation::layout::Layout;
use crate::symbolic::encoder::Encoder;
use crate::symbolic::{Set, Shape, Symbolic};
use crate::system::{System, Unsupported};
use crate::term::{Term, Terms};

/// A claim about a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fit {
    /// The claim.
    pub holds: Term,
    /// Definitions of symbols that the claim brought in; some value of them always satisfies these.
    pub definitions: Vec<Term>,
}

impl System {
    /// Returns whether the values of a layout are represented differently from all values of the type.
    pub fn is_restricted(&self, ty: &Type, layout: &Layout) -> bool {
        self.encoder.shape(ty, layout) != self.encoder.shape(ty, &Layout::Any)
    }

    /// The value is one of a layout.
    ///
    /// # Errors
    /// [`Unsupported`] if there is no encoding.
    pub fn is_within(&mut self, value: &Symbolic, ty: &Type, layout: &Layout) -> Result<Fit, Unsupported> {
        let holds = self.encoder.is_within(value, ty, layout);
        self.fit(holds)
    }

    /// Any value of a layout is one that the shape for this layout can hold: that a value of this name, which nothing
    /// else may have, is within the layout, and that it can be held.
    ///
    /// # Errors
    /// [`Unsupported`] if there is no encoding.
    pub fn is_held(&mut self, name: &str, ty: &Type, layout: &Layout) -> Result<(Fit, Fit), Unsupported> {
        let general = self.encoder.shape(ty, &Layout::Any);
        let value = self.encoder.fresh(name, ty, &general);
        let within = self.is_within(&value, ty, layout)?;
        let shape = self.encoder.shape(ty, layout);
        let holds = self.encoder.can_hold(&shape, &value, layout);
        Ok((within, self.fit(holds)?))
    }

    fn fit(&mut self, holds: Result<Term, Unsupported>) -> Result<Fit, Unsupported> {
        let made = self.encoder.take_witnesses();
        Ok(Fit { holds: holds?, definitions: made.definitions })
    }
}

impl Encoder {
    fn is_within(&mut self, v: &Symbolic, ty: &Type, layout: &Layout) -> Result<Term, Unsupported> {
        Ok(match (layout, ty) {
            (layout, _) if layout.is_unrestricted() => Terms::TRUE,
            (Layout::Never, _) => Terms::FALSE,
            (Layout::Range(low, high), _) => {
                let n = self.as_atom(v)?;
                let t = &self.terms;
                t.and([t.le(t.int(*low), n), t.le(n, t.int(*high))])
            }
            (Layout::Pair(l, m), Type::Pair(a, b)) => {
                let (x, y) = self.as_couple(v)?;
                let sides = [self.is_within(x, a, l)?, self.is_within(y, b, m)?];
                self.terms.and(sides)
            }
            (Layout::Set { element, exact }, Type::Pow(t)) => {
                let set = self.as_set(v)?.clone();
                let mut all = vec![self.all_within(&set, t, element)?];
                if *exact {
                    all.push(self.has_all(&set, t, element)?);
                }
                self.terms.and(all)
            }
            (Layout::Function(f), Type::Pow(t)) => {
                let Type::Pair(keys, _) = &**t else { return self.unsupported("a relation was expected") };
                let set = self.as_set(v)?.clone();
                let couples = Layout::pair(f.keys.clone(), f.value.clone());
                let mut all = vec![self.functional(&set)?, self.all_within(&set, t, &couples)?];
                if f.total {
                    let domain = self.domain(&set)?;
                    all.push(self.has_all(&domain, keys, &f.keys)?);
                }
                if f.sequence && **keys == Type::Int {
                    all.push(self.is_sequence(&set)?);
                }
                self.terms.and(all)
            }
            _ => return self.unsupported("a bound of values of another type"),
        })
    }

    /// Every element is within a layout.
    fn all_within(&mut self, set: &Rc<Set>, element: &Type, layout: &Layout) -> Result<Term, Unsupported> {
        if layout.is_unrestricted() {
            return Ok(Terms::TRUE);
        }
        self.all_elements(set, element, &mut |e, x| e.is_within(x, element, layout))
    }

    /// Every value of a layout is an element.
    fn has_all(&mut self, set: &Rc<Set>, element: &Type, layout: &Layout) -> Result<Term, Unsupported> {
        if *layout == Layout::Never || self.is_everything(set) {
            return Ok(Terms::TRUE);
        }
        let set = set.clone();
        self.forall_within(element, false, &mut |e, x| {
            let within = e.is_within(x, element, layout)?;
            let inside = e.is_in(x, &set)?;
            Ok(e.terms.implies(within, inside))
        })
    }

    /// A value in the representation of all values of its type loses nothing in another shape. It is within a layout,
    /// so that what this says word for word is not asked again.
    fn can_hold(&mut self, shape: &Shape, v: &Symbolic, known: &Layout) -> Result<Term, Unsupported> {
        let function = known.as_function();
        let of_values = function.map_or(Layout::Any, |f| f.value.clone());
        Ok(match shape {
            Shape::Atom(_) | Shape::Array(_) => Terms::TRUE,
            Shape::Pair(s, t) => {
                let (x, y) = self.as_couple(v)?;
                let (left, right) = known.sides();
                let sides = [self.can_hold(s, x, &left)?, self.can_hold(t, y, &right)?];
                self.terms.and(sides)
            }
            Shape::Record(shapes) => {
                let Symbolic::Record(fields) = v else { return self.unsupported("a record was expected") };
                let all: Result<Vec<Term>, _> = shapes
                    .iter()
                    .zip(fields)
                    .map(|((_, s), (_, x))| self.can_hold(s, x, &Layout::Any))
                    .collect();
                self.terms.and(all?)
            }
            Shape::Vector(element, universe) => {
                if universe.is_whole() {
                    return Ok(Terms::TRUE);
                }
                let set = self.as_set(v)?.clone();
                let listed = universe.values().to_vec();
                self.all_elements(&set, element, &mut |e, x| e.is_one_of(x, &listed))?
            }
            Shape::Table { element, keys, total, value } => {
                let Type::Pair(key, _) = element else { return self.unsupported("a relation was expected") };
                let set = self.as_set(v)?.clone();
                let domain = self.domain(&set)?;
                let listed = keys.values().to_vec();
                let mut all = vec![self.values_held(&set, element, value, &of_values)?];
                if function.is_none() {
                    all.push(self.functional(&set)?);
                }
                if !keys.is_whole() {
                    all.push(self.all_elements(&domain, key, &mut |e, x| e.is_one_of(x, &listed))?);
                }
                if *total {
                    for k in &listed {
                        all.push(self.is_in(k, &domain)?);
                    }
                }
                self.terms.and(all)
            }
            Shape::Map(element, value) => {
                let set = self.as_set(v)?.clone();
                let mut all = vec![self.values_held(&set, element, value, &of_values)?];
                if function.is_none() {
                    all.push(self.functional(&set)?);
                }
                self.terms.and(all)
            }
            Shape::Sequence(element, value) => {
                let set = self.as_set(v)?.clone();
                let mut all = vec![self.values_held(&set, element, value, &of_values)?];
                if !function.is_some_and(|f| f.sequence) {
                    all.push(self.is_sequence(&set)?);
                }
                self.terms.and(all)
            }
        })
    }

    /// The values of a relation can be held by a shape.
    fn values_held(
        &mut self,
        set: &Rc<Set>,
        element: &Type,
        shape: &Shape,
        known: &Layout,
    ) -> Result<Term, Unsupported> {
        self.all_elements(set, element, &mut |e, x| {
            let (_, value) = e.as_couple(x)?;
            e.can_hold(shape, value, known)
        })
    }

    fn is_one_of(&mut self, x: &Symbolic, values: &[Symbolic]) -> Result<Term, Unsupported> {
        let all: Result<Vec<Term>, _> = values.iter().map(|y| self.equal(x, y)).collect();
        Ok(self.terms.or(all?))
    }

    /// `!x. x : set => f(x)`, whatever the set's form.
    fn all_elements(
        &mut self,
        set: &Rc<Set>,
        element: &Type,
        f: &mut dyn FnMut(&mut Encoder, &Symbolic) -> Result<Term, Unsupported>,
    ) -> Result<Term, Unsupported> {
        if let Some(items) = self.candidates(set)? {
            let mut all = vec![];
            for (guard, x) in items {
                let then = f(self, &x)?;
                all.push(self.terms.implies(guard, then));
            }
            return Ok(self.terms.and(all));
        }
        let closed = self.is_closed(set);
        self.forall_within(element, closed, &mut |e, x| {
            let then = f(e, x)?;
            if then == Terms::TRUE {
                return Ok(then);
            }
            let inside = e.is_in(x, set)?;
            Ok(e.terms.implies(inside, then))
        })
    }
}
