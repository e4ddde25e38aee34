//! Random machines at the level of statements, with locals and results that may be read before they
//! have a value. All values stay small, so that the evaluator enumerates every step.

/// Types that the generator knows.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Kind {
    /// `0..2` and what comes of it.
    Int,
    Bool,
    /// Sets of elements of `E = {a, b}`.
    Set,
    /// `INTEGER <-> INTEGER`.
    Relation,
}

use Kind::{Bool, Int, Relation, Set};

const KINDS: [Kind; 4] = [Int, Bool, Set, Relation];

/// A generator of machines; the same seed gives the same text.
pub struct Generator {
    state: u64,
    /// Names that may be read, perhaps in vain.
    readable: Vec<(String, Kind)>,
    names: usize,
}

impl Generator {
    pub fn new(seed: u64) -> Self {
        let mut generator = Generator {
            state: (seed + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1,
            readable: vec![],
            names: 0,
        };
        (0..8).for_each(|_| _ = generator.below(2));
        generator
    }

    /// A machine with two variables, one operation with a result and one without.
    pub fn machine(&mut self) -> String {
        let variables: Vec<(String, Kind)> = ["x", "y"].map(|n| (n.to_string(), self.kind())).into();
        let typing: Vec<String> = variables.iter().map(|(n, k)| format!("{n} : {}", type_of(*k))).collect();
        self.readable = if self.below(3) == 0 { variables.clone() } else { vec![] };
        let mut init = variables.clone();
        let start = self.statement(1, &mut init);
        let mut rest = vec![];
        for (n, k) in &variables {
            if !start.contains(&format!("{n} :")) || self.below(8) > 0 {
                rest.push(format!("{n} := {}", self.literal(*k)));
            }
        }
        let rest = if rest.is_empty() { "skip".to_string() } else { rest.join(" || ") };
        let init = format!("{start}; {rest}");
        self.readable = variables.clone();
        let first = self.statement(3, &mut variables.clone());
        let result = ("q".to_string(), self.kind());
        self.readable.push(result.clone());
        let mut targets = [variables.clone(), vec![result.clone()]].concat();
        let second = self.statement(2, &mut targets);
        let third = self.statement(2, &mut [variables, vec![result.clone()]].concat());
        let last = match self.below(3) {
            0 => format!("q := {}", self.literal(result.1)),
            1 => format!("IF {} THEN q := {} END", self.predicate(1), self.literal(result.1)),
            _ => format!("q := {}", self.expression(1, result.1)),
        };
        format!(
            "MACHINE m SETS E = {{a, b}} DEFINITIONS SET_PREF_MAXINT == 3 VARIABLES x, y INVARIANT {} \
             INITIALISATION {init} OPERATIONS one = BEGIN {first} END; \
             q <-- two = BEGIN {second}; {third}; {last}; IF 1 = 0 THEN q := {} END END END",
            typing.join(" & "),
            typed(result.1)
        )
    }

    fn below(&mut self, n: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        ((self.state >> 20) % n as u64) as usize
    }

    fn kind(&mut self) -> Kind {
        KINDS[self.below(4)]
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("v{}", self.names)
    }

    fn literal(&mut self, k: Kind) -> String {
        let all: &[&str] = match k {
            Int => &["0", "1", "2"],
            Bool => &["TRUE", "FALSE"],
            Set => &["{}", "{a}", "E"],
            Relation => &["{}", "{0 |-> 1}", "{0 |-> 1, 1 |-> 2}", "{0 |-> 1, 0 |-> 2}", "[2]"],
        };
        all[self.below(all.len())].into()
    }

    fn known(&mut self, k: Kind) -> Option<String> {
        let all: Vec<String> =
            self.readable.iter().filter(|(_, j)| *j == k).map(|(n, _)| n.clone()).collect();
        if all.is_empty() { None } else { Some(all[self.below(all.len())].clone()) }
    }

    fn expression(&mut self, depth: usize, k: Kind) -> String {
        if self.below(2) == 0
            && let Some(name) = self.known(k)
        {
            return name;
        }
        if depth == 0 {
            return self.literal(k);
        }
        let d = depth - 1;
        match (k, self.below(4)) {
            (Int, 0) => format!("(({} + {}) mod 3)", self.expression(d, Int), self.expression(d, Int)),
            (Int, 1) => format!("(2 / {})", self.expression(d, Int)),
            (Int, 2) => match self.known(Relation) {
                Some(f) => format!("{f}({})", self.expression(d, Int)),
                None => self.literal(Int),
            },
            (Bool, 0) => format!("bool({})", self.predicate(d)),
            (Set, 0) => format!("({} \\/ {})", self.expression(d, Set), self.expression(d, Set)),
            (Set, 1) => format!("({} - {})", self.expression(d, Set), self.expression(d, Set)),
            (Relation, 0) => {
                let (f, k, v) =
                    (self.expression(d, Relation), self.expression(d, Int), self.expression(d, Int));
                format!("({f} <+ {{{k} |-> {v}}})")
            }
            (Relation, 1) => {
                let (f, k, v) =
                    (self.expression(d, Relation), self.expression(d, Int), self.expression(d, Int));
                format!("({f} \\/ {{{k} |-> {v}}})")
            }
            (Relation, 2) => {
                format!("({{{}}} <<| {})", self.expression(d, Int), self.expression(d, Relation))
            }
            _ => self.literal(k),
        }
    }

    fn predicate(&mut self, depth: usize) -> String {
        let d = depth.saturating_sub(1);
        let choices = if depth == 0 { 4 } else { 9 };
        match self.below(choices) {
            0 => format!("{} <= {}", self.expression(d, Int), self.expression(d, Int)),
            1 => format!("{} = TRUE", self.expression(d, Bool)),
            2 => format!("a : {}", self.expression(d, Set)),
            3 => format!("{} = {}", self.expression(d, Relation), self.expression(d, Relation)),
            4 => format!("({} & {})", self.predicate(d), self.predicate(d)),
            5 => format!("({} or {})", self.predicate(d), self.predicate(d)),
            6 => format!("not({})", self.predicate(d)),
            7 => {
                let z = self.name();
                let inner = self.within(&[(z.clone(), Int)], |g| g.predicate(d));
                format!("#{z}.({z} : 0..1 & {inner})")
            }
            _ => {
                let z = self.name();
                let inner = self.within(&[(z.clone(), Int)], |g| g.predicate(d));
                format!("!{z}.({z} : 0..1 => {inner})")
            }
        }
    }

    /// With further names to read.
    fn within<T>(&mut self, names: &[(String, Kind)], inside: impl FnOnce(&mut Self) -> T) -> T {
        let outside = self.readable.len();
        self.readable.extend_from_slice(names);
        let result = inside(self);
        self.readable.truncate(outside);
        result
    }

    /// A statement that assigns some of the targets.
    fn statement(&mut self, depth: usize, targets: &mut Vec<(String, Kind)>) -> String {
        if targets.is_empty() {
            return "skip".into();
        }
        let (name, k) = targets[self.below(targets.len())].clone();
        if depth == 0 {
            return match self.below(8) {
                0 => "skip".into(),
                1 => format!("{name} :: {}", self.range(k)),
                2 => {
                    // In the predicate, the name is the new value.
                    let old = std::mem::take(&mut self.readable);
                    self.readable = old.iter().filter(|(n, _)| *n != name).cloned().collect();
                    let p = self.predicate(1);
                    let range = self.range(k);
                    self.readable = old;
                    format!("{name} : ({name} : {range} & {p})")
                }
                _ => format!("{name} := {}", self.expression(2, k)),
            };
        }
        let d = depth - 1;
        match self.below(13) {
            0 => format!("IF {} THEN {} END", self.predicate(1), self.statement(d, targets)),
            1 => {
                let (p, yes, no) =
                    (self.predicate(1), self.statement(d, targets), self.statement(d, targets));
                format!("IF {p} THEN {yes} ELSE {no} END")
            }
            2 => format!("CHOICE {} OR {} END", self.statement(d, targets), self.statement(d, targets)),
            3 => {
                let (p, s, q, t) = (
                    self.predicate(1),
                    self.statement(d, targets),
                    self.predicate(1),
                    self.statement(d, targets),
                );
                let last = match self.below(2) {
                    0 => format!("ELSE {} ", self.statement(d, targets)),
                    _ => String::new(),
                };
                format!("SELECT {p} THEN {s} WHEN {q} THEN {t} {last}END")
            }
            4 => {
                let (p, s) = (self.predicate(1), self.statement(d, targets));
                let last = match self.below(2) {
                    0 => format!("ELSE {} ", self.statement(d, targets)),
                    _ => String::new(),
                };
                format!("SELECT {p} THEN {s} {last}END")
            }
            5 => {
                let (z, k) = (self.name(), self.kind());
                let range = self.range(k);
                self.within(&[(z.clone(), k)], |g| {
                    let (p, s) = (g.predicate(1), g.statement(d, targets));
                    format!("ANY {z} WHERE {z} : {range} & {p} THEN {s} END")
                })
            }
            6 => {
                let (z, k) = (self.name(), self.kind());
                let value = self.expression(1, k);
                let s = self.within(&[(z.clone(), k)], |g| g.statement(d, targets));
                format!("LET {z} BE {z} = {value} IN {s} END")
            }
            7..=8 => {
                let local = (self.name(), self.kind());
                targets.push(local.clone());
                let s = self.within(std::slice::from_ref(&local), |g| {
                    let count = 2 + g.below(2);
                    let parts: Vec<String> = (0..count).map(|_| g.statement(d, targets)).collect();
                    format!("{}; {}", parts.join("; "), g.use_of(&local))
                });
                targets.retain(|t| *t != local);
                format!("VAR {} IN {s} END", local.0)
            }
            9 => format!("BEGIN {}; {} END", self.statement(d, targets), self.statement(d, targets)),
            10 => {
                let at = self.below(targets.len());
                let mut right = targets.split_off(at);
                let (s, t) = (self.statement(d, targets), self.statement(d, &mut right));
                targets.append(&mut right);
                format!("BEGIN {s} || {t} END")
            }
            11 => format!("ASSERT {} THEN {} END", self.predicate(1), self.statement(d, targets)),
            _ => self.statement(0, targets),
        }
    }

    /// A statement that shows the type of a local.
    fn use_of(&mut self, (name, k): &(String, Kind)) -> String {
        let typed = typed(*k);
        match self.below(2) {
            0 => format!("{name} := {typed}"),
            _ => format!("IF {name} = {typed} THEN skip END"),
        }
    }

    /// A small set of values.
    fn range(&mut self, k: Kind) -> String {
        match (k, self.below(3)) {
            (Int, 0) => format!("0..{}", self.expression(1, Int)),
            (Int, _) => "0..1".into(),
            (Bool, _) => "BOOL".into(),
            (Set, _) => "POW({a})".into(),
            (Relation, 0) => "{0} +-> 0..1".into(),
            (Relation, _) => "{0} <-> 0..1".into(),
        }
    }
}

/// A value that shows its type.
fn typed(k: Kind) -> &'static str {
    match k {
        Int => "1",
        Bool => "TRUE",
        Set => "{a}",
        Relation => "{0 |-> 1}",
    }
}

fn type_of(k: Kind) -> &'static str {
    match k {
        Int => "INTEGER",
        Bool => "BOOL",
        Set => "POW(E)",
        Relation => "INTEGER <-> INTEGER",
    }
}
