//! Random machines whose events read and write parts of functions, relations, sets and sequences that may be absent, beside
//! events that go round for ever.

/// Random numbers, the same on every run.
pub struct Dice(fastrand::Rng);

impl Dice {
    /// One for a seed.
    pub fn new(seed: u64) -> Dice {
        Dice(fastrand::Rng::with_seed(seed))
    }

    /// A number below another one.
    pub fn below(&mut self, n: usize) -> usize {
        self.0.usize(..n)
    }

    fn one_of<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len())]
    }

    /// True so often.
    pub fn percent(&mut self, n: usize) -> bool {
        self.below(100) < n
    }
}

/// A kind of variable.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Number,
    Truth,
    /// `1..2 +-> 0..1`
    Partial,
    /// `1..2 --> 0..1`
    Total,
    /// A set of numbers.
    Numbers,
    /// `1..2 <-> 0..1`
    Relation,
    /// Sequences of at most two numbers.
    Sequence,
    /// `1..2 +-> (1..2 +-> 0..1)`
    Nested,
    /// `struct(a : 0..1, c : 0..1)`
    Record,
    /// A total function on the set `s0`.
    OnSet,
    /// A partial function on an enumerated set.
    OnElements,
    /// An injective sequence.
    Injective,
}

use Kind::*;

struct Variable {
    name: String,
    kind: Kind,
}

struct Draw {
    dice: Dice,
    variables: Vec<Variable>,
    /// Local names that are numbers.
    numbers: Vec<String>,
    fresh: usize,
}

/// The text of a machine.
pub fn machine(seed: u64) -> String {
    let mut draw = Draw { dice: Dice::new(seed), variables: vec![], numbers: vec![], fresh: 0 };
    draw.variables();
    draw.text()
}

impl Draw {
    fn variables(&mut self) {
        const ALL: [Kind; 12] = [
            Number, Truth, Partial, Total, Numbers, Relation, Sequence, Nested, Record, OnSet, OnElements,
            Injective,
        ];
        let more = 1 + self.dice.below(3);
        let mut kinds = vec![Number];
        for _ in 0..more {
            let kind = if self.dice.percent(30) { Partial } else { ALL[self.dice.below(ALL.len())] };
            kinds.push(kind);
            if kind == OnSet {
                kinds.push(Numbers);
            }
        }
        for kind in [
            Number, Truth, Partial, Total, Numbers, Relation, Sequence, Nested, Record, OnSet, OnElements,
            Injective,
        ] {
            let letter = match kind {
                Number => "x",
                Truth => "b",
                Partial => "f",
                Total => "g",
                Numbers => "s",
                Relation => "r",
                Sequence => "q",
                Nested => "n",
                Record => "c",
                OnSet => "h",
                OnElements => "m",
                Injective => "i",
            };
            let count = kinds.iter().filter(|k| **k == kind).count().min(2);
            let named = |i: usize| Variable { name: format!("{letter}{i}"), kind };
            self.variables.extend((0..count).map(named));
        }
    }

    fn of(&self, kind: Kind) -> Vec<String> {
        self.variables.iter().filter(|v| v.kind == kind).map(|v| v.name.clone()).collect()
    }

    fn some(&mut self, kind: Kind) -> Option<String> {
        let all = self.of(kind);
        (!all.is_empty()).then(|| all[self.dice.below(all.len())].clone())
    }

    /// A function of a number.
    fn function(&mut self) -> Option<String> {
        let kinds = [Partial, Partial, Total, OnSet, Sequence, Injective, Relation];
        let start = self.dice.below(kinds.len());
        let named =
            (0..kinds.len()).map(|i| kinds[(start + i) % kinds.len()]).find(|k| !self.of(*k).is_empty())?;
        self.some(named)
    }

    fn point(&mut self) -> String {
        match self.dice.below(5) {
            0 if !self.numbers.is_empty() => self.numbers[self.dice.below(self.numbers.len())].clone(),
            1 => self.some(Number).unwrap_or("1".into()),
            2 => "2".into(),
            _ => "1".into(),
        }
    }

    fn name(&mut self) -> String {
        self.fresh += 1;
        format!("w{}", self.fresh)
    }

