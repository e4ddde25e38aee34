//! The names of obligations: those of bsym, of Rodin and of Atelier B for the same obligation.

use std::collections::{BTreeMap, BTreeSet};

use bsym_language::model::Model;
use bsym_proofs::obligations::{Proof, Subject};
use bsym_status::Pair;
use bsym_status::file::{Kind, Obligation, PoFile};
use bsym_status::{pairs, pairs_named};

/// A way to tell which obligation is meant. Two obligations that share a key are the same one.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Key {
    /// A name without white space around its parts.
    Name(String),
    /// The preservation of a conjunct by an event.
    Pair(Pair),
}

/// Keys of an obligation.
pub(super) type Keys = BTreeSet<Key>;

/// Returns the keys of an obligation of the machine.
pub(super) fn of_proof(proof: &Proof) -> Keys {
    let mut keys = Keys::from([Key::Name(trimmed(&proof.name))]);
    if let (Subject::Invariant(i), Kind::Inv | Kind::InvEst) = (&proof.subject, proof.kind) {
        keys.insert(Key::Pair((proof.event, *i)));
    }
    keys
}

/// The keys of the obligations of a recorded status.
pub(super) struct Recorded<'a> {
    model: &'a Model,
    pairs: BTreeMap<String, Vec<Pair>>,
}

impl<'a> Recorded<'a> {
    /// Matches a status to a model.
    pub fn new(file: &PoFile, model: &'a Model) -> Self {
        Recorded { model, pairs: pairs(file, model) }
    }

    /// Returns the keys of an obligation of the status.
    pub fn of(&self, o: &Obligation) -> Keys {
        let mut keys = Keys::from([Key::Name(name_of(o))]);
        let pairs = self.pairs.get(&o.id).into_iter().flatten();
        keys.extend(pairs.clone().map(|pair| Key::Pair(*pair)));
        // The obligations of a refinement are named by the label or position of the conjunct.
        if self.model.refinement.refined.is_some() && matches!(o.kind, Kind::Inv | Kind::InvEst) {
            let event = o.event.as_deref().unwrap_or(bsym_status::digest::INITIALISATION);
            let labels = pairs.filter_map(|(_, i)| self.model.invariant[*i].label.clone());
            let position = o.target.as_ref().and_then(|target| target.index);
            let names = labels.chain(position.map(|i| format!("inv{}", i + 1)));
            keys.extend(names.map(|name| Key::Name(format!("{event}/{name}/REF"))));
        }
        keys
    }
}

/// Returns the name of the obligation that the user means: its own name, or that of a recorded status.
pub(super) fn find<'a>(name: &str, all: &'a [Proof], model: &Model) -> Option<&'a str> {
    let keys = of_name(name, model);
    let found = all.iter().find(|p| p.name == name);
    found.or_else(|| all.iter().find(|p| !of_proof(p).is_disjoint(&keys))).map(|p| p.name.as_str())
}

/// Returns the keys that a name of the user stands for.
pub(super) fn of_name(name: &str, model: &Model) -> Keys {
    let name = trimmed(name);
    let own = name.strip_prefix(&format!("{}/", model.name)).unwrap_or(&name).to_string();
    let pairs = pairs_named(&name, model).into_iter().map(Key::Pair);
    pairs.chain([Key::Name(own), Key::Name(name)]).collect()
}

/// Returns the name of an obligation in its status.
pub(super) fn name_of(o: &Obligation) -> String {
    trimmed(o.source.name.as_deref().unwrap_or(&o.id))
}

/// A name without the white space that labels may have at their ends.
fn trimmed(name: &str) -> String {
    name.split('/').map(str::trim).collect::<Vec<_>>().join("/")
}
