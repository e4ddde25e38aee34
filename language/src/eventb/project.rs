//! Machines, contexts and theories of Event-B as they are written, whatever file they come from.

use crate::ast::{self, Convergence, Ident};
use crate::text::source::Span;

/// Everything that was found in a package or project.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Project {
    /// Machines in the order of the file, or of the files' names.
    pub machines: Vec<Machine>,
    /// Contexts of the project.
    pub contexts: Vec<Context>,
    /// Theories of the project.
    pub theories: Vec<Theory>,
    /// `true` for a package that was exported from a project that Rodin's static checker accepted; machines may repeat
    /// inherited invariants.
    pub exported: bool,
}

impl Project {
    /// Returns a machine by name.
    pub fn machine(&self, name: &str) -> Option<&Machine> {
        self.machines.iter().find(|m| m.name.name == name)
    }

    /// Returns the component that a package is about: its first machine, or its first context that no other extends.
    pub fn main(&self) -> Option<&str> {
        if let Some(m) = self.machines.first() {
            return Some(&m.name.name);
        }
        let is_last =
            |c: &&Context| self.contexts.iter().all(|d| d.extends.iter().all(|e| e.name != c.name.name));
        self.contexts.iter().find(is_last).or(self.contexts.first()).map(|c| c.name.name.as_str())
    }

    /// Returns a context by name.
    pub fn context(&self, name: &str) -> Option<&Context> {
        self.contexts.iter().find(|c| c.name.name == name)
    }
}

/// A machine. Its events are complete, also those that extend others.
#[derive(Clone, PartialEq, Debug)]
pub struct Machine {
    /// Name.
    pub name: Ident,
    /// The machine that it refines.
    pub refines: Option<Ident>,
    /// Contexts that it sees.
    pub sees: Vec<Ident>,
    /// Its variables, also those that it has in common with its abstraction.
    pub variables: Vec<Ident>,
    /// Invariants and theorems in their order.
    pub invariants: Vec<Formula>,
    /// Variants.
    pub variants: Vec<Formula>,
    /// Events, the initialisation among them.
    pub events: Vec<Event>,
    /// The whole machine.
    pub span: Span,
}

/// Name of the event that gives the variables their first values.
pub const INITIALISATION: &str = "INITIALISATION";

impl Machine {
    /// Returns an event by name.
    pub fn event(&self, name: &str) -> Option<&Event> {
        self.events.iter().find(|e| e.name.name == name)
    }
}

/// A context.
#[derive(Clone, PartialEq, Debug)]
pub struct Context {
    /// Name.
    pub name: Ident,
    /// Contexts that it extends.
    pub extends: Vec<Ident>,
    /// Carrier sets.
    pub sets: Vec<Ident>,
    /// Constants.
    pub constants: Vec<Ident>,
    /// Axioms and theorems in their order.
    pub axioms: Vec<Formula>,
    /// The whole context.
    pub span: Span,
}

/// A predicate or expression with its label and text.
#[derive(Clone, PartialEq, Debug)]
pub struct Formula {
    /// Label, without white space at its ends.
    pub label: Option<String>,
    /// Its text on one line, where the file holds it as text.
    pub text: Option<String>,
    /// `true` if it follows from the formulas before it.
    pub theorem: bool,
    /// The predicate or expression.
    pub tree: ast::Expr,
}

/// An event.
#[derive(Clone, PartialEq, Debug)]
pub struct Event {
    /// Name.
    pub name: Ident,
    /// Effect on the variant.
    pub convergence: Convergence,
    /// `true` if its parameters, guards and actions are additions to those of the abstract event.
    pub extended: bool,
    /// Numbers of elements that come from the event that it extends.
    pub inherited: Inherited,
    /// The abstract events that it refines; several are merged.
    pub refines: Vec<Ident>,
    /// Parameters.
    pub parameters: Vec<Ident>,
    /// Guards and theorems.
    pub guards: Vec<Formula>,
    /// Actions, all at the same time.
    pub actions: Vec<Action>,
    /// Predicates for the values that the abstract event chooses: a parameter `p`, or the new value `x'` of a variable.
    pub witnesses: Vec<(Ident, Formula)>,
    /// The whole event.
    pub span: Span,
}

