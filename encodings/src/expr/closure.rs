//! Transitive closure and iteration.

use std::rc::Rc;

use bsym_language::types::Type;

use crate::symbolic::Unsupported;
use crate::symbolic::encoder::Encoder;
use crate::symbolic::{Form, Set, Symbolic};
use crate::term::{Term, Terms};
use crate::tuning::tuning;

impl Encoder {
    /// The identity on a type.
    fn identity(&mut self, ty: &Type) -> Result<Rc<Set>, Unsupported> {
        let everything = self.everything(ty);
        self.lambda(Type::pair(ty.clone(), ty.clone()), everything, Rc::new(|_, x| Ok(x.clone())))
    }

    /// `closure1(r)`, and `closure(r)` with the identity, by Floyd and Warshall.
    pub(super) fn closure(&mut self, set: &Rc<Set>, reflexive: bool) -> Result<Rc<Set>, Unsupported> {
        let (nodes, _) = self.sides(set)?;
        let closed = if let Some(n) = self.count(&nodes) {
            let elements = self.elements(&nodes).ok_or(()).or_else(|()| self.unsupported("a large type"))?;
            let mut reach = vec![vec![Terms::FALSE; n]; n];
            for (i, x) in elements.iter().enumerate() {
                for (j, y) in elements.iter().enumerate() {
                    reach[i][j] = self.is_in(&Symbolic::pair(x.clone(), y.clone()), set)?;
                }
            }
            self.warshall(&mut reach);
            if reflexive {
                (0..n).for_each(|i| reach[i][i] = Terms::TRUE);
            }
            let items = (0..n)
                .flat_map(|i| (0..n).map(move |j| (i, j)))
                .map(|(i, j)| (reach[i][j], Symbolic::pair(elements[i].clone(), elements[j].clone())))
                .collect();
            return self.settle(Set::new(set.element.clone(), Form::List(items)));
        } else if let Some(edges) =
            self.candidates(set)?.filter(|e| e.len() <= tuning().symbolic.closure_edges)
        {
            // Paths of edges: edge j follows edge i where i ends at j's start.
            let n = edges.len();
            let mut follows = vec![vec![Terms::FALSE; n]; n];
            for (i, (g, x)) in edges.iter().enumerate() {
                for (j, (h, y)) in edges.iter().enumerate() {
                    let (end, start) = (self.as_couple(x)?.1.clone(), self.as_couple(y)?.0.clone());
                    let same = self.equal(&end, &start)?;
                    follows[i][j] = self.terms.and([*g, *h, same]);
                }
            }
            self.warshall(&mut follows);
            let mut items = edges.clone();
            for (i, (_, x)) in edges.iter().enumerate() {
                for (j, (_, y)) in edges.iter().enumerate() {
                    if follows[i][j] != Terms::FALSE {
                        let couple =
                            Symbolic::pair(self.as_couple(x)?.0.clone(), self.as_couple(y)?.1.clone());
                        items.push((follows[i][j], couple));
                    }
                }
            }
            self.settle(Set::new(set.element.clone(), Form::List(items)))?
        } else {
            self.ghost_closure(set)?
        };
        if !reflexive {
            return Ok(closed);
        }
        let identity = self.identity(&nodes)?;
        self.union(&closed, &identity)
    }

    fn warshall(&self, reach: &mut [Vec<Term>]) {
        let n = reach.len();
        for k in 0..n {
            for i in 0..n {
                for j in 0..n {
                    let through = self.terms.and([reach[i][k], reach[k][j]]);
                    reach[i][j] = self.terms.or([reach[i][j], through]);
                }
            }
        }
    }

    /// `iterate(r, n)` for a literal `n`.
    pub(super) fn iterate(&mut self, set: &Rc<Set>, n: Term) -> Result<(Rc<Set>, Term), Unsupported> {
        let (nodes, _) = self.sides(set)?;
        match self.terms.as_int(n).map(|n| n.to_i64()) {
            Some(Some(n)) if n < 0 => Ok((set.clone(), Terms::FALSE)),
            Some(Some(0)) => Ok((self.identity(&nodes)?, Terms::TRUE)),
            Some(Some(n)) if n <= tuning().symbolic.iterations => {
                let mut power = set.clone();
                for _ in 1..n {
                    power = self.compose(&power, set, set.element.clone())?;
                }
                Ok((power, Terms::TRUE))
            }
            _ => self.unsupported("`iterate` with an exponent that is not a small literal"),
        }
    }
}
