//! Matching of an obligation to its event and conjuncts in a model.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use bsym_language::load::check_predicate;
use bsym_language::model::{Conjunct, EventId, Model, Notation};

use super::digest;
use super::file::{Kind, NamedPredicate, Obligation, PoFile, Target};
use super::proven::Pair;

/// Returns the name of the component that a conjunct was written in, with the prefix of its instance.
pub(crate) fn owner(model: &Model, conjunct: &Conjunct) -> String {
    match model.text.components.get(conjunct.origin.index()) {
        None => model.name.clone(),
        Some(c) => c.prefix.as_ref().map_or(c.name.clone(), |p| format!("{p}.{}", c.name)),
    }
}

/// Key of an obligation about all conjuncts of its component at once.
pub(crate) const ALL: &str = "*";

/// Returns the positions of the conjuncts of a component, in order.
fn of_owner(model: &Model, name: &str) -> Vec<usize> {
    (0..model.invariant.len()).filter(|&i| owner(model, &model.invariant[i]) == name).collect()
}

/// Returns the conjunct at a position among those of a component; the inner `None` is one about an abstraction, which
/// is not checked on states. The order is that of the text.
fn at_position(model: &Model, name: &str, position: usize) -> Option<Option<usize>> {
    in_order(model, name).get(position).copied()
}

/// Returns all conjuncts of a component in the order of the text.
fn in_order(model: &Model, name: &str) -> Vec<Option<usize>> {
    let mut all: Vec<(u32, u32, Option<usize>)> = of_owner(model, name)
        .into_iter()
        .map(|i| (model.invariant[i].span.source.0, model.invariant[i].span.start, Some(i)))
        .collect();
    let gluing = model.refinement.gluing.iter().filter(|c| owner(model, c) == name);
    all.extend(gluing.map(|c| (c.span.source.0, c.span.start, None)));
    all.sort_by_key(|&(source, start, _)| (source, start));
    all.into_iter().map(|(_, _, i)| i).collect()
}

/// Returns the position of the event; `None` is the initialisation.
pub(super) fn find_event(o: &Obligation, model: &Model) -> Result<Option<usize>, String> {
    match o.event.as_deref() {
        None if o.kind == Kind::InvEst => Ok(None),
        None => Err("it names no event".into()),
        Some(digest::INITIALISATION) => Ok(None),
        Some(name) => match model.events.iter().position(|e| e.name == name) {
            Some(e) => Ok(Some(e)),
            None => Err(format!("{} has no operation `{name}`", model.name)),
        },
    }
}

/// Returns the pairs of event and conjunct of a model that the obligations of a status are about, by the names that they
/// have in the status. Obligations of other kinds, of other components, and those that fit nothing are left out.
pub fn pairs(file: &PoFile, model: &Model) -> BTreeMap<String, Vec<Pair>> {
    let mut texts = Texts::new(model).count(file);
    let own = file.obligations.iter().filter(|o| o.component == model.name && o.unmatched.is_none());
    let preserving = own.filter(|o| matches!(o.kind, Kind::Inv | Kind::InvEst));
    let mut found: BTreeMap<String, Vec<Pair>> = BTreeMap::new();
    for o in preserving {
        let (Ok(event), Matched::At(conjuncts)) = (find_event(o, model), find_target(o, model, &mut texts))
        else {
            continue;
        };
        let event = event.map(|e| EventId(e as u32));
        found.entry(o.id.clone()).or_default().extend(conjuncts.into_iter().map(|i| (event, i)));
    }
    found
}

