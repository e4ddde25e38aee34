//! A search put aside: the values, the states and the frontier in a file, to be continued later.
//!
//! The file begins with a line of text that names format, model and scope; the rest is little-endian
//! binary. It is written beside its place first, so that an interrupted write leaves the old one.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use bsym_language::int::Int;
use bsym_language::model::EventId;
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::replay::Checks;
use bsym_semantics::value::Value;

use crate::store::index::mix;
use crate::store::interner::{Store, text_hash};
use crate::store::state_table::StateId;

const FORMAT: &str = "bsym-search-2";

/// Why a search could not be put aside or continued.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum CheckpointError {
    #[error("{0}: {1}")]
    File(PathBuf, #[source] io::Error),
    #[error("{0} is no search that was put aside by this version")]
    Format(PathBuf),
    #[error("{0} belongs to another model, another scope or other properties: search from the beginning")]
    Other(PathBuf),
    #[error("{0} is damaged: it ends early or says what cannot be")]
    Damaged(PathBuf),
    #[error("a value of the states cannot be written to a file: {0}")]
    Value(String),
}

/// Where a violation was found, so that it can be found again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mark {
    /// In a state.
    State(StateId),
    /// No event is enabled in a state.
    Deadlock(StateId),
    /// A step goes wrong after a state.
    Step(StateId, EventId),
    /// The initialisation of a valuation goes wrong.
    Initialisation(u32),
    /// Nowhere yet: the properties of a state are still to be looked at.
    Unjudged(StateId),
}

/// What is put aside.
#[derive(Default)]
pub struct Snapshot {
    /// Interned values.
    pub store: Store,
    /// Words of a row.
    pub width: usize,
    /// Rows, one after the other.
    pub rows: Vec<u32>,
    /// Predecessors.
    pub parents: Vec<StateId>,
    /// The states that wait.
    pub waiting: Vec<StateId>,
    /// The dice of the frontier.
    pub dice: u64,
    /// States in which the properties are not known to hold.
    pub doubtful: Vec<StateId>,
    /// Digest of the valuations of the constants, in their order.
    pub constants: u64,
    /// Counters of the statistics.
    pub counters: Vec<u64>,
    /// Violations.
    pub marks: Vec<Mark>,
}

/// The line that says what a file belongs to.
pub fn title(eval: &Evaluator<'_>, checks: &Checks, proven: &BTreeSet<(EventId, usize)>) -> String {
    let mut hash = text_hash(env!("CARGO_PKG_VERSION"));
    for (_, source) in eval.model.sources.iter() {
        hash = mix(hash, text_hash(&source.text));
    }
    hash = mix(hash, text_hash(&format!("{:?} {checks:?} {proven:?}", eval.scope)));
    format!("{FORMAT} {hash:016x} {}\n", eval.model.name)
}

impl Snapshot {
    /// Writes the file.
    ///
    /// # Errors
    /// The file cannot be written, or a value has no text.
    pub fn write(&self, path: &Path, title: &str) -> Result<(), CheckpointError> {
        let mut out: Vec<u8> = title.as_bytes().to_vec();
        let parts = self.store.parts();
        put_words(&mut out, parts.words);
        put_longs(&mut out, &parts.starts.iter().map(|s| *s as u64).collect::<Vec<_>>());
        put_words(&mut out, &parts.pairs.iter().flat_map(|p| [p.0, p.1]).collect::<Vec<_>>());
        put_longs(
            &mut out,
            &parts.bits.iter().flat_map(|b| [*b as u64, (*b >> 64) as u64]).collect::<Vec<_>>(),
        );
        put_longs(&mut out, &[parts.values.len() as u64]);
        for value in parts.values {
            let text = match value {
                Value::Int(n) => format!("i{n}"),
                Value::String(s) => format!("s{s}"),
                other => return Err(CheckpointError::Value(format!("{other:?}"))),
            };
            put_longs(&mut out, &[text.len() as u64]);
            out.extend(text.as_bytes());
        }
        put_longs(&mut out, &[self.width as u64, self.dice, self.constants]);
        put_words(&mut out, &self.rows);
        for list in [&self.parents, &self.waiting, &self.doubtful] {
            put_words(&mut out, list);
        }
        put_longs(&mut out, &self.counters);
        let marks = self.marks.iter().flat_map(|m| match *m {
            Mark::State(s) => [0, s, 0],
            Mark::Deadlock(s) => [1, s, 0],
            Mark::Step(s, e) => [2, s, e.0],
            Mark::Initialisation(v) => [3, v, 0],
            Mark::Unjudged(s) => [4, s, 0],
        });
        put_words(&mut out, &marks.collect::<Vec<_>>());
        let failed = |e| CheckpointError::File(path.to_owned(), e);
        let mut new = path.as_os_str().to_owned();
        new.push(".new");
        let new = PathBuf::from(new);
        let mut file = fs::File::create(&new).map_err(failed)?;
        file.write_all(&out).and_then(|()| file.sync_all()).map_err(failed)?;
        fs::rename(&new, path).map_err(failed)
    }

