//! What of a machine has no obligations of its own because nothing is encoded there.

use bsym_language::model::Model;
use bsym_proofs::obligations::Obligations;
use bsym_status::file::LeftOut;
use schemars::JsonSchema;
use serde::Serialize;

use super::diagnostic::location;
use super::trace::counted;
use crate::paint::Paint;

/// A part of the machine without obligations of its own.
#[derive(Serialize, JsonSchema, Clone, PartialEq, Eq, Debug)]
pub struct LeftOutObject {
    /// Names the part, such as `operation sum`.
    pub part: String,
    pub reason: String,
    pub file: Option<String>,
    #[schemars(range(min = 1))]
    pub line: Option<u32>,
}

impl From<LeftOut> for LeftOutObject {
    fn from(left: LeftOut) -> LeftOutObject {
        let LeftOut { part, reason, file, line } = left;
        LeftOutObject { part, reason, file, line }
    }
}

impl LeftOutObject {
    /// Returns all parts of a machine that its obligations say nothing of.
    pub fn all(proved: &Obligations, model: &Model) -> Vec<LeftOutObject> {
        proved.left_out(model).into_iter().map(LeftOutObject::from).collect()
    }
}

/// Counts the parts in words; nothing where there is none.
pub fn count(parts: &[LeftOutObject]) -> Option<String> {
    (!parts.is_empty()).then(|| format!("{} not looked at", counted(parts.len(), "part")))
}

/// Returns a line for each part.
pub fn text(parts: &[LeftOutObject], paint: Paint) -> String {
    let line = |LeftOutObject { part, reason, file, line }: &LeftOutObject| {
        let at = location(file, *line).map(|at| format!(" ({at})")).unwrap_or_default();
        format!("  {}: {part}: {reason}{at}\n", paint.doubt("not looked at"))
    };
    parts.iter().map(line).collect()
}
