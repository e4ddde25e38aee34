//! A machine as a tree, so that it can be printed, counted by construct, and made smaller.

use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};

/// A formula as text, with formulas of the same type that may stand in its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    pub text: String,
    /// Simpler ones first.
    pub simpler: Vec<Formula>,
}

impl Formula {
    pub fn new(text: impl Into<String>) -> Formula {
        Formula { text: text.into(), simpler: vec![] }
    }

    pub fn with(text: impl Into<String>, simpler: Vec<Formula>) -> Formula {
        Formula { text: text.into(), simpler }
    }
}

impl Display for Formula {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Conjuncts; none is printed as `1 = 1`.
pub type Conjuncts = Vec<Formula>;

/// A substitution.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    Skip,
    /// Targets (a variable, `f(x)` or `r'a`) and their values.
    Assign(Vec<(String, Formula)>),
    /// `x :: S`
    Element(String, Formula),
    /// `x : (P)`, where `x$0` is the value before.
    Such(String, Conjuncts),
    If(Vec<(Formula, Statement)>, Option<Box<Statement>>),
    Select(Vec<(Conjuncts, Statement)>, Option<Box<Statement>>),
    Choice(Vec<Statement>),
    Case(Formula, Vec<(Vec<String>, Statement)>, Option<Box<Statement>>),
    /// Names with their sets, further conjuncts, body.
    Any(Vec<(String, String)>, Conjuncts, Box<Statement>),
    Let(String, Formula, Box<Statement>),
    Var(Vec<String>, Box<Statement>),
    Sequence(Vec<Statement>),
    Parallel(Vec<Statement>),
    While {
        condition: Formula,
        body: Box<Statement>,
        invariant: Conjuncts,
        variant: Formula,
    },
    Assert(Conjuncts, Box<Statement>),
    Pre(Conjuncts, Box<Statement>),
    Call {
        results: Vec<String>,
        operation: String,
        arguments: Vec<Formula>,
    },
}

/// An operation; its parameters are typed in its precondition.
#[derive(Clone, Debug)]
pub struct Operation {
    pub name: String,
    pub results: Vec<String>,
    /// Names and their sets.
    pub parameters: Vec<(String, String)>,
    pub body: Statement,
}

/// A machine and the machine that it includes.
#[derive(Clone, Debug, Default)]
pub struct Machine {
    pub name: String,
    pub includes: Option<Box<Machine>>,
    /// `SET_PREF_MAXINT` and `SET_PREF_MININT`.
    pub integers: Option<(i64, i64)>,
    /// With elements or, if deferred, without.
    pub sets: Vec<(String, Vec<String>)>,
    pub constants: Vec<String>,
    pub properties: Conjuncts,
    pub variables: Vec<String>,
    pub invariant: Conjuncts,
    pub assertions: Conjuncts,
    pub initialisation: Vec<Statement>,
    pub operations: Vec<Operation>,
    /// Types of the values of variables and constants, for the table.
    pub types: BTreeSet<&'static str>,
}

impl Machine {
    /// Every file that the machine needs, its own last.
    pub fn files(&self) -> Vec<(String, String)> {
        let mut files = self.includes.as_ref().map_or(vec![], |m| m.files());
        files.push((format!("{}.mch", self.name), self.to_string()));
        files
    }

    /// Names of its deferred sets and of those it includes.
    pub fn deferred(&self) -> Vec<String> {
        let mut names = self.includes.as_ref().map_or(vec![], |m| m.deferred());
        names.extend(self.sets.iter().filter(|(_, elements)| elements.is_empty()).map(|(n, _)| n.clone()));
        names
    }

    /// Returns whether an answer may depend on the implementable integers.
    pub fn speaks_of_integers(&self) -> bool {
        let names = ["MAXINT", "MININT", "INT", "NAT", "NAT1"];
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        self.files().iter().any(|(_, text)| text.split(|c| !is_name(c)).any(|word| names.contains(&word)))
    }

