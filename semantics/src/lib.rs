//! Values, states, the reference evaluator, traces and their replay.
//!
//! [`evaluator::Evaluator`] evaluates expressions and predicates of a typed model under a [`scope::Scope`],
//! executes substitutions with given choices, and enumerates transitions. [`replay`] judges a
//! [`state::Trace`]; [`trace_file`], [`itf`] and [`prob_trace`] write it.
//!
//! ```
//! use bsym_language::load::load_text;
//! use bsym_semantics::{evaluator::Evaluator, scope::{Scope, ScopeRequest}};
//!
//! let text = "MACHINE Tank VARIABLES level INVARIANT level : 0..9 INITIALISATION level := 0
//!             OPERATIONS fill(d) = PRE d : 1..9 & level + d <= 9 THEN level := level + d END END";
//! let model = load_text("Tank.mch", text).model.expect("the machine is right");
//! let scope = Scope::settle(&model, &ScopeRequest::default()).expect("nothing is asked of the scope");
//! let eval = Evaluator::new(&model, &scope);
//! let initial = eval.initial_states(&[]);
//! let state = initial.edges[0].state().expect("nothing goes wrong");
//! assert_eq!(eval.successors(&[], state).edges.len(), 9);
//! ```
//!
//! Deliberately absent: any solver; search for states beyond one step.
pub mod cardinality;
mod elements;
pub mod env;
pub mod error;
pub mod evaluator;
pub mod finder;
mod images;
pub mod itf;
pub mod lazy_set;
mod operators;
mod paths;
pub mod prob_trace;
pub mod reals;
mod relations;
pub mod replay;
pub mod scope;
mod sequences;
pub mod sets;
mod solve;
pub mod state;
mod totality;
pub mod trace_file;
pub mod transitions;
pub mod value;
pub mod value_parse;
pub mod value_text;

#[cfg(test)]
mod evaluator_tests;
#[cfg(test)]
mod laws_tests;
#[cfg(test)]
mod trace_tests;
