//! Layout of rows: which columns belong to which variable, and in what form its value lies there.

use std::ops::Range;

use super::interner::Store;
use super::rep::Rep;

/// Form of a value in a row.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Form {
    /// As its word.
    Word,
    /// As its folded word, which means the same whatever is forgotten: see
    /// [`tree_compression`](super::tree_compression).
    Folded,
    /// As the folded words of its halves, in two columns: for lists of which nearly every state has one of its own.
    Halves,
}

/// The columns of each variable, one after the other.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Layout {
    forms: Vec<Form>,
    /// The first column of each variable, and the first one behind them all.
    begins: Vec<usize>,
    is_plain: bool,
}

impl Layout {
    /// The layout of variables in these forms.
    pub fn new(forms: Vec<Form>) -> Layout {
        let mut begins = vec![0];
        for form in &forms {
            begins.push(begins[begins.len() - 1] + if *form == Form::Halves { 2 } else { 1 });
        }
        Layout { is_plain: forms.iter().all(|form| *form == Form::Word), forms, begins }
    }

    /// A word for each variable.
    pub fn plain(variables: usize) -> Layout {
        Layout::new(vec![Form::Word; variables])
    }

    /// Returns whether there is a word for each variable.
    #[inline]
    pub fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// Number of columns of all variables.
    #[inline]
    pub fn width(&self) -> usize {
        self.begins.last().copied().unwrap_or(0)
    }

    /// The forms of the variables.
    pub fn forms(&self) -> &[Form] {
        &self.forms
    }

    /// The form of each variable, and its first column.
    pub fn places(&self) -> impl Iterator<Item = (Form, usize)> + '_ {
        self.forms.iter().copied().zip(self.begins.iter().copied())
    }

    /// The columns of a variable. For the number behind the last variable, the column behind all of them.
    pub fn columns(&self, variable: usize) -> Range<usize> {
        let begin = self.begins.get(variable).copied().unwrap_or(self.width());
        begin..self.begins.get(variable + 1).copied().unwrap_or(begin + 1)
    }

    /// The columns of some variables, in their order.
    pub fn columns_of(&self, variables: &[usize]) -> Vec<usize> {
        variables.iter().flat_map(|v| self.columns(*v)).collect()
    }

    /// Returns whether the forms fit the representations of some variables.
    pub fn fits(&self, variables: &[impl AsRef<Rep>]) -> bool {
        let fits = |(form, rep): (&Form, &Rep)| match form {
            Form::Word => self.is_plain || rep.is_plain(),
            Form::Folded => !rep.is_plain(),
            Form::Halves => rep.is_list(),
        };
        self.forms.len() == variables.len()
            && self.forms.iter().zip(variables.iter().map(AsRef::as_ref)).all(fits)
    }
}

/// Values that were unfolded recently: those of the current state and of its successors.
#[derive(Clone, Debug, Default)]
pub struct Unfolded {
    /// The entries, each at a place that its columns choose.
    entries: Vec<Entry>,
    generation: u32,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    variable: u32,
    columns: [u32; 2],
    word: u32,
}

/// Entries, as a power of two.
const ENTRIES: u32 = 8;
/// The variable of an entry that is free.
const FREE: u32 = u32::MAX;

impl Unfolded {
    #[inline]
    fn entry(&mut self, store: &Store, variable: u32, columns: [u32; 2]) -> &mut Entry {
        if self.entries.is_empty() || self.generation != store.generation() {
            let free = Entry { variable: FREE, columns: [0; 2], word: 0 };
            self.entries.clear();
            self.entries.resize(1 << ENTRIES, free);
            self.generation = store.generation();
        }
        let mixed =
            (columns[0] ^ variable << 24).wrapping_mul(0x9E37_79B1) ^ columns[1].wrapping_mul(0x85EB_CA6B);
        &mut self.entries[(mixed.wrapping_mul(0x9E37_79B1) >> (32 - ENTRIES)) as usize]
    }

    /// The word of a value in a form other than [`Form::Word`].
    #[inline]
    pub fn word(
        &mut self,
        store: &mut Store,
        rep: &Rep,
        form: Form,
        variable: usize,
        columns: &[u32],
    ) -> u32 {
        let key = [columns[0], columns.get(1).copied().unwrap_or(0)];
        let entry = self.entry(store, variable as u32, key);
        if entry.variable == variable as u32 && entry.columns == key {
            return entry.word;
        }
        let word = match form {
            Form::Word => Some(key[0]),
            Form::Folded => store.unfold(rep, key[0]),
            Form::Halves => store.unfold_halves(rep, key),
        };
        // A value without room in the store got the word of another value.
        debug_assert!(word.is_some() || store.is_full(), "a row has values of its variables");
        let word = word.unwrap_or_else(|| store.full());
        *self.entry(store, variable as u32, key) = Entry { variable: variable as u32, columns: key, word };
        word
    }

    /// The columns of a value's word in a form other than [`Form::Word`]; the variable had another word, with these
    /// columns.
    #[inline]
    pub fn after(
        &mut self,
        store: &mut Store,
        rep: &Rep,
        form: Form,
        variable: usize,
        before: (u32, &[u32]),
        word: u32,
    ) -> [u32; 2] {
        let key = match (form, before) {
            (Form::Halves, (before, &[left, right])) => {
                store.fold_halves_after(rep, (before, [left, right]), word)
            }
            (_, (before, columns)) => [store.fold_after(rep, (before, columns[0]), word), 0],
        };
        *self.entry(store, variable as u32, key) = Entry { variable: variable as u32, columns: key, word };
        key
    }
}
