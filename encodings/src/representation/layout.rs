//! Bounds of values, as far as they decide how values are represented.
//!
//! A [`Layout`] is an upper bound of the values that a name or an expression can have. It never
//! excludes a value: where nothing better is known it is [`Layout::Any`].

use bsym_language::types::Type;
use bsym_semantics::value::Value;
use bsym_semantics::value::lazy_set::LazySet;

/// An upper bound of values.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub enum Layout {
    /// No value at all.
    Never,
    /// Every value of the type.
    #[default]
    Any,
    /// Integers between two numbers, both included.
    Range(i64, i64),
    /// Couples.
    Pair(Box<Layout>, Box<Layout>),
    /// Sets.
    Set {
        /// Every element is one of these.
        element: Box<Layout>,
        /// Every value of the element's layout is in the set.
        exact: bool,
    },
    /// Relations that are functions.
    Function(Box<Function>),
}

/// An upper bound of functions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// Every argument is one of these.
    pub keys: Layout,
    /// Every value of the arguments' layout is in the domain.
    pub total: bool,
    /// The functions are sequences.
    pub sequence: bool,
    /// Every value is one of these.
    pub value: Layout,
}

impl Layout {
    /// Sets with such elements.
    pub fn set(element: Layout, exact: bool) -> Layout {
        Layout::Set { element: Box::new(element), exact }
    }

    /// Couples.
    pub fn pair(left: Layout, right: Layout) -> Layout {
        Layout::Pair(Box::new(left), Box::new(right))
    }

    /// Functions.
    pub fn function(keys: Layout, total: bool, value: Layout) -> Layout {
        Layout::Function(Box::new(Function { keys, total, sequence: false, value }))
    }

    /// Sequences of any length.
    pub fn sequence(value: Layout) -> Layout {
        Layout::Function(Box::new(Function { keys: Layout::Any, total: false, sequence: true, value }))
    }

    /// The empty set of a type.
    pub fn empty(ty: &Type) -> Layout {
        if ty.as_relation().is_none() {
            return Layout::set(Layout::Never, true);
        }
        let nothing = Function { keys: Layout::Never, total: true, sequence: true, value: Layout::Never };
        Layout::Function(Box::new(nothing))
    }

    /// The layout of one value.
    pub fn of_value(v: &Value, ty: &Type) -> Layout {
        match (v, ty) {
            (Value::Int(n), _) => n.to_i64().map_or(Layout::Any, |n| Layout::Range(n, n)),
            (Value::Pair(p), Type::Pair(a, b)) => {
                Layout::pair(Layout::of_value(&p.0, a), Layout::of_value(&p.1, b))
            }
            (Value::Set(elements), Type::Pow(t)) => {
                let mut element = Layout::Never;
                for x in elements.iter() {
                    element = element.join(Layout::of_value(x, t));
                }
                if elements.is_empty() {
                    return Layout::empty(ty);
                }
                let exact = element.size() == Some(elements.len() as u64);
                let arguments: Vec<&Value> =
                    elements.iter().filter_map(|x| x.as_pair().map(|p| p.0)).collect();
                let functional = !arguments.is_empty() && differ(&arguments);
                match element {
                    Layout::Pair(keys, value) if functional => {
                        let total = keys.size() == Some(elements.len() as u64);
                        Layout::function(*keys, total, *value)
                    }
                    element => Layout::set(element, exact),
                }
            }
            _ => Layout::Any,
        }
    }

    /// The layout of a value that may be a set that is not listed.
    pub(crate) fn of_any_value(v: &Value, ty: &Type) -> Layout {
        if let Value::Lazy(lazy) = v
            && let LazySet::Interval(low, high) = &**lazy
            && let (Some(low), Some(high)) = (low.to_i64(), high.to_i64())
            && low <= high
        {
            return Layout::set(Layout::Range(low, high), true);
        }
        Layout::of_value(v, ty)
    }

    /// Number of values, where the layout alone says it.
    fn size(&self) -> Option<u64> {
        match self {
            Layout::Never => Some(0),
            Layout::Range(a, b) => u64::try_from(b.checked_sub(*a)?.checked_add(1)?).ok(),
            Layout::Pair(a, b) => a.size()?.checked_mul(b.size()?),
            _ => None,
        }
    }

    /// Returns whether every value of the type is possible.
    pub fn is_unrestricted(&self) -> bool {
        match self {
            Layout::Any => true,
            Layout::Pair(a, b) => a.is_unrestricted() && b.is_unrestricted(),
            Layout::Set { element, exact } => !exact && element.is_unrestricted(),
            _ => false,
        }
    }

    /// Returns whether all these values are among those of another bound, as far as that is easily said.
    pub fn is_part_of(&self, other: &Layout) -> bool {
        other.is_unrestricted() || self.clone().join(other.clone()) == *other
    }

    /// Returns the same bound without what it says of integers.
    pub fn without_numbers(self) -> Layout {
        match self {
            Layout::Range(..) => Layout::Any,
            Layout::Pair(a, b) => Layout::pair(a.without_numbers(), b.without_numbers()),
            Layout::Set { element, exact } => {
                let wider = element.clone().without_numbers();
                let exact = exact && wider == *element;
                Layout::set(wider, exact)
            }
            Layout::Function(f) => {
                let keys = f.keys.clone().without_numbers();
                let total = f.total && keys == f.keys;
                let value = f.value.without_numbers();
                Layout::Function(Box::new(Function { keys, total, value, sequence: f.sequence }))
            }
            Layout::Never | Layout::Any => self,
        }
    }

