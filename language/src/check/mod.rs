//! From the syntax tree to the typed model: names, types, lowering.
//!
//! Types are inferred by unification over a whole group of formulas (`CONSTRAINTS` with `PROPERTIES`, then `INVARIANT`,
//! then `ASSERTIONS`, then each operation separately), as in ProB. Every mistake of a file is reported. An expression
//! that was reported has a type that equals all others, so one mistake gives one message.
//!
//! A model of several machines is checked instance by instance, each with its own names and after
//! the machines it refers to; the tables of the model are shared. Calls of operations are expanded.
//!
//! The modules, each of which uses only those before it: `names` (the entities that a name can refer to), `open_type`
//! and `unify` (types that are not known yet), `theories` (of Event-B); on them the `Checker` of single formulas, with
//! a module for each kind: `environment` (scopes and definitions), `expr`, `operator`, `builtin`, `freetypes`,
//! `external`, `theory_operators`, `pred`, `weakest_precondition`, `subst`, `calls`, and `hints`; `close` builds a tree
//! of the model from the inferred one, and `sizes` reads its axioms; above it the two stages that build a model of
//! whole machines, `classical` and `eventb`, and `formula` for single formulas over a model.

mod builtin;
mod calls;
mod classical;
mod close;
mod environment;
mod eventb;
mod expr;
mod external;
mod formula;
mod freetypes;
mod hints;
mod names;
mod open_type;
mod operator;
mod pred;
mod remedies;
mod sizes;
mod subst;
#[cfg(test)]
mod tests;
mod theories;
mod theory_operators;
mod unify;
mod weakest_precondition;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::ast;
use crate::classical::definitions::{Definitions, Loader};
use crate::diagnostic::codes;
use crate::diagnostic::{Code, Diagnostic, Severity, nearest};
use crate::model::types::Type;
use crate::model::{self, *};
use crate::print;
use crate::text::source::{Sources, Span};
use crate::tuning::Tuning;
pub use builtin::set_of_type;
pub use classical::{check, check_project};
pub use eventb::compose_levels;
pub use formula::{Surroundings, expression, expression_in, predicate, predicate_in};
use names::{Access, Callable, Entity, Environment, Procedure};
use open_type::{Conjunct, Event, Expr, OpenModel, OpenType, Pred, Replacement, Subst, Variable, couple};
use theories::{DataType, Symbol, Theories};
use unify::{Constraint, Failure, Inference};

fn empty_model(name: String, sources: Arc<Sources>) -> OpenModel {
    Model {
        name,
        text: ModelText { notation: Notation::ClassicalB, components: vec![], sources, formulas: vec![] },
        types: DeclaredTypes { carriers: vec![], free_types: vec![] },
        constants: vec![],
        parameters: Default::default(),
        axioms: vec![],
        variables: vec![],
        invariant: vec![],
        assertions: vec![],
        initialisation: SubstKind::Skip.at(Span::default()),
        events: vec![],
        refinement: Refinement::default(),
        definitions: ModelDefinitions {
            main: Definitions::default(),
            operators: vec![],
            goal: None,
            hints: ScopeHints::default(),
        },
        locals: vec![],
        choices: 0,
    }
}

/// Section of a formula, for the names that it may use.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
enum Visibility {
    /// Machine parameters, in `CONSTRAINTS`.
    Parameters,
    /// Sets and constants, in `PROPERTIES`.
    Properties,
    /// Variables too, in `INVARIANT` and `ASSERTIONS`.
    Invariant,
    /// Names that an execution can read, in substitutions.
    Behaviour,
    /// Names that a proof about an execution can use: `ASSERT`, invariant and variant of a loop.
    Proof,
    /// All names of a finished model.
    #[default]
    State,
}

/// The names that the current formula or substitution may use.
#[derive(Default)]
struct FormulaScope {
    /// Names that are bound around it, outermost first.
    locals: Vec<(String, LocalId)>,
    /// Results and locals of `VAR`.
    assignable: HashSet<LocalId>,
    /// Names of `LET`, which may have a value of any type.
    defined: HashSet<LocalId>,
    visibility: Visibility,
    /// `x$0` may stand here.
    old_values: bool,
}

/// How far definitions have been expanded, for the limits on it.
#[derive(Default)]
struct Expansion {
    /// Places of the definitions that are being expanded, outermost first.
    places: Vec<Span>,
    /// Definitions that were expanded.
    count: usize,
    /// Nodes made inside definitions.
    nodes: usize,
    /// Levels of the tree above the current node.
    depth: usize,
}

impl Expansion {
    /// Counts one level of a tree. Returns whether it is neither too deep nor too large.
    fn descend(&mut self) -> bool {
        self.depth += 1;
        self.nodes += usize::from(!self.places.is_empty());
        self.depth <= Tuning::DEFAULT.depth.expanded && self.nodes <= Tuning::DEFAULT.check.expanded_nodes
    }
}

struct Checker {
    model: OpenModel,
    types: Inference,
    /// The names of the current machine.
    names: Environment,
    /// Operators and data types of Event-B.
    theories: Theories,
    /// Operations of all machines.
    procedures: Vec<Procedure>,
    /// The current machine.
    component: ComponentId,
    /// Its names in the model differ from those in its text.
    renamed: bool,
    /// A machine of the model refers to others that are not loaded.
    incomplete: bool,
    scope: FormulaScope,
    expansion: Expansion,
    /// Locals before this one have closed types.
    first_open: usize,
    diagnostics: Vec<Diagnostic>,
    reported: HashSet<(u16, Span)>,
}