    /// Returns the constructs in the machine, for the table.
    pub fn constructs(&self) -> BTreeSet<&'static str> {
        let mut all = self.includes.as_ref().map_or(BTreeSet::new(), |m| m.constructs());
        all.extend(self.types.iter());
        if self.includes.is_some() {
            all.insert("INCLUDES");
        }
        if !self.constants.is_empty() {
            all.insert("CONSTANTS");
        }
        if !self.deferred().is_empty() {
            all.insert("deferred set");
        }
        let bodies = self.operations.iter().map(|o| &o.body);
        for statement in self.initialisation.iter().chain(bodies) {
            statement.visit(&mut |s| {
                all.insert(s.construct());
            });
        }
        if self.operations.iter().any(|o| !o.results.is_empty()) {
            all.insert("results");
        }
        all
    }
}

impl Statement {
    /// Returns its name in the table.
    fn construct(&self) -> &'static str {
        match self {
            Statement::Skip => "skip",
            Statement::Assign(_) => ":=",
            Statement::Element(..) => "::",
            Statement::Such(..) => ":| with x$0",
            Statement::If(_, None) => "IF without ELSE",
            Statement::If(_, Some(_)) => "IF with ELSE",
            Statement::Select(_, None) => "SELECT without ELSE",
            Statement::Select(_, Some(_)) => "SELECT with ELSE",
            Statement::Choice(_) => "CHOICE",
            Statement::Case(..) => "CASE",
            Statement::Any(..) => "ANY",
            Statement::Let(..) => "LET",
            Statement::Var(..) => "VAR",
            Statement::Sequence(_) => "sequence",
            Statement::Parallel(_) => "parallel",
            Statement::While { .. } => "WHILE",
            Statement::Assert(..) => "ASSERT",
            Statement::Pre(..) => "PRE",
            Statement::Call { .. } => "call",
        }
    }

    /// The parts that are substitutions.
    pub fn children(&self) -> Vec<&Statement> {
        match self {
            Statement::If(branches, rest) => {
                branches.iter().map(|(_, s)| s).chain(rest.iter().map(|s| &**s)).collect()
            }
            Statement::Select(branches, rest) => {
                branches.iter().map(|(_, s)| s).chain(rest.iter().map(|s| &**s)).collect()
            }
            Statement::Case(_, branches, rest) => {
                branches.iter().map(|(_, s)| s).chain(rest.iter().map(|s| &**s)).collect()
            }
            Statement::Choice(all) | Statement::Sequence(all) | Statement::Parallel(all) => {
                all.iter().collect()
            }
            Statement::Any(_, _, s)
            | Statement::Let(_, _, s)
            | Statement::Var(_, s)
            | Statement::While { body: s, .. }
            | Statement::Assert(_, s)
            | Statement::Pre(_, s) => vec![s],
            _ => vec![],
        }
    }

    pub fn visit(&self, see: &mut impl FnMut(&Statement)) {
        see(self);
        for child in self.children() {
            child.visit(see);
        }
    }
}

fn joined(items: impl IntoIterator<Item = impl Display>, with: &str) -> String {
    items.into_iter().map(|i| i.to_string()).collect::<Vec<_>>().join(with)
}

/// Conjuncts on one line.
pub fn conjunction(conjuncts: &[Formula]) -> String {
    if conjuncts.is_empty() { "1 = 1".into() } else { joined(conjuncts, " & ") }
}

