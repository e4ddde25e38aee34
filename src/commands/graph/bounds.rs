//! Nodes that are wrong only because `MAXINT` is as small as it is.

use std::cell::Cell;
use std::collections::BTreeMap;

use bsym_explore::graph::{Collected, Node, Paths};
use bsym_language::model::Model;
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::evaluator::work::Work;
use bsym_semantics::scope::Scope;
use bsym_semantics::trace::Violation;
use bsym_semantics::trace::bounds::{maxint_without_all, widest};

use crate::answer::graph::NodeObject;
use crate::answer::property::PropertyKind;
use crate::answer::trace::{because_of_maxint, only_in_scope};
use crate::commands::explicit::reads_bounds;
use crate::race::control::Control;
use crate::tuning::tuning;

/// Decides whether violations and failures are due to the bounds alone.
pub(super) struct Bounds<'a> {
    model: &'a Model,
    scope: &'a Scope,
    found: &'a Collected,
    control: &'a Control,
    /// `None` where bounds cannot be why.
    paths: Option<Paths<'a>>,
    work: Work,
    asked: Cell<usize>,
}

impl<'a> Bounds<'a> {
    pub(super) fn new(
        model: &'a Model,
        scope: &'a Scope,
        found: &'a Collected,
        control: &'a Control,
    ) -> Bounds<'a> {
        let can_be_why =
            model.definitions.hints.maxint.is_none() && widest(scope).is_some() && reads_bounds(model);
        let paths = can_be_why.then(|| Paths::new(found));
        Bounds {
            model,
            scope,
            found,
            control,
            paths,
            work: Work::new(tuning().drawing.bounded_work),
            asked: Cell::new(0),
        }
    }

    /// Returns the note about some states of the state space together: about false conjuncts and failing steps in them,
    /// or else about their deadlock. `None` where that is not known to be due to the bounds alone.
    pub(super) fn only_in_scope(&self, states: &[usize]) -> Option<String> {
        let paths = self.paths.as_ref()?;
        let is_wrong = |node: &Node| !node.violated.is_empty() || !node.wrong.is_empty();
        let has_wrong = states.iter().any(|state| is_wrong(&self.found.nodes[*state]));
        let is_asked = |state: &&usize| {
            let node = &self.found.nodes[**state];
            if has_wrong { is_wrong(node) } else { node.is_deadlock }
        };
        let mut all = Vec::new();
        for state in states.iter().filter(is_asked) {
            self.asked.set(self.asked.get() + 1);
            if self.asked.get() > tuning().drawing.bounded_states || self.control.stopped().is_some() {
                return None;
            }
            self.work.portion(self.work.left());
            let eval = Evaluator::new(self.model, self.scope).with_work(&self.work);
            let violations = paths.violations(&eval, *state)?;
            all.extend(violations.into_iter().filter(|(_, what)| !has_wrong || *what != Violation::Deadlock));
        }
        let maxint = maxint_without_all(self.model, &all)?;
        let mut sentences: Vec<String> = all
            .iter()
            .map(|(_, violation)| only_in_scope(PropertyKind::from(violation), self.scope, &maxint))
            .collect();
        sentences.dedup();
        match &sentences[..] {
            [one] => Some(one.clone()),
            _ => Some(because_of_maxint(false, self.scope, &maxint)),
        }
    }
}

/// Combines the notes of all nodes into sentences.
pub(super) fn messages(nodes: &[NodeObject]) -> Vec<String> {
    let mut by_sentence: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for node in nodes {
        if let Some(only) = &node.only_in_scope {
            by_sentence.entry(only).or_default().push(node.number);
        }
    }
    let message = |(only, numbers): (&str, Vec<usize>)| {
        let named: Vec<String> = numbers.iter().take(tuning().drawing.named).map(usize::to_string).collect();
        let (word, more) = match numbers.len() {
            1 => ("node", ""),
            n if n > tuning().drawing.named => ("nodes", ", …"),
            _ => ("nodes", ""),
        };
        format!("{word} {}{more}: {only}", named.join(", "))
    };
    by_sentence.into_iter().map(message).collect()
}
