//! Gates: structurally hashed propositional functions, and their clauses.
//!
//! A gate is made once for equal inputs, simplified where its inputs are constant, equal or opposite. Its
//! clauses (Tseitin, both directions) are emitted when it is first required, so that what no assertion
//! depends on costs the solver nothing.

use rustc_hash::FxHashMap;

/// A variable or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Lit(u32);

impl Lit {
    /// The literal that is true.
    pub const TRUE: Lit = Lit(0);
    /// The literal that is false.
    pub const FALSE: Lit = Lit(1);

    /// The positive literal of a variable.
    pub fn positive(variable: u32) -> Lit {
        Lit(variable << 1)
    }

    /// Position of the variable.
    pub fn variable(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Returns whether the variable is negated.
    pub fn is_negative(self) -> bool {
        self.0 & 1 == 1
    }

    /// `TRUE` or `FALSE`.
    pub fn constant(value: bool) -> Lit {
        if value { Lit::TRUE } else { Lit::FALSE }
    }

    /// The truth value of a constant.
    pub fn as_constant(self) -> Option<bool> {
        (self.0 < 2).then_some(self.0 == 0)
    }
}

impl std::ops::Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

/// Definition of a variable.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Gate {
    /// The variable that is true.
    True,
    /// Free.
    Input,
    And(Box<[Lit]>),
    Xor(Lit, Lit),
    /// `if first then second else third`
    Choice(Lit, Lit, Lit),
    /// At least two of three.
    Majority(Lit, Lit, Lit),
    /// Equal to the second literal wherever the first is true, else free.
    Guarded(Lit, Lit),
}

impl Gate {
    /// The literals that it is made of.
    pub fn operands(&self) -> Vec<Lit> {
        match self {
            Gate::True | Gate::Input => vec![],
            Gate::And(args) => args.to_vec(),
            Gate::Xor(a, b) | Gate::Guarded(a, b) => vec![*a, *b],
            Gate::Choice(a, b, c) | Gate::Majority(a, b, c) => vec![*a, *b, *c],
        }
    }
}

/// All gates, and the clauses that are to be handed to a solver.
#[derive(Debug)]
pub(super) struct Gates {
    gates: Vec<Gate>,
    by_gate: FxHashMap<Gate, Lit>,
    /// Variables whose clauses were emitted.
    emitted: Vec<bool>,
    clauses: Vec<Vec<Lit>>,
    /// The clauses that are no part of a gate's definition, where somebody wants them.
    stated: Option<Vec<Vec<Lit>>>,
}

impl Gates {
    /// No gates.
    pub fn new() -> Gates {
        let mut gates = Gates {
            gates: vec![Gate::True],
            by_gate: FxHashMap::default(),
            emitted: vec![false],
            clauses: vec![],
            stated: None,
        };
        gates.clause(&[Lit::TRUE]);
        gates
    }

    /// Number of variables.
    pub fn len(&self) -> usize {
        self.gates.len()
    }

    /// Definition of a variable.
    pub fn gate(&self, variable: usize) -> &Gate {
        &self.gates[variable]
    }

    /// Keeps the clauses that are stated from now on, apart from the definitions of gates.
    pub fn keep_stated(&mut self) {
        self.stated = Some(vec![]);
    }

    /// Takes the clauses that were stated since [`keep_stated`](Self::keep_stated).
    pub fn take_stated(&mut self) -> Vec<Vec<Lit>> {
        self.stated.take().unwrap_or_default()
    }

    fn add(&mut self, gate: Gate) -> Lit {
        let l = Lit::positive(self.gates.len() as u32);
        self.gates.push(gate);
        self.emitted.push(false);
        l
    }

    fn hashed(&mut self, gate: Gate) -> Lit {
        if let Some(&l) = self.by_gate.get(&gate) {
            return l;
        }
        let l = self.add(gate.clone());
        self.by_gate.insert(gate, l);
        l
    }

    /// A free variable.
    pub fn input(&mut self) -> Lit {
        self.add(Gate::Input)
    }

    /// A variable that is `definition` wherever `guard` is true. Never shared: where the guard is false, two
    /// of them with one definition may stand for different truths.
    pub fn guarded(&mut self, guard: Lit, definition: Lit) -> Lit {
        if guard == Lit::TRUE { definition } else { self.add(Gate::Guarded(guard, definition)) }
    }

    /// Conjunction.
    pub fn and(&mut self, args: impl IntoIterator<Item = Lit>) -> Lit {
        let mut all: Vec<Lit> = vec![];
        for a in args {
            match a {
                Lit::TRUE => {}
                Lit::FALSE => return Lit::FALSE,
                _ => all.push(a),
            }
        }
        all.sort_unstable();
        all.dedup();
        // Opposite literals are neighbours.
        if all.windows(2).any(|w| w[0] == !w[1]) {
            return Lit::FALSE;
        }
        match all[..] {
            [] => Lit::TRUE,
            [one] => one,
            _ => self.hashed(Gate::And(all.into())),
        }
    }

