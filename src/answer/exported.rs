//! The answer of `export`: what was written.

use std::fmt::{Result, Write};

use bsym_encodings::propositional::circuit::Circuit;
use schemars::JsonSchema;
use serde::Serialize;

use super::scope::ScopeObject;
use super::statistics::TimeObject;
use super::trace::counted;
use crate::paint::Paint;

/// What bsym export prints with --json
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct ExportAnswer {
    #[schemars(extend("const" = "bsym-export"))]
    pub format: &'static str,
    #[schemars(extend("const" = 1))]
    pub version: u32,
    pub machine: String,
    pub scope: ScopeObject,
    /// What the files say is bad.
    pub properties: Vec<String>,
    /// The files that were written.
    pub files: Vec<FileObject>,
    pub stats: TimeObject,
}

/// A file that was written.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct FileObject {
    pub path: String,
    pub form: FormWord,
    /// Size of a circuit; missing for Horn clauses.
    pub circuit: Option<CircuitObject>,
}

/// Size of a circuit.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct CircuitObject {
    pub inputs: u32,
    pub latches: usize,
    pub and_gates: usize,
    /// What the circuit cannot represent without bounds; if there is any, a second kind of bad state says that it is left.
    pub unbounded: Vec<String>,
}

/// Form of a file.
#[derive(Serialize, JsonSchema, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub enum FormWord {
    /// A circuit.
    Aiger,
    /// A circuit.
    Btor2,
    /// Constrained Horn clauses.
    Horn,
    /// A circuit with an invariant.
    Witness,
}

impl ExportAnswer {
    /// What people are told.
    pub fn text(&self, _: Paint) -> String {
        let mut text = String::new();
        self.write(&mut text).expect("strings grow");
        text
    }

    fn write(&self, w: &mut String) -> Result {
        for file in &self.files {
            match &file.circuit {
                Some(circuit) => {
                    let bits = counted(circuit.latches, "bit");
                    let inputs = counted(circuit.inputs, "input");
                    let gates = counted(circuit.and_gates, "and-gate");
                    writeln!(w, "{}: {bits} of state, {inputs}, {gates}", file.path)?;
                }
                None => writeln!(w, "{}: Horn clauses", file.path)?,
            }
        }
        if let Some(circuit) = self.files.iter().find_map(|f| f.circuit.as_ref())
            && !circuit.unbounded.is_empty()
        {
            writeln!(w, "note: nothing bounds {}", circuit.unbounded.join(", "))?;
            writeln!(
                w,
                "  = help: the second bad state is a step that leaves the bounds of the file; a proof needs both to be unreachable; --bits widens them"
            )?;
        }
        Ok(())
    }
}

impl CircuitObject {
    /// The size of a circuit.
    pub fn new(circuit: &Circuit) -> CircuitObject {
        CircuitObject {
            inputs: circuit.inputs,
            latches: circuit.latches.len(),
            and_gates: circuit.gates.len(),
            unbounded: circuit.unbounded.clone(),
        }
    }
}
