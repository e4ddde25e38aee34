//! A small set of short paths that cover what is asked, in a state space that was visited.

use std::cell::Cell;
use std::collections::{BTreeSet, VecDeque};

use bsym_explore::graph::{Collected, Content, Edge, Graph, Operation};
use bsym_language::model::EventId;
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::transition::conditions::{Condition, conditions};
use bsym_semantics::transition::guards::Guard;

/// Something to cover.
#[derive(Clone, PartialEq, Debug)]
pub enum Target {
    /// The event is taken.
    Operation(EventId),
    /// The condition of the event's guard decides alone, with this truth value.
    Condition(EventId, Condition, bool),
}

impl Target {
    /// The event.
    pub fn event(&self) -> EventId {
        match self {
            Target::Operation(event) | Target::Condition(event, ..) => *event,
        }
    }
}

/// Why nothing covers a target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Uncovered {
    /// No visited state or edge does.
    Nowhere,
    /// The shortest test has this many events.
    TooLong(usize),
    /// From no state or edge that does, a wanted end is reached.
    NoEnd,
}

/// Paths, as the edges from the root on, and the number of the path that covers each target.
#[derive(Debug, Default)]
pub struct Selected {
    pub paths: Vec<Vec<Edge>>,
    pub covered: Vec<Result<usize, Uncovered>>,
}

/// The conditions of the guards of events.
pub fn conditions_of(eval: &Evaluator<'_>, events: &[EventId], depth: usize) -> Vec<Target> {
    let of = |event: &EventId| {
        let guard = Guard::of(&eval.model.events[event.index()]);
        let all = conditions(&guard, depth).into_iter();
        all.flat_map(|c| [true, false].map(|truth| Target::Condition(*event, c.clone(), truth)))
            .collect::<Vec<_>>()
    };
    events.iter().flat_map(of).collect()
}

/// Shortest ways from the root and to wanted ends.
struct Ways<'a> {
    graph: &'a Graph,
    /// Number of edges from the root, and the last of them.
    before: Vec<Option<(usize, Option<Edge>)>>,
    /// Number of edges to a wanted end, and the first of them.
    after: Vec<Option<(usize, Option<Edge>)>>,
}

