//! The theories of a project, and the entities that their names refer to.

use std::collections::HashMap;
use std::sync::Arc;

use super::open_type::OpenType;
use crate::eventb::project::Theory;
use crate::model::OperatorId;
use crate::model::types::{CarrierId, FreeTypeId};

/// The theories of a project and the results of their expansion so far.
#[derive(Default)]
pub(super) struct Theories {
    pub all: Vec<Arc<Theory>>,
    pub types: HashMap<String, DataType>,
    /// Operators whose cases are being read: name, operator, types of the parameters, result.
    pub open: Vec<(String, OperatorId, Vec<OpenType>, OpenType)>,
}

#[derive(Clone, Copy)]
pub(super) enum DataType {
    Free(FreeTypeId),
    Carrier(CarrierId),
}

/// Entity that the name of an operator refers to.
pub(super) enum Symbol {
    Type(usize, usize),
    /// Theory, data type, constructor.
    Constructor(usize, usize, u32),
    /// Theory, data type, constructor, part.
    Destructor(usize, usize, u32, usize),
    /// Theory, operator.
    Operator(usize, usize),
}

impl Theories {
    pub fn symbol(&self, name: &str) -> Option<Symbol> {
        for (t, theory) in self.all.iter().enumerate() {
            if let Some(o) = theory.operators.iter().position(|o| o.name.name == name) {
                return Some(Symbol::Operator(t, o));
            }
            for (d, data) in theory.data_types.iter().enumerate() {
                if data.name.name == name {
                    return Some(Symbol::Type(t, d));
                }
                for (c, (constructor, parts)) in data.constructors.iter().enumerate() {
                    if constructor.name == name {
                        return Some(Symbol::Constructor(t, d, c as u32));
                    }
                    if let Some(part) = parts.iter().position(|(n, _)| n.name == name) {
                        return Some(Symbol::Destructor(t, d, c as u32, part));
                    }
                }
            }
        }
        None
    }

    pub fn mapping(&self, name: &str) -> Option<String> {
        let tags = self.all.iter().flat_map(|t| &t.mappings);
        tags.into_iter().find(|(n, _)| n == name).map(|(_, operator)| operator.clone())
    }
}
