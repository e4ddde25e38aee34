//! Machines with random mistakes in them: the parser and the checker never panic, never hang, and
//! every diagnostic points into the text.
//!
//! A short run starts from the machines below. With `BSYM_MUTATIONS=n` there are `n` inputs instead,
//! made of the corpus as well where it is present; `BSYM_SEED` chooses others. An input that fails is
//! left in the folder for temporary files.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use bsym_language::decode::decode;
use bsym_language::lexer;
use bsym_language::load::load_text;
use bsym_language::source::SourceId;
use bsym_language::stack::with_large_stack;
use bsym_language::{print, render, walk};

const PATIENCE: Duration = Duration::from_secs(20);

const MACHINES: [&str; 4] = [
    "MACHINE Library(MEMBER, limit) CONSTRAINTS limit : 1..10 /* at most \u{2264} ten */
SETS BOOK; STATUS = {free, lent, `on hold`}
CONSTANTS fee, table PROPERTIES fee : NAT & table = {1 |-> \"a\", 2 |-> \"b\"} & card(BOOK) = 3
DEFINITIONS
  SET_PREF_MAXINT == 7; scope_BOOK == 1..3;
  late(m, d) == m : dom(debt) & debt(m) > d; pay(m) == debt := {m} <<| debt;
  \"Common.def\"
VARIABLES holder, status, debt, log
INVARIANT holder : BOOK +-> MEMBER & /*@ label total */ status : BOOK --> STATUS
  & !(b).(b : BOOK => (status(b) = lent <=> b : dom(holder)))
  & debt : MEMBER +-> NATURAL & #n.(n : 0..9 & not(n = fee)) & log : seq(rec(who: MEMBER, what: BOOK))
ASSERTIONS ran(holder) <: MEMBER; SIGMA(m).(m : dom(debt) | debt(m)) >= 0
INITIALISATION holder, debt := {}, {} || status := BOOK * {free} || log := []
OPERATIONS
  r <-- lend(m, b) = PRE m : MEMBER & b : BOOK & b /: dom(holder) THEN
    IF late(m, fee) THEN r := FALSE ELSIF card(holder~[{m}]) < limit
    THEN holder(b) := m || status(b) := lent || r := TRUE || log := log <- rec(who: m, what: b)
    ELSE r := bool(m : ran(holder)) END END;
  bring(b) = SELECT b : dom(holder) THEN holder := {b} <<| holder; status(b) := free
    WHEN b = b THEN skip ELSE skip END;
  shuffle = ANY f WHERE f : BOOK >->> BOOK THEN status := (f ; status) END;
  pay_all = BEGIN VAR x IN x := 0; WHILE x < 3 DO x := x + 1 INVARIANT x <= 3 VARIANT 3 - x END END END
END",
    "MACHINE Lift DEFINITIONS moves == {up, down} SETS DIR = {up, down} VARIABLES floor, dir, open
INVARIANT floor ∈ 0‥9 ∧ dir : DIR & open : BOOL /*@ desc \"été\" */
INITIALISATION floor :: 0..9 || dir : (dir = up) || open := FALSE
OPERATIONS
  go = CHOICE floor := floor + 1 OR LET n BE n = floor - 1 IN floor := max({n, 0}) END END;
  turn = CASE dir OF EITHER up THEN dir := down OR down THEN dir := up ELSE skip END END;
  where <-- tell = BEGIN where := (floor, IF open = TRUE THEN 1 ELSE 2 END) END;
  odd = ASSERT floor mod 2 = 1 THEN floor := (LET a, b BE a = 1 & b = 2 IN a + b ** 2 END) END
END",
    "REFINEMENT Lift2 REFINES Lift SEES Times, p.Doors VARIABLES f INVARIANT f = floor - 1 & (f = 0 or f /= 0)
INITIALISATION f := 1.5; f := %x.(x : {1} | -x)(1) OPERATIONS go = f := f'a; turn ref go = skip END",
    "IMPLEMENTATION Lift3 REFINES Lift2 IMPORTS k.Counter(3, BOOL), Bits VALUES S = 1..2; n = struct(a: INT)
PROMOTES k.inc LOCAL_OPERATIONS a = skip OPERATIONS go = BEGIN k.inc; x, y <-- k.get(1); [S]skip END END",
];

/// Pieces of text between blanks.
const PIECES: &str = "MACHINE END SETS DEFINITIONS VARIABLES INVARIANT OPERATIONS BEGIN IF THEN ELSE SELECT WHEN \
    ANY WHERE VAR IN LET BE CASE OF EITHER OR CHOICE WHILE DO VARIANT PRE ASSERT skip ( ) [ ] { } | || , ; : := :: \
    <-- == = != && & or => <=> not ! # % λ ∀ ∅ ∧ SIGMA UNION bool card rec struct ' ~ $0 . .. - * ** |-> ^ /* */ // \
    \" ''' ``` ` /*@label /*@desc 0 12ab 1.5 é 𝔹 \u{FEFF} \0 {} <> \\ ? @ FREETYPES REFINES VALUES first closure1 \
    POW INTEGER x MAXINT";

/// Random numbers, the same on every run.
struct Random(fastrand::Rng);

impl Random {
    /// A number below `n`, or 0.
    fn below(&mut self, n: usize) -> usize {
        self.0.usize(..n.max(1))
    }
}

/// A text cut at its tokens; what stands between them belongs to the one before.
fn tokens(text: &str) -> Vec<&str> {
    let mut starts: Vec<usize> =
        lexer::lex(text, SourceId(0)).tokens.iter().map(|t| t.start as usize).filter(|s| *s > 0).collect();
    starts.push(text.len());
    starts.dedup();
    let mut from = 0;
    starts.into_iter().map(|to| &text[std::mem::replace(&mut from, to)..to]).collect()
}

fn mutated(text: &str, random: &mut Random) -> String {
    if random.below(4) == 0 {
        let mut bytes = text.as_bytes().to_vec();
        for _ in 0..=random.below(6) {
            let (at, other) = (random.below(bytes.len()), random.below(bytes.len()));
            match random.below(5) {
                _ if bytes.is_empty() => {}
                0 => drop(bytes.remove(at)),
                1 => bytes[at] = random.below(256) as u8,
                2 => bytes.swap(at, other),
                3 => bytes.insert(at, bytes[other]),
                _ => bytes.truncate(at),
            }
        }
        return match random.below(2) {
            0 => decode(&bytes).text,
            _ => String::from_utf8_lossy(&bytes).into_owned(),
        };
    }
    let mut parts = tokens(text);
    let pieces: Vec<&str> = PIECES.split(' ').chain(["\r", "\n", " "]).collect();
    for _ in 0..=random.below(8) {
        let (at, other) = (random.below(parts.len()), random.below(parts.len()));
        match random.below(8) {
            _ if parts.is_empty() => {}
            0 => drop(parts.remove(at)),
            1 => parts.insert(at, parts[other]),
            2 => parts.swap(at, other),
            3 => parts.truncate(at),
            4 => parts.insert(at, pieces[random.below(pieces.len())]),
            5 => parts[at] = pieces[random.below(pieces.len())],
            6 => drop(parts.drain(at..(at + random.below(20)).min(parts.len()))),
            _ => {
                let row = parts[at..(at + random.below(12)).min(parts.len())].to_vec();
                for _ in 0..random.below(40) {
                    parts.splice(at..at, row.iter().copied());
                }
            }
        }
    }
    let glue = ["", " "][random.below(2)];
    parts.join(glue)
}

/// Parses and checks a text and looks at every diagnostic.
fn survive(text: &str) {
    let loaded = load_text("Mutated.mch", text);
    for (i, d) in loaded.diagnostics.iter().enumerate() {
        let spans = std::iter::once(d.span).chain(d.labels.iter().map(|(span, _)| *span));
        for span in spans {
            let source = &loaded.sources.get(span.source).text;
            assert!(source.get(span.start as usize..span.end as usize).is_some(), "{d:?}");
            loaded.sources.position(span);
        }
        assert!(!d.message.is_empty());
        // A text may have thousands of mistakes; a few are enough to see.
        if i < 20 {
            render::render(&loaded.sources, d, false);
        }
    }
    if let Some(model) = &loaded.model {
        let again = load_text("Mutated.mch", print::machine(model)).model;
        let again = again.expect("what is printed is right");
        assert!(walk::normalised(model) == walk::normalised(&again), "it reads differently");
    }
}

fn corpus() -> Vec<String> {
    let mut texts = vec![];
    let mut folders: Vec<PathBuf> = bsym_testing::corpus().into_iter().collect();
    while let Some(folder) = folders.pop() {
        let mut paths: Vec<PathBuf> =
            std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
        paths.sort();
        for path in paths {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| ["mch", "ref", "imp"].iter().any(|x| e == *x))
                && let Ok(bytes) = std::fs::read(&path)
                && bytes.len() < 20_000
            {
                texts.push(decode(&bytes).text);
            }
        }
    }
    texts
}