impl<'a> Ways<'a> {
    fn new(graph: &'a Graph, is_end: &dyn Fn(usize) -> bool) -> Ways<'a> {
        let mut before = vec![None; graph.len()];
        let mut waiting = VecDeque::new();
        if !graph.is_empty() {
            before[0] = Some((0, None));
            waiting.push_back(0);
        }
        while let Some(node) = waiting.pop_front() {
            let Some((n, _)) = before[node] else { continue };
            for edge in graph.leaving(node) {
                if before[edge.to].is_none() {
                    before[edge.to] = Some((n + 1, Some(*edge)));
                    waiting.push_back(edge.to);
                }
            }
        }
        let mut entering: Vec<Vec<Edge>> = vec![vec![]; graph.len()];
        for edge in graph.edges() {
            entering[edge.to].push(*edge);
        }
        let mut after = vec![None; graph.len()];
        let mut waiting: VecDeque<usize> = (0..graph.len()).filter(|node| is_end(*node)).collect();
        for node in &waiting {
            after[*node] = Some((0, None));
        }
        while let Some(node) = waiting.pop_front() {
            let Some((n, _)) = after[node] else { continue };
            for edge in &entering[node] {
                if after[edge.from].is_none() {
                    after[edge.from] = Some((n + 1, Some(*edge)));
                    waiting.push_back(edge.from);
                }
            }
        }
        Ways { graph, before, after }
    }

    /// A shortest path through a node, or through an edge out of it, to a wanted end.
    fn path(&self, node: usize, edge: Option<Edge>) -> Option<Vec<Edge>> {
        let mut path = vec![];
        let mut at = node;
        while let (_, Some(edge)) = self.before[at]? {
            path.push(edge);
            at = edge.from;
        }
        path.reverse();
        path.extend(edge);
        let mut at = edge.map_or(node, |edge| edge.to);
        while let (_, Some(edge)) = self.after[at]? {
            path.push(edge);
            at = edge.to;
        }
        Some(path)
    }

    /// Number of edges of that path.
    fn length(&self, node: usize, edge: Option<Edge>) -> Option<usize> {
        let (before, _) = self.before[node]?;
        let (after, _) = self.after[edge.map_or(node, |edge| edge.to)]?;
        Some(before + usize::from(edge.is_some()) + after)
    }
}

/// Selects paths with at most `depth` events that cover the targets and end where `is_end` says. `is_over` ends it early.
pub fn select(
    found: &Collected,
    eval: &Evaluator<'_>,
    targets: &[Target],
    is_end: &dyn Fn(usize) -> bool,
    depth: Option<usize>,
    is_over: &dyn Fn() -> bool,
) -> Selected {
    let ways = Ways::new(&found.graph, is_end);
    // Edges that set up the constants and the variables are no events.
    let first = usize::from(found.nodes.iter().any(|n| n.content == Content::Constants)) + 1;
    let limit = depth.map(|depth| depth + first);
    let mut candidates: Vec<Result<Vec<Edge>, Uncovered>> = vec![];
    for target in targets {
        let place = place(found, eval, target, &ways, limit, is_over);
        candidates.push(place.and_then(|(node, edge, length)| match ways.path(node, edge) {
            Some(path) if limit.is_none_or(|limit| length <= limit) => Ok(path),
            Some(_) => Err(Uncovered::TooLong(length - first)),
            None => Err(Uncovered::NoEnd),
        }));
    }
    cover(found, eval, targets, &candidates)
}

/// Where a target is covered with the shortest path: a node or an edge, and the length of the path.
fn place(
    found: &Collected,
    eval: &Evaluator<'_>,
    target: &Target,
    ways: &Ways<'_>,
    limit: Option<usize>,
    is_over: &dyn Fn() -> bool,
) -> Result<(usize, Option<Edge>, usize), Uncovered> {
    let seen = Cell::new(false);
    let mut best: Option<(usize, Option<Edge>, usize)> = None;
    let mut add = |node: usize, edge: Option<Edge>| {
        seen.set(true);
        if let Some(length) = ways.length(node, edge)
            && best.as_ref().is_none_or(|(_, _, known)| length < *known)
        {
            best = Some((node, edge, length));
        }
        // Nodes come in the order of their distance.
        best.is_some_and(|(at, _, length)| at == node && limit.is_none_or(|limit| length <= limit))
    };
    match target {
        Target::Operation(event) => {
            let is_it = |edge: &&Edge| found.labels[edge.label].operation == Operation::Event(*event);
            for edge in ways.graph.edges().iter().filter(is_it) {
                add(edge.from, Some(*edge));
            }
        }
        Target::Condition(event, condition, truth) => {
            let guard = Guard::of(&eval.model.events[event.index()]);
            for node in 0..found.nodes.len() {
                if is_over() {
                    break;
                }
                if ways.length(node, None).is_none() && seen.get() {
                    continue;
                }
                if decides(found, eval, &guard, condition, node, *truth) && add(node, None) {
                    break;
                }
            }
        }
    }
    match (best, seen.get()) {
        (Some(best), _) => Ok(best),
        (None, true) => Err(Uncovered::NoEnd),
        (None, false) => Err(Uncovered::Nowhere),
    }
}

fn decides(
    found: &Collected,
    eval: &Evaluator<'_>,
    guard: &Guard,
    condition: &Condition,
    node: usize,
    truth: bool,
) -> bool {
    let node = &found.nodes[node];
    let Content::State(state) = &node.content else { return false };
    let constants = node.valuation.and_then(|v| found.constants.get(v)).map_or(&[][..], |c| &c[..]);
    condition.decides(guard, eval, (constants, state), truth) == Ok(true)
}

/// Takes the candidate that covers most of what is left, as long as something is; then leaves out what others cover.
fn cover(
    found: &Collected,
    eval: &Evaluator<'_>,
    targets: &[Target],
    candidates: &[Result<Vec<Edge>, Uncovered>],
) -> Selected {
    let covers = |path: &[Edge]| -> BTreeSet<usize> {
        let is_covered = |target: &Target| match target {
            Target::Operation(event) => {
                path.iter().any(|edge| found.labels[edge.label].operation == Operation::Event(*event))
            }
            Target::Condition(event, condition, truth) => {
                let guard = Guard::of(&eval.model.events[event.index()]);
                path.iter().any(|edge| decides(found, eval, &guard, condition, edge.to, *truth))
            }
        };
        (0..targets.len()).filter(|i| candidates[*i].is_ok() && is_covered(&targets[*i])).collect()
    };
    let mut paths: Vec<(Vec<Edge>, BTreeSet<usize>)> = vec![];
    for path in candidates.iter().flatten() {
        if !paths.iter().any(|(known, _)| known == path) {
            paths.push((path.clone(), covers(path)));
        }
    }
    let mut left: BTreeSet<usize> = (0..targets.len()).filter(|i| candidates[*i].is_ok()).collect();
    let mut chosen: Vec<usize> = vec![];
    while !left.is_empty() {
        let gain =
            |i: &usize| (paths[*i].1.intersection(&left).count(), std::cmp::Reverse(paths[*i].0.len()));
        let Some(best) = (0..paths.len()).rev().max_by_key(gain).filter(|i| gain(i).0 > 0) else { break };
        left.retain(|target| !paths[best].1.contains(target));
        chosen.push(best);
    }
    // Later choices may cover all that an earlier one was taken for.
    for i in (0..chosen.len()).rev() {
        let others: BTreeSet<usize> =
            chosen.iter().filter(|c| **c != chosen[i]).flat_map(|c| &paths[*c].1).copied().collect();
        if paths[chosen[i]].1.is_subset(&others) {
            chosen.remove(i);
        }
    }
    let by = |target: usize| chosen.iter().position(|c| paths[*c].1.contains(&target));
    let covered = (0..targets.len()).map(|i| match &candidates[i] {
        Ok(_) => by(i).ok_or(Uncovered::Nowhere),
        Err(why) => Err(*why),
    });
    let covered = covered.collect();
    Selected { paths: chosen.iter().map(|c| paths[*c].0.clone()).collect(), covered }
}
