//! Semantics of operations over two small variables, their text in B, and whether one level refines another: everything
//! is computed by tables, independently of the program that is tested.

use std::collections::BTreeSet;
use std::fmt::Write;

/// The values that parameters have.
pub const PARAMETERS: [u8; 2] = [0, 1];

/// Values of the first variable (0 to 2), the second (0 or 1) and the parameter (0 or 1).
pub type Place = (u8, u8, u8);

/// Values of both variables.
pub type Pair = (u8, u8);

/// Entries of a table.
pub const VALUES: usize = 12;

/// The entry of a table.
pub fn number((first, second, parameter): Place) -> usize {
    usize::from(first) * 4 + usize::from(second) * 2 + usize::from(parameter)
}

fn places() -> impl Iterator<Item = Place> {
    (0..3).flat_map(|a| (0..2).flat_map(move |b| (0..2).map(move |p| (a, b, p))))
}

/// Places that a statement assigns to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Store {
    First,
    Second,
    Result,
}

impl Store {
    /// Returns the number of its values.
    pub fn size(self) -> u8 {
        if self == Store::Second { 2 } else { 3 }
    }
}

/// A value for each place; where there is no value the expression is ill-defined.
#[derive(Clone, Debug)]
pub struct Expression {
    /// Number of the textual form.
    pub form: u8,
    table: [Option<u8>; VALUES],
}

/// A condition that is true where the table has 1.
#[derive(Clone, Debug)]
pub struct Condition(pub Expression);

#[derive(Clone, Debug)]
pub enum Statement {
    Skip,
    Assign(Store, Expression),
    Any(Store, Vec<Expression>),
    Sequence(Box<Statement>, Box<Statement>),
    Choice(Box<Statement>, Box<Statement>),
    Select(Condition, Box<Statement>),
    If(Condition, Box<Statement>, Box<Statement>),
    Pre(Condition, Box<Statement>),
    Assert(Condition, Box<Statement>),
    While { condition: Condition, body: Box<Statement>, invariant: Condition, variant: Expression },
}

#[derive(Clone, Debug)]
pub struct Operation {
    pub name: String,
    pub has_parameter: bool,
    pub has_result: bool,
    pub precondition: Option<Condition>,
    pub body: Statement,
}

/// The states in which a level may begin.
#[derive(Clone, Debug)]
pub struct Initial(pub Vec<Pair>);

/// An abstraction or a refinement.
#[derive(Clone, Debug)]
pub struct Level {
    pub variables: [&'static str; 2],
    pub operations: Vec<Operation>,
    pub initial: Initial,
    /// Pairs of related states: of the abstraction (first), and of this level.
    pub gluing: Vec<(Pair, Pair)>,
}

/// An execution that aborts, about which B promises nothing.
#[derive(Debug)]
struct Abort;

/// While an operation is executed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Now {
    first: u8,
    second: u8,
    parameter: u8,
    result: u8,
}

impl Now {
    fn set(mut self, store: Store, value: u8) -> Now {
        match store {
            Store::First => self.first = value,
            Store::Second => self.second = value,
            Store::Result => self.result = value,
        }
        self
    }
}

impl Expression {
    pub fn of(form: u8, value: impl Fn(Place) -> Option<u8>) -> Expression {
        let mut table = [None; VALUES];
        for place in places() {
            table[number(place)] = value(place);
        }
        Expression { form, table }
    }

    pub fn at(&self, place: Place) -> Option<u8> {
        self.table[number(place)]
    }

    fn value(&self, now: &Now) -> Result<u8, Abort> {
        self.at((now.first, now.second, now.parameter)).ok_or(Abort)
    }

    fn text(&self, names: &[&str; 3]) -> String {
        let at = format!("{} |-> {} |-> {}", names[0], names[1], names[2]);
        let table = |value: &dyn Fn(Option<u8>) -> Option<u8>| {
            let entries: Vec<String> = places()
                .filter(|(.., parameter)| names[2] != "0" || *parameter == 0)
                .filter_map(|place| Some((place, value(self.at(place))?)))
                .map(|((a, b, p), value)| format!("{a} |-> {b} |-> {p} |-> {value}"))
                .collect();
            format!("{{{}}}", entries.join(", "))
        };
        let written: Vec<Option<u8>> =
            places().filter(|(.., p)| names[2] != "0" || *p == 0).map(|place| self.at(place)).collect();
        if written.iter().all(|value| *value == written[0]) {
            return written[0].map_or("1 / 0".into(), |value| value.to_string());
        }
        match self.form {
            1 if written.contains(&None) => {
                let numbers = table(&|value| Some(value.unwrap_or(0)));
                let holes = table(&|value| Some(u8::from(value.is_some())));
                format!("{numbers}({at}) + 0 * (1 / {holes}({at}))")
            }
            2 => format!("max({}[{{{at}}}])", table(&|value| value)),
            _ => format!("{}({at})", table(&|value| value)),
        }
    }
}