impl Display for Statement {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let alternatives = |first: &str, next: &str, all: &[(String, &Statement)]| {
            let mut text = String::new();
            for (i, (condition, statement)) in all.iter().enumerate() {
                text += &format!("{} {condition} THEN {statement} ", if i == 0 { first } else { next });
            }
            text
        };
        let rest = |s: &Option<Box<Statement>>| s.as_ref().map_or(String::new(), |s| format!("ELSE {s} "));
        match self {
            Statement::Skip => f.write_str("skip"),
            Statement::Assign(all) => {
                let (targets, values): (Vec<_>, Vec<_>) = all.iter().cloned().unzip();
                write!(f, "{} := {}", targets.join(", "), joined(values, ", "))
            }
            Statement::Element(target, set) => write!(f, "{target} :: {set}"),
            Statement::Such(target, p) => write!(f, "{target} : ({})", conjunction(p)),
            Statement::If(branches, other) => {
                let all: Vec<_> = branches.iter().map(|(p, s)| (p.to_string(), s)).collect();
                write!(f, "{}{}END", alternatives("IF", "ELSIF", &all), rest(other))
            }
            Statement::Select(branches, other) => {
                let all: Vec<_> = branches.iter().map(|(p, s)| (conjunction(p), s)).collect();
                write!(f, "{}{}END", alternatives("SELECT", "WHEN", &all), rest(other))
            }
            Statement::Choice(all) => write!(f, "CHOICE {} END", joined(all, " OR ")),
            Statement::Case(e, branches, other) => {
                let all: Vec<_> = branches.iter().map(|(values, s)| (values.join(", "), s)).collect();
                write!(f, "CASE {e} OF {}{}END END", alternatives("EITHER", "OR", &all), rest(other))
            }
            Statement::Any(names, p, s) => {
                let mut all: Vec<String> = names.iter().map(|(n, set)| format!("{n} : {set}")).collect();
                all.extend(p.iter().map(Formula::to_string));
                let names = joined(names.iter().map(|(n, _)| n), ", ");
                write!(f, "ANY {names} WHERE {} THEN {s} END", all.join(" & "))
            }
            Statement::Let(name, e, s) => write!(f, "LET {name} BE {name} = {e} IN {s} END"),
            Statement::Var(names, s) => write!(f, "VAR {} IN {s} END", names.join(", ")),
            Statement::Sequence(all) => write!(f, "BEGIN {} END", joined(all, " ; ")),
            Statement::Parallel(all) => write!(f, "BEGIN {} END", joined(all, " || ")),
            Statement::While { condition, body, invariant, variant } => {
                let invariant = conjunction(invariant);
                write!(f, "WHILE {condition} DO {body} INVARIANT {invariant} VARIANT {variant} END")
            }
            Statement::Assert(p, s) => write!(f, "ASSERT {} THEN {s} END", conjunction(p)),
            Statement::Pre(p, s) => write!(f, "PRE {} THEN {s} END", conjunction(p)),
            Statement::Call { results, operation, arguments } => {
                if !results.is_empty() {
                    write!(f, "{} <-- ", results.join(", "))?;
                }
                f.write_str(operation)?;
                if arguments.is_empty() { Ok(()) } else { write!(f, "({})", joined(arguments, ", ")) }
            }
        }
    }
}

impl Display for Operation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("  ")?;
        if !self.results.is_empty() {
            write!(f, "{} <-- ", self.results.join(", "))?;
        }
        f.write_str(&self.name)?;
        if self.parameters.is_empty() {
            return write!(f, " =\n    {}", self.body);
        }
        let typing: Vec<String> = self.parameters.iter().map(|(n, set)| format!("{n} : {set}")).collect();
        let names = joined(self.parameters.iter().map(|(n, _)| n), ", ");
        // One precondition, as it is mostly written.
        let (more, body) = match &self.body {
            Statement::Pre(more, body) => (&more[..], &**body),
            body => (&[][..], body),
        };
        let conjuncts: Vec<String> = typing.into_iter().chain(more.iter().map(Formula::to_string)).collect();
        write!(f, "({names}) =\n    PRE {} THEN {body} END", conjuncts.join(" & "))
    }
}

impl Display for Machine {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "MACHINE {}", self.name)?;
        if let Some(included) = &self.includes {
            writeln!(f, "INCLUDES {}", included.name)?;
        }
        if let Some((min, max)) = self.integers {
            writeln!(f, "DEFINITIONS SET_PREF_MININT == {min}; SET_PREF_MAXINT == {max}")?;
        }
        let set = |(name, elements): &(String, Vec<String>)| match elements.is_empty() {
            true => name.clone(),
            false => format!("{name} = {{{}}}", elements.join(", ")),
        };
        let section = |f: &mut Formatter<'_>, word: &str, text: String| match text.is_empty() {
            true => Ok(()),
            false => writeln!(f, "{word} {text}"),
        };
        section(f, "SETS", joined(self.sets.iter().map(set), "; "))?;
        section(f, "CONSTANTS", self.constants.join(", "))?;
        section(f, "PROPERTIES", joined(&self.properties, " &\n  "))?;
        section(f, "VARIABLES", self.variables.join(", "))?;
        section(f, "INVARIANT", joined(&self.invariant, " &\n  "))?;
        section(f, "ASSERTIONS", joined(&self.assertions, ";\n  "))?;
        section(f, "INITIALISATION", joined(&self.initialisation, " ||\n  "))?;
        section(f, "OPERATIONS\n", joined(&self.operations, ";\n"))?;
        f.write_str("END\n")
    }
}