    fn number(&mut self, depth: usize) -> String {
        let p = self.point();
        let which = self.dice.below(if depth == 0 { 6 } else { 26 });
        let found = match which {
            0 | 1 => None,
            2 | 3 => self.some(Number),
            4 => self.function().map(|f| self.defined(&format!("{p} : dom({f})"), &format!("{f}({p})"))),
            5 => self.numbers.last().cloned(),
            6 | 7 => {
                let other = self.number(depth - 1);
                self.function().map(|f| format!("(IF {p} : dom({f}) THEN {f}({p}) ELSE {other} END)"))
            }
            8 | 9 => self.function().map(|f| format!("card({f}[{{{p}}}])")),
            10 => self.some(Numbers).map(|s| format!("card({s})")),
            11 => self.some(Sequence).map(|q| format!("size({q})")),
            12 => self.some(Sequence).map(|q| self.defined(&format!("{q} /= <>"), &format!("first({q})"))),
            13 => {
                let q = self.some(Sequence).or(self.some(Injective));
                q.map(|q| self.defined(&format!("{q} /= <>"), &format!("last({q})")))
            }
            14 => self.some(Nested).map(|n| {
                self.defined(&format!("{p} : dom({n}) & 1 : dom({n}({p}))"), &format!("{n}({p})(1)"))
            }),
            15 => self
                .some(Nested)
                .map(|n| self.defined(&format!("{p} : dom({n})"), &format!("card({n}({p}))"))),
            16 => self.some(Relation).map(|r| format!("card({r}~[{{{p}}}])")),
            17 => self.some(Numbers).map(|s| self.defined(&format!("{s} /= {{}}"), &format!("max({s})"))),
            18 => self.function().map(|f| self.defined(&format!("{f} /= {{}}"), &format!("min(ran({f}))"))),
            19 => {
                let image = self.number(depth - 1);
                self.function().map(|f| format!("({f} <+ {{1 |-> {image}}})({p})"))
            }
            20 => self.function().map(|f| format!("card(dom({f}))")),
            21 => {
                let w = self.name();
                self.some(Numbers).map(|s| format!("SIGMA({w}).({w} : {s} | {w})"))
            }
            22 => self.some(Record).map(|e| format!("{e}'a")),
            23 => Some(format!("({} + {})", self.number(depth - 1), self.number(depth - 1))),
            24 => {
                let (c, a, b) = (self.truth(depth - 1), self.number(depth - 1), self.number(depth - 1));
                Some(format!("(IF {c} THEN {a} ELSE {b} END)"))
            }
            _ => self.some(Number).map(|x| self.defined(&format!("{x} > 0"), &format!("3 / {x}"))),
        };
        found.unwrap_or_else(|| self.dice.below(3).to_string())
    }

    /// A number that is mostly taken only where it is defined.
    fn defined(&mut self, condition: &str, number: &str) -> String {
        if self.dice.percent(75) {
            format!("(IF {condition} THEN {number} ELSE 0 END)")
        } else {
            format!("({number})")
        }
    }

    /// A number that is mostly not above a bound.
    fn bounded(&mut self, most: usize) -> String {
        let e = self.number(2);
        if self.dice.percent(70) { format!("min({{{most}, max({{0, {e}}})}})") } else { e }
    }

    /// A disjunction, or a conjunction.
    fn joined(&mut self, by: &str, parts: usize) -> String {
        let parts: Vec<String> = (0..parts).map(|_| self.truth(2)).map(|p| format!("({p})")).collect();
        format!("({})", parts.join(by))
    }