impl Condition {
    fn is_true(&self, now: &Now) -> Result<bool, Abort> {
        Ok(self.0.value(now)? == 1)
    }

    fn text(&self, names: &[&str; 3]) -> String {
        format!("{} = 1", self.0.text(names))
    }
}

impl Statement {
    /// Returns all outcomes.
    fn run(&self, now: Now) -> Result<BTreeSet<Now>, Abort> {
        Ok(match self {
            Statement::Skip => BTreeSet::from([now]),
            Statement::Assign(store, value) => BTreeSet::from([now.set(*store, value.value(&now)?)]),
            Statement::Any(store, values) => {
                let values: Result<Vec<u8>, Abort> = values.iter().map(|value| value.value(&now)).collect();
                values?.into_iter().map(|value| now.set(*store, value)).collect()
            }
            Statement::Sequence(a, b) => {
                let mut all = BTreeSet::new();
                for between in a.run(now)? {
                    all.extend(b.run(between)?);
                }
                all
            }
            Statement::Choice(a, b) => &a.run(now)? | &b.run(now)?,
            Statement::Select(condition, _) if !condition.is_true(&now)? => BTreeSet::new(),
            Statement::If(condition, a, b) => if condition.is_true(&now)? { a } else { b }.run(now)?,
            Statement::Pre(condition, _) | Statement::Assert(condition, _) if !condition.is_true(&now)? => {
                return Err(Abort);
            }
            Statement::Select(_, s) | Statement::Pre(_, s) | Statement::Assert(_, s) => s.run(now)?,
            Statement::While { condition, body, invariant, variant } => {
                let mut after = BTreeSet::new();
                let (mut seen, mut open) = (BTreeSet::new(), vec![(now, u8::MAX)]);
                while let Some((now, before)) = open.pop() {
                    if !invariant.is_true(&now)? {
                        return Err(Abort);
                    }
                    if !condition.is_true(&now)? {
                        after.insert(now);
                        continue;
                    }
                    // The value after the last execution of the body is never compared.
                    let left = variant.value(&now)?;
                    if left >= before {
                        return Err(Abort);
                    }
                    if seen.insert((now, left)) {
                        open.extend(body.run(now)?.into_iter().map(|next| (next, left)));
                    }
                }
                after
            }
        })
    }

    fn text(&self, variables: &[&str; 2], parameter: &str) -> String {
        let names = &[variables[0], variables[1], parameter];
        let name = |store: &Store| match store {
            Store::First => variables[0],
            Store::Second => variables[1],
            Store::Result => "r",
        };
        let inner = |s: &Statement| s.text(variables, parameter);
        match self {
            Statement::Skip => "skip".into(),
            Statement::Assign(store, value) => format!("{} := {}", name(store), value.text(names)),
            Statement::Any(store, values) => {
                let values: Vec<String> = values.iter().map(|value| value.text(names)).collect();
                format!("ANY z WHERE z : {{{}}} THEN {} := z END", values.join(", "), name(store))
            }
            Statement::Sequence(a, b) => format!("BEGIN {} ; {} END", inner(a), inner(b)),
            Statement::Choice(a, b) => format!("CHOICE {} OR {} END", inner(a), inner(b)),
            Statement::Select(c, s) => format!("SELECT {} THEN {} END", c.text(names), inner(s)),
            Statement::If(c, a, b) => format!("IF {} THEN {} ELSE {} END", c.text(names), inner(a), inner(b)),
            Statement::Pre(c, s) => format!("PRE {} THEN {} END", c.text(names), inner(s)),
            Statement::Assert(c, s) => format!("ASSERT {} THEN {} END", c.text(names), inner(s)),
            Statement::While { condition, body, invariant, variant } => format!(
                "WHILE {} DO {} INVARIANT {} VARIANT {} END",
                condition.text(names),
                inner(body),
                invariant.text(names),
                variant.text(names)
            ),
        }
    }
}

/// Effect of a call: none where it may not be called.
enum Call {
    Forbidden,
    Aborts,
    /// States and results.
    Ends(BTreeSet<(Pair, u8)>),
}

impl Operation {
    fn call(&self, (first, second): Pair, parameter: u8) -> Call {
        let now = Now { first, second, parameter, result: 0 };
        // P | (Q | S) is (P & Q) | S.
        let (mut preconditions, mut body): (Vec<&Condition>, _) =
            (self.precondition.iter().collect(), &self.body);
        while let Statement::Pre(condition, inner) = body {
            preconditions.push(condition);
            body = inner;
        }
        for precondition in preconditions {
            match precondition.is_true(&now) {
                Ok(true) => {}
                Ok(false) => return Call::Forbidden,
                Err(Abort) => return Call::Aborts,
            }
        }
        match body.run(now) {
            Err(Abort) => Call::Aborts,
            Ok(after) => Call::Ends(after.iter().map(|n| ((n.first, n.second), n.result)).collect()),
        }
    }

