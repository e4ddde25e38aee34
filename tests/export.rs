//! `bsym export`: the files say of a machine what bsym says of it. Circuits are read again and asked with a SAT solver,
//! Horn clauses with Z3.

mod common;

use std::collections::HashMap;
use std::path::Path;

use batsat::{BasicSolver, Lit, SolverInterface, lbool};
use bsym_testing::{Part, present};
use common::{answer, file, has_solver, root, run};
use flussab_aiger::aig::OrderedAig;
use flussab_aiger::{ascii, binary};
use serde_json::Value as Json;

/// A circuit, step after step in a SAT solver.
struct Unrolled {
    aig: OrderedAig<u32>,
    solver: BasicSolver,
    always: Lit,
    steps: Vec<HashMap<u32, Lit>>,
}

impl Unrolled {
    /// A circuit without steps; its first state is any where it `is_anywhere`.
    fn new(aig: OrderedAig<u32>) -> Unrolled {
        let mut solver = BasicSolver::default();
        let always = Lit::new(solver.new_var_default(), true);
        solver.add_clause_reuse(&mut vec![always]);
        Unrolled { aig, solver, always, steps: vec![] }
    }

    fn fresh(&mut self) -> Lit {
        Lit::new(self.solver.new_var_default(), true)
    }

    fn lit(&self, step: usize, edge: u32) -> Lit {
        let l = match edge >> 1 {
            0 => !self.always,
            node => self.steps[step][&node],
        };
        if edge & 1 == 1 { !l } else { l }
    }

    /// One more step, with the constraints.
    fn step(&mut self, is_anywhere: bool) {
        let k = self.steps.len();
        let mut nodes = HashMap::new();
        let inputs = self.aig.input_count as u32;
        for i in 1..=inputs {
            nodes.insert(i, self.fresh());
        }
        for (i, latch) in self.aig.latches.clone().iter().enumerate() {
            let l = match (k, latch.initialization) {
                (0, Some(value)) if !is_anywhere => {
                    if value {
                        self.always
                    } else {
                        !self.always
                    }
                }
                (0, _) => self.fresh(),
                _ => self.lit(k - 1, latch.next_state),
            };
            nodes.insert(inputs + 1 + i as u32, l);
        }
        self.steps.push(nodes);
        let first = inputs + 1 + self.aig.latches.len() as u32;
        for (i, gate) in self.aig.and_gates.clone().iter().enumerate() {
            let (a, b) = (self.lit(k, gate.inputs[0]), self.lit(k, gate.inputs[1]));
            let l = self.fresh();
            for clause in [vec![!l, a], vec![!l, b], vec![l, !a, !b]] {
                self.solver.add_clause_reuse(&mut clause.clone());
            }
            self.steps[k].insert(first + i as u32, l);
        }
        for constraint in self.aig.invariant_constraints.clone() {
            let l = self.lit(k, constraint);
            self.solver.add_clause_reuse(&mut vec![l]);
        }
    }

    /// Whether the last step can be bad in this way.
    fn is_bad(&mut self, kind: usize) -> bool {
        let bad = self.lit(self.steps.len() - 1, self.aig.bad_state_properties[kind]);
        self.solver.solve_limited(&[bad]) == lbool::TRUE
    }

    /// Whether there are so many steps at all.
    fn exists(&mut self) -> bool {
        self.solver.solve_limited(&[]) == lbool::TRUE
    }
}

fn read(path: &Path) -> OrderedAig<u32> {
    let bytes = std::fs::read(path).expect("a file");
    if bytes.starts_with(b"aig") {
        return binary::Parser::<u32>::from_read(&bytes[..], binary::Config::default())
            .and_then(binary::Parser::parse)
            .expect("an AIGER file");
    }
    let aig = ascii::Parser::<u32>::from_read(&bytes[..], ascii::Config::default())
        .and_then(ascii::Parser::parse)
        .expect("an AIGER file");
    flussab_aiger::aig::Renumber::renumber_aig(Default::default(), &aig).expect("a circuit").0
}

