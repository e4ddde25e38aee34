//! The search of the product for a path on which a formula is false, in any system.

use bsym_language::temporal::Formula;
use bsym_semantics::temporal::Continuation;
use bsym_semantics::verdict::Reason;

use super::acceptance::{Acceptance, Fair};
use super::automaton::Automaton;
use super::counterexample::Steps;
use super::graph::Graph;
use super::product::{Finite, Node, Product};
use super::propositions::{Proposition, Propositions};
use crate::space::dependency_matrix::GroupId;
use crate::space::system::Measured;
use crate::tuning::{Tuning, tuning};

/// End of a search.
pub(super) enum End<T> {
    /// A path that was confirmed.
    Found(T),
    /// A limit.
    Stopped(Reason),
    /// All nodes were expanded; why a path that was found was not confirmed.
    Complete(Option<String>),
}

/// Callback that confirms a path that was found.
type Confirm<'c, S, T> = &'c mut dyn FnMut(&Graph<S>, &Steps, Continuation) -> Result<T, String>;

/// Searches from the initial nodes of a product. `pulse` returns from time to time why the search must end. `confirm`
/// checks what is found.
pub(super) fn search<S: Measured, T>(
    graph: &mut Graph<S>,
    (product, automaton): (&mut Product, &mut Automaton),
    (propositions, fair): (&mut Propositions<S>, &Fair),
    pulse: &mut dyn FnMut(&Graph<S>, &Product) -> Option<Reason>,
    confirm: Confirm<'_, S, T>,
) -> End<T> {
    let (mut look, mut failed) = (tuning().temporal.first_look, None);
    while !product.is_complete() {
        let finite = product.expand(graph, propositions, automaton);
        if let Some((path, continuation)) = finite.map(|finite| along(product, finite)) {
            match confirm(graph, &path, continuation) {
                Ok(found) => return End::Found(found),
                Err(why) => failed = failed.or(Some(why)),
            }
        }
        let n = product.expanded();
        if (n.is_multiple_of(Tuning::DEFAULT.temporal.pulse) || graph.system.is_stopped())
            && let Some(why) = pulse(graph, product)
        {
            return End::Stopped(why);
        }
        if n < look && !product.is_complete() {
            continue;
        }
        look = 2 * n;
        let promises = automaton.promises();
        let Some(found) = (Acceptance { graph, product, fair, promises }).find() else { continue };
        let mut path: Steps = product.path(found.begin);
        let begin = path.len() - 1;
        path.extend(found.edges.iter().map(|e| (Some(e.label), product.nodes[e.to as usize].state)));
        match confirm(graph, &path, Continuation::Loop(begin)) {
            Ok(found) => return End::Found(found),
            Err(why) => failed = failed.or(Some(why)),
        }
    }
    End::Complete(failed)
}

/// A path without a loop.
fn along(product: &Product, finite: Finite) -> (Steps, Continuation) {
    match finite {
        Finite::Ends(node) => (product.path(node), Continuation::Ends),
        Finite::Decided(node, label, to) => {
            let mut path = product.path(node);
            path.push((Some(label), to));
            (path, Continuation::Open)
        }
    }
}

/// A path of a system on which a formula is false.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Path {
    /// Rows, each with the group that leads there. The last row of a loop is the one with which it begins.
    pub steps: Vec<(Option<GroupId>, Vec<u32>)>,
    /// Continuation of the path.
    pub continuation: Continuation,
}

/// Looks for a path of any system on which a formula about these propositions is false; `None` where it holds on all.
///
/// # Errors
/// If the formula cannot be decided, with the reason.
pub fn refute<S: Measured>(
    system: S,
    formula: &Formula,
    propositions: &[Proposition],
) -> Result<Option<Path>, String> {
    let automaton = Automaton::of_counterexamples(formula, propositions.len());
    let mut automaton = automaton.map_err(|too| format!("it has more than {} {}", too.1, too.0))?;
    let (mut graph, mut product) = (Graph::new(system, false), Product::default());
    let roots = graph.system.roots();
    let mut propositions = Propositions::of(roots, propositions);
    for state in (0..roots).flat_map(|root| graph.initial(root)).collect::<Vec<_>>() {
        product.begin(Node { state, location: automaton.initial() });
    }
    let end = search(
        &mut graph,
        (&mut product, &mut automaton),
        (&mut propositions, &Fair::default()),
        &mut |graph, _| (graph.system.is_stopped() || graph.is_full()).then_some(Reason::TooManyValues),
        &mut |graph, path, continuation| {
            let group = |label: u32| GroupId(graph.labels[label as usize].event.0);
            let steps = path.iter().map(|(label, state)| (label.map(group), graph.table.row(*state)));
            Ok(Path { steps: steps.collect(), continuation })
        },
    );
    let gap = graph.gaps.incomplete.iter().chain(&propositions.gaps.incomplete).next();
    match (end, gap) {
        (End::Found(path), _) => Ok(Some(path)),
        (End::Stopped(_), _) => Err("the system was stopped".into()),
        (End::Complete(_), Some(gap)) => Err(format!("{}: {}", gap.place, gap.error.message)),
        (End::Complete(_), None) => Ok(None),
    }
}