    /// Reads a file that belongs to the title.
    ///
    /// # Errors
    /// The file cannot be read, belongs to something else or is damaged.
    pub fn read(path: &Path, title: &str) -> Result<Snapshot, CheckpointError> {
        let mut bytes = Vec::new();
        let opened = fs::File::open(path).and_then(|mut file| file.read_to_end(&mut bytes));
        opened.map_err(|e| CheckpointError::File(path.to_owned(), e))?;
        if !bytes.starts_with(format!("{FORMAT} ").as_bytes()) {
            return Err(CheckpointError::Format(path.to_owned()));
        }
        let Some(rest) = bytes.strip_prefix(title.as_bytes()) else {
            return Err(CheckpointError::Other(path.to_owned()));
        };
        let snapshot = Snapshot::parse(&mut Bytes(rest)).filter(Snapshot::is_sound);
        snapshot.ok_or_else(|| CheckpointError::Damaged(path.to_owned()))
    }

    fn parse(bytes: &mut Bytes<'_>) -> Option<Snapshot> {
        let words = bytes.words()?;
        let starts = bytes.longs()?.into_iter().map(|s| s as usize).collect::<Vec<_>>();
        let pairs = bytes.words()?.chunks_exact(2).map(|p| (p[0], p[1])).collect();
        let long = |p: &[u64]| u128::from(p[0]) | u128::from(p[1]) << 64;
        let bits = bytes.longs()?.chunks_exact(2).map(long).collect();
        let mut values = Vec::new();
        for _ in 0..*bytes.longs()?.first()? {
            let length = *bytes.longs()?.first()? as usize;
            let text = std::str::from_utf8(bytes.take(length)?).ok()?;
            values.push(match text.split_at_checked(1)? {
                ("i", n) => Value::Int(n.parse::<Int>().ok()?),
                ("s", s) => Value::string(s),
                _ => return None,
            });
        }
        if !starts.is_sorted() || starts.last().is_some_and(|s| *s > words.len()) {
            return None;
        }
        let store = Store::from_parts(words, starts, pairs, bits, values);
        let [width, dice, constants] = bytes.longs()?[..] else { return None };
        let rows = bytes.words()?;
        let (parents, waiting, doubtful) = (bytes.words()?, bytes.words()?, bytes.words()?);
        let counters = bytes.longs()?;
        let marks = bytes.words()?;
        let marks = marks.chunks_exact(3).map(|m| match m[0] {
            0 => Some(Mark::State(m[1])),
            1 => Some(Mark::Deadlock(m[1])),
            2 => Some(Mark::Step(m[1], EventId(m[2]))),
            3 => Some(Mark::Initialisation(m[1])),
            4 => Some(Mark::Unjudged(m[1])),
            _ => None,
        });
        let marks = marks.collect::<Option<Vec<_>>>()?;
        let width = usize::try_from(width).ok()?;
        Some(Snapshot { store, width, rows, parents, waiting, dice, doubtful, constants, counters, marks })
    }

    /// Whether every number of a state is one of a state that is there.
    fn is_sound(&self) -> bool {
        let states = self.parents.len();
        let known = |s: &StateId| (*s as usize) < states;
        self.rows.len() == states * self.width
            && self.waiting.iter().chain(&self.doubtful).all(known)
            && self.parents.iter().enumerate().all(|(i, p)| *p == StateId::MAX || (*p as usize) < i)
            && self.marks.iter().all(|m| match m {
                Mark::State(s) | Mark::Deadlock(s) | Mark::Step(s, _) | Mark::Unjudged(s) => known(s),
                Mark::Initialisation(_) => true,
            })
    }
}

fn put_longs(out: &mut Vec<u8>, list: &[u64]) {
    out.extend((list.len() as u64).to_le_bytes());
    list.iter().for_each(|n| out.extend(n.to_le_bytes()));
}

fn put_words(out: &mut Vec<u8>, list: &[u32]) {
    out.extend((list.len() as u64).to_le_bytes());
    list.iter().for_each(|n| out.extend(n.to_le_bytes()));
}

struct Bytes<'b>(&'b [u8]);

impl<'b> Bytes<'b> {
    fn take(&mut self, n: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(n)?;
        self.0 = rest;
        Some(taken)
    }

    fn length(&mut self, width: usize) -> Option<usize> {
        let n = u64::from_le_bytes(self.take(8)?.try_into().ok()?);
        usize::try_from(n).ok()?.checked_mul(width)
    }

    fn words(&mut self) -> Option<Vec<u32>> {
        let n = self.length(4)?;
        let bytes = self.take(n)?.chunks_exact(4);
        bytes.map(|b| Some(u32::from_le_bytes(b.try_into().ok()?))).collect()
    }

    fn longs(&mut self) -> Option<Vec<u64>> {
        let n = self.length(8)?;
        let bytes = self.take(n)?.chunks_exact(8);
        bytes.map(|b| Some(u64::from_le_bytes(b.try_into().ok()?))).collect()
    }
}
