//! Compiled code against the reference evaluator on random formulas.

use bsym_language::load::{check_expression, check_predicate, load_text};
use bsym_language::model::Model;
use bsym_language::stack::with_large_stack;
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::scope::{Scope, ScopeRequest};
use bsym_semantics::value::Value;
use bsym_semantics::value::env::Env;

use super::Compiler;
use crate::compile::context::Context;
use crate::dice::Dice;
use crate::store::interner::Store;

const MACHINE: &str = "MACHINE Random SETS E = {e1, e2, e3}; D
    CONSTANTS k, h PROPERTIES k = 2 & h : E --> 0..3 & h = {e1 |-> 0, e2 |-> 3, e3 |-> 1}
    VARIABLES i, j, b, e, s, t, f, r, q, g, p, w
    INVARIANT i : INTEGER & j : INTEGER & b : BOOL & e : E & s <: E & t <: INTEGER & f : E +-> INTEGER
        & r : E <-> E & q : seq(E) & g : INTEGER <-> INTEGER & p : INTEGER * E & w : POW(D * BOOL)
    INITIALISATION i, j := 0, 0 || b := TRUE || e := e1 || s, t := {}, {} || f := {} || r := {} || q := []
        || g := {} || p := 0 |-> e1 || w := {}
    END";

const VALUES: &[&[&str]] = &[
    &["0", "1", "-1", "2", "3", "5"],
    &["0", "1", "2", "-2", "7"],
    &["TRUE", "FALSE"],
    &["e1", "e2", "e3"],
    &["{} <: E & {} or {}", "{e1}", "{e1, e3}", "E"],
    &["{} /\\ INTEGER", "{1}", "{0, 2}", "{-1, 0, 1, 3}"],
    &["{} <: (E * INTEGER)", "{e1 |-> 1}", "{e1 |-> 2, e3 |-> 0}", "E * {1}", "h"],
    &["{} <: (E * E)", "{e1 |-> e2}", "{e1 |-> e2, e2 |-> e3, e2 |-> e1}", "E * E", "id(E)"],
    &["[] : seq(E)", "[e1]", "[e2, e2, e1]", "{2 |-> e1}"],
    &["{} <: (INTEGER * INTEGER)", "{1 |-> 2}", "{1 |-> 2, 2 |-> 1, 3 |-> 3}", "{1 |-> 1, 1 |-> 2, 0 |-> 5}"],
    &["1 |-> e2", "0 |-> e1"],
    &["{} <: (D * BOOL)", "D * {TRUE}", "D * BOOL"],
];

/// A generator of formulas, seeded.
struct Words(Dice);

impl Words {
    fn below(&mut self, n: usize) -> usize {
        (self.0.roll() % n as u64) as usize
    }