    /// Disjunction.
    pub fn or(&mut self, args: impl IntoIterator<Item = Lit>) -> Lit {
        !self.and(args.into_iter().map(|a| !a))
    }

    /// Exclusive disjunction.
    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        // Signs move to the result, so that all four forms share one gate.
        let sign = a.is_negative() != b.is_negative();
        let (a, b) = (Lit(a.0 & !1), Lit(b.0 & !1));
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        let l = if a == b {
            Lit::FALSE
        } else if a == Lit::TRUE {
            !b
        } else {
            self.hashed(Gate::Xor(a, b))
        };
        if sign { !l } else { l }
    }

    /// Returns a literal that is true if two literals are equal.
    pub fn iff(&mut self, a: Lit, b: Lit) -> Lit {
        !self.xor(a, b)
    }

    /// `if c then a else b`
    pub fn choice(&mut self, c: Lit, a: Lit, b: Lit) -> Lit {
        if c.is_negative() && c.as_constant().is_none() {
            return self.choice(!c, b, a);
        }
        match c.as_constant() {
            Some(true) => return a,
            Some(false) => return b,
            None => {}
        }
        if a == b {
            return a;
        }
        if a == !b {
            return self.iff(c, a);
        }
        if a == Lit::TRUE || a == c {
            return self.or([c, b]);
        }
        if a == Lit::FALSE || a == !c {
            return self.and([!c, b]);
        }
        if b == Lit::TRUE || b == !c {
            return self.or([!c, a]);
        }
        if b == Lit::FALSE || b == c {
            return self.and([c, a]);
        }
        if a.is_negative() {
            return !self.hashed(Gate::Choice(c, !a, !b));
        }
        self.hashed(Gate::Choice(c, a, b))
    }

    /// At least two of three.
    pub fn majority(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let mut all = [a, b, c];
        all.sort_unstable();
        let [a, b, c] = all;
        if a == Lit::TRUE {
            return self.or([b, c]);
        }
        if a == Lit::FALSE {
            return self.and([b, c]);
        }
        if a == b || b == c {
            return b;
        }
        if a == !b {
            return c;
        }
        if b == !c {
            return a;
        }
        self.hashed(Gate::Majority(a, b, c))
    }

    /// States that one of the literals is true.
    pub fn clause(&mut self, clause: &[Lit]) {
        if clause.contains(&Lit::TRUE) && clause != [Lit::TRUE] {
            return;
        }
        let clause: Vec<Lit> = clause.iter().copied().filter(|&l| l != Lit::FALSE).collect();
        for &l in &clause {
            self.require(l);
        }
        if let Some(stated) = &mut self.stated {
            stated.push(clause.clone());
        }
        self.emit(clause);
    }

    fn emit(&mut self, clause: Vec<Lit>) {
        self.clauses.push(clause);
    }

    /// Returns whether a literal's clauses were emitted.
    pub fn is_emitted(&self, l: Lit) -> bool {
        self.emitted[l.variable()]
    }

    /// Emits the clauses of a literal and of everything below it.
    pub fn require(&mut self, l: Lit) {
        let mut stack = vec![l.variable()];
        while let Some(v) = stack.pop() {
            if std::mem::replace(&mut self.emitted[v], true) {
                continue;
            }
            let g = Lit::positive(v as u32);
            match self.gates[v].clone() {
                Gate::True | Gate::Input => {}
                Gate::And(args) => {
                    let mut long = vec![g];
                    for &a in &args {
                        self.emit(vec![!g, a]);
                        long.push(!a);
                        stack.push(a.variable());
                    }
                    self.emit(long);
                }
                Gate::Xor(a, b) => {
                    for (x, y) in [(a, b), (!a, !b)] {
                        self.emit(vec![!g, x, y]);
                        self.emit(vec![g, !x, y]);
                    }
                    stack.extend([a.variable(), b.variable()]);
                }
                Gate::Choice(c, a, b) => {
                    for (s, x) in [(c, a), (!c, b)] {
                        self.emit(vec![!s, !g, x]);
                        self.emit(vec![!s, g, !x]);
                    }
                    // Implied, and they let more propagate.
                    self.emit(vec![!a, !b, g]);
                    self.emit(vec![a, b, !g]);
                    stack.extend([c.variable(), a.variable(), b.variable()]);
                }
                Gate::Majority(a, b, c) => {
                    for (x, y) in [(a, b), (a, c), (b, c)] {
                        self.emit(vec![!x, !y, g]);
                        self.emit(vec![x, y, !g]);
                    }
                    stack.extend([a.variable(), b.variable(), c.variable()]);
                }
                Gate::Guarded(guard, d) => {
                    self.emit(vec![!guard, !g, d]);
                    self.emit(vec![!guard, g, !d]);
                    stack.extend([guard.variable(), d.variable()]);
                }
            }
        }
    }

    /// The clauses that were emitted since the last call.
    pub fn take_clauses(&mut self) -> Vec<Vec<Lit>> {
        std::mem::take(&mut self.clauses)
    }

    /// Clauses that were taken, but not handed on yet.
    pub fn put_back(&mut self, clauses: Vec<Vec<Lit>>) {
        self.clauses.splice(0..0, clauses);
    }

    /// The truth of every variable: as `known` says, and of those that it does not know as their gates say
    /// (free ones are false).
    pub fn simulate(&self, known: &[Option<bool>]) -> Vec<bool> {
        let mut values: Vec<bool> = Vec::with_capacity(self.gates.len());
        // The inputs of a gate are older than it.
        for (v, gate) in self.gates.iter().enumerate() {
            let lit = |l: Lit| values[l.variable()] != l.is_negative();
            let value = match (known.get(v).copied().flatten(), gate) {
                (Some(value), _) => value,
                (None, Gate::True) => true,
                (None, Gate::Input) => false,
                (None, Gate::And(args)) => args.iter().all(|&a| lit(a)),
                (None, Gate::Xor(a, b)) => lit(*a) != lit(*b),
                (None, Gate::Choice(c, a, b)) => lit(if lit(*c) { *a } else { *b }),
                (None, Gate::Majority(a, b, c)) => [a, b, c].into_iter().filter(|l| lit(**l)).count() >= 2,
                (None, Gate::Guarded(_, d)) => lit(*d),
            };
            values.push(value);
        }
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every gate over three inputs with any signs against its meaning, and its clauses against both.
    #[test]
    fn gates_and_their_clauses_mean_what_they_should() {
        type Make = fn(&mut Gates, [Lit; 3]) -> Lit;
        type Meaning = fn([bool; 3]) -> bool;
        let cases: [(Make, Meaning); 5] = [
            (|g, [a, b, c]| g.and([a, b, c]), |[a, b, c]| a && b && c),
            (|g, [a, b, c]| g.or([a, b, c]), |[a, b, c]| a || b || c),
            (|g, [a, b, _]| g.xor(a, b), |[a, b, _]| a != b),
            (|g, [a, b, c]| g.choice(a, b, c), |[a, b, c]| if a { b } else { c }),
            (|g, [a, b, c]| g.majority(a, b, c), |[a, b, c]| (a as u8 + b as u8 + c as u8) >= 2),
        ];
        for (make, meaning) in cases {
            // Each argument is an input of either sign, or constant, or equal to another.
            for shape in 0..8usize.pow(3) {
                let mut g = Gates::new();
                let inputs = [g.input(), g.input(), g.input()];
                let pick = |k: usize| match k {
                    6 => Lit::TRUE,
                    7 => Lit::FALSE,
                    _ => {
                        let l = inputs[k / 2];
                        if k % 2 == 1 { !l } else { l }
                    }
                };
                let args = [pick(shape % 8), pick(shape / 8 % 8), pick(shape / 64)];
                let l = make(&mut g, args);
                g.require(l);
                let clauses = g.take_clauses();
                for bits in 0..8u8 {
                    let known: Vec<Option<bool>> =
                        [None].into_iter().chain((0..3).map(|i| Some(bits >> i & 1 == 1))).collect();
                    let values = g.simulate(&known);
                    let value = |l: Lit| values[l.variable()] != l.is_negative();
                    let expected = meaning(args.map(value));
                    assert_eq!(value(l), expected, "{args:?}");
                    assert!(clauses.iter().all(|c| c.iter().any(|&l| value(l))), "{args:?}");
                    // No other value of the gate satisfies its clauses.
                    if l.as_constant().is_none() && l.variable() > 3 {
                        let wrong = |x: Lit| value(x) != (x.variable() == l.variable());
                        assert!(!clauses.iter().all(|c| c.iter().any(|&l| wrong(l))), "{args:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn equal_gates_are_one() {
        let mut g = Gates::new();
        let (a, b) = (g.input(), g.input());
        let (x, y) = (g.and([a, b]), g.and([b, a, Lit::TRUE]));
        assert_eq!(x, y);
        assert_eq!(g.xor(a, b), !g.xor(!b, a));
        assert_ne!(g.guarded(a, b), g.guarded(a, b));
    }
}