    fn truth(&mut self, depth: usize) -> String {
        let p = self.point();
        let n = self.dice.below(2);
        let which = self.dice.below(if depth == 0 { 10 } else { 24 });
        let found = match which {
            0 | 1 => None,
            2 => self.some(Truth).map(|b| format!("{b} = {}", if n == 0 { "TRUE" } else { "FALSE" })),
            3 | 4 => self.function().map(|f| format!("{p} : dom({f})")),
            5 => self.some(Numbers).map(|s| format!("{p} : {s}")),
            6 => self.function().map(|f| format!("{p} |-> {n} : {f}")),
            7 => self.function().map(|f| format!("{f}[{{{p}}}] = {{}}")),
            8 => self.function().map(|f| format!("{p} /: dom({f})")),
            9 => self.some(OnElements).map(|m| format!("e{} : dom({m})", n + 1)),
            10 => self.some(Numbers).map(|s| format!("{s} = {{}}")),
            11 => self.function().map(|f| format!("{n} /: ran({f})")),
            12 => self.function().map(|f| {
                let defined =
                    if self.dice.percent(70) { format!("{p} : dom({f}) & ") } else { String::new() };
                format!("{defined}{f}({p}) = {n}")
            }),
            13 => self.some(Sequence).map(|q| format!("{q} /= <>")),
            14 => {
                let w = self.name();
                self.some(Numbers).map(|s| format!("!{w}.({w} : {s} => {w} > {n})"))
            }
            15 => self.function().map(|f| format!("{f} = {{}}")),
            16 => self.some(OnElements).map(|m| {
                let defined = if self.dice.percent(70) { format!("e1 : dom({m}) & ") } else { String::new() };
                format!("{defined}{m}(e1) = TRUE")
            }),
            17 => self.some(Nested).map(|f| format!("{p} : dom({f}) & 1 : dom({f}({p}))")),
            18 => self.function().map(|f| format!("{f}({p}) : INTEGER")),
            19 => self.some(Record).map(|e| format!("{e}'a = {e}'c")),
            20 => Some(format!("not({} & {})", self.truth(depth - 1), self.truth(depth - 1))),
            21 => Some(format!("({} => {})", self.truth(depth - 1), self.truth(depth - 1))),
            22 => Some(format!("({} or {})", self.truth(depth - 1), self.truth(depth - 1))),
            _ => Some(format!("{} : {{{}, {}}}", self.number(depth - 1), self.number(0), n)),
        };
        found.unwrap_or_else(|| {
            let op = self.dice.one_of(&["=", "/=", "<", "<=", ">"]).to_owned();
            format!("{} {op} {}", self.number(depth), self.number(0))
        })
    }

    /// An assignment of one of the variables that are left, which it takes.
    fn assignment(&mut self, left: &mut Vec<usize>) -> Option<String> {
        if left.is_empty() {
            return None;
        }
        let at = left.swap_remove(self.dice.below(left.len()));
        let Variable { name: v, kind } = &self.variables[at];
        let (v, kind) = (v.clone(), *kind);
        let (p, n) = (self.point(), self.dice.below(2));
        let which = self.dice.below(6);
        let choices = self.dice.below(3);
        Some(match (kind, which) {
            (Number, 0) => format!("{v} := {n}"),
            (Number, 1) if n == 0 => format!("{v} := {v} + 1"),
            (Number, 1) => format!("{v} := ({v} + 1) mod 4"),
            (Number, 2) => format!("{v} :: {{{n}, 2}}"),
            (Number, 3) => format!("{v} : ({v} : 0..2 & {v} /= {v}$0)"),
            (Number, _) => format!("{v} := {}", self.bounded(3)),
            (Truth, 0..=1) => format!("{v} := {}", if n == 0 { "TRUE" } else { "FALSE" }),
            (Truth, _) => format!("{v} := bool({})", self.truth(1)),
            (Partial | Total | OnSet, 0) => format!("{v}({p}) := {n}"),
            (Partial | Total | OnSet, 1) => format!("{v}({p}) := {}", self.bounded(1)),
            (Partial | Relation | OnSet, 2) => format!("{v} := {{{p}}} <<| {v}"),
            (Partial | Total | Relation, 3) => {
                format!("{v} := {v} <+ {{{p} |-> {n}, {} |-> {}}}", self.point(), self.number(0))
            }
            (Partial | Relation, 4) => format!("{v} := {v} \\/ {{{p} |-> {n}}}"),
            (Partial | Relation, _) => match choices {
                0 => format!("{v} := {v} - {{{p} |-> {n}}}"),
                1 => format!("{v} := {{}}"),
                _ => format!("{v} := {v} |>> {{{n}}}"),
            },
            (Total, _) => format!("{v} := {v} <+ {{{p} |-> {}}}", self.bounded(1)),
            (OnSet, _) => format!("{v} := s0 * {{{n}}}"),
            (Numbers, 0 | 1) => format!("{v} := {v} \\/ {{{p}}}"),
            (Numbers, 2 | 3) => format!("{v} := {v} - {{{p}}}"),
            (Numbers, _) => match self.function().filter(|_| choices == 0) {
                Some(f) => format!("{v} := dom({f})"),
                None => format!("{v} := {v} /\\ {{1, {}}}", self.number(1)),
            },
            (Sequence | Injective, 0) => format!("{v} := {v} <- {}", self.number(1)),
            (Sequence | Injective, 1) => {
                format!("{v} := IF size({v}) < 2 THEN {v} <- {} ELSE <> END", self.bounded(2))
            }
            (Sequence | Injective, 2) => format!("{v} := tail({v})"),
            (Sequence | Injective, 3) => format!("{v} := front({v})"),
            (Sequence | Injective, _) => format!("{v} := {}", if n == 0 { "<>" } else { "[1]" }),
            (Nested, 0) => format!("{v}({p}) := {{1 |-> {n}}}"),
            (Nested, 1) => format!("{v} := {{{p}}} <<| {v}"),
            (Nested, 2) => format!("{v}({p}) := {{}}"),
            (Nested, 3) => format!("{v}({p}) := {v}({p}) <+ {{{} |-> {n}}}", self.point()),
            (Nested, _) => format!("{v} := {v} <+ {{1 |-> {{2 |-> {n}}}}}"),
            (Record, 0) => format!("{v}'a := {}", self.number(1)),
            (Record, 1) => format!("{v}'c := {n}"),
            (Record, _) => format!("{v} := rec(a : {n}, c : {})", self.number(1)),
            (OnElements, 0) => format!("{v}(e1) := bool({})", self.truth(1)),
            (OnElements, 1) => format!("{v} := {{e{}}} <<| {v}", n + 1),
            (OnElements, _) => format!("{v}(e{}) := TRUE", n + 1),
        })
    }