/// The number of the first step that is bad, of so many; the state after the initialisation belongs to step 0.
fn first_bad(aig: OrderedAig<u32>, most: usize) -> Option<usize> {
    let mut circuit = Unrolled::new(aig);
    for k in 0..most {
        circuit.step(false);
        if circuit.is_bad(0) {
            return Some(k);
        }
        if !circuit.exists() {
            return None;
        }
    }
    None
}

/// Exports a machine, and returns the circuit.
fn circuit(folder: &Path, machine: &Path, flags: &[&str]) -> OrderedAig<u32> {
    let path = folder.join("circuit.aig");
    let text = folder.join("circuit.aag");
    for path in [&path, &text] {
        let flags = [&["--aiger", path.to_str().expect("UTF-8")], flags].concat();
        let (code, object) = answer("export", "export", machine, &flags);
        assert_eq!(code, Some(0), "{}: {object}", machine.display());
    }
    let (a, b) = (read(&path), read(&text));
    assert_eq!((a.latches.len(), a.and_gates.len()), (b.latches.len(), b.and_gates.len()));
    a
}

/// Number of events before the violation that `mc` finds; `None` where everything holds.
fn of_search(machine: &Path, flags: &[&str]) -> Option<usize> {
    let (code, object) = answer("result", "mc", machine, flags);
    match code {
        Some(0) => None,
        Some(1) => {
            let steps = object["trace"].as_array().expect("a trace");
            Some(steps.len() - 1)
        }
        _ => panic!("{}: {object}", machine.display()),
    }
}

const INTEGERS: &str = "MACHINE Integers
VARIABLES x, y, on
INVARIANT x : 0..20 & y : INTEGER & on : BOOL & (on = TRUE => x + y /= 13)
INITIALISATION x := 2 || y := -3 || on :: BOOL
OPERATIONS
  up = SELECT x < 17 THEN x := x + 3 || y := y - 1 END;
  down(n) = SELECT n : 1..3 & x >= n THEN x := x - n || y := y + 2 * n END;
  swap = SELECT y : 0..20 THEN x, y := y, x END
END";

const FUNCTIONS: &str = "MACHINE Functions
SETS D; COLOUR = {red, green, blue}
CONSTANTS top
PROPERTIES top : D
VARIABLES paint, sizes, log
INVARIANT paint : D +-> COLOUR & sizes : D --> 0..4 & log : seq(COLOUR) & card(log) <= 3
  & (top : dom(paint) => paint(top) /= blue)
INITIALISATION paint := {} || sizes := D * {0} || log := <>
OPERATIONS
  brush(d, c) = SELECT d : D & c : COLOUR & (c = blue => sizes(d) > 1) & card(log) < 3 THEN
      paint(d) := c || log := log <- c END;
  grow(d) = PRE d : D & sizes(d) < 4 THEN sizes(d) := sizes(d) + 1 END;
  clean = SELECT card(log) = 3 THEN log := <> || paint := {top} <<| paint END
END";

const RIGHT: &str = "MACHINE Right
SETS P
VARIABLES waiting, inside, turn
INVARIANT waiting <: P & inside <: P & card(inside) <= 1 & turn : 0..3
INITIALISATION waiting := {} || inside := {} || turn := 0
OPERATIONS
  ask(p) = SELECT p : P & p /: inside THEN waiting := waiting \\/ {p} END;
  enter(p) = SELECT p : waiting & inside = {} THEN
      waiting := waiting - {p} || inside := {p} || turn := (turn + 1) mod 4 END;
  leave = SELECT inside /= {} THEN inside := {} END
END";

const FAILS: &str = "MACHINE Fails
VARIABLES f, x
INVARIANT f : 0..3 +-> 0..9 & x : 0..9
INITIALISATION f := {0 |-> 1, 1 |-> 3, 3 |-> 2} || x := 0
OPERATIONS
  go = SELECT x < 4 THEN x := f(x) END
END";

const STUCK: &str = "MACHINE Stuck
VARIABLES x
INVARIANT x : 0..9
INITIALISATION x :: {0, 5}
OPERATIONS step = SELECT x /= 7 & x < 8 THEN x := x + 1 END
END";

