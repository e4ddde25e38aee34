//! Random closed formulas of classical B as text, by type, over all operators that need no declaration.
//!
//! Most parts are well-defined by the way they are built (a function is applied to one of its points, a
//! divisor is a number other than zero); about every sixth is left to chance.

/// Types of the formulas.
#[derive(Clone, PartialEq, Debug)]
pub enum Kind {
    Int,
    Bool,
    Text,
    Real,
    Set(Box<Kind>),
    Pair(Box<Kind>, Box<Kind>),
    Record(Vec<(&'static str, Kind)>),
}

use Kind::{Bool, Int, Pair, Real, Record, Set, Text};

pub fn set_of(k: &Kind) -> Kind {
    Set(Box::new(k.clone()))
}

pub fn pair_of(a: &Kind, b: &Kind) -> Kind {
    Pair(Box::new(a.clone()), Box::new(b.clone()))
}

pub fn relation_of(a: &Kind, b: &Kind) -> Kind {
    set_of(&pair_of(a, b))
}

fn sequence_of(k: &Kind) -> Kind {
    relation_of(&Int, k)
}

/// A generator of texts; the same seed gives the same texts.
pub struct Generator {
    /// Whether there are reals among the formulas.
    reals: bool,
    state: u64,
    /// Names that formulas may use.
    pub locals: Vec<(String, Kind)>,
    names: usize,
}

/// The formulas of one batch, of heights one to four in turn; each predicate is followed by its negation.
pub fn batch(seed: u64, number: u64, count: usize, reals: bool) -> Vec<String> {
    let mut g = Generator::new(seed.wrapping_mul(1_000_003).wrapping_add(number), reals);
    let mut lines = Vec::with_capacity(count);
    let mut drawn = 0;
    while lines.len() < count {
        let (text, is_predicate) = g.formula(1 + drawn % 4);
        drawn += 1;
        let negated = is_predicate.then(|| format!("not({text})"));
        lines.push(text);
        lines.extend(negated);
    }
    lines.truncate(count);
    lines
}

impl Generator {
    pub fn new(seed: u64, reals: bool) -> Generator {
        let state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut g = Generator { reals, state, locals: vec![], names: 0 };
        for _ in 0..4 {
            g.below(2);
        }
        g
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        ((self.state >> 20) % n as u64) as usize
    }

    fn pick<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }

    /// Whether the next part may be ill-defined.
    fn careless(&mut self) -> bool {
        self.below(6) == 0
    }

    /// A closed formula: a predicate (its negation comes next) or an expression.
    pub fn formula(&mut self, depth: usize) -> (String, bool) {
        self.names = 0;
        self.locals.clear();
        if self.below(3) > 0 {
            return (self.pred(depth), true);
        }
        let k = match self.below(12) {
            0 => return (self.tree(&Int, depth), false),
            1 => return (self.symbolic_set(depth), false),
            _ => self.kind(),
        };
        (self.expr(&k, depth), false)
    }

    fn simple(&mut self) -> Kind {
        if self.reals && self.below(7) == 0 {
            return Real;
        }
        match self.below(7) {
            0..=3 => Int,
            4 | 5 => Bool,
            _ => Text,
        }
    }

    pub fn kind(&mut self) -> Kind {
        match self.below(10) {
            0..=3 => self.simple(),
            4 | 5 => set_of(&self.simple()),
            6 => pair_of(&self.simple(), &self.simple()),
            7 => Record(vec![("a", self.simple()), ("b", self.simple())]),
            _ => relation_of(&self.simple(), &self.simple()),
        }
    }

    fn fresh(&mut self) -> String {
        self.names += 1;
        format!("x{}", self.names)
    }

    fn under(&mut self, x: &str, k: &Kind, f: impl FnOnce(&mut Self) -> String) -> String {
        self.locals.push((x.into(), k.clone()));
        let text = f(self);
        self.locals.pop();
        text
    }

    pub fn atom(&mut self, k: &Kind) -> String {
        let known: Vec<String> = self.locals.iter().filter(|(_, l)| l == k).map(|(n, _)| n.clone()).collect();
        if !known.is_empty() && self.below(3) > 0 {
            return known[self.below(known.len())].clone();
        }
        match k {
            Int => {
                self.pick(&["0", "1", "2", "3", "(-1)", "5", "(-4)", "7", "12", "MAXINT", "MININT"]).into()
            }
            Bool => self.pick(&["TRUE", "FALSE"]).into(),
            Real => self.pick(&["0.0", "1.0", "2.5", "(-1.5)", "0.25", "3.0"]).into(),
            Text => self.pick(&["\"\"", "\"a\"", "\"b\"", "\"ab\""]).into(),
            Pair(a, b) => format!("({} |-> {})", self.atom(a), self.atom(b)),
            Record(fields) => {
                let fields: Vec<_> = fields.iter().map(|(l, k)| format!("{l}:{}", self.atom(k))).collect();
                format!("rec({})", fields.join(", "))
            }
            Set(of) => {
                let n = self.below(4);
                let items: Vec<_> = (0..n.max(1)).map(|_| self.atom(of)).collect();
                if n == 0 {
                    return format!("({{{}}} - {{{}}})", items[0], items[0]);
                }
                format!("{{{}}}", items.join(", "))
            }
        }
    }

    pub fn expr(&mut self, k: &Kind, depth: usize) -> String {
        if depth == 0 {
            return self.atom(k);
        }
        let n = depth - 1;
        match self.below(24) {
            0 => {
                let (p, a, b) = (self.pred(n), self.expr(k, n), self.expr(k, n));
                return format!("(IF {p} THEN {a} ELSE {b} END)");
            }
            1 | 2 => return self.application(k, n),
            3 => {
                let other = self.simple();
                let (a, b) = (self.expr(k, n), self.expr(&other, n));
                let (s, t) = (self.around(k, &a), self.around(&other, &b));
                return match self.below(2) {
                    0 => format!("prj1({s}, {t})({a} |-> {b})"),
                    _ => format!("prj2({t}, {s})({b} |-> {a})"),
                };
            }
            4 => {
                let bound = self.kind();
                let (value, x) = (self.expr(&bound, n), self.fresh());
                let body = self.under(&x, &bound, |g| g.expr(k, n));
                return format!("(LET {x} BE {x} = {value} IN {body} END)");
            }
            5 => {
                let fields = vec![("a", self.simple()), ("f", k.clone())];
                return format!("({}'f)", self.expr(&Record(fields), n));
            }
            6 => {
                let op = self.pick(&["first", "last"]);
                let s = self.sequence(k, n);
                return if self.careless() {
                    format!("{op}({s})")
                } else {
                    format!("{op}({} -> {s})", self.expr(k, n))
                };
            }
            7 if matches!(k, Int | Bool | Text) => {
                let t = self.tree(k, n);
                return match self.below(4) {
                    0 => {
                        let other = self.tree(k, n);
                        format!("top({}(bin({t}, {}, {other})))", self.pick(&["left", "right"]), self.atom(k))
                    }
                    _ => format!("top({t})"),
                };
            }
            _ => {}
        }
        match k {
            Int => self.integer(n),
            Bool => format!("bool({})", self.pred(n)),
            Real => self.real(n),
            Text => match self.below(2) {
                0 => format!("({} ^ {})", self.expr(&Text, n), self.expr(&Text, n)),
                _ => self.atom(k),
            },
            Pair(a, b) => match self.below(6) {
                0 => format!("({}, {})", self.expr(a, n), self.expr(b, n)),
                _ => format!("({} |-> {})", self.expr(a, n), self.expr(b, n)),
            },
            Record(fields) => {
                let fields: Vec<_> = fields.iter().map(|(l, k)| format!("{l}:{}", self.expr(k, n))).collect();
                format!("rec({})", fields.join(", "))
            }
            Set(of) => self.set(of, n),
        }
    }

    /// A function applied: a lambda, an overridden relation, or anything.
    fn application(&mut self, k: &Kind, n: usize) -> String {
        let from = self.simple();
        let (x, point) = (self.fresh(), self.atom(&from));
        match self.below(6) {
            0 | 1 => {
                let s = self.whole(&from);
                let body = self.under(&x, &from, |g| g.expr(k, n));
                format!("(%{x}.({x} : {s} | {body}))({point})")
            }
            2 | 3 => {
                let (r, value) = (self.expr(&relation_of(&from, k), n), self.expr(k, n));
                format!("({r} <+ {{{point} |-> {value}}})({point})")
            }
            4 => {
                let (r, value) = (self.expr(&relation_of(&from, k), n), self.expr(k, n));
                let table = format!("fnc({r} \\/ {{{point} |-> {value}}})({point})");
                match k {
                    Int => format!("{}({table})", self.pick(&["max", "card"])),
                    Set(_) => format!("{}({table})", self.pick(&["union", "inter"])),
                    _ => format!("({{{point}}} * {{{value}}})({point})"),
                }
            }
            _ => {
                let r = self.expr(&relation_of(&from, k), n);
                format!("{r}({})", self.expr(&from, n))
            }
        }
    }

    /// All of a type.
    pub fn whole(&self, k: &Kind) -> String {
        match k {
            Int => "INTEGER".into(),
            Bool => "BOOL".into(),
            Real => "REAL".into(),
            Text => "STRING".into(),
            Pair(a, b) => format!("({} * {})", self.whole(a), self.whole(b)),
            Set(a) => format!("POW({})", self.whole(a)),
            Record(fields) => {
                let fields: Vec<_> = fields.iter().map(|(l, k)| format!("{l}:{}", self.whole(k))).collect();
                format!("struct({})", fields.join(", "))
            }
        }
    }

    /// A set with an element in it, mostly.
    fn around(&mut self, k: &Kind, element: &str) -> String {
        match self.below(4) {
            0 => format!("{{{element}}}"),
            1 if *k == Int => self.pick(&["INT", "NAT", "NATURAL"]).into(),
            _ => self.whole(k),
        }
    }

    fn real(&mut self, n: usize) -> String {
        match self.below(10) {
            op @ 0..=2 => {
                format!("({} {} {})", self.expr(&Real, n), ["+", "-", "*"][op], self.expr(&Real, n))
            }
            3 => {
                let divisor = if self.careless() { self.atom(&Real) } else { "2.0".into() };
                format!("({} / {divisor})", self.expr(&Real, n))
            }
            4 => format!("(-{})", self.expr(&Real, n)),
            5 => format!("({} ** {})", self.expr(&Real, n), self.pick(&["0", "1", "2", "3"])),
            6 => {
                let (op, s) = (self.pick(&["max", "min"]), self.expr(&set_of(&Real), n));
                if self.careless() { format!("{op}({s})") } else { format!("{op}({s} \\/ {{1.0}})") }
            }
            7 => {
                let op = self.pick(&["SIGMA", "PI"]);
                let (x, k, s) = self.local(n);
                let body = self.under(&x, &k, |g| g.expr(&Real, n));
                format!("{op}({x}).({x} : {s} | {body})")
            }
            _ => format!("real({})", self.expr(&Int, n)),
        }
    }

    fn integer(&mut self, n: usize) -> String {
        if self.reals && self.below(9) == 0 {
            return format!("{}({})", self.pick(&["floor", "ceiling"]), self.expr(&Real, n));
        }
        let ints = set_of(&Int);
        match self.below(19) {
            0 => format!("({} + {})", self.expr(&Int, n), self.expr(&Int, n)),
            1 => format!("({} - {})", self.expr(&Int, n), self.expr(&Int, n)),
            2 => format!("({} * {})", self.expr(&Int, n), self.expr(&Int, n)),
            3 | 4 => {
                let divisor = if self.careless() {
                    self.expr(&Int, n)
                } else {
                    self.pick(&["1", "2", "(-2)", "3", "(-5)", "7"]).into()
                };
                format!("({} / {divisor})", self.expr(&Int, n))
            }
            5 | 6 => {
                let (a, b) = (self.expr(&Int, n), self.expr(&Int, n));
                let divisor = self.pick(&["1", "2", "3", "7"]);
                match self.below(5) {
                    0 => format!("({a} mod {b})"),
                    1 => format!("({a} mod {divisor})"),
                    _ => format!("(max({{{a}, -({a})}}) mod {divisor})"),
                }
            }
            7 => format!("(-{})", self.expr(&Int, n)),
            8 => {
                let power =
                    if self.careless() { self.atom(&Int) } else { self.pick(&["0", "1", "2", "3"]).into() };
                format!("({} ** {power})", self.expr(&Int, n))
            }
            9 | 10 => {
                let (op, s) = (self.pick(&["max", "min"]), self.expr(&ints, n));
                if self.careless() {
                    format!("{op}({s})")
                } else {
                    format!("{op}({s} \\/ {{{}}})", self.expr(&Int, n))
                }
            }
            11 | 12 => {
                let k = self.kind();
                format!("card({})", self.expr(&set_of(&k), n))
            }
            13 => {
                let k = self.simple();
                format!("size({})", self.sequence(&k, n))
            }
            14 => {
                let op = self.pick(&["SIGMA", "PI"]);
                let (x, k, s) = self.local(n);
                let body = self.under(&x, &k, |g| g.expr(&Int, n));
                format!("{op}({x}).({x} : {s} | {body})")
            }
            15 => format!("{}({})", self.pick(&["succ", "pred"]), self.expr(&Int, n)),
            16 => {
                let k = self.simple();
                let t = self.tree(&k, n);
                match self.below(4) {
                    0 => format!("arity({t}, {})", self.pick(&["[]", "[1]"])),
                    1 => format!("rank(const({}, [{t}]), [1])", self.atom(&k)),
                    _ => format!("sizet({t})"),
                }
            }
            _ => self.atom(&Int),
        }
    }

    /// A bound variable, its type, and a set for it.
    fn local(&mut self, n: usize) -> (String, Kind, String) {
        let k = if self.below(5) == 0 { pair_of(&self.simple(), &self.simple()) } else { self.simple() };
        let s = self.expr(&set_of(&k), n);
        (self.fresh(), k, s)
    }

    fn sequence(&mut self, k: &Kind, depth: usize) -> String {
        if depth == 0 {
            let n = self.below(4);
            let items: Vec<_> = (0..n).map(|_| self.atom(k)).collect();
            return if n == 0 {
                format!("tail([{}])", self.atom(k))
            } else {
                format!("[{}]", items.join(", "))
            };
        }
        let n = depth - 1;
        match self.below(14) {
            0 => format!("({} ^ {})", self.sequence(k, n), self.sequence(k, n)),
            1 => format!("({} -> {})", self.expr(k, n), self.sequence(k, n)),
            2 => format!("({} <- {})", self.sequence(k, n), self.expr(k, n)),
            3 => format!("rev({})", self.sequence(k, n)),
            4 => {
                let (op, s) = (self.pick(&["tail", "front"]), self.sequence(k, n));
                if self.careless() {
                    format!("{op}({s})")
                } else {
                    format!("{op}({s} <- {})", self.expr(k, n))
                }
            }
            5 | 6 => {
                let (s, op) = (self.sequence(k, n), self.pick(&["/|\\", "\\|/"]));
                if self.careless() {
                    format!("({s} {op} {})", self.expr(&Int, n))
                } else {
                    let m = self.pick(&["0", "1", "2"]);
                    format!("(({s} ^ [{}, {}]) {op} {m})", self.atom(k), self.atom(k))
                }
            }
            7 => format!("conc([{}, {}])", self.sequence(k, n), self.sequence(k, n)),
            8 if self.careless() => self.expr(&sequence_of(k), n),
            9 => {
                let (x, len) = (self.fresh(), self.pick(&["0", "1", "2", "3"]));
                let body = self.under(&x, &Int, |g| g.expr(k, n));
                format!("%{x}.({x} : 1..{len} | {body})")
            }
            10 => {
                let t = self.tree(k, n);
                format!("{}({t})", self.pick(&["prefix", "postfix"]))
            }
            11 => format!("([] ^ {})", self.sequence(k, n)),
            _ => self.sequence(k, 0),
        }
    }

    /// A tree with labels of a type.
    fn tree(&mut self, k: &Kind, depth: usize) -> String {
        if depth == 0 {
            return match self.below(3) {
                0 => format!("bin({})", self.atom(k)),
                1 => format!("const({}, [const({}, [])])", self.atom(k), self.atom(k)),
                _ => format!("const({}, [])", self.atom(k)),
            };
        }
        let n = depth - 1;
        match self.below(8) {
            0 | 1 => format!("const({}, [{}, {}])", self.expr(k, n), self.tree(k, n), self.tree(k, n)),
            2 => format!("bin({}, {}, {})", self.tree(k, n), self.expr(k, n), self.tree(k, n)),
            3 => {
                let (a, b, label) = (self.tree(k, n), self.tree(k, n), self.expr(k, n));
                format!("{}(bin({a}, {label}, {b}))", self.pick(&["left", "right"]))
            }
            4 => format!(
                "subtree(const({}, [{}]), {})",
                self.atom(k),
                self.tree(k, n),
                self.pick(&["[]", "[1]"])
            ),
            5 => format!("first(sons(const({}, [{}])))", self.atom(k), self.tree(k, n)),
            _ => self.tree(k, 0),
        }
    }

    /// A set of sets, or of the elements of a record, that is mostly not listed.
    fn symbolic_set(&mut self, n: usize) -> String {
        let (a, b) = (self.simple(), self.simple());
        let (s, t) = (self.expr(&set_of(&a), n.min(1)), self.expr(&set_of(&b), n.min(1)));
        match self.below(4) {
            0 => format!("struct(a:{s}, b:{t})"),
            1 => format!("{}({s})", self.pick(&["iseq", "iseq1", "perm", "POW", "POW1", "FIN", "FIN1"])),
            _ => format!("({s} {} {t})", self.pick(ARROWS)),
        }
    }

    fn set(&mut self, of: &Kind, n: usize) -> String {
        let s = set_of(of);
        if let Pair(a, b) = of
            && self.below(3) > 0
        {
            return self.relation(a, b, n);
        }
        if let Set(inner) = of
            && self.below(2) == 0
        {
            return match self.below(3) {
                0 => format!("{{{}, {}}}", self.expr(of, n), self.expr(of, n)),
                _ => {
                    let op = self.pick(&["POW", "POW1", "FIN", "FIN1"]);
                    format!("{op}({})", self.expr(&set_of(inner), n.min(1)))
                }
            };
        }
        if let Record(fields) = of
            && self.below(2) == 0
        {
            let fields: Vec<_> =
                fields.iter().map(|(l, k)| format!("{l}:{}", self.expr(&set_of(k), n))).collect();
            return format!("struct({})", fields.join(", "));
        }
        match self.below(19) {
            0 => format!("({} \\/ {})", self.expr(&s, n), self.expr(&s, n)),
            1 => format!("({} /\\ {})", self.expr(&s, n), self.expr(&s, n)),
            2 => format!("({} {} {})", self.expr(&s, n), self.pick(&["-", "\\"]), self.expr(&s, n)),
            3 | 4 => {
                let from = self.expr(&s, n);
                let x = self.fresh();
                let p = self.under(&x, of, |g| g.pred(n));
                format!("{{{x} | {x} : {from} & {p}}}")
            }
            5 => {
                let to = self.simple();
                format!("dom({})", self.expr(&relation_of(of, &to), n))
            }
            6 => {
                let from = self.simple();
                format!("ran({})", self.expr(&relation_of(&from, of), n))
            }
            7 | 8 => {
                let from = self.simple();
                format!("{}[{}]", self.expr(&relation_of(&from, of), n), self.expr(&set_of(&from), n))
            }
            9 => {
                let op = self.pick(&["union", "inter"]);
                format!("{op}({{{}, {}}})", self.expr(&s, n), self.expr(&s, n))
            }
            10 => {
                let family = self.expr(&set_of(&s), n);
                if self.careless() { format!("inter({family})") } else { format!("union({family})") }
            }
            11 | 12 => {
                let (x, k, from) = self.local(n);
                let body = self.under(&x, &k, |g| g.expr(&s, n));
                let from = if self.careless() { from } else { format!("{from} \\/ {{{}}}", self.atom(&k)) };
                let op = self.pick(&["UNION", "INTER"]);
                format!("{op}({x}).({x} : {from} | {body})")
            }
            13 => format!("{{{}, {}}}", self.expr(of, n), self.expr(of, n)),
            14 | 15 if *of == Int => {
                format!("({} .. {})", self.expr(&Int, n), self.expr(&Int, n))
            }
            16 if *of == Int && self.below(2) == 0 => {
                self.pick(&["NATURAL", "NATURAL1", "INTEGER", "NAT", "NAT1", "INT"]).into()
            }
            17 if self.below(3) == 0 => self.whole(of),
            16 if *of == Int => format!("{}[{}]", self.pick(&["succ", "pred"]), self.expr(&s, n)),
            18 => format!("({{}} \\/ {})", self.expr(&s, n)),
            _ => self.atom(&s),
        }
    }

    fn relation(&mut self, a: &Kind, b: &Kind, n: usize) -> String {
        let r = relation_of(a, b);
        match self.below(25) {
            0 => format!("({} * {})", self.expr(&set_of(a), n), self.expr(&set_of(b), n)),
            1 | 2 => format!("({} <+ {})", self.expr(&r, n), self.expr(&r, n)),
            3 => format!("({} <| {})", self.expr(&set_of(a), n), self.expr(&r, n)),
            4 => format!("({} <<| {})", self.expr(&set_of(a), n), self.expr(&r, n)),
            5 => format!("({} |> {})", self.expr(&r, n), self.expr(&set_of(b), n)),
            6 => format!("({} |>> {})", self.expr(&r, n), self.expr(&set_of(b), n)),
            7 => format!("({}~)", self.expr(&relation_of(b, a), n)),
            8 | 9 => {
                let m = self.simple();
                format!("({} ; {})", self.expr(&relation_of(a, &m), n), self.expr(&relation_of(&m, b), n))
            }
            10 | 11 => {
                if let Pair(c, d) = a {
                    let (x, y) = (self.fresh(), self.fresh());
                    let (s, t) = (self.expr(&set_of(c), n), self.expr(&set_of(d), n));
                    self.locals.push((x.clone(), (**c).clone()));
                    let body = self.under(&y, d, |g| g.expr(b, n));
                    self.locals.pop();
                    return format!("%({x}, {y}).({x} : {s} & {y} : {t} | {body})");
                }
                let from = self.expr(&set_of(a), n);
                let x = self.fresh();
                let body = self.under(&x, a, |g| g.expr(b, n));
                format!("%{x}.({x} : {from} | {body})")
            }
            12 | 13 if a == b => format!("id({})", self.expr(&set_of(a), n)),
            14 | 15 if a == b => format!("{}({})", self.pick(&["closure1", "closure"]), self.expr(&r, n)),
            16 if a == b => {
                let times = if self.careless() { "(-1)" } else { self.pick(&["0", "1", "2", "3"]) };
                format!("iterate({}, {times})", self.expr(&r, n))
            }
            17 | 18 if *a == Int => self.sequence(b, n),
            19 if *a == Int && *b == Int => self.pick(&["succ", "pred"]).into(),
            20 => match b {
                Pair(c, d) => {
                    format!("({} >< {})", self.expr(&relation_of(a, c), n), self.expr(&relation_of(a, d), n))
                }
                Set(d) => format!("fnc({})", self.expr(&relation_of(a, d), n)),
                _ => match a {
                    Pair(c, d) if **c == *b => {
                        format!("prj1({}, {})", self.expr(&set_of(c), n), self.expr(&set_of(d), n))
                    }
                    Pair(c, d) if **d == *b => {
                        format!("prj2({}, {})", self.expr(&set_of(c), n), self.expr(&set_of(d), n))
                    }
                    _ => {
                        let (x, y) = (self.fresh(), self.fresh());
                        let (s, t) = (self.expr(&set_of(a), n), self.expr(&set_of(b), n));
                        self.locals.push((x.clone(), a.clone()));
                        let p = self.under(&y, b, |g| g.pred(n));
                        self.locals.pop();
                        format!("{{{x}, {y} | {x} : {s} & {y} : {t} & {p}}}")
                    }
                },
            },
            21 => {
                let to_sets = relation_of(a, &set_of(b));
                format!("rel({})", self.expr(&to_sets, n))
            }
            22 => match (a, b) {
                (Pair(c, d), Pair(e, f)) => {
                    let (p, q) = (self.expr(&relation_of(c, e), n), self.expr(&relation_of(d, f), n));
                    format!("({p} || {q})")
                }
                _ => format!("({} \\/ {})", self.expr(&r, n), self.expr(&r, n)),
            },
            _ => self.atom(&r),
        }
    }

    pub fn pred(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.below(4) {
                0 => format!("{} = {}", self.atom(&Int), self.atom(&Int)),
                1 => format!("{} < {}", self.atom(&Int), self.atom(&Int)),
                2 => format!("{} : {}", self.atom(&Int), self.atom(&set_of(&Int))),
                _ => format!("{} = {}", self.atom(&Bool), self.atom(&Bool)),
            };
        }
        let n = depth - 1;
        if self.reals && self.below(9) == 0 {
            let op = self.pick(&["=", "/=", "<", "<=", ">", ">="]);
            return format!("{} {op} {}", self.expr(&Real, n), self.expr(&Real, n));
        }
        match self.below(27) {
            0 => format!("({} & {})", self.pred(n), self.pred(n)),
            1 => format!("({} or {})", self.pred(n), self.pred(n)),
            2 => format!("({} => {})", self.pred(n), self.pred(n)),
            3 => format!("({} <=> {})", self.pred(n), self.pred(n)),
            4 => format!("not({})", self.pred(n)),
            5..=7 => {
                let (x, k, s) = self.local(n);
                let body = self.under(&x, &k, |g| g.pred(n));
                match self.below(2) {
                    0 => format!("!{x}.({x} : {s} => {body})"),
                    _ => format!("#{x}.({x} : {s} & {body})"),
                }
            }
            8 | 9 => {
                let op = self.pick(&["=", "/=", "<", "<=", ">", ">="]);
                format!("{} {op} {}", self.expr(&Int, n), self.expr(&Int, n))
            }
            10..=12 => {
                let k = self.kind();
                let op = self.pick(&["=", "/="]);
                format!("{} {op} {}", self.expr(&k, n), self.expr(&k, n))
            }
            13 | 14 => {
                let k =
                    if self.below(2) == 0 { self.simple() } else { pair_of(&self.simple(), &self.simple()) };
                let op = self.pick(&["<:", "<<:", "/<:", "/<<:", "=", "/="]);
                let left = self.expr(&set_of(&k), n);
                if self.below(8) == 0 {
                    return format!("{left} {op} {{}}");
                }
                format!("{left} {op} {}", self.expr(&set_of(&k), n))
            }
            15 | 16 => {
                let k = self.kind();
                let op = self.pick(&[":", "/:"]);
                format!("{} {op} {}", self.expr(&k, n), self.expr(&set_of(&k), n))
            }
            17 | 18 => {
                let (a, b) = (self.simple(), self.simple());
                let (op, member) = (self.pick(ARROWS), self.pick(&[":", "/:"]));
                let (s, t) = (self.expr(&set_of(&a), n), self.expr(&set_of(&b), n));
                format!("{} {member} {s} {op} {t}", self.expr(&relation_of(&a, &b), n))
            }
            19 => {
                let k = self.simple();
                let space = self.pick(&["seq", "seq1", "iseq", "iseq1", "perm"]);
                let member = self.pick(&[":", "/:"]);
                format!("{} {member} {space}({})", self.sequence(&k, n), self.expr(&set_of(&k), n))
            }
            20 => {
                let k = self.simple();
                let space = self.pick(&["POW", "POW1", "FIN", "FIN1"]);
                let member = self.pick(&[":", "/:"]);
                format!("{} {member} {space}({})", self.expr(&set_of(&k), n), self.expr(&set_of(&k), n))
            }
            21 => format!("(IF {} THEN {} ELSE {} END)", self.pred(n), self.pred(n), self.pred(n)),
            22 => {
                let bound = self.kind();
                let (value, x) = (self.expr(&bound, n), self.fresh());
                let body = self.under(&x, &bound, |g| g.pred(n));
                format!("(LET {x} BE {x} = {value} IN {body} END)")
            }
            23 => {
                let k = self.simple();
                let (t, u) = (self.tree(&k, n), self.tree(&k, n));
                match self.below(5) {
                    0 => format!("{t} : btree({})", self.expr(&set_of(&k), n)),
                    1 => format!("{t} : tree({})", self.expr(&set_of(&k), n)),
                    2 => format!("father(const({}, [{t}]), [1]) = []", self.atom(&k)),
                    3 => format!("son(const({}, [{t}, {u}]), [], {}) = [1]", self.atom(&k), self.atom(&Int)),
                    _ => format!("{t} {} {u}", self.pick(&["=", "/="])),
                }
            }
            24 => {
                // Both unknowns of a pair of binders.
                let ((x, k, s), (y, l, t)) = (self.local(n), self.local(n));
                self.locals.push((x.clone(), k));
                let body = self.under(&y, &l, |g| g.pred(n));
                self.locals.pop();
                match self.below(2) {
                    0 => format!("!({x}, {y}).({x} : {s} & {y} : {t} => {body})"),
                    _ => format!("#({x}, {y}).({x} : {s} & {y} : {t} & {body})"),
                }
            }
            _ => {
                let k = self.simple();
                let op = self.pick(&["=", "/="]);
                format!("{} {op} {}", self.sequence(&k, n), self.sequence(&k, n))
            }
        }
    }
}

/// Operators that make sets of relations.
const ARROWS: &[&str] =
    &["<->", "<<->", "<->>", "<<->>", "+->", "-->", ">+>", ">->", "+->>", "-->>", ">+>>", ">->>"];
