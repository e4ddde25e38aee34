//! The sequences of events of a search, as a tree: a sequence is its last event and the sequence before it.

use bsym_language::model::EventId;

/// One sequence of events.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Word(u32);

/// All sequences met so far. They are never forgotten: one takes eight bytes.
#[derive(Debug)]
pub struct Words {
    /// The sequence before the last event, and that event, by [`Word`]; the empty sequence has no entry.
    longer: Vec<(Word, EventId)>,
}

impl Words {
    /// The sequence of no events.
    pub const EMPTY: Word = Word(0);

    /// Only the empty sequence.
    pub fn new() -> Words {
        Words { longer: vec![] }
    }

    /// `word` with one more event. A sequence made twice is two words.
    pub fn then(&mut self, word: Word, event: EventId) -> Word {
        self.longer.push((word, event));
        Word(
            u32::try_from(self.longer.len()).expect("four thousand million sequences take days to ask about"),
        )
    }

    /// The events in order.
    pub fn events(&self, mut word: Word) -> Vec<EventId> {
        let mut events = vec![];
        while word != Words::EMPTY {
            let (before, event) = self.longer[word.0 as usize - 1];
            events.push(event);
            word = before;
        }
        events.reverse();
        events
    }
}