/// Returns the pairs that a name of an obligation stands for: `inc/inv1/INV`, `inc/#0/INV`, with or without the name of the
/// machine in front. A conjunct is named by its label, by `#` and its position from 0 in the text, or by `inv` and its
/// position from 1.
pub fn pairs_named(name: &str, model: &Model) -> Vec<Pair> {
    let parts: Vec<&str> = name.split('/').map(str::trim).collect();
    let parts = parts.strip_prefix(&[model.name.as_str()]).unwrap_or(&parts);
    let [event, key, "INV"] = parts else { return vec![] };
    let numbered = key.strip_prefix("inv").and_then(|n| n.parse::<usize>().ok()?.checked_sub(1));
    let is_label = model.invariant.iter().any(|c| c.label.as_deref() == Some(key));
    let key = match numbered {
        Some(position) if !is_label => format!("#{position}"),
        _ => key.to_string(),
    };
    let target =
        Target { role: None, key: Some(key), label: None, index: None, owner: None, text: None, hash: None };
    let mut o = Obligation::new(&model.name, name);
    (o.kind, o.event, o.target) = (Kind::Inv, Some(event.to_string()), Some(target));
    let (Ok(event), Matched::At(conjuncts)) =
        (find_event(&o, model), find_target(&o, model, &mut Texts::new(model)))
    else {
        return vec![];
    };
    let event = event.map(|e| EventId(e as u32));
    conjuncts.into_iter().map(|i| (event, i)).collect()
}

/// Conjuncts that an obligation of a tool is about.
pub(super) enum Matched {
    /// Conjuncts with the same text.
    At(Vec<usize>),
    /// No conjunct, with the reason.
    Nowhere(String),
    /// Several conjuncts that differ, with the reason.
    Ambiguous(String),
}

/// Finds the target by label, else by position if the text there agrees, else by text.
pub(super) fn find_target(o: &Obligation, model: &Model, texts: &mut Texts) -> Matched {
    let Some(target) = &o.target else { return Matched::Nowhere("it names no invariant".into()) };
    let owner = target.owner.as_ref().unwrap_or(&o.component);
    let own = of_owner(model, owner);
    if own.is_empty() {
        return Matched::Nowhere(format!("{} has no conjunct from {owner}", model.name));
    }
    // Another splitting of the invariant makes other positions.
    let there = in_order(model, owner).len();
    if let Some(&n) = texts.counted.get(owner).filter(|&&n| n != there && n > 0) {
        return Matched::Nowhere(format!(
            "its tool has {n} conjuncts of {owner}, and here there are {there}"
        ));
    }
    if target.key.as_deref() == Some(ALL) {
        return Matched::At(own);
    }
    let named = target.label.as_deref().or(target.key.as_deref().filter(|k| !k.starts_with('#')));
    if let Some(label) = named {
        let all: Vec<usize> =
            own.iter().copied().filter(|&i| model.invariant[i].label.as_deref() == Some(label)).collect();
        match all.as_slice() {
            [] => {}
            [one] => return Matched::At(vec![*one]),
            several => {
                let mut agreeing = several
                    .iter()
                    .filter(|&&i| texts.agree(target, model, &model.invariant[i]) == Agreement::Yes);
                return match (agreeing.next(), agreeing.next()) {
                    (Some(&i), None) => Matched::At(vec![i]),
                    _ => Matched::Ambiguous(format!("{} conjuncts have the label `{label}`", several.len())),
                };
            }
        }
    }
    let position = target
        .key
        .as_deref()
        .and_then(|k| k.strip_prefix('#'))
        .and_then(|k| k.parse().ok())
        .or(target.index)
        .and_then(|i: usize| at_position(model, owner, i));
    let same = texts.everywhere(target, model, &own);
    if !same.is_empty() {
        // The position chooses between conjuncts of the same text, which makes no difference.
        return Matched::At(same);
    }
    match position {
        // Without label and text only the position is known; the freshness check decides whether it suffices.
        Some(Some(i)) if named.is_none() => Matched::At(vec![i]),
        Some(None) => Matched::Nowhere("it speaks of the abstraction, and is not checked on states".into()),
        _ => Matched::Nowhere(match (named, &target.text) {
            (Some(label), _) => format!("no conjunct has the label `{label}`"),
            (None, Some(text)) => format!("no conjunct is `{text}`"),
            (None, None) => "no conjunct has this position".into(),
        }),
    }
}