/// Numbers of an event's parameters, guards and actions that come from the event that it extends: these are the first
/// ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Inherited {
    /// Parameters.
    pub parameters: usize,
    /// Guards and theorems.
    pub guards: usize,
    /// Actions.
    pub actions: usize,
}

/// An action of an event.
#[derive(Clone, PartialEq, Debug)]
pub struct Action {
    /// Label, without white space at its ends.
    pub label: Option<String>,
    /// Its text on one line, where the file holds it as text.
    pub text: Option<String>,
    /// Form of the action.
    pub kind: ActionKind,
    /// The whole action.
    pub span: Span,
}

/// Forms of an action.
#[derive(Clone, PartialEq, Debug)]
pub enum ActionKind {
    /// `x, f(i) := E, F`
    Assign(Vec<ast::Expr>, Vec<ast::Expr>),
    /// `x :: S`
    BecomesIn(Vec<Ident>, ast::Expr),
    /// `x, y :| P`, where `x'` in P is the new value
    BecomesSuch(Vec<Ident>, ast::Expr),
}

/// A theory with data types and operators.
#[derive(Clone, PartialEq, Debug)]
pub struct Theory {
    /// Name.
    pub name: String,
    /// Type parameters.
    pub parameters: Vec<String>,
    /// Data types.
    pub data_types: Vec<DataType>,
    /// Operators.
    pub operators: Vec<Operator>,
    /// Names of operators in classical B: name, then operator.
    pub mappings: Vec<(String, String)>,
    /// The whole theory.
    pub span: Span,
}

/// A data type.
#[derive(Clone, PartialEq, Debug)]
pub struct DataType {
    /// Name.
    pub name: Ident,
    /// Type parameters.
    pub parameters: Vec<String>,
    /// Constructors with their destructors: name, type.
    pub constructors: Vec<(Ident, Vec<(Ident, ast::Expr)>)>,
}

/// An operator.
#[derive(Clone, PartialEq, Debug)]
pub struct Operator {
    /// Name.
    pub name: Ident,
    /// Parameters with their types.
    pub parameters: Vec<(Ident, ast::Expr)>,
    /// Condition under which it has a value. It is an obligation wherever the operator is used, which
    /// `check` makes; readers only fill it in.
    pub condition: Option<ast::Expr>,
    /// Its definition.
    pub definition: Definition,
}

/// Definition of an operator.
#[derive(Clone, PartialEq, Debug)]
pub enum Definition {
    /// An expression or predicate.
    Direct(ast::Expr),
    /// One case for each constructor of a parameter's type.
    Cases {
        /// The parameter, by position.
        parameter: usize,
        /// Constructor, names of its arguments, value.
        cases: Vec<(Ident, Vec<Ident>, ast::Expr)>,
    },
    /// Axioms alone.
    Axiomatic,
}

/// Splits a pattern of a case: a constructor with the names of its parts.
///
/// # Errors
/// The place that is not such a pattern.
pub(super) fn constructor_pattern(mut tree: ast::Expr) -> Result<(Ident, Vec<Ident>), Span> {
    while let ast::ExprKind::Binary(ast::BinaryOp::OfType, inner, _) = tree.kind {
        tree = *inner;
    }
    let ast::ExprKind::Operator(constructor, arguments) = tree.kind else { return Err(tree.span) };
    let mut bound = vec![];
    for a in arguments {
        match a.kind {
            ast::ExprKind::Ident(name) => bound.push(Ident { name, span: a.span }),
            _ => return Err(a.span),
        }
    }
    Ok((constructor, bound))
}
