//! The search against the definition: random formulas over random small machines, evaluated by another algorithm on the
//! paths of bounded length that decide formulas over so few states.

use bsym_language::load::load_text;
use bsym_language::model::Model;
use bsym_language::stack::with_large_stack;
use bsym_language::temporal::{Branching, parse_branching};
use bsym_semantics::scope::{Scope, ScopeRequest};
use bsym_semantics::temporal::Continuation;

use super::*;
use crate::dice::Dice;
use crate::options::Limits;

/// Values of the only variable.
const STATES: usize = 5;

/// Propositions over the machines.
const ATOMS: [&str; 7] = ["{x = 0}", "{x > 2}", "e(a)", "e(b(1))", "deadlock", "sink", "[b]"];

fn below(dice: &mut Dice, most: usize) -> usize {
    (dice.roll() % most as u64) as usize
}

/// Two events, each a relation over the values.
struct Small {
    events: [Vec<(usize, usize)>; 2],
}

impl Small {
    fn throw(dice: &mut Dice) -> Small {
        let mut event = || {
            let n = below(dice, 5) + 1;
            (0..n).map(|_| (below(dice, STATES), below(dice, STATES))).collect::<Vec<_>>()
        };
        Small { events: [event(), event()] }
    }

    fn text(&self) -> String {
        let set = |pairs: &[(usize, usize)]| {
            let pairs: Vec<String> = pairs.iter().map(|(a, b)| format!("{a} |-> {b}")).collect();
            format!("{{{}}}", pairs.join(", "))
        };
        let [a, b] = &self.events;
        format!(
            "MACHINE Small VARIABLES x INVARIANT x : 0..{} INITIALISATION x :: 0..1 OPERATIONS a(y) = SELECT x |-> y : {} \
             THEN x := y END; b(y) = SELECT x |-> y : {} THEN x := y END END",
            STATES - 1,
            set(a),
            set(b)
        )
    }

    /// Edges out of a state: the event, and the target.
    fn edges(&self, from: usize) -> Vec<(usize, usize)> {
        let of = |(e, pairs): (usize, &Vec<(usize, usize)>)| {
            pairs.iter().filter(|p| p.0 == from).map(|p| (e, p.1)).collect::<Vec<_>>()
        };
        self.events.iter().enumerate().flat_map(of).collect()
    }

    fn atom(&self, text: &str, state: usize) -> bool {
        let edges = self.edges(state);
        match text {
            "{x = 0}" => state == 0,
            "{x > 2}" => state > 2,
            "e(a)" => edges.iter().any(|(e, _)| *e == 0),
            "e(b(1))" => edges.contains(&(1, 1)),
            "[b]" => edges.iter().any(|(e, _)| *e == 1),
            "deadlock" => edges.is_empty(),
            _ => edges.iter().all(|(_, to)| *to == state),
        }
    }

    /// The truth of a formula in a state: by all paths of a length that is enough for so few states.
    fn holds(&self, f: &Naive, state: usize) -> bool {
        match f {
            Naive::Atom(i) => self.atom(ATOMS[*i], state),
            Naive::Not(a) => !self.holds(a, state),
            Naive::And(a, b) => self.holds(a, state) && self.holds(b, state),
            Naive::Next(every, event, a) => {
                let mut edges = self.edges(state);
                edges.retain(|(e, _)| event.is_none_or(|event| *e == event));
                let mut ends = edges.iter().map(|(_, to)| self.holds(a, *to));
                if *every { ends.all(|t| t) } else { ends.any(|t| t) }
            }
            Naive::Until(every, a, b) => self.until(*every, a, b, state, STATES + 1),
            Naive::Globally(every, a) => self.globally(*every, a, state, STATES + 1),
        }
    }

    /// On a path that goes on for more steps than there are states without an end, there is a loop without one.
    fn until(&self, every: bool, a: &Naive, b: &Naive, state: usize, fuel: usize) -> bool {
        if self.holds(b, state) {
            return true;
        }
        if fuel == 0 || !self.holds(a, state) {
            return false;
        }
        let edges = self.edges(state);
        let mut ends = edges.iter().map(|(_, to)| self.until(every, a, b, *to, fuel - 1));
        if every { !edges.is_empty() && ends.all(|t| t) } else { ends.any(|t| t) }
    }

    fn globally(&self, every: bool, a: &Naive, state: usize, fuel: usize) -> bool {
        if !self.holds(a, state) {
            return false;
        }
        let edges = self.edges(state);
        if fuel == 0 || edges.is_empty() {
            return true;
        }
        let mut ends = edges.iter().map(|(_, to)| self.globally(every, a, *to, fuel - 1));
        if every { ends.all(|t| t) } else { ends.any(|t| t) }
    }
}

enum Naive {
    Atom(usize),
    Not(Box<Naive>),
    And(Box<Naive>, Box<Naive>),
    Next(bool, Option<usize>, Box<Naive>),
    Until(bool, Box<Naive>, Box<Naive>),
    Globally(bool, Box<Naive>),
}