    fn statement(&mut self, left: &mut Vec<usize>, depth: usize) -> Option<String> {
        let which = if depth == 0 { 0 } else { self.dice.below(12) };
        Some(match which {
            0..=4 => self.assignment(left)?,
            5 => {
                let c = self.truth(1);
                let mut other = left.clone();
                let then = self.statement(left, depth - 1)?;
                let or = self.statement(&mut other, depth - 1)?;
                left.retain(|at| other.contains(at));
                format!("IF {c} THEN {then} ELSE {or} END")
            }
            6 => format!("IF {} THEN {} END", self.truth(1), self.statement(left, depth - 1)?),
            7 => {
                let mut other = left.clone();
                let (a, b) = (self.statement(left, depth - 1)?, self.statement(&mut other, depth - 1)?);
                left.retain(|at| other.contains(at));
                format!("CHOICE {a} OR {b} END")
            }
            8 => {
                let w = self.name();
                let function = self.function().filter(|_| self.dice.percent(50));
                let from = match function {
                    Some(f) => format!("{w} : dom({f})"),
                    None => format!("{w} : 1..2"),
                };
                self.numbers.push(w.clone());
                let more =
                    if self.dice.percent(50) { format!(" & {}", self.truth(1)) } else { String::new() };
                let body = self.statement(left, depth - 1);
                self.numbers.pop();
                format!("ANY {w} WHERE {from}{more} THEN {} END", body?)
            }
            9 => {
                let (w, e) = (self.name(), self.number(1));
                self.numbers.push(w.clone());
                let body = self.statement(left, depth - 1);
                self.numbers.pop();
                format!("LET {w} BE {w} = {e} IN {} END", body?)
            }
            10 => {
                let mut other = left.clone();
                let (first, then) =
                    (self.statement(&mut other, depth - 1)?, self.statement(left, depth - 1)?);
                left.retain(|at| other.contains(at));
                format!("BEGIN {first}; {then} END")
            }
            _ => {
                let one = self.statement(left, depth - 1)?;
                match self.statement(left, depth - 1) {
                    Some(other) => format!("BEGIN {one} || {other} END"),
                    None => one,
                }
            }
        })
    }

    fn operation(&mut self, i: usize) -> String {
        let mut left: Vec<usize> = (0..self.variables.len()).collect();
        let parameter = self.dice.percent(25).then(|| "p".to_owned());
        self.numbers.clear();
        let mut guards = vec![];
        if let Some(p) = &parameter {
            let set = match self.dice.below(4) {
                0 => self.function().map(|f| format!("dom({f})")),
                1 => self.some(Numbers),
                _ => None,
            };
            guards.push(format!("{p} : {}", set.unwrap_or("1..2".into())));
            self.numbers.push(p.clone());
        }
        let more = if parameter.is_some() { self.dice.below(2) } else { 1 + self.dice.below(2) };
        guards.extend((0..more).map(|_| self.truth(1)).collect::<Vec<_>>());
        if self.dice.percent(20) && guards.len() > 1 {
            guards.swap(0, 1);
        }
        let depth = self.dice.below(3);
        let mut body = self.statement(&mut left, depth);
        while body.is_none() {
            left = (0..self.variables.len()).collect();
            body = self.assignment(&mut left);
        }
        let body = body.unwrap_or_default();
        let guard = guards.join(" & ");
        match parameter {
            Some(p) if self.dice.percent(50) => format!("a{i}({p}) = PRE {guard} THEN {body} END"),
            Some(p) => format!("a{i} = ANY {p} WHERE {guard} THEN {body} END"),
            None => format!("a{i} = SELECT {guard} THEN {body} END"),
        }
    }

