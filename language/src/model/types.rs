//! Types of B expressions.

/// Index of a carrier set (enumerated set, deferred set or set parameter) in [`crate::model::DeclaredTypes::carriers`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CarrierId(pub u32);

/// Index of a free type in [`crate::model::DeclaredTypes::free_types`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FreeTypeId(pub u32);

/// A type of B (B-Book, 2.2). Functions and sequences are sets of pairs.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Type {
    /// `BOOL`
    Bool,
    /// `INTEGER`
    Int,
    /// `REAL`
    Real,
    /// `STRING`
    String,
    /// An enumerated set, a deferred set or a set parameter.
    Carrier(CarrierId),
    /// `POW(T)`
    Pow(Box<Type>),
    /// `T * U`
    Pair(Box<Type>, Box<Type>),
    /// `struct(a: T, …)`, labels sorted and distinct.
    Record(Vec<(String, Type)>),
    /// A free type with its type arguments.
    Free(FreeTypeId, Vec<Type>),
    /// A type parameter, in the declaration of a free type.
    Parameter(u32),
}

impl Type {
    /// `POW(element)`
    pub fn pow(element: Type) -> Type {
        Type::Pow(Box::new(element))
    }

    /// `left * right`
    pub fn pair(left: Type, right: Type) -> Type {
        Type::Pair(Box::new(left), Box::new(right))
    }

    /// `POW(left * right)`
    pub fn relation(left: Type, right: Type) -> Type {
        Type::pow(Type::pair(left, right))
    }

    /// `POW(INTEGER * element)`
    pub fn seq(element: Type) -> Type {
        Type::relation(Type::Int, element)
    }

    /// Returns the type with types in the place of its parameters.
    pub fn with_parameters(&self, arguments: &[Type]) -> Type {
        let of = |t: &Type| t.with_parameters(arguments);
        match self {
            Type::Parameter(i) => arguments.get(*i as usize).unwrap_or(self).clone(),
            Type::Pow(t) => Type::pow(of(t)),
            Type::Pair(a, b) => Type::pair(of(a), of(b)),
            Type::Record(fields) => Type::Record(fields.iter().map(|(l, t)| (l.clone(), of(t))).collect()),
            Type::Free(id, types) => Type::Free(*id, types.iter().map(of).collect()),
            _ => self.clone(),
        }
    }

    /// Returns the element type of a set type.
    pub fn element(&self) -> Option<&Type> {
        match self {
            Type::Pow(t) => Some(t),
            _ => None,
        }
    }

    /// Domain and range type of a relation type.
    pub fn as_relation(&self) -> Option<(&Type, &Type)> {
        match self.element()? {
            Type::Pair(a, b) => Some((a, b)),
            _ => None,
        }
    }
}
