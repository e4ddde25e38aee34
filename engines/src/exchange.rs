//! Facts that the engines of a portfolio tell each other, so that none has to find out what another one knows.
//!
//! All engines of an attempt ask the same question, and assume the same conjuncts in the states before a step. A fact
//! is true of a shortest path to a violation:
//! - a *lemma* holds in all its states. It is true at the start and inductive together with the assumed conjuncts and
//!   the lemmas told before it;
//! - a property that is *shown* is not violated at its end, by k-induction;
//! - it has more events than were *searched*.
//!
//! What is *proved* of single steps is told as well: pairs of an event and a conjunct, and checks, of which the engines
//! need not ask.
//!
//! An engine that makes use of a fact has it in its claim ([`Problem::claim`](crate::problem::Problem::claim)), which
//! is checked in a fresh session: a fact that is wrong costs an answer, and never makes a wrong one.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use bsym_language::model::Pred;
use bsym_proofs::claim::{Evidence, Property};
use bsym_status::ProofStatus;

/// A property that a shortest path to a violation does not violate at its end.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The property.
    pub property: Property,
    /// Steps in the induction hypothesis.
    pub k: usize,
    /// The lemmas that the induction rests on, with those that these need.
    pub lemmas: Vec<Pred>,
}

impl Shown {
    /// Returns evidence for this property as well, given evidence for the others. Bounded evidence has all properties
    /// asked again.
    pub(crate) fn with(&self, evidence: Evidence) -> Evidence {
        let (k, mut lemmas) = match evidence {
            Evidence::Inductive { lemmas } => (0, lemmas),
            Evidence::KInduction { k, lemmas } => (k, lemmas),
            bounded => return bounded,
        };
        let news: Vec<Pred> = self.lemmas.iter().filter(|lemma| !lemmas.contains(lemma)).cloned().collect();
        lemmas.extend(news);
        match k.max(self.k) {
            0 => Evidence::Inductive { lemmas },
            k => Evidence::KInduction { k, lemmas },
        }
    }
}

/// Facts that were told so far. Everything told is kept as long as the attempt lasts.
#[derive(Debug, Default)]
pub struct Exchange {
    /// More than one engine listens.
    is_shared: bool,
    listeners: AtomicUsize,
    /// Number of depths, from 0, at which neither a violation nor a failing step is.
    searched: AtomicUsize,
    /// An engine has told the invariants that it guessed.
    has_guesses: AtomicBool,
    /// Number of searches for an inductive invariant that go on.
    searches: AtomicUsize,
    facts: Mutex<Facts>,
}

#[derive(Debug, Default)]
struct Facts {
    /// Lemmas, each with the number of the listener that told it.
    lemmas: Vec<(usize, Pred)>,
    shown: Vec<Shown>,
    /// Pairs and checks that the run has proved by itself.
    proved: ProofStatus,
    /// How often some were told.
    told: usize,
}

/// Position of one engine, or a search of it, among the lemmas. To a new one all lemmas are news.
#[derive(Debug, Default)]
pub struct Listener {
    /// Known from the first use on.
    number: Option<usize>,
    heard: usize,
}

impl Exchange {
    /// Returns an exchange in which some claims are proved already. `is_shared`: more than one engine listens.
    pub fn new(is_shared: bool, proved: ProofStatus) -> Exchange {
        let facts = Mutex::new(Facts { proved, ..Facts::default() });
        Exchange { is_shared, facts, ..Exchange::default() }
    }

    /// Returns whether there is another engine to talk to.
    pub fn is_shared(&self) -> bool {
        self.is_shared
    }

    /// Tells lemmas. Those that they need were told before, or are among them.
    pub fn tell_lemmas(&self, listener: &mut Listener, lemmas: impl IntoIterator<Item = Pred>) {
        let number = self.number(listener);
        self.facts().lemmas.extend(lemmas.into_iter().map(|lemma| (number, lemma)));
    }

    /// Returns the lemmas that others have told since the last time.
    pub fn lemmas(&self, listener: &mut Listener) -> Vec<Pred> {
        let (number, facts) = (self.number(listener), self.facts());
        let news = facts.lemmas.iter().skip(listener.heard).filter(|(by, _)| *by != number);
        let news = news.map(|(_, lemma)| lemma.clone()).collect();
        listener.heard = facts.lemmas.len();
        news
    }

    /// Returns all lemmas that were told.
    pub fn all_lemmas(&self) -> Vec<Pred> {
        self.facts().lemmas.iter().map(|(_, lemma)| lemma.clone()).collect()
    }

    /// Returns whether any lemmas were told.
    pub fn has_lemmas(&self) -> bool {
        !self.facts().lemmas.is_empty()
    }

    /// Tells that a property is shown.
    pub fn tell_shown(&self, shown: Shown) {
        let mut facts = self.facts();
        if facts.shown.iter().all(|known| known.property != shown.property) {
            facts.shown.push(shown);
        }
    }

    /// Returns the properties that are shown, without the first `known`.
    pub fn shown(&self, known: usize) -> Vec<Shown> {
        self.facts().shown.iter().skip(known).cloned().collect()
    }

    /// Tells that so many depths, from 0, were searched.
    pub fn tell_searched(&self, depths: usize) {
        self.searched.fetch_max(depths, Ordering::SeqCst);
    }

    /// Returns the number of depths, from 0, at which neither a violation nor a failing step is.
    pub fn searched(&self) -> usize {
        self.searched.load(Ordering::SeqCst)
    }

    /// Tells that an engine has guessed invariants, and told them.
    pub fn tell_guessed(&self) {
        self.has_guesses.store(true, Ordering::SeqCst);
    }

    /// Returns whether an engine has guessed invariants. The others need not do so again.
    pub fn has_guesses(&self) -> bool {
        self.has_guesses.load(Ordering::SeqCst)
    }

    /// Tells all pairs and checks that are proved by now. Engines assert anew what they ask, so it is told seldom.
    pub fn tell_proved(&self, proved: ProofStatus) {
        let mut facts = self.facts();
        facts.proved = proved;
        facts.told += 1;
    }

    /// Returns the pairs and checks that are proved, and how often some were told, if that is above `known`.
    pub fn proved(&self, known: usize) -> Option<(usize, ProofStatus)> {
        let facts = self.facts();
        (facts.told > known).then(|| (facts.told, facts.proved.clone()))
    }

    /// Returns the pairs and checks that are proved.
    pub fn all_proved(&self) -> ProofStatus {
        self.facts().proved.clone()
    }

    /// Notes that a search for an inductive invariant begins (`true`), or that one has nothing more to try.
    pub fn search(&self, begins: bool) {
        match begins {
            true => self.searches.fetch_add(1, Ordering::SeqCst),
            false => self.searches.fetch_sub(1, Ordering::SeqCst),
        };
    }

    /// Returns whether any search for an inductive invariant goes on.
    pub fn is_searched(&self) -> bool {
        self.searches.load(Ordering::SeqCst) > 0
    }

    fn number(&self, listener: &mut Listener) -> usize {
        *listener.number.get_or_insert_with(|| self.listeners.fetch_add(1, Ordering::SeqCst))
    }

    // Facts are stored whole, so that an engine that panicked leaves none half told.
    fn facts(&self) -> MutexGuard<'_, Facts> {
        self.facts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
