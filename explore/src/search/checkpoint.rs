//! Suspended search: the values, the states and the frontier in a file, to be resumed later. The file is written
//! directly from memory, and read piece by piece, so that neither needs memory of its own.
//!
//! The file begins with a line of text that names format, model and scope; the rest is little-endian binary, with a
//! checksum of all of it at the end. It is written to a temporary file first, so that an interrupted write leaves the
//! old one.

use std::fs;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use bsym_language::int::Int;
use bsym_language::model::EventId;
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::value::Value;

use crate::options::SearchOptions;
use crate::reachability::frontier::Frontier;
use crate::store::index::mix;
use crate::store::interner::{Store, text_hash};
use crate::store::layout::{Form, Layout};
use crate::store::row_codec::{Chunk, Column};
use crate::store::state_table::{INITIAL, StateId, Table};

const FORMAT: &str = "bsym-search-4";

/// Error that a search could not be suspended or resumed.
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
    #[error("a set that is not listed, of a state or in a property, cannot be written to a file: {0}")]
    Value(String),
}

/// Place of a violation, by which it can be found again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mark {
    /// A violation in a state.
    State(StateId),
    /// No event is enabled in a state.
    Deadlock(StateId),
    /// A step goes wrong after a state.
    Step(StateId, EventId),
    /// The initialisation of a valuation goes wrong.
    Initialisation(u32),
    /// No violation yet: the properties of a state are still to be checked.
    Unjudged(StateId),
}

/// Borrowed contents of a search to suspend. Nothing is copied.
pub struct Aside<'s> {
    /// Interned values.
    pub store: &'s Store,
    /// Positions of the values in a row.
    pub layout: &'s Layout,
    /// The states.
    pub table: &'s Table,
    /// The states that wait to be expanded.
    pub frontier: &'s Frontier,
    /// States in which the properties are not known to hold.
    pub doubtful: Vec<StateId>,
    /// Digest of the valuations of the constants, in their order.
    pub constants: u64,
    /// Counters of the statistics.
    pub counters: [u64; COUNTERS],
    /// Violations.
    pub marks: Vec<Mark>,
}

/// Contents of a suspended search, as read from a file.
pub struct Snapshot {
    /// Interned values.
    pub store: Store,
    /// Form of each variable's value in a row.
    pub forms: Vec<Form>,
    /// The states.
    pub table: Table,
    /// The states that wait to be expanded.
    pub waiting: Vec<StateId>,
    /// The dice of the frontier.
    pub dice: u64,
    /// States in which the properties are not known to hold.
    pub doubtful: Vec<StateId>,
    /// Digest of the valuations of the constants, in their order.
    pub constants: u64,
    /// Counters of the statistics.
    pub counters: [u64; COUNTERS],
    /// Violations.
    pub marks: Vec<Mark>,
}

/// Number of counters.
pub const COUNTERS: usize = 5;

/// Returns the first line of a file, which identifies the version, the model, the scope and the options that it belongs
/// to.
pub fn title(eval: &Evaluator<'_>, options: &SearchOptions) -> String {
    let SearchOptions { checks, symmetry, partial_order, .. } = options;
    let proven = &options.proven.known;
    let mut hash = text_hash(env!("CARGO_PKG_VERSION"));
    for (_, source) in eval.model.text.sources.iter() {
        hash = mix(hash, text_hash(&source.text));
    }
    hash =
        mix(hash, text_hash(&format!("{:?} {checks:?} {proven:?} {symmetry:?} {partial_order}", eval.scope)));
    format!("{FORMAT} {hash:016x} {}\n", eval.model.name)
}

