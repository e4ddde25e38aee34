//! The schema of the codes of reasons.

use std::borrow::Cow;

use bsym_semantics::verdict::ReasonCode;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

/// Stands for [`ReasonCode`] in schemas.
pub struct ReasonSchema;

impl JsonSchema for ReasonSchema {
    fn schema_name() -> Cow<'static, str> {
        "ReasonCode".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "The fixed list of reasons.",
            "type": "string",
            "enum": ReasonCode::WORDS,
        })
    }
}