    fn pick<'t>(&mut self, options: &[&'t str]) -> &'t str {
        options[self.below(options.len())]
    }

    /// Replaces capital letters of a template by formulas: I integer, L element, S set of elements, T set of
    /// integers, F function, R relation, Q sequence, G relation of integers, P predicate.
    fn fill(&mut self, template: &str, depth: usize) -> String {
        let mut out = String::new();
        for c in template.chars() {
            match c {
                'I' | 'L' | 'S' | 'T' | 'F' | 'R' | 'Q' | 'G' | 'P' => out += &self.formula(c, depth),
                _ => out.push(c),
            }
        }
        out
    }

    fn formula(&mut self, kind: char, depth: usize) -> String {
        let leaf = depth == 0 || self.below(5) == 0;
        let template = match (kind, leaf) {
            ('I', true) => self.pick(&["i", "j", "k", "0", "1", "2", "3"]),
            ('I', false) => self.pick(&[
                "(I + I)",
                "(I - I)",
                "(I * I)",
                "(I / I)",
                "(I mod I)",
                "card(S)",
                "card(R)",
                "max(T)",
                "min(T)",
                "f(L)",
                "F(L)",
                "g(I)",
                "size(Q)",
                "h(L)",
                "(-I)",
                "card(T)",
                "sIGMA",
                "prj",
                "card(G)",
            ]),
            ('L', true) => self.pick(&["e", "e1", "e2", "e3"]),
            ('L', false) => self.pick(&["R(L)", "q(I)", "first(Q)", "last(Q)", "e", "second"]),
            ('S', true) => self.pick(&["s", "E", "{e1}", "{e2, e3}"]),
            ('S', false) => self.pick(&[
                "(S \\/ S)",
                "(S /\\ S)",
                "(S - S)",
                "{L}",
                "{L, L}",
                "dom(F)",
                "dom(R)",
                "ran(R)",
                "R[S]",
                "R[{L}]",
                "ran(Q)",
                "comp",
                "dom(F |> T)",
                "q[T]",
            ]),
            ('T', true) => self.pick(&["t", "{0, 1}", "0..k"]),
            ('T', false) => self.pick(&[
                "(T \\/ T)",
                "(T /\\ T)",
                "(T - T)",
                "{I}",
                "{I, I}",
                "I..I",
                "ran(F)",
                "F[S]",
                "dom(G)",
                "ran(G)",
                "G[T]",
                "dom(Q)",
                "tcomp",
                "h[S]",
                "G[{I}]",
            ]),
            ('F', true) => self.pick(&["f", "h"]),
            ('F', false) => self.pick(&[
                "(F <+ F)",
                "(F <+ {L |-> I})",
                "(S <| F)",
                "(S <<| F)",
                "(F |> T)",
                "(F |>> T)",
                "(S * {I})",
                "(R ; F)",
                "(F \\/ {L |-> I})",
                "lam",
                "(F - F)",
                "(F ; G)",
            ]),
            ('R', true) => self.pick(&["r", "id(E)"]),
            ('R', false) => self.pick(&[
                "(R \\/ R)",
                "(R /\\ R)",
                "(R - R)",
                "R~",
                "(R ; R)",
                "closure1(R)",
                "(S <| R)",
                "(R |>> S)",
                "(S * S)",
                "(R <+ R)",
                "(R <+ {L |-> L})",
                "(S <<| R)",
                "(R |> S)",
            ]),
            ('Q', true) => self.pick(&["q", "[e1, e3]"]),
            ('Q', false) => self.pick(&[
                "(Q <- L)",
                "(L -> Q)",
                "(Q ^ Q)",
                "front(Q)",
                "tail(Q)",
                "rev(Q)",
                "(Q /|\\ I)",
                "(Q \\|/ I)",
                "[L, L]",
            ]),
            ('G', true) => self.pick(&["g", "{1 |-> 1}"]),
            ('G', false) => self.pick(&[
                "(G \\/ G)",
                "G~",
                "(G ; G)",
                "(T <| G)",
                "(T <<| G)",
                "(G |> T)",
                "(G <+ {I |-> I})",
                "(G <+ G)",
                "closure1(g)",
                "{I |-> I}",
                "(T * {I})",
            ]),
            (_, true) => {
                self.pick(&["b = TRUE", "i < j", "e : s", "i : t", "w = {}", "w = D * BOOL", "p = 1 |-> e2"])
            }
            (_, false) => self.pick(&[
                "I = I",
                "I < I",
                "I <= I",
                "I /= I",
                "L = L",
                "L : S",
                "L /: S",
                "S = S",
                "S <: S",
                "S <<: S",
                "I : T",
                "T = T",
                "T <: T",
                "T /<: T",
                "F = F",
                "R = R",
                "Q = Q",
                "G = G",
                "F : E +-> INTEGER",
                "F : E --> T",
                "F : S +-> NATURAL",
                "R : S <-> S",
                "R : E >-> E",
                "R : S +->> S",
                "R : E >->> E",
                "G : T --> T",
                "G : T +-> T",
                "Q : seq(S)",
                "Q : iseq(E)",
                "Q : perm(E)",
                "Q : seq1(S)",
                "(P & P)",
                "(P or P)",
                "(P => P)",
                "not(P)",
                "(P <=> P)",
                "L |-> I : F",
                "L |-> L : R",
                "I |-> I : G",
                "S : POW(S)",
                "T : POW1(T)",
                "T : FIN(NATURAL)",
                "I : NATURAL",
                "I : INT",
                "dom(F) = S",
                "T = 1..I",
                "1..I <: T",
                "F <: F",
                "G <<: G",
                "R <: S * S",
                "I : dom(G)",
                "L : dom(F)",
                "I : dom(g)",
                "L : dom(r)",
                "q = {}",
                "f = {}",
                "!x.(x : S => f(x) : T)",
                "#x.(x : S & x |-> I : F)",
                "!x.(x : T => x <= I)",
                "!(x, y).(x |-> y : R => y : S)",
                "#(x, y).(x |-> y : G & x = y)",
                "#x.(x : 0..3 & x = I & x : T)",
                "!x.(x : dom(q) => q(x) : S)",
                "#z.(z <: S & card(z) = I)",
                "(P & f(L) = I)",
                "s <: E - S",
                "!(x, y).(x : S & y : S & x /= y => f(x) /= f(y))",
                "#x.(x : INTEGER & x > I & x < I & P)",
                "S : {s, S}",
                "S \\/ S = E",
                "bool(P) = b",
                "w : D --> BOOL",
                "w : D +-> BOOL",
                "D <: dom(w)",
                "F : seq(E)",
                "{x | x : E & f(x) = I} = S",
                "L : {x | x : E & x /= L}",
            ]),
        };
        let template = match template {
            "sIGMA" => "SIGMA(z).(z : T | z * I)",
            "prj" => "card({x | x : S & x /= L})",
            "second" => "e",
            "comp" => "{x | x : E & P}",
            "tcomp" => "{x | x : T & x < I}",
            "lam" => "%x.(x : S | I)",
            "F : seq(E)" => "Q : seq(E)",
            other => other,
        };
        if !template.chars().any(|c| c.is_ascii_uppercase()) {
            return template.into();
        }
        // Names of sets and operators in capitals are kept.
        let mut hidden = template.to_owned();
        for (i, kept) in
            ["INTEGER", "NATURAL", "SIGMA", "POW1", "POW", "FIN", "INT", "TRUE", "BOOL"].iter().enumerate()
        {
            hidden = hidden.replace(kept, &char::from(b'\x01' + i as u8).to_string());
        }
        hidden = hidden.replace("E", "\x11").replace("D", "\x12");
        let mut text = self.fill(&hidden, depth.saturating_sub(1));
        for (i, kept) in
            ["INTEGER", "NATURAL", "SIGMA", "POW1", "POW", "FIN", "INT", "TRUE", "BOOL"].iter().enumerate()
        {
            text = text.replace(char::from(b'\x01' + i as u8), kept);
        }
        text.replace('\x11', "E").replace('\x12', "D")
    }
}

