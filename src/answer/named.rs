//! Values by name, in the order in which the model declares them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};

/// An object of JSON whose members stand in the order of the model. No name comes twice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Named<T>(Vec<(String, T)>);

/// Texts of B values.
pub type Values = Named<String>;

impl<T> Default for Named<T> {
    fn default() -> Named<T> {
        Named(vec![])
    }
}

impl<T> Named<T> {
    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<&T> {
        self.iter().find(|(n, _)| *n == name).map(|(_, value)| value)
    }
}

impl<T> FromIterator<(String, T)> for Named<T> {
    fn from_iter<I: IntoIterator<Item = (String, T)>>(all: I) -> Named<T> {
        Named(all.into_iter().collect())
    }
}

impl<T: Serialize> Serialize for Named<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<T: JsonSchema> JsonSchema for Named<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        BTreeMap::<String, T>::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        BTreeMap::<String, T>::json_schema(generator)
    }
}