impl Aside<'_> {
    /// Writes the file, piece by piece.
    ///
    /// # Errors
    /// If the file cannot be written, or a value has no text.
    pub fn write(&self, path: &Path, title: &str) -> Result<(), CheckpointError> {
        let texts = texts(&self.store.values())?;
        let failed = |e| CheckpointError::File(path.to_owned(), e);
        let mut new = path.as_os_str().to_owned();
        new.push(".new");
        let new = PathBuf::from(new);
        let file = BufWriter::new(fs::File::create(&new).map_err(failed)?);
        let mut out = Out { file, sum: text_hash(title) };
        let written = out.file.write_all(title.as_bytes()).and_then(|()| self.write_to(&mut out, &texts));
        let file = written.and_then(|()| out.file.into_inner().map_err(io::IntoInnerError::into_error));
        file.and_then(|file| file.sync_all()).map_err(failed)?;
        fs::rename(&new, path).map_err(failed)
    }

    fn write_to(&self, out: &mut Out<impl Write>, texts: &[String]) -> io::Result<()> {
        out.words(self.layout.forms().len(), self.layout.forms().iter().map(|form| *form as u32))?;
        let [lists, folded] = self.store.all_lists();
        // No row of another layout has the number of a list.
        for lists in self.layout.is_plain().then_some(lists).into_iter().chain([folded]) {
            out.long(lists.all().count() as u64)?;
            for (number, list) in lists.all() {
                out.long(u64::from(number))?;
                out.words(list.len(), list.iter())?;
            }
        }
        out.long(texts.len() as u64)?;
        for text in texts {
            out.bytes(text.as_bytes())?;
        }
        let (chunks, open) = self.table.parts();
        out.long(self.table.width() as u64)?;
        out.long(chunks.len() as u64)?;
        for (columns, bits) in chunks.iter().map(Chunk::parts) {
            out.words(2 * columns.len(), columns.iter().flat_map(|c| [c.least, c.bits]))?;
            out.bytes(bits)?;
        }
        out.words(open.len(), open.iter().copied())?;
        out.words(self.frontier.len(), self.frontier.states())?;
        out.words(self.doubtful.len(), self.doubtful.iter().copied())?;
        out.long(self.frontier.dice())?;
        out.long(self.constants)?;
        for counter in self.counters {
            out.long(counter)?;
        }
        let marks = self.marks.iter().flat_map(|m| match *m {
            Mark::State(s) => [0, s, 0],
            Mark::Deadlock(s) => [1, s, 0],
            Mark::Step(s, e) => [2, s, e.0],
            Mark::Initialisation(v) => [3, v, 0],
            Mark::Unjudged(s) => [4, s, 0],
        });
        out.words(3 * self.marks.len(), marks)?;
        out.long(out.sum)
    }
}

/// Values of the reference semantics as text.
fn texts(values: &[Value]) -> Result<Vec<String>, CheckpointError> {
    let text = |value: &Value| match value {
        Value::Int(n) => Ok(format!("i{n}")),
        Value::String(s) => Ok(format!("s{s}")),
        other => Err(CheckpointError::Value(format!("{other:?}"))),
    };
    values.iter().map(text).collect()
}

fn value(text: &str) -> Option<Value> {
    Some(match text.split_at_checked(1)? {
        ("i", n) => Value::Int(n.parse::<Int>().ok()?),
        ("s", s) => Value::string(s),
        _ => return None,
    })
}