/// Random states, by the texts of their values.
fn states(model: &mut Model, scope: &Scope, words: &mut Words, n: usize) -> Vec<Vec<Value>> {
    let mut values: Vec<Vec<Value>> = Vec::new();
    for options in VALUES {
        let mut list = Vec::new();
        for text in *options {
            // The empty set and sequence need no type to be evaluated.
            let empty = text.starts_with("{} ") || text.starts_with("[] ");
            let value = if empty {
                Value::empty()
            } else {
                let e = check_expression(model, text).unwrap_or_else(|d| panic!("{text}: {d:?}"));
                let eval = Evaluator::new(model, scope);
                let constants = eval.constants(&Default::default()).found.remove(0);
                eval.expr(&Env::new(&constants, &[]), &e).expect("a value")
            };
            list.push(value);
        }
        values.push(list);
    }
    (0..n).map(|_| values.iter().map(|list| list[words.below(list.len())].clone()).collect()).collect()
}

#[test]
fn compiled_predicates_agree_with_the_reference() {
    with_large_stack(|| {
        let mut model = load_text("Random.mch", MACHINE).model.expect("the machine is right");
        let request = ScopeRequest { prob: true, ..ScopeRequest::default() };
        let scope = Scope::settle(&model, &request).expect("a scope");
        // Further formulas: BSYM_SEED=n.
        let seed = std::env::var("BSYM_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(20);
        let mut words = Words(Dice::new(seed));
        let states = states(&mut model, &scope, &mut words, 25);
        let (mut defined, mut answered, mut preds) = (0u32, 0u32, Vec::new());
        for _ in 0..1500 {
            let text = words.formula('P', 4);
            // Some combinations have no type.
            if let Ok(p) = check_predicate(&mut model, &text) {
                preds.push((text, p));
            }
        }
        assert!(preds.len() > 800, "{}", preds.len());
        let eval = Evaluator::new(&model, &scope);
        let valuations = eval.constants(&Default::default()).found;
        for (text, p) in &preds {
            let mut context = Context::new(eval, valuations.clone().into(), Store::default());
            let mut compiler = Compiler::new(&mut context);
            let code = compiler.property(p).unwrap_or_else(|e| panic!("{text}: {e}"));
            // Names that the code is said not to read keep their values from another state.
            let (slots, reads) = (compiler.slots(), compiler.reads.into_iter().collect::<Vec<_>>());
            context.reserve(slots);
            for state in &states {
                let row = context.encode_state(state).expect("words");
                context.load(&row, &reads, 0);
                let expected = eval.pred(&Env::new(&valuations[0], state), p);
                let found = code(&mut context);
                defined += u32::from(expected.is_ok());
                answered += u32::from(found.is_ok());
                if let Ok(found) = found {
                    assert_eq!(context.store.mark(), 0, "{text} leaves drafts");
                    let shown: Vec<_> = state.iter().map(|v| eval.text(v)).collect();
                    assert_eq!(Ok(found), expected, "{text} in {shown:?}");
                }
            }
        }
        println!("{answered} of {defined} defined");
        assert!(answered * 20 >= defined * 19, "{answered} of {defined}");
    });
}

#[test]
fn sets_that_are_only_looked_at_are_not_interned() {
    with_large_stack(|| {
        let mut model = load_text("Random.mch", MACHINE).model.expect("the machine is right");
        let scope = Scope::settle(&model, &ScopeRequest::default()).expect("a scope");
        let texts = [
            "dom({i} <<| g) <: dom(g <+ {i |-> j})",
            "(g \\/ {i |-> j}) |> {j} /= g",
            "card(ran(g) - {i}) + min(g[0..i] \\/ {j}) < 9",
            "{i |-> j} : 0..9 +-> INTEGER & i |-> j : g~ \\/ {j |-> i}",
            "!x.(x : 0..5 => {x} <<| g \\/ {x |-> j} = g <+ {x |-> j} & {x |-> i} <<: {x |-> i, x |-> j + 9})",
        ];
        let preds =
            texts.map(|text| check_predicate(&mut model, text).unwrap_or_else(|d| panic!("{text}: {d:?}")));
        let state = states(&mut model, &scope, &mut Words(Dice::new(1)), 1).remove(0);
        let eval = Evaluator::new(&model, &scope);
        let valuations = eval.constants(&Default::default()).found;
        let mut context = Context::new(eval, valuations.clone().into(), Store::default());
        for (text, p) in texts.iter().zip(&preds) {
            let mut compiler = Compiler::new(&mut context);
            let code = compiler.property(p).unwrap_or_else(|e| panic!("{text}: {e}"));
            let (slots, reads) = (compiler.slots(), compiler.reads.into_iter().collect::<Vec<_>>());
            context.reserve(slots);
            let row = context.encode_state(&state).expect("words");
            context.load(&row, &reads, 0);
            let before = context.store.passing_bytes();
            assert_eq!(
                code(&mut context).ok(),
                eval.pred(&Env::new(&valuations[0], &state), p).ok(),
                "{text}"
            );
            assert_eq!(context.store.passing_bytes(), before, "{text}");
        }
    });
}