    fn text(&mut self) -> String {
        let (mut types, mut values) = (vec![], vec![]);
        for Variable { name: v, kind } in &self.variables {
            let dice = &mut self.dice;
            let (ty, value): (String, &[&str]) = match kind {
                Number => (format!("{v} : 0..3"), &["0", "1", "2"]),
                Truth => (format!("{v} : BOOL"), &["TRUE", "FALSE"]),
                Partial => (format!("{v} : 1..2 +-> 0..1"), &["{}", "{1 |-> 0}", "{1 |-> 1, 2 |-> 0}"]),
                Total => (format!("{v} : 1..2 --> 0..1"), &["{1 |-> 0, 2 |-> 0}", "{1 |-> 1, 2 |-> 0}"]),
                Numbers => (format!("{v} <: 0..3"), &["{}", "{1}", "{1, 2}"]),
                Relation => (format!("{v} : 1..2 <-> 0..1"), &["{}", "{1 |-> 0, 1 |-> 1}", "{2 |-> 0}"]),
                Sequence => (format!("{v} : seq(0..2) & size({v}) < 3"), &["<>", "[1]", "[0, 1]"]),
                Nested => (
                    format!("{v} : 1..2 +-> (1..2 +-> 0..1)"),
                    &["{}", "{1 |-> {1 |-> 0}}", "{1 |-> {}, 2 |-> {1 |-> 1}}"],
                ),
                Record => (format!("{v} : struct(a : 0..2, c : 0..2)"), &["rec(a : 0, c : 1)"]),
                OnSet => (format!("{v} : s0 --> 0..1"), &["s0 * {0}"]),
                OnElements => (format!("{v} : E +-> BOOL"), &["{}", "{e1 |-> TRUE}"]),
                Injective => (format!("{v} : iseq(0..2)"), &["<>", "[1]", "[2, 0]"]),
            };
            // Bounds may be missing; those of numbers too, as long as something else bounds the search.
            if dice.percent(85) || *kind == OnSet {
                types.push(ty);
            } else {
                let wide = match kind {
                    Number => format!("{v} : INTEGER"),
                    Numbers => format!("{v} <: INTEGER"),
                    Partial | Total | Relation => format!("{v} : INTEGER <-> INTEGER"),
                    _ => ty,
                };
                types.push(wide);
            }
            values.push(format!("{v} := {}", dice.one_of(value)));
        }
        let depends = self.variables.iter().any(|v| v.kind == OnSet);
        if depends {
            let of_set: Vec<usize> =
                (0..values.len()).filter(|i| self.variables[*i].kind == Numbers).collect();
            let set = of_set.first().map(|i| values[*i].trim_start_matches("s0 := ").to_owned());
            for (value, variable) in values.iter_mut().zip(&self.variables) {
                if variable.kind == OnSet {
                    *value = format!("{} := {} * {{0}}", variable.name, set.clone().unwrap_or("{}".into()));
                }
            }
        }
        let mut names: Vec<String> = self.variables.iter().map(|v| v.name.clone()).collect();
        let count = 2 + self.dice.below(3);
        let mut operations: Vec<String> = (0..count).map(|i| self.operation(i)).collect();
        self.numbers.clear();
        if self.dice.percent(70) {
            names.push("z".into());
            types.push("z : 0..2".into());
            values.push("z := 0".into());
            operations.push("round = SELECT z : 0..2 THEN z := (z + 1) mod 3 END".into());
        }
        let further = [0, 0, 1, 1, 2][self.dice.below(5)];
        for _ in 0..further {
            let parts = 1 + self.dice.below(3);
            types.push(self.joined(" or ", parts));
        }
        let parts = 1 + self.dice.below(3);
        let (goal, assertion) = (self.joined(" & ", parts), self.joined(" or ", parts));
        format!(
            "MACHINE M DEFINITIONS GOAL == ({goal})\nSETS E = {{e1, e2}}\nVARIABLES {}\nINVARIANT {}\nASSERTIONS {assertion}\nINITIALISATION {}\nOPERATIONS\n  {}\nEND",
            names.join(", "),
            types.join(" & "),
            values.join(" || "),
            operations.join(";\n  ")
        )
    }
}