impl Snapshot {
    /// Reads a file that belongs to the title, for a search by `threads` threads.
    ///
    /// # Errors
    /// If the file cannot be read, belongs to something else or is damaged.
    pub fn read(path: &Path, title: &str, threads: usize) -> Result<Snapshot, CheckpointError> {
        let failed = |e| CheckpointError::File(path.to_owned(), e);
        let file = fs::File::open(path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        let mut bytes = Bytes { file: BufReader::new(file), left: length, sum: text_hash(title) };
        let mut first = Vec::new();
        (&mut bytes.file).take(title.len() as u64).read_to_end(&mut first).map_err(failed)?;
        bytes.left -= first.len() as u64;
        if !first.starts_with(format!("{FORMAT} ").as_bytes()) {
            return Err(CheckpointError::Format(path.to_owned()));
        }
        if first != title.as_bytes() {
            return Err(CheckpointError::Other(path.to_owned()));
        }
        let snapshot = Snapshot::parse(&mut bytes, threads).filter(Snapshot::is_sound);
        snapshot.ok_or_else(|| CheckpointError::Damaged(path.to_owned()))
    }

    fn parse(bytes: &mut Bytes<impl Read>, threads: usize) -> Option<Snapshot> {
        let store = Store::for_threads(threads);
        let form =
            |word| [Form::Word, Form::Folded, Form::Halves].into_iter().find(|form| *form as u32 == word);
        let forms: Vec<Form> = bytes.words()?.into_iter().map(form).collect::<Option<_>>()?;
        let [lists, folded] = store.all_lists();
        let is_plain = forms.iter().all(|form| *form == Form::Word);
        for lists in is_plain.then_some(lists).into_iter().chain([folded]) {
            for _ in 0..bytes.long()? {
                let number = u32::try_from(bytes.long()?).ok()?;
                lists.restore(number, &bytes.words()?)?;
            }
        }
        for _ in 0..bytes.long()? {
            if !store.restore_value(value(std::str::from_utf8(&bytes.bytes()?).ok()?)?) {
                return None;
            }
        }
        let width = usize::try_from(bytes.long()?).ok()?;
        let mut chunks = Vec::new();
        for _ in 0..bytes.long()? {
            let columns =
                bytes.words()?.chunks_exact(2).map(|c| Column { least: c[0], bits: c[1] }).collect();
            chunks.push(Chunk::from_parts(columns, bytes.bytes()?)?);
        }
        let table = Table::from_parts(width, chunks, bytes.words()?)?;
        let (waiting, doubtful) = (bytes.words()?, bytes.words()?);
        let (dice, constants) = (bytes.long()?, bytes.long()?);
        let mut counters = [0; COUNTERS];
        for counter in &mut counters {
            *counter = bytes.long()?;
        }
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
        let snapshot = Snapshot { store, forms, table, waiting, dice, doubtful, constants, counters, marks };
        (bytes.sum == bytes.long()? && bytes.left == 0).then_some(snapshot)
    }

    /// Returns whether every number of a state is that of a known state.
    fn is_sound(&self) -> bool {
        let states = self.table.len() as StateId;
        let known = |s: &StateId| *s < states;
        self.waiting.iter().chain(&self.doubtful).all(known)
            && (0..states).all(|i| {
                let parent = self.table.parent(i);
                parent == INITIAL || parent < i
            })
            && self.marks.iter().all(|m| match m {
                Mark::State(s) | Mark::Deadlock(s) | Mark::Step(s, _) | Mark::Unjudged(s) => known(s),
                Mark::Initialisation(_) => true,
            })
    }
}

/// A file being written, with a checksum of everything written so far.
struct Out<W> {
    file: W,
    sum: u64,
}

impl<W: Write> Out<W> {
    fn long(&mut self, n: u64) -> io::Result<()> {
        self.sum = mix(self.sum, n);
        self.file.write_all(&n.to_le_bytes())
    }

    /// Writes words, after their number.
    fn words(&mut self, n: usize, mut list: impl Iterator<Item = u32>) -> io::Result<()> {
        self.long(n as u64)?;
        list.try_for_each(|word| {
            self.sum = mix(self.sum, u64::from(word));
            self.file.write_all(&word.to_le_bytes())
        })
    }

    /// Writes bytes, after their number.
    fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.long(bytes.len() as u64)?;
        self.sum = sum_of(self.sum, bytes);
        self.file.write_all(bytes)
    }
}

fn sum_of(sum: u64, bytes: &[u8]) -> u64 {
    bytes.chunks(8).fold(sum, |sum, part| {
        let mut word = [0; 8];
        word[..part.len()].copy_from_slice(part);
        mix(sum, u64::from_le_bytes(word))
    })
}

/// Rest of a file, with a checksum over the part that was read. No list is longer than the rest, whatever the file
/// says.
struct Bytes<R> {
    file: R,
    left: u64,
    sum: u64,
}

impl<R: Read> Bytes<R> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.left = self.left.checked_sub(N as u64)?;
        let mut taken = [0; N];
        self.file.read_exact(&mut taken).ok()?;
        Some(taken)
    }

    fn long(&mut self) -> Option<u64> {
        let n = u64::from_le_bytes(self.take()?);
        self.sum = mix(self.sum, n);
        Some(n)
    }

    /// Reads the length of a list whose elements have `bytes` bytes each.
    fn length(&mut self, bytes: u64) -> Option<usize> {
        let n = self.long()?;
        (n.checked_mul(bytes)? <= self.left).then(|| usize::try_from(n).ok())?
    }

    fn words(&mut self) -> Option<Vec<u32>> {
        let word = |bytes: &mut Self| {
            let word = u32::from_le_bytes(bytes.take()?);
            bytes.sum = mix(bytes.sum, u64::from(word));
            Some(word)
        };
        (0..self.length(4)?).map(|_| word(self)).collect()
    }

    fn bytes(&mut self) -> Option<Vec<u8>> {
        let mut bytes = vec![0; self.length(1)?];
        self.file.read_exact(&mut bytes).ok()?;
        self.left -= bytes.len() as u64;
        self.sum = sum_of(self.sum, &bytes);
        Some(bytes)
    }
}