fn number(name: &str) -> Option<usize> {
    std::env::var(name).ok().and_then(|n| n.parse().ok())
}

/// Checks `count` texts on a thread that is watched.
fn run(count: usize, mut make: impl FnMut(&mut Random) -> String) {
    let mut random = Random(fastrand::Rng::with_seed(number("BSYM_SEED").unwrap_or(1) as u64));
    let (send, inputs) = channel::<String>();
    let (done, answers) = channel();
    std::thread::spawn(move || {
        with_large_stack(move || {
            for text in inputs {
                let result = catch_unwind(AssertUnwindSafe(|| survive(&text)));
                if done.send(result.is_ok()).is_err() {
                    break;
                }
            }
        })
    });
    let keep = |i: usize, text: &str, what: &str| {
        let path = std::env::temp_dir().join(format!("bsym-mutation-{}-{i}.mch", std::process::id()));
        std::fs::write(&path, text).expect("the folder for temporary files can be written");
        eprintln!("input {i} {what}: {}", path.display());
    };
    let (mut failed, mut slowest) = (0, Duration::ZERO);
    for i in 0..count {
        let text = make(&mut random);
        let start = Instant::now();
        send.send(text.clone()).expect("the worker waits for input");
        match answers.recv_timeout(PATIENCE) {
            Ok(true) => {}
            Ok(false) => {
                keep(i, &text, "panics");
                failed += 1;
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                keep(i, &text, "does not end");
                panic!("no answer within {PATIENCE:?}");
            }
        }
        if start.elapsed() > slowest {
            slowest = start.elapsed();
            if slowest > PATIENCE / 20 {
                keep(i, &text, &format!("takes {slowest:?}"));
            }
        }
    }
    println!("the slowest input took {slowest:?}");
    assert_eq!(failed, 0, "inputs that panic");
}