impl Naive {
    fn throw(dice: &mut Dice, depth: usize) -> Naive {
        if depth == 0 || below(dice, 8) == 0 {
            return Naive::Atom(below(dice, ATOMS.len()));
        }
        let mut part = || Box::new(Naive::throw(dice, depth - 1));
        let (a, b) = (part(), part());
        let every = below(dice, 2) == 0;
        match below(dice, 6) {
            0 => Naive::Not(a),
            1 => Naive::And(a, b),
            2 => Naive::Next(every, [None, Some(0), Some(1)][below(dice, 3)], a),
            3 | 4 => Naive::Until(every, a, b),
            _ => Naive::Globally(every, a),
        }
    }

    fn text(&self) -> String {
        let letter = |every: &bool| if *every { "A" } else { "E" };
        match self {
            Naive::Atom(i) => ATOMS[*i].into(),
            Naive::Not(a) => format!("not ({})", a.text()),
            Naive::And(a, b) => format!("({} & {})", a.text(), b.text()),
            Naive::Next(every, None, a) => format!("{}X ({})", letter(every), a.text()),
            Naive::Next(every, Some(e), a) => {
                format!("{}X [{}] ({})", letter(every), ["a", "b"][*e], a.text())
            }
            Naive::Until(every, a, b) => format!("{}({} U {})", letter(every), a.text(), b.text()),
            Naive::Globally(every, a) => format!("{}G ({})", letter(every), a.text()),
        }
    }
}

fn ask(model: &Model, formulas: &[Branching], options: &TemporalOptions) -> Vec<BranchingReport> {
    let scope = Scope::settle(model, &ScopeRequest::default()).expect("nothing is asked of the scope");
    let problem = Problem { model, scope: &scope, finder: None };
    let mut reports = Vec::new();
    check_branching(&problem, formulas, options, &mut |_: &Progress| {}, &mut |_, report| {
        reports.push(report)
    });
    reports
}

#[test]
fn verdicts_are_those_of_the_definition() {
    with_large_stack(|| {
        let machines: u64 = std::env::var("BSYM_FORMULAS").ok().and_then(|n| n.parse().ok()).unwrap_or(12);
        let (mut held, mut violated, mut loops) = (0, 0, 0);
        for seed in 0..machines {
            let mut dice = Dice::new(seed);
            let small = Small::throw(&mut dice);
            let mut model = load_text("Small.mch", small.text()).model.expect("the machine is right");
            let naive: Vec<Naive> = (0..40).map(|_| Naive::throw(&mut dice, 3)).collect();
            let parsed: Vec<Branching> =
                naive.iter().map(|f| parse_branching(&mut model, &f.text()).expect("a formula")).collect();
            for (f, report) in naive.iter().zip(ask(&model, &parsed, &TemporalOptions::default())) {
                let expected = (0..2).all(|state| small.holds(f, state));
                let shown = || format!("seed {seed}: {}\n{}", small.text(), f.text());
                match report.verdict {
                    Verdict::Holds(_) => {
                        held += 1;
                        assert!(expected, "it does not hold: {}", shown());
                    }
                    Verdict::Violated(found) => {
                        violated += 1;
                        loops += usize::from(matches!(found.continuation, Continuation::Loop(_)));
                        assert!(!expected, "it holds: {}", shown());
                    }
                    other => panic!("{other:?}: {}", shown()),
                }
            }
        }
        assert!(
            held > machines && violated > machines && loops > 0,
            "{held} hold, {violated} do not, {loops} loops"
        );
    });
}

/// Where states have no end, or a limit stops the search, what was seen decides what it can.
#[test]
fn what_was_seen_decides_what_it_can() {
    let text = "MACHINE m VARIABLES x INVARIANT x : INTEGER INITIALISATION x := 0
        OPERATIONS up = x := x + 1; rest = SELECT x = 7 THEN skip END END";
    with_large_stack(|| {
        let mut model = load_text("m.mch", text).model.expect("the machine is right");
        let texts = [
            "EF {x = 9}",
            "AG {x < 9}",
            "EG {x >= 0}",
            "AF {x = 8}",
            "EF {x < 0}",
            "AG {x >= 0}",
            "EX EX {x = 2}",
        ];
        let formulas: Vec<Branching> =
            texts.iter().map(|text| parse_branching(&mut model, text).expect("a formula")).collect();
        let limits = Limits { states: Some(500), ..Limits::default() };
        let reports = ask(&model, &formulas, &TemporalOptions { limits, ..TemporalOptions::default() });
        let words: Vec<&str> = reports
            .iter()
            .map(|report| match &report.verdict {
                Verdict::Holds(_) => "holds",
                Verdict::Violated(_) => "violated",
                Verdict::Unknown(_) => "unknown",
                _ => "other",
            })
            .collect();
        assert_eq!(words, ["holds", "violated", "holds", "violated", "unknown", "unknown", "holds"]);
        let Verdict::Violated(found) = &reports[3].verdict else { panic!("not violated") };
        assert_eq!(found.continuation, Continuation::Loop(7));
    });
}