#[test]
fn the_first_bad_step_is_the_one_that_the_search_finds() {
    let folder = tempfile::tempdir().unwrap();
    let own = |name: &str, text: &str| file(folder.path(), name, text);
    let example = |name: &str| root().join("examples").join(name);
    let all: Vec<(std::path::PathBuf, &[&str], bool)> = vec![
        (own("Integers.mch", INTEGERS), &[], true),
        (own("Functions.mch", FUNCTIONS), &["--scope", "D=2"], true),
        (own("Right.mch", RIGHT), &["--scope", "P=3"], false),
        (own("Fails.mch", FAILS), &[], true),
        (own("Stuck.mch", STUCK), &["--prop", "deadlock"], true),
        (own("Stuck.mch", STUCK), &[], false),
        (example("crossing.mch"), &[], true),
        (example("vending.mch"), &[], false),
        (example("mutex.mch"), &["--scope", "PROCESS=3"], false),
        (example("library.mch"), &["--scope", "prob"], true),
        (example("station.mch"), &["--scope", "prob"], true),
        (example("overflow.mch"), &["--maxint", "10"], true),
    ];
    for (machine, flags, is_violated) in all {
        let expected = of_search(&machine, flags);
        assert_eq!(expected.is_some(), is_violated, "{}", machine.display());
        let aig = circuit(folder.path(), &machine, flags);
        let most = expected.map_or(6, |n| n + 1);
        assert_eq!(first_bad(aig, most), expected, "{} {flags:?}", machine.display());
    }
}

/// A number without bounds may leave the circuit; with the bounds that the invariant gives it does not.
#[test]
fn what_does_not_fit_into_the_circuit_is_bad_in_a_second_way() {
    let folder = tempfile::tempdir().unwrap();
    let counts = "MACHINE Counts VARIABLES n INVARIANT n >= 0 INITIALISATION n := 0
        OPERATIONS up = BEGIN n := n + 1 END; reset = SELECT n > 100000 THEN n := -1 END END";
    let machine = file(folder.path(), "Counts.mch", counts);
    let mut circuit = Unrolled::new(circuit(folder.path(), &machine, &["--bits", "4"]));
    assert_eq!(circuit.aig.bad_state_properties.len(), 2);
    let mut strays = None;
    for k in 0..400_000 {
        circuit.step(false);
        assert!(!circuit.is_bad(0), "after {k} events");
        if circuit.is_bad(1) {
            strays = Some(k);
            break;
        }
        if k > 40 {
            break;
        }
    }
    // The numbers that the machine mentions have room.
    assert_eq!(strays, None);
    let machine = file(
        folder.path(),
        "Small.mch",
        "MACHINE Small VARIABLES n INVARIANT n >= 0 INITIALISATION n := 0 OPERATIONS up = n := n + 3 END",
    );
    let mut circuit = Unrolled::new(self::circuit(folder.path(), &machine, &["--bits", "4"]));
    let mut strays = None;
    for k in 0..200 {
        circuit.step(false);
        assert!(!circuit.is_bad(0), "after {k} events");
        if circuit.is_bad(1) {
            strays = Some(k);
            break;
        }
    }
    assert!(strays.is_some_and(|k| k >= 3), "{strays:?}");
    let (_, object) = answer("export", "export", &machine, &["--btor2", "/dev/null"]);
    assert!(object["files"][0]["circuit"]["unbounded"][0].as_str().unwrap().contains('n'), "{object}");
}

/// The invariant of a proof makes the circuit one that a single step of induction proves.
#[test]
fn a_witness_is_inductive() {
    if !has_solver() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let machine = file(folder.path(), "Right.mch", RIGHT);
    let certificate = folder.path().join("right.json");
    let named = certificate.to_str().unwrap();
    let (code, _) = answer("result", "ic3", &machine, &["--scope", "P=3", "--certificate", named]);
    assert_eq!(code, Some(0));
    let witness = folder.path().join("witness.aig");
    let plain = folder.path().join("plain.aig");
    let flags =
        ["--certificate", named, "--witness", witness.to_str().unwrap(), "--aiger", plain.to_str().unwrap()];
    let (code, object) = answer("export", "export", &machine, &flags);
    assert_eq!(code, Some(0), "{object}");
    let mut base = Unrolled::new(read(&witness));
    base.step(false);
    assert!(base.exists() && !base.is_bad(0));
    let mut step = Unrolled::new(read(&witness));
    step.step(true);
    let bad = step.lit(0, step.aig.bad_state_properties[0]);
    step.solver.add_clause_reuse(&mut vec![!bad]);
    step.step(true);
    assert!(step.exists() && !step.is_bad(0));
}

