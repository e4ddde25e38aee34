//! Random predicates as text, by type, over the variables of the test's machine.

/// Types that the generator knows.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Kind {
    Int,
    C,
    D,
}

use Kind::{C, D, Int};

/// A generator of texts; the same seed gives the same texts.
pub struct Generator {
    state: u64,
    locals: Vec<(String, Kind)>,
    /// Bound variables that are sets of elements of a type.
    pub sets: Vec<(String, Kind)>,
    /// Bound variables that are relations between two types.
    pub relations: Vec<(String, (Kind, Kind))>,
    names: usize,
}

impl Generator {
    pub fn new(seed: u64) -> Self {
        Generator {
            state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1,
            locals: vec![],
            sets: vec![],
            relations: vec![],
            names: 0,
        }
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        ((self.state >> 20) % n as u64) as usize
    }

    pub fn pick<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }

    pub fn literal(&mut self, k: Kind) -> String {
        match k {
            Int => self.pick(&["0", "1", "2", "3", "(-1)"]).into(),
            C => self.pick(&["red", "green", "blue"]).into(),
            D => self.pick(&["d1", "d2"]).into(),
        }
    }

    pub fn kind(&mut self) -> Kind {
        [Int, C, D][self.below(3)]
    }

    /// Values of the variables, in order.
    pub fn values(&mut self) -> Vec<String> {
        let set = |g: &mut Self, k: Kind| {
            let n = g.below(3);
            let items: Vec<_> = (0..n).map(|_| g.literal(k)).collect();
            listed(items, &g.literal(k))
        };
        let function = |g: &mut Self, a: Kind, b: Kind| {
            let keys: &[&str] = match a {
                Int => &["0", "1", "2"],
                C => &["red", "green", "blue"],
                D => &["d1", "d2"],
            };
            let mut items = vec![];
            for k in keys {
                if g.below(3) > 0 {
                    items.push(format!("{k} |-> {}", g.literal(b)));
                }
            }
            listed(items, &format!("{} |-> {}", keys[0], g.literal(b)))
        };
        let relation = |g: &mut Self, a: Kind, b: Kind| {
            let n = g.below(4);
            let items: Vec<_> = (0..n).map(|_| format!("{} |-> {}", g.literal(a), g.literal(b))).collect();
            listed(items, &format!("{} |-> {}", g.literal(a), g.literal(b)))
        };
        let sequence = |g: &mut Self, a: Kind| {
            let n = g.below(4);
            let items: Vec<_> = (0..n).map(|_| g.literal(a)).collect();
            if n == 0 { format!("tail([{}])", g.literal(a)) } else { format!("[{}]", items.join(", ")) }
        };
        let mut all = vec![self.literal(Int), self.literal(Int), self.literal(C), self.literal(D)];
        for k in [Int, C, D] {
            all.push(set(self, k));
        }
        for (a, b) in [(Int, Int), (Int, C), (C, Int), (D, Int), (D, C)] {
            all.push(function(self, a, b));
        }
        for (a, b) in [(Int, Int), (D, D), (C, D)] {
            all.push(relation(self, a, b));
        }
        all.push(sequence(self, Int));
        all.push(sequence(self, C));
        fn total(g: &mut Generator, b: Kind) -> String {
            let n = 3 - usize::from(g.below(4) == 0);
            let items = ["0", "1", "2"][..n].iter().map(|k| format!("{k} |-> {}", g.literal(b))).collect();
            listed(items, "")
        }
        let within = |g: &mut Self, keys: &[&str], inner: fn(&mut Generator) -> String| {
            let mut items = vec![];
            for k in keys {
                if g.below(4) > 0 {
                    items.push(format!("{k} |-> {}", inner(g)));
                }
            }
            listed(items, &format!("{} |-> {}", keys[0], inner(g)))
        };
        let (colours, elements) = (["red", "green", "blue"], ["d1", "d2"]);
        all.push(within(self, &colours, |g| total(g, Int)));
        all.push(within(self, &colours, |g| total(g, C)));
        all.push(within(self, &elements, |g| total(g, Int)));
        let numbers = |g: &mut Generator| {
            let n = g.below(4);
            let items = (0..n).map(|_| g.literal(Int)).collect();
            listed(items, &g.literal(Int))
        };
        all.push(within(self, &colours, numbers));
        all.push(within(self, &elements, numbers));
        all
    }

    /// A name that nothing else has.
    pub fn name(&mut self, base: &str) -> String {
        self.names += 1;
        format!("{base}{}", self.names)
    }

    fn bound<T>(&mut self, all: &[(String, T)], fits: impl Fn(&T) -> bool) -> Option<String> {
        let own: Vec<&String> = all.iter().filter(|(_, of)| fits(of)).map(|(name, _)| name).collect();
        if own.is_empty() || self.below(3) == 0 {
            return None;
        }
        Some(own[self.below(own.len())].clone())
    }

    fn atom(&mut self, k: Kind) -> String {
        let locals: Vec<String> =
            self.locals.iter().filter(|(_, l)| *l == k).map(|(n, _)| n.clone()).collect();
        if !locals.is_empty() && self.below(2) == 0 {
            return locals[self.below(locals.len())].clone();
        }
        if self.below(2) == 0 {
            return self.literal(k);
        }
        match k {
            Int => self.pick(&["i", "j"]).into(),
            C => "c".into(),
            D => "d".into(),
        }
    }

    pub fn element(&mut self, k: Kind, depth: usize) -> String {
        if depth == 0 {
            return self.atom(k);
        }
        let n = depth - 1;
        if self.below(6) == 0 {
            let (p, a, b) = (self.predicate(n), self.element(k, n), self.element(k, n));
            return format!("(IF {p} THEN {a} ELSE {b} END)");
        }
        if self.below(4) == 0 {
            let from = self.kind();
            return format!("{}({})", self.relation(from, k, n), self.element(from, n));
        }
        match k {
            Int => match self.below(14) {
                0 => format!("({} + {})", self.element(Int, n), self.element(Int, n)),
                1 => format!("({} - {})", self.element(Int, n), self.element(Int, n)),
                2 => format!("({} * {})", self.element(Int, n), self.element(Int, n)),
                3 => format!("({} / {})", self.element(Int, n), self.element(Int, n)),
                4 => format!("({} mod {})", self.element(Int, n), self.element(Int, n)),
                5 => format!("(-{})", self.element(Int, n)),
                6 => format!("max({})", self.set(Int, n)),
                7 => format!("min({})", self.set(Int, n)),
                8 => {
                    let k = self.kind();
                    format!("card({})", self.set(k, n))
                }
                9 => {
                    let k = [Int, C][self.below(2)];
                    format!("size({})", self.sequence(k, n))
                }
                10 => {
                    let op = self.pick(&["SIGMA", "PI"]);
                    let (x, k, s) = self.local(n);
                    let body = self.under(&x, k, |g| g.element(Int, n));
                    format!("{op}({x}).({x} : {s} | {body})")
                }
                11 => format!("{}({})", self.pick(&["first", "last"]), self.sequence(Int, n)),
                12 => format!("({} ** {})", self.element(Int, n), self.pick(&["0", "1", "2", "3"])),
                _ => format!("{}({})", self.pick(&["succ", "pred"]), self.element(Int, n)),
            },
            C => format!("{}({})", self.pick(&["first", "last"]), self.sequence(C, n)),
            D => self.atom(D),
        }
    }

    /// A bound variable, its type, and a set for it.
    fn local(&mut self, depth: usize) -> (String, Kind, String) {
        let k = self.kind();
        let s = self.set(k, depth);
        (self.name("x"), k, s)
    }

    fn under(&mut self, x: &str, k: Kind, f: impl FnOnce(&mut Self) -> String) -> String {
        self.locals.push((x.into(), k));
        let text = f(self);
        self.locals.pop();
        text
    }

    pub fn set(&mut self, k: Kind, depth: usize) -> String {
        if depth == 0 {
            if let Some(bound) = self.bound(&self.sets.clone(), |&of| of == k) {
                return bound;
            }
            let variable = match k {
                Int => "is",
                C => "cs",
                D => "ds",
            };
            return match self.below(5) {
                4 if k == Int && self.below(2) == 0 => format!("ncs({})", self.atom(C)),
                4 if k == Int => format!("nds({})", self.atom(D)),
                0 => format!("{{{}}}", self.atom(k)),
                1 => format!("{{{}, {}}}", self.atom(k), self.atom(k)),
                2 if k == Int => format!("({} .. {})", self.atom(k), self.atom(k)),
                2 if k == C => "C".into(),
                2 => "D".into(),
                _ => variable.into(),
            };
        }
        let n = depth - 1;
        match self.below(15) {
            0 => format!("({} \\/ {})", self.set(k, n), self.set(k, n)),
            1 => format!("({} /\\ {})", self.set(k, n), self.set(k, n)),
            2 => format!("({} - {})", self.set(k, n), self.set(k, n)),
            3 | 4 => {
                let s = self.set(k, n);
                let x = self.name("x");
                let p = self.under(&x, k, |g| g.predicate(n));
                format!("{{{x} | {x} : {s} & {p}}}")
            }
            5 => {
                let to = self.kind();
                format!("dom({})", self.relation(k, to, n))
            }
            6 => {
                let from = self.kind();
                format!("ran({})", self.relation(from, k, n))
            }
            7 | 8 => {
                let from = self.kind();
                format!("{}[{}]", self.relation(from, k, n), self.set(from, n))
            }
            9 => format!("union({{{}, {}}})", self.set(k, n), self.set(k, n)),
            10 => format!("inter({{{}, {}}})", self.set(k, n), self.set(k, n)),
            11 => {
                let (x, l, s) = self.local(n);
                let body = self.under(&x, l, |g| g.set(k, n));
                let op = self.pick(&["UNION", "INTER"]);
                format!("{op}({x}).({x} : {s} | {body})")
            }
            12 => format!("{{{}, {}}}", self.element(k, n), self.element(k, n)),
            13 if k != D => format!("ran({})", self.sequence(k, n)),
            14 if k == Int => format!("({} .. {})", self.element(k, n), self.element(k, n)),
            _ => self.set(k, 0),
        }
    }

    pub fn relation(&mut self, a: Kind, b: Kind, depth: usize) -> String {
        if depth == 0 {
            if let Some(bound) = self.bound(&self.relations.clone(), |&of| of == (a, b)) {
                return bound;
            }
            let variable = match (a, b) {
                (Int, Int) => self.pick(&["fii", "rii", "si"]),
                (Int, C) => self.pick(&["fic", "sc"]),
                (C, Int) => "fci",
                (D, Int) => "fdi",
                (D, C) => "fdc",
                (D, D) => "rdd",
                (C, D) => "rcd",
                _ => "",
            };
            if a == Int && b != D && self.below(4) == 0 {
                return match (b, self.below(3)) {
                    (Int, 0) => format!("ndi({})", self.atom(D)),
                    (Int, _) => format!("nci({})", self.atom(C)),
                    _ => format!("ncc({})", self.atom(C)),
                };
            }
            if !variable.is_empty() && self.below(3) > 0 {
                return variable.into();
            }
            let n = self.below(3);
            if n == 0 {
                return format!("({} * {})", self.set(a, 0), self.set(b, 0));
            }
            let items: Vec<_> = (0..n).map(|_| format!("{} |-> {}", self.atom(a), self.atom(b))).collect();
            return format!("{{{}}}", items.join(", "));
        }
        let n = depth - 1;
        match self.below(16) {
            0 => format!("({} \\/ {})", self.relation(a, b, n), self.relation(a, b, n)),
            1 => format!("({} /\\ {})", self.relation(a, b, n), self.relation(a, b, n)),
            2 => format!("({} - {})", self.relation(a, b, n), self.relation(a, b, n)),
            3 | 4 => format!("({} <+ {})", self.relation(a, b, n), self.relation(a, b, n)),
            5 => format!("({} <| {})", self.set(a, n), self.relation(a, b, n)),
            6 => format!("({} <<| {})", self.set(a, n), self.relation(a, b, n)),
            7 => format!("({} |> {})", self.relation(a, b, n), self.set(b, n)),
            8 => format!("({} |>> {})", self.relation(a, b, n), self.set(b, n)),
            9 => format!("({}~)", self.relation(b, a, n)),
            10 => {
                let middle = self.kind();
                format!("({} ; {})", self.relation(a, middle, n), self.relation(middle, b, n))
            }
            11 => {
                let s = self.set(a, n);
                let x = self.name("x");
                let body = self.under(&x, a, |g| g.element(b, n));
                format!("%{x}.({x} : {s} | {body})")
            }
            12 if (a, b) == (Int, Int) => {
                let (f, k) = [("nci", C), ("ndi", D)][self.below(2)];
                let (x, y) = (self.atom(k), self.atom(k));
                format!("({f} <+ {{{x} |-> {}}})({y})", self.relation(Int, Int, n))
            }
            12 if a == b => format!("id({})", self.set(a, n)),
            13 if a == b => format!("closure1({})", self.relation(a, b, n)),
            14 if a == b => format!("iterate({}, {})", self.relation(a, b, n), self.pick(&["1", "2", "3"])),
            15 if a == Int && b != D => self.sequence(b, n),
            _ => self.relation(a, b, 0),
        }
    }

    fn sequence(&mut self, k: Kind, depth: usize) -> String {
        if depth == 0 {
            let n = self.below(3);
            if n == 0 {
                return if k == Int { "si" } else { "sc" }.into();
            }
            let items: Vec<_> = (0..n).map(|_| self.atom(k)).collect();
            return format!("[{}]", items.join(", "));
        }
        let n = depth - 1;
        match self.below(11) {
            0 => format!("({} <- {})", self.sequence(k, n), self.element(k, n)),
            1 => format!("({} -> {})", self.element(k, n), self.sequence(k, n)),
            2 => format!("({} ^ {})", self.sequence(k, n), self.sequence(k, n)),
            3 => format!("{}({})", self.pick(&["front", "tail", "rev"]), self.sequence(k, n)),
            4 => format!("({} /|\\ {})", self.sequence(k, n), self.atom(Int)),
            5 => format!("({} \\|/ {})", self.sequence(k, n), self.atom(Int)),
            6 => format!("conc([{}, {}])", self.sequence(k, n), self.sequence(k, n)),
            7 => format!("({} <+ {{{} |-> {}}})", self.sequence(k, n), self.atom(Int), self.atom(k)),
            8 => self.relation(Int, k, n),
            _ => self.sequence(k, 0),
        }
    }

    pub fn predicate(&mut self, depth: usize) -> String {
        let n = depth.saturating_sub(1);
        let k = self.kind();
        if depth == 0 {
            return match self.below(3) {
                0 => format!("{} = {}", self.atom(k), self.atom(k)),
                1 => format!("{} : {}", self.atom(k), self.set(k, 0)),
                _ => format!("{} < {}", self.atom(Int), self.atom(Int)),
            };
        }
        match self.below(17) {
            0 => {
                let op = self.pick(&["<", "<=", ">", ">=", "=", "/="]);
                format!("{} {op} {}", self.element(Int, n), self.element(Int, n))
            }
            1 => format!("{} {} {}", self.element(k, n), self.pick(&["=", "/="]), self.element(k, n)),
            2 | 3 => format!("{} {} {}", self.element(k, n), self.pick(&[":", "/:"]), self.set(k, n)),
            4 | 5 => {
                let op = self.pick(&["=", "/=", "<:", "/<:", "<<:", "/<<:"]);
                format!("{} {op} {}", self.set(k, n), self.set(k, n))
            }
            6 | 7 => {
                let b = self.kind();
                let op = self.pick(&["=", "/=", "<:", "/<:"]);
                format!("{} {op} {}", self.relation(k, b, n), self.relation(k, b, n))
            }
            8 | 9 => {
                let b = self.kind();
                let space = self.pick(&[
                    "<->", "+->", "-->", ">+>", ">->", "+->>", "-->>", ">->>", "<<->", "<->>", "<<->>",
                ]);
                format!("{} : {} {space} {}", self.relation(k, b, n), self.set(k, n), self.set(b, n))
            }
            10 => {
                let k = [Int, C][self.below(2)];
                match self.below(3) {
                    0 => {
                        let space = self.pick(&["seq", "seq1", "iseq", "iseq1", "perm"]);
                        format!("{} : {space}({})", self.relation(Int, k, n), self.set(k, n))
                    }
                    _ => {
                        format!("{} {} {}", self.sequence(k, n), self.pick(&["=", "/="]), self.sequence(k, n))
                    }
                }
            }
            11 => {
                let op = self.pick(&["<", "<=", ">", ">=", "=", "/="]);
                format!("card({}) {op} {}", self.set(k, n), self.pick(&["0", "1", "2"]))
            }
            12 => {
                let (x, k, s) = self.local(n);
                let p = self.under(&x, k, |g| g.predicate(n));
                format!("!{x}.({x} : {s} => ({p}))")
            }
            13 => {
                let (x, k, s) = self.local(n);
                let p = self.under(&x, k, |g| g.predicate(n));
                format!("#{x}.({x} : {s} & ({p}))")
            }
            14 => format!(
                "({}) {} ({})",
                self.predicate(n),
                self.pick(&["&", "or", "=>", "<=>"]),
                self.predicate(n)
            ),
            15 => format!("not({})", self.predicate(n)),
            _ => {
                let space = self.pick(&["POW", "POW1", "FIN", "FIN1"]);
                format!("{} : {space}({})", self.set(k, n), self.set(k, n))
            }
        }
    }
}

/// A set extension; the empty set so that its type can be seen.
pub fn listed(items: Vec<String>, example: &str) -> String {
    if items.is_empty() {
        format!("({{{example}}} - {{{example}}})")
    } else {
        format!("{{{}}}", items.join(", "))
    }
}
