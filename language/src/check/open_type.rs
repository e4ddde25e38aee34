//! Types while they are inferred: each part may still be open.
//!
//! The trees of this folder have such types; `close` makes them those of the model.

use crate::model::types::{CarrierId, FreeTypeId, Type};
use crate::model::{self, BinaryOp, ExprKind, visit};
use crate::print;

/// A type that may have open parts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum OpenType {
    Bool,
    Int,
    Real,
    String,
    Carrier(CarrierId),
    Pow(Box<OpenType>),
    Pair(Box<OpenType>, Box<OpenType>),
    /// Labels sorted and distinct.
    Record(Vec<(String, OpenType)>),
    Free(FreeTypeId, Vec<OpenType>),
    Parameter(u32),
    /// To be found out.
    Variable(TypeVariable),
    /// The type of an expression that a message was given for; equal to every type.
    Error,
}

/// An expression with an open type.
pub(super) type Expr = model::Expr<OpenType>;
/// A predicate with open types.
pub(super) type Pred = model::Pred<OpenType>;
/// A substitution with open types.
pub(super) type Subst = model::Subst<OpenType>;
/// A conjunct with open types.
pub(super) type Conjunct = model::Conjunct<OpenType>;
/// A declared name with an open type.
pub(super) type Variable = model::Variable<OpenType>;
/// An event with open types.
pub(super) type Event = model::Event<OpenType>;
/// A model with open types.
pub(super) type OpenModel = model::Model<OpenType>;
/// Open expressions in the place of names.
pub(super) type Replacement = visit::Replacement<OpenType>;

/// `left |-> right`, placed at both.
pub(super) fn couple(left: Expr, right: Expr) -> Expr {
    let span = if left.span.source == right.span.source { left.span.to(right.span) } else { left.span };
    let ty = OpenType::pair(left.ty.clone(), right.ty.clone());
    ExprKind::Binary(BinaryOp::Maplet, Box::new(left), Box::new(right)).typed(ty, span)
}

/// A variable of [`Inference`](super::unify::Inference).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct TypeVariable(pub u32);

impl OpenType {
    /// `POW(element)`
    pub fn pow(element: OpenType) -> OpenType {
        OpenType::Pow(Box::new(element))
    }

    /// `left * right`
    pub fn pair(left: OpenType, right: OpenType) -> OpenType {
        OpenType::Pair(Box::new(left), Box::new(right))
    }

    /// `POW(left * right)`
    pub fn relation(left: OpenType, right: OpenType) -> OpenType {
        OpenType::pow(OpenType::pair(left, right))
    }

    /// `POW(INTEGER * element)`
    pub fn seq(element: OpenType) -> OpenType {
        OpenType::relation(OpenType::Int, element)
    }

    /// Returns the element type of a set type.
    pub fn element(&self) -> Option<&OpenType> {
        match self {
            OpenType::Pow(t) => Some(t),
            _ => None,
        }
    }

    /// Returns the type with each part that has no parts replaced.
    pub fn map(&self, leaf: &mut impl FnMut(&OpenType) -> OpenType) -> OpenType {
        match self {
            OpenType::Pow(a) => OpenType::pow(a.map(leaf)),
            OpenType::Pair(a, b) => OpenType::pair(a.map(leaf), b.map(leaf)),
            OpenType::Record(fields) => {
                OpenType::Record(fields.iter().map(|(l, t)| (l.clone(), t.map(leaf))).collect())
            }
            OpenType::Free(id, types) => OpenType::Free(*id, types.iter().map(|t| t.map(leaf)).collect()),
            _ => leaf(self),
        }
    }

    /// Returns the type with types in the place of its parameters.
    pub fn with_parameters(&self, arguments: &[OpenType]) -> OpenType {
        self.map(&mut |leaf| match leaf {
            OpenType::Parameter(i) => arguments.get(*i as usize).unwrap_or(leaf).clone(),
            _ => leaf.clone(),
        })
    }
}

/// Returns a type as a B expression, `_` for a part that is not known.
pub(super) fn text(model: &OpenModel, t: &OpenType) -> String {
    let list = |types: &[OpenType]| types.iter().map(|t| text(model, t)).collect::<Vec<_>>().join(", ");
    match t {
        OpenType::Bool => "BOOL".into(),
        OpenType::Int => "INTEGER".into(),
        OpenType::Real => "REAL".into(),
        OpenType::String => "STRING".into(),
        OpenType::Carrier(c) => print::quoted(&model.types.carriers[c.index()].name),
        OpenType::Pow(a) => format!("POW({})", text(model, a)),
        OpenType::Pair(a, b) => match **b {
            OpenType::Pair(..) => format!("{} * ({})", text(model, a), text(model, b)),
            _ => format!("{} * {}", text(model, a), text(model, b)),
        },
        OpenType::Record(fields) => {
            let fields = fields.iter().map(|(l, t)| format!("{}: {}", print::quoted(l), text(model, t)));
            format!("struct({})", fields.collect::<Vec<_>>().join(", "))
        }
        OpenType::Free(f, arguments) => {
            let name = print::quoted(&model.types.free_types[f.index()].name);
            if arguments.is_empty() { name } else { format!("{name}({})", list(arguments)) }
        }
        OpenType::Parameter(i) => print::type_parameter(*i),
        OpenType::Variable(_) | OpenType::Error => "_".into(),
    }
}

impl From<&Type> for OpenType {
    fn from(t: &Type) -> OpenType {
        match t {
            Type::Bool => OpenType::Bool,
            Type::Int => OpenType::Int,
            Type::Real => OpenType::Real,
            Type::String => OpenType::String,
            Type::Carrier(c) => OpenType::Carrier(*c),
            Type::Pow(a) => OpenType::pow((&**a).into()),
            Type::Pair(a, b) => OpenType::pair((&**a).into(), (&**b).into()),
            Type::Record(fields) => {
                OpenType::Record(fields.iter().map(|(l, t)| (l.clone(), t.into())).collect())
            }
            Type::Free(id, types) => OpenType::Free(*id, types.iter().map(OpenType::from).collect()),
            Type::Parameter(i) => OpenType::Parameter(*i),
        }
    }
}