#[test]
fn what_cannot_be_exported_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |text: &str, flags: &[&str]| {
        let machine = file(folder.path(), "m.mch", text);
        let made = run("export", &machine, flags);
        assert_eq!(made.status.code(), Some(2), "{made:?}");
        String::from_utf8(made.stderr).unwrap()
    };
    let out = folder.path().join("out.aig");
    let aiger = ["--aiger", out.to_str().unwrap()];
    let open = "MACHINE m SETS D VARIABLES s INVARIANT s <: D INITIALISATION s := {} OPERATIONS a(d) = SELECT d : D THEN s := {d} END END";
    let text = refused(open, &aiger);
    assert!(text.contains("`D`") && text.contains("--scope"), "{text}");
    let constant = "MACHINE m CONSTANTS c PROPERTIES c : NATURAL VARIABLES x INVARIANT x : 0..5 INITIALISATION x := 0 OPERATIONS a = SELECT x < 5 & c > 3 THEN x := x + 1 END END";
    let text = refused(constant, &aiger);
    assert!(text.contains("`c`") && text.contains("--set"), "{text}");
    let empty = "MACHINE m CONSTANTS c PROPERTIES c : 1..3 & c > 5 VARIABLES x INVARIANT x : 0..5 INITIALISATION x := c OPERATIONS a = skip END";
    let text = refused(empty, &aiger);
    assert!(text.contains("no initial state"), "{text}");
    let text = refused(open, &["--horn", out.to_str().unwrap()]);
    assert!(text.contains("`s`"), "{text}");
    assert!(!out.exists());
}

/// Answers of Spacer to exported clauses: `sat` where everything holds.
#[test]
fn horn_clauses_say_what_bsym_says() {
    let z3 = root().join(".z3/bin/z3");
    if present(Part::Solver, z3.exists().then_some(()), "the z3 of `make setup`").is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let holds = "MACHINE Holds SETS MODE = {idle, busy, done} CONSTANTS most PROPERTIES most : 1..1000
        VARIABLES n, m, mode INVARIANT n : NATURAL & m : INTEGER & n <= most & mode : MODE & (mode = done => n = most)
        INITIALISATION n := 0 || m := 0 || mode := idle
        OPERATIONS begin = SELECT mode = idle THEN mode := busy END;
          up(k) = SELECT mode = busy & k : 1..3 & n + k <= most THEN n := n + k || m := m - k END;
          finish = SELECT n = most THEN mode := done END END";
    let wrong = holds.replace("n + k <= most", "n < most");
    for (text, expected) in [(holds.to_string(), "sat"), (wrong, "unsat"), (INTEGERS.into(), "unsat")] {
        let machine = file(folder.path(), "h.mch", &text);
        let out = folder.path().join("h.smt2");
        let (code, object) = answer("export", "export", &machine, &["--horn", out.to_str().unwrap()]);
        assert_eq!(code, Some(0), "{object}");
        let said = std::process::Command::new(&z3).arg("-T:60").arg(&out).output().expect("z3 runs");
        assert_eq!(String::from_utf8_lossy(&said.stdout).trim(), expected, "{text}");
    }
}

#[test]
fn btor2_has_the_lines_of_the_circuit() {
    let folder = tempfile::tempdir().unwrap();
    let machine = file(folder.path(), "Right.mch", RIGHT);
    let out = folder.path().join("right.btor2");
    let (_, object) =
        answer("export", "export", &machine, &["--scope", "P=2", "--btor2", out.to_str().unwrap()]);
    let circuit: &Json = &object["files"][0]["circuit"];
    let text = std::fs::read_to_string(&out).unwrap();
    let number = |word: &str| text.lines().filter(|line| line.split(' ').nth(1) == Some(word)).count() as u64;
    assert_eq!(number("state"), circuit["latches"].as_u64().unwrap());
    assert_eq!(number("next"), number("state"));
    assert_eq!(number("and"), circuit["and_gates"].as_u64().unwrap());
    assert_eq!((number("bad"), number("constraint")), (1, 1));
}