/// Hashes of texts in the file, read as predicates of the model.
pub(super) struct Texts {
    model: Model,
    hashes: HashMap<String, Option<String>>,
    /// Numbers of conjuncts of components that record only positions.
    counted: HashMap<String, usize>,
}

impl Texts {
    pub(super) fn new(model: &Model) -> Texts {
        Texts { model: model.clone(), hashes: HashMap::new(), counted: HashMap::new() }
    }

    /// Notes components whose conjuncts are known by position only.
    pub(super) fn count(mut self, file: &PoFile) -> Texts {
        let blank = |p: &NamedPredicate| p.label.is_none() && p.hash.is_none() && p.text.is_empty();
        for c in file.components.iter().filter(|c| c.invariants.iter().all(blank)) {
            self.counted.insert(c.name.clone(), c.invariants.len());
        }
        self
    }

    /// Returns the hash of a text, if it is a predicate of the model.
    pub(super) fn hash(&mut self, text: &str) -> Option<String> {
        // The text of another notation would be misread.
        if self.model.text.notation != Notation::ClassicalB {
            return None;
        }
        if let Some(known) = self.hashes.get(text) {
            return known.clone();
        }
        let p = check_predicate(&mut self.model, text).ok();
        let hash = p.map(|p| digest::predicate(&self.model, &p));
        self.hashes.insert(text.to_string(), hash.clone());
        hash
    }

    /// Returns the conjuncts that agree with the target.
    fn everywhere(&mut self, target: &Target, model: &Model, own: &[usize]) -> Vec<usize> {
        let all = || own.iter().copied();
        let hash_of = |i: usize| digest::predicate(model, &model.invariant[i].pred);
        if let Some(hash) = &target.hash {
            let found: Vec<usize> = all().filter(|&i| hash_of(i) == *hash).collect();
            if !found.is_empty() {
                return found;
            }
        }
        let Some(text) = &target.text else { return vec![] };
        let found: Vec<usize> = all().filter(|&i| fold(&model.invariant[i].text) == fold(text)).collect();
        if !found.is_empty() {
            return found;
        }
        match self.hash(text) {
            Some(hash) => all().filter(|&i| hash_of(i) == hash).collect(),
            None => vec![],
        }
    }
}

/// Agreement between a target and a conjunct.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Agreement {
    Yes,
    No,
    /// The target has no hash, and no text or one that cannot be read on its own.
    Unknown,
}

impl Texts {
    /// Compares a recorded target with this conjunct.
    pub(super) fn agree(&mut self, t: &Target, model: &Model, conjunct: &Conjunct) -> Agreement {
        let hash = digest::predicate(model, &conjunct.pred);
        if t.hash.as_ref() == Some(&hash) {
            return Agreement::Yes;
        }
        match &t.text {
            Some(text) if self.hash(text) == Some(hash) => Agreement::Yes,
            // A text may use definitions, and these may have changed.
            Some(text) if t.hash.is_none() && fold(text) == fold(&conjunct.text) => Agreement::Unknown,
            // A predicate of Event-B has many spellings.
            Some(_) if t.hash.is_none() && model.text.notation == Notation::EventB => Agreement::Unknown,
            None if t.hash.is_none() => Agreement::Unknown,
            _ => Agreement::No,
        }
    }

    /// Returns whether a recorded predicate has one of these hashes.
    pub(super) fn among(&mut self, p: &NamedPredicate, known: &BTreeSet<String>) -> Agreement {
        if p.hash.as_ref().is_some_and(|h| known.contains(h)) {
            return Agreement::Yes;
        }
        match self.hash(&p.text) {
            Some(h) if known.contains(&h) => Agreement::Yes,
            None if p.hash.is_none() => Agreement::Unknown,
            _ => Agreement::No,
        }
    }
}

/// Returns the text without differences of layout.
fn fold(text: &str) -> String {
    text.split_whitespace().collect()
}