impl Checker {
    fn new(model: OpenModel, definitions: Definitions) -> Self {
        Checker {
            first_open: model.locals.len(),
            model,
            types: Inference::default(),
            names: Environment { definitions, ..Environment::default() },
            theories: Theories::default(),
            procedures: vec![],
            component: ComponentId::default(),
            renamed: false,
            incomplete: false,
            scope: FormulaScope::default(),
            expansion: Expansion::default(),
            diagnostics: vec![],
            reported: HashSet::new(),
        }
    }

    // A mistake inside a definition is reported once, however often the definition is used.
    fn report(&mut self, diagnostic: Diagnostic) {
        if !self.reported.insert((diagnostic.code.number, diagnostic.span)) {
            return;
        }
        let diagnostic = match self.expansion.places.first() {
            Some(&place) if place != diagnostic.span => {
                diagnostic.label(place, "in this use of a definition")
            }
            _ => diagnostic,
        };
        self.diagnostics.push(diagnostic);
    }

    fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::error(code, span, message));
    }

    fn not_supported(&mut self, span: Span, what: &str) {
        self.error(codes::NOT_SUPPORTED, span, format!("{what} is not supported yet"));
    }

    fn fresh(&mut self) -> OpenType {
        self.types.fresh()
    }

    fn fresh_set(&mut self) -> OpenType {
        OpenType::pow(self.types.fresh())
    }

    fn fresh_relation(&mut self) -> (OpenType, OpenType, OpenType) {
        let (a, b) = (self.types.fresh(), self.types.fresh());
        (OpenType::relation(a.clone(), b.clone()), a, b)
    }

    fn type_text(&self, t: &OpenType) -> String {
        open_type::text(&self.model, &self.types.resolve(t))
    }

    fn choice(&mut self) -> ChoiceId {
        self.model.choices += 1;
        ChoiceId(self.model.choices - 1)
    }

    /// Makes the type of `e` equal to `ty`, or reports a mismatch.
    fn expect(&mut self, e: &Expr, ty: &OpenType) {
        if self.types.unify(&e.ty, ty) {
            return;
        }
        let (expected, found) = (self.type_text(ty), self.type_text(&e.ty));
        let message = if expected == found {
            format!("this has type {found}, which would have to contain itself")
        } else {
            format!("expected {expected}, this is {found}")
        };
        let mut d = Diagnostic::error(codes::TYPE_MISMATCH, e.span, message);
        if let Some(place) = self.declaration(e) {
            d = d.label(place, "declared here");
        }
        d.help = self.remedy(e, ty);
        self.report(d);
        self.types.poison(&e.ty);
        self.types.poison(ty);
    }

    /// Makes the types of both sides of `op` equal and returns `true`, or reports a mismatch.
    fn expect_same(&mut self, l: &Expr, r: &Expr, op: &str) -> bool {
        if self.types.unify(&l.ty, &r.ty) {
            return true;
        }
        let (left, right) = (self.type_text(&l.ty), self.type_text(&r.ty));
        let message =
            format!("both sides of `{op}` must have the same type: {left} on the left, {right} on the right");
        let mut d =
            Diagnostic::error(codes::TYPE_MISMATCH, r.span, message).label(l.span, format!("this is {left}"));
        d.help = self.remedy_of_sides(l, r, op);
        self.report(d);
        self.types.poison(&l.ty);
        self.types.poison(&r.ty);
        false
    }

    fn declaration(&self, e: &Expr) -> Option<Span> {
        match &e.kind {
            ExprKind::Var(v) => Some(self.model.variables[v.index()].span),
            ExprKind::Const(c) => Some(self.model.constants[c.index()].span),
            ExprKind::Local(l) => Some(self.model.locals[l.index()].span),
            _ => None,
        }
    }

    fn require(&mut self, span: Span, constraint: Constraint) {
        if let Err(failure) = self.types.require(span, constraint) {
            self.failure(failure);
        }
    }

    fn failure(&mut self, failure: Failure) {
        match failure {
            Failure::NoReading(span, t) => {
                let found = self.type_text(&t);
                self.error(
                    codes::NO_READING,
                    span,
                    format!("this operator is for numbers or sets, its operands are {found}"),
                );
            }
            Failure::Operands(span, l, r) => {
                let (l, r) = (self.type_text(&l), self.type_text(&r));
                self.error(
                    codes::TYPE_MISMATCH,
                    span,
                    format!("these types do not fit together: {l} and {r}"),
                );
            }
            Failure::NoField(span, t, label) => {
                let message = match &t {
                    OpenType::Record(fields) => {
                        let known: Vec<&str> = fields.iter().map(|(l, _)| l.as_str()).collect();
                        format!("the record has no field `{label}`, its fields are {}", known.join(", "))
                    }
                    _ => format!("`'{label}` needs a record, this is {}", self.type_text(&t)),
                };
                self.error(codes::NO_SUCH_FIELD, span, message);
            }
        }
    }

    /// Counts one level of a tree. `false`, after a message, where it gets too deep or too large.
    fn descend(&mut self, span: Span) -> bool {
        if self.expansion.descend() {
            return true;
        }
        self.expansion.depth -= 1;
        let place = self.expansion.places.first().copied().unwrap_or(span);
        self.error(codes::CYCLIC_DEFINITION, place, "this is too large once its definitions are expanded");
        false
    }

    fn erroneous(&self, span: Span) -> Expr {
        ExprKind::EmptySet.typed(OpenType::Error, span)
    }
}