    fn text(&self, variables: &[&str; 2]) -> String {
        let parameter = if self.has_parameter { "p" } else { "0" };
        let body = self.body.text(variables, parameter);
        let mut conditions = vec![];
        if self.has_parameter {
            conditions.push("p : 0..1".to_string());
        }
        conditions
            .extend(self.precondition.as_ref().map(|c| c.text(&[variables[0], variables[1], parameter])));
        let head = format!(
            "{}{}{}",
            if self.has_result { "r <-- " } else { "" },
            self.name,
            if self.has_parameter { "(p)" } else { "" }
        );
        if conditions.is_empty() {
            format!("  {head} = BEGIN {body} END")
        } else {
            format!("  {head} = PRE {} THEN BEGIN {body} END END", conditions.join(" & "))
        }
    }
}

impl Level {
    /// As a file in B.
    pub fn text(&self, head: &str, abstraction: Option<&Level>) -> String {
        let [first, second] = self.variables;
        let pairs = |pairs: &[Pair]| {
            let pairs: Vec<String> = pairs.iter().map(|(a, b)| format!("{a} |-> {b}")).collect();
            pairs.join(", ")
        };
        let mut text =
            format!("{head}\nVARIABLES {first}, {second}\nINVARIANT {first} : 0..2 & {second} : 0..1");
        if let Some(Level { variables: [a, b], .. }) = abstraction {
            let related: Vec<String> =
                self.gluing.iter().map(|((p, q), (s, t))| format!("{p} |-> {q} |-> ({s} |-> {t})")).collect();
            let related = related.join(", ");
            write!(text, " &\n  {a} |-> {b} |-> ({first} |-> {second}) : {{{related}}}").unwrap();
        }
        let operations: Vec<String> =
            self.operations.iter().map(|operation| operation.text(&self.variables)).collect();
        write!(
            text,
            "\nINITIALISATION ANY i, j WHERE i |-> j : {{{}}} THEN {first}, {second} := i, j END\nOPERATIONS\n{}\nEND\n",
            pairs(&self.initial.0),
            operations.join(";\n")
        )
        .unwrap();
        text
    }
}

/// Faults of a refinement.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Fault {
    Initialisation,
    Precondition(String),
    Abort(String),
    Step(String),
}

/// Returns the faults that are found after the fewest steps, with the number of these; empty for a correct refinement.
pub fn faults(abstraction: &Level, refinement: &Level) -> (usize, BTreeSet<Fault>) {
    type States = BTreeSet<Pair>;
    let related = |of: &dyn Fn(&Pair) -> bool, to: Pair| -> States {
        refinement.gluing.iter().filter(|(a, c)| *c == to && of(a)).map(|(a, _)| *a).collect()
    };
    let mut found = BTreeSet::new();
    let mut layer: BTreeSet<(Pair, States)> = BTreeSet::new();
    for &begin in &refinement.initial.0 {
        let states = related(&|a| abstraction.initial.0.contains(a), begin);
        if states.is_empty() {
            found.insert(Fault::Initialisation);
        }
        layer.insert((begin, states));
    }
    let (mut steps, mut seen) = (0, layer.clone());
    while found.is_empty() && !layer.is_empty() {
        let mut next = BTreeSet::new();
        for (state, states) in &layer {
            for (above, below) in abstraction.operations.iter().zip(&refinement.operations) {
                let parameters = if above.has_parameter { &PARAMETERS[..] } else { &PARAMETERS[..1] };
                for &parameter in parameters {
                    let calls: Option<Vec<BTreeSet<(Pair, u8)>>> = states
                        .iter()
                        .map(|state| match above.call(*state, parameter) {
                            Call::Ends(after) => Some(after),
                            Call::Forbidden | Call::Aborts => None,
                        })
                        .collect();
                    let Some(calls) = calls else { continue };
                    let ends = match below.call(*state, parameter) {
                        Call::Forbidden => {
                            found.insert(Fault::Precondition(below.name.clone()));
                            continue;
                        }
                        Call::Aborts => {
                            found.insert(Fault::Abort(below.name.clone()));
                            continue;
                        }
                        Call::Ends(ends) => ends,
                    };
                    // A result that is not written is the same everywhere.
                    for (after, result) in ends {
                        let can = |a: &Pair| calls.iter().any(|call| call.contains(&(*a, result)));
                        let states = related(&can, after);
                        if states.is_empty() {
                            found.insert(Fault::Step(below.name.clone()));
                        } else if seen.insert((after, states.clone())) {
                            next.insert((after, states));
                        }
                    }
                }
            }
        }
        if found.is_empty() {
            steps += 1;
            layer = next;
        }
    }
    (steps, found)
}