#[test]
fn mistakes_are_survived() {
    let mut texts: Vec<String> = MACHINES.map(str::to_owned).into();
    let count = number("BSYM_MUTATIONS");
    if count.is_some() {
        texts.extend(corpus());
    }
    run(count.unwrap_or(1_000), |random| mutated(&texts[random.below(texts.len())], random));
}

#[test]
fn the_same_again_and_again_takes_no_longer_than_it_must() {
    let places = [
        "",
        "MACHINE m ",
        "MACHINE m DEFINITIONS d == ",
        "MACHINE m VARIABLES x INVARIANT ",
        "MACHINE m VARIABLES x INVARIANT x : INTEGER INITIALISATION ",
        "MACHINE m VARIABLES x INVARIANT x : INTEGER INITIALISATION x := 1 OPERATIONS op = ",
    ];
    let pieces: Vec<&str> = PIECES.split(' ').collect();
    let count = number("BSYM_MUTATIONS").map(|n| n / 100);
    let length = if count.is_some() { 8_000 } else { 1_000 };
    run(count.unwrap_or(200), |random| {
        let row: Vec<&str> = (0..=random.below(4)).map(|_| pieces[random.below(pieces.len())]).collect();
        format!("{}{}", places[random.below(places.len())], format!("{} ", row.join(" ")).repeat(length))
    });
}