    /// The values of both.
    pub fn join(self, other: Layout) -> Layout {
        match (self, other) {
            (a, b) if a == b => a,
            (Layout::Never, x) | (x, Layout::Never) => x,
            (Layout::Range(a, b), Layout::Range(c, d)) => Layout::Range(a.min(c), b.max(d)),
            (Layout::Pair(a, b), Layout::Pair(c, d)) => Layout::pair(a.join(*c), b.join(*d)),
            (Layout::Function(f), Layout::Function(g)) => Layout::Function(Box::new(Function {
                total: f.total && g.total && f.keys == g.keys,
                sequence: f.sequence && g.sequence,
                keys: f.keys.join(g.keys),
                value: f.value.join(g.value),
            })),
            (a, b) => match (a.elements(), b.elements()) {
                (Some((x, p)), Some((y, q))) => {
                    let exact = p && q && x == y;
                    Layout::set(x.join(y), exact)
                }
                _ => Layout::Any,
            },
        }
    }

    /// A bound of the values that are in both: the better of the two.
    pub fn meet(self, other: Layout) -> Layout {
        match (self, other) {
            (Layout::Any, x) | (x, Layout::Any) => x,
            (Layout::Never, _) | (_, Layout::Never) => Layout::Never,
            (Layout::Range(a, b), Layout::Range(c, d)) => {
                let (low, high) = (a.max(c), b.min(d));
                if low <= high { Layout::Range(low, high) } else { Layout::Never }
            }
            (Layout::Pair(a, b), Layout::Pair(c, d)) => Layout::pair(a.meet(*c), b.meet(*d)),
            (Layout::Set { .. }, f @ Layout::Function(_)) => f,
            (Layout::Function(f), Layout::Function(g)) => {
                let better = (g.total, g.sequence) > (f.total, f.sequence);
                Layout::Function(if better { g } else { f })
            }
            (a, _) => a,
        }
    }

    /// The layout of the elements, and whether all values of it are elements.
    pub fn elements(&self) -> Option<(Layout, bool)> {
        match self {
            Layout::Set { element, exact } => Some(((**element).clone(), *exact)),
            Layout::Function(f) => Some((Layout::pair(f.keys.clone(), f.value.clone()), false)),
            _ => None,
        }
    }

    /// The layout of the elements, whatever is known.
    pub fn element(&self) -> Layout {
        match self {
            Layout::Never => Layout::Never,
            _ => self.elements().map_or(Layout::Any, |e| e.0),
        }
    }

    /// Returns whether it is a set that holds every value of its element's layout.
    pub fn is_exact(&self) -> bool {
        matches!(self, Layout::Set { exact: true, .. })
    }

    /// Both sides of couples.
    pub fn sides(&self) -> (Layout, Layout) {
        match self {
            Layout::Pair(a, b) => ((**a).clone(), (**b).clone()),
            Layout::Never => (Layout::Never, Layout::Never),
            _ => (Layout::Any, Layout::Any),
        }
    }

    /// The layout as one of functions, if it is one.
    pub fn as_function(&self) -> Option<&Function> {
        match self {
            Layout::Function(f) => Some(f),
            _ => None,
        }
    }

    /// The subsets of such sets.
    pub fn part(self) -> Layout {
        match self {
            Layout::Set { element, .. } => Layout::Set { element, exact: false },
            Layout::Function(f) => Layout::function(f.keys, false, f.value),
            other => other,
        }
    }
}

/// Returns whether the arguments of a relation differ. A value's elements are sorted, so equal arguments are
/// neighbours.
fn differ(arguments: &[&Value]) -> bool {
    arguments.windows(2).all(|w| w[0] != w[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_total_for_one_is_not_total_for_both() {
        let all = |n| Layout::function(Layout::Range(1, n), true, Layout::Any);
        assert_eq!(all(3).join(all(3)), all(3));
        assert_eq!(all(3).join(all(5)), Layout::function(Layout::Range(1, 5), false, Layout::Any));
        let relation = Type::relation(Type::Int, Type::Bool);
        assert_eq!(
            all(3).join(Layout::empty(&relation)),
            Layout::function(Layout::Range(1, 3), false, Layout::Any)
        );
    }

    #[test]
    fn without_numbers_nothing_is_total_on_some_of_them() {
        let table = Layout::function(Layout::Range(1, 3), true, Layout::Range(0, 7));
        assert_eq!(table.clone().without_numbers(), Layout::function(Layout::Any, false, Layout::Any));
        let of_all = Layout::function(Layout::Any, true, Layout::Range(0, 7));
        assert_eq!(of_all.clone().without_numbers(), Layout::function(Layout::Any, true, Layout::Any));
        assert_eq!(Layout::set(Layout::Range(1, 3), true).without_numbers(), Layout::set(Layout::Any, false));
        assert!(table.is_part_of(&table.clone().without_numbers()) && !of_all.is_part_of(&table));
        assert!(Layout::Range(2, 3).is_part_of(&Layout::Range(1, 3)));
        assert!(!Layout::Range(0, 3).is_part_of(&Layout::Range(1, 3)));
    }

    #[test]
    fn bounds_of_sets_meet_in_the_better_one() {
        let any = Layout::set(Layout::Any, false);
        assert_eq!(Layout::Any.meet(any.clone()), any);
        assert_eq!(Layout::Range(1, 5).meet(Layout::Range(4, 9)), Layout::Range(4, 5));
        assert_eq!(Layout::Range(1, 5).meet(Layout::Range(6, 9)), Layout::Never);
    }
}
