//! States of a refinement, each with the abstract states that are related to it.
//!
//! A row of the machine of all levels is a state of the refinement, an abstract state, and the valuation of the
//! constants. Both parts are kept in tables of their own, a set of abstract states as the sorted numbers of these.

use std::collections::{BTreeSet, HashMap};
use std::ops::{ControlFlow, Range};
use std::rc::Rc;

use bsym_language::model::{EventId, FollowedPart, LocalId, SideBySide};
use bsym_semantics::evaluator::cuts::{Cut, Cuts};
use bsym_semantics::transition::{self, Outcome};
use bsym_semantics::value::Value;
use bsym_semantics::value::env::Name;

use crate::search::findings::{Gaps, failure, is_interrupted};
use crate::space::dependency_matrix::LabelId;
use crate::space::machine::Machine;
use crate::space::system::{Edge, Edges, Measured, System, Target, unwritten};
use crate::store::state_table::{StateId, Table};

/// Number of a set of abstract states.
pub(super) type SetId = u32;

/// A state of the refinement with a set of abstract states.
pub(super) type Pair = (StateId, SetId);

/// A step of the refinement, as its environment sees it, and its target.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Step {
    pub(super) event: EventId,
    pub(super) parameters: Vec<Value>,
    pub(super) results: Vec<Value>,
    /// The state of the refinement.
    pub(super) to: StateId,
}

/// Result of following a step in the abstractions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Follow {
    /// The related abstract states; and one of those before that has no follower.
    Set(SetId, Option<StateId>),
    /// Nothing is related.
    Nothing,
    /// Nothing is owed in some abstract states; the followers of the others, if there are any.
    Free(Option<SetId>, Option<StateId>),
    /// Something could not be evaluated.
    Unclear,
}

/// Demands of the abstractions on a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Call {
    /// The call must not abort: it is allowed in all abstract states, and aborts in none.
    MustEnd,
    /// A precondition is false in some abstract state.
    Forbidden,
    /// An abstract operation may abort as well.
    Aborts,
    /// No abstraction has the operation.
    Unknown,
    /// Something could not be evaluated.
    Unclear,
}

/// Edges of an abstract operation by arguments and results, as the words of the level's columns.
#[derive(Default)]
struct Answers {
    moves: HashMap<Called, BTreeSet<Vec<u32>>>,
    /// Arguments with which the operation may do anything.
    free: Vec<Vec<Value>>,
}

/// Arguments and results.
type Called = (Vec<Value>, Vec<Value>);

/// See [`Pairs::answers`].
type Asked = (EventId, Box<[u32]>, Vec<Value>);

/// Steps out of a state.
#[derive(Default)]
pub(super) struct Steps {
    /// Steps that reach a state.
    pub(super) reached: Vec<Step>,
    /// Events with arguments that fail on the way, and how.
    pub(super) failed: Vec<(EventId, Vec<Value>, Outcome)>,
}

/// The pairs that were reached, and the machine that finds more.
pub(super) struct Pairs<'m> {
    pub(super) machine: Machine<'m>,
    pub(super) parts: &'m SideBySide,
    pub(super) concrete: Table,
    pub(super) abstracts: Table,
    pub(super) sets: Vec<Box<[StateId]>>,
    pub(super) gaps: Gaps,
    numbers: HashMap<Box<[StateId]>, SetId>,
    /// Cached edges of operations, by the event, the words that it reads, and the arguments if it is not asked about
    /// all.
    answers: HashMap<Asked, Option<Rc<Answers>>>,
    /// Events that are asked about the current arguments alone, because not all could be listed.
    by_arguments: BTreeSet<EventId>,
    cuts: &'m Cuts,
    /// Columns of the refinement's variables.
    width: usize,
}

impl<'m> Pairs<'m> {
    pub(super) fn new(machine: Machine<'m>, parts: &'m SideBySide, cuts: &'m Cuts) -> Pairs<'m> {
        let variables = parts.model.variables.len();
        let width = parts.levels.first().map_or(variables, |level| level.variables.start);
        let beside = machine.width() - variables;
        Pairs {
            machine,
            parts,
            // The valuation of the constants belongs to the state of the refinement.
            concrete: Table::new(width + beside),
            abstracts: Table::new(variables - width),
            sets: Vec::new(),
            gaps: Gaps::default(),
            numbers: HashMap::new(),
            answers: HashMap::new(),
            by_arguments: BTreeSet::new(),
            cuts,
            width,
        }
    }

    /// The initial pairs under a valuation: states of the refinement, each with the related abstract states, if there
    /// are any; and how an initialisation, of the refinement or of an abstraction, fails, if one does.
    pub(super) fn initial(&mut self, root: usize) -> (Vec<(StateId, Option<SetId>)>, Option<Outcome>) {
        let edges = self.machine.initial(root, usize::MAX);
        self.note_gap("INITIALISATION", &edges);
        let failed = edges.edges.iter().find_map(|edge| match &edge.target {
            Target::Failed(outcome) => Some(outcome.clone()),
            _ => None,
        });
        let mut order = Vec::new();
        let mut related: HashMap<StateId, BTreeSet<StateId>> = HashMap::new();
        for edge in &edges.edges {
            let Some(row) = edge.row() else { continue };
            let (state, abstract_state) = self.split(row);
            if !related.contains_key(&state) {
                order.push(state);
            }
            let set = related.entry(state).or_default();
            if self.is_glued(row) == Some(true) {
                set.insert(abstract_state);
            }
        }
        let mut numbered = Vec::new();
        for state in order {
            let set: Box<[StateId]> = related[&state].iter().copied().collect();
            numbered.push((state, (!set.is_empty()).then(|| self.set(set))));
        }
        (numbered, failed)
    }

    /// The steps of the refinement out of a pair that its environment may make, in the order of the events. The
    /// abstract states determine these.
    pub(super) fn steps(&mut self, pair: Pair) -> Steps {
        let row = self.row(pair.0, self.sets[pair.1 as usize][0]);
        let mut found = Steps::default();
        for event in (0..self.parts.operations.len() as u32).map(EventId) {
            let edges = self.machine.edges(Machine::group(event), &row, usize::MAX);
            let name = self.parts.model.events[event.index()].name.clone();
            self.note_gap(&name, &edges);
            for edge in edges.edges {
                match edge.target {
                    Target::Row(row) => {
                        let (to, _) = self.split(&row);
                        let Edge { parameters, results, .. } = edge;
                        found.reached.push(Step { event, parameters, results, to });
                    }
                    Target::Unwritten(_) => {}
                    Target::Failed(outcome) => found.failed.push((event, edge.parameters, outcome)),
                }
            }
        }
        found
    }

    /// Follows a step in the abstractions.
    pub(super) fn follow(&mut self, pair: Pair, step: &Step) -> Follow {
        let followed = self.parts.operations[step.event.index()].as_ref();
        let mut reached = BTreeSet::new();
        let (mut lonely, mut is_free) = (None, false);
        for abstract_state in self.set_of(pair) {
            let here = self.row(pair.0, abstract_state);
            let ways = match followed {
                None => vec![here],
                Some(followed) => match self.ways(followed, step, here) {
                    Some(Some(ways)) => ways,
                    Some(None) => {
                        is_free = true;
                        continue;
                    }
                    None => return Follow::Unclear,
                },
            };
            let mut related = false;
            for mut way in ways {
                self.put_concrete(&mut way, step.to);
                match self.is_glued(&way) {
                    None => return Follow::Unclear,
                    Some(false) => {}
                    Some(true) => {
                        related = true;
                        let (_, state) = self.split(&way);
                        reached.insert(state);
                    }
                }
            }
            if !related && lonely.is_none() {
                lonely = Some(abstract_state);
            }
        }
        let set = (!reached.is_empty()).then(|| self.set(reached.into_iter().collect()));
        match set {
            set if is_free => Follow::Free(set, lonely),
            Some(set) => Follow::Set(set, lonely),
            None => Follow::Nothing,
        }
    }

    /// The rows that the operations of all levels lead to with the arguments and results of a step; the refinement's
    /// part is unchanged. The inner value is `None` if nothing is owed, the outer one if the rows are not known.
    fn ways(
        &mut self,
        followed: &FollowedPart,
        step: &Step,
        here: Vec<u32>,
    ) -> Option<Option<Vec<Vec<u32>>>> {
        let arguments = &step.parameters[..followed.parameters];
        if let Some(precondition) = followed.precondition {
            let allowed = self.answers(precondition, &here, &(0..0), arguments)?;
            if !allowed.moves.contains_key(&(arguments.to_vec(), vec![])) {
                return Some(None);
            }
        }
        let mut ways = vec![here.clone()];
        let parts = self.parts;
        let key = (arguments.to_vec(), step.results.clone());
        for (level, by) in parts.levels.iter().zip(&followed.by) {
            let Some(by) = *by else { continue };
            let answers = self.answers(by, &here, &level.variables, arguments)?;
            if answers.free.iter().any(|free| free == arguments) {
                return Some(None);
            }
            let next = answers.moves.get(&key);
            let put = |way: &Vec<u32>, words: &Vec<u32>| {
                let mut way = way.clone();
                way[level.variables.clone()].copy_from_slice(words);
                way
            };
            let pairs =
                ways.iter().flat_map(|way| next.into_iter().flatten().map(move |words| put(way, words)));
            ways = pairs.collect();
        }
        Some(Some(ways))
    }

    /// Demands of the abstractions on a call that aborts in the refinement.
    pub(super) fn call(&mut self, pair: Pair, event: EventId, parameters: &[Value]) -> Call {
        let parts = self.parts;
        let Some(followed) = &parts.operations[event.index()] else { return Call::Unknown };
        let arguments = &parameters[..followed.parameters];
        for abstract_state in self.set_of(pair) {
            let here = self.row(pair.0, abstract_state);
            if let Some(precondition) = followed.precondition {
                let Some(allowed) = self.answers(precondition, &here, &(0..0), arguments) else {
                    return Call::Unclear;
                };
                if !allowed.moves.contains_key(&(arguments.to_vec(), vec![])) {
                    return Call::Forbidden;
                }
            }
            for (level, by) in parts.levels.iter().zip(&followed.by) {
                let Some(by) = *by else { continue };
                let Some(answers) = self.answers(by, &here, &level.variables, arguments) else {
                    return Call::Unclear;
                };
                if answers.free.iter().any(|free| free == arguments) {
                    return Call::Aborts;
                }
            }
        }
        Call::MustEnd
    }

    /// Returns whether the refinement's own properties hold in one of its states; `None` if that is not known.
    pub(super) fn is_good(&mut self, pair: Pair) -> Option<bool> {
        let row = self.row(pair.0, self.sets[pair.1 as usize][0]);
        let first = self.parts.model.invariant.len();
        for i in first..first + self.parts.model.assertions.len() {
            if !self.machine.label(LabelId(i as u32), &row).ok()? {
                return Some(false);
            }
        }
        Some(true)
    }

    /// Arguments with which the abstractions allow an operation in all of the related states, and the refinement does
    /// not.
    pub(super) fn narrowed(&mut self, pair: Pair, event: EventId) -> Option<Vec<Vec<Value>>> {
        let parts = self.parts;
        let Some(narrowed) = parts.operations[event.index()].as_ref().and_then(|f| f.narrowed) else {
            return Some(vec![]);
        };
        let mut common: Option<Vec<Vec<Value>>> = None;
        for abstract_state in self.set_of(pair) {
            let here = self.row(pair.0, abstract_state);
            let answers = self.answers(narrowed, &here, &(0..0), &[])?;
            let mut arguments: Vec<Vec<Value>> =
                answers.moves.keys().map(|(arguments, _)| arguments.clone()).collect();
            arguments.sort();
            common = Some(match common {
                None => arguments,
                Some(known) => known.into_iter().filter(|a| arguments.contains(a)).collect(),
            });
            if common.as_ref().is_some_and(Vec::is_empty) {
                break;
            }
        }
        common
    }

    /// Returns the edges of an event in a state, as the words of some columns; `None` if they are not known. The result
    /// need only cover the given arguments.
    fn answers(
        &mut self,
        event: EventId,
        row: &[u32],
        columns: &Range<usize>,
        arguments: &[Value],
    ) -> Option<Rc<Answers>> {
        let matrix = self.machine.matrix.clone();
        let group = Machine::group(event);
        let mut read: BTreeSet<usize> = matrix.group(group).reads.iter().copied().collect();
        // Columns that are not written keep their words.
        read.extend(columns.clone());
        let short: Box<[u32]> = read.iter().map(|c| row[*c]).collect();
        let is_of_all = !self.by_arguments.contains(&event);
        let key = (event, short, if is_of_all { vec![] } else { arguments.to_vec() });
        if let Some(known) = self.answers.get(&key) {
            return known.clone();
        }
        let edges = if is_of_all {
            self.machine.edges(group, row, usize::MAX)
        } else {
            self.edges_with(event, arguments, row)
        };
        if self.machine.is_stopped() {
            return None;
        }
        if is_of_all && !arguments.is_empty() && (self.is_cut(event) || edges.incomplete.is_some()) {
            self.by_arguments.insert(event);
            return self.answers(event, row, columns, arguments);
        }
        let mut answers = Answers::default();
        let mut is_clear = edges.incomplete.is_none();
        for edge in &edges.edges {
            match &edge.target {
                Target::Row(target) => {
                    let key = (edge.parameters.clone(), edge.results.clone());
                    answers.moves.entry(key).or_default().insert(target[columns.clone()].to_vec());
                }
                Target::Failed(Outcome::IllDefined(_)) | Target::Unwritten(_) => is_clear = false,
                Target::Failed(_) => answers.free.push(edge.parameters.clone()),
            }
        }
        let known = is_clear.then(|| Rc::new(answers));
        if !is_clear {
            let origin = self.parts.model.events[event.index()].origin;
            let machine = &self.parts.model.text.components[origin.index()].name;
            let place = format!("{machine}.{}", self.parts.model.events[event.index()].name);
            self.note_abstract_gap(&place, &edges);
        }
        self.answers.insert(key, known.clone());
        known
    }

    /// The edges of an event with these arguments.
    fn edges_with(&mut self, event: EventId, arguments: &[Value], row: &[u32]) -> Edges {
        let (state, valuation) = (self.machine.state(row), self.machine.valuation(row));
        let constants = &self.machine.context.valuations[valuation];
        let mut found = transition::Edges::default();
        let done =
            self.machine.context.eval.each_edge_with(event, arguments, constants, &state, &mut |edge| {
                found.edges.push(edge);
                ControlFlow::Continue(())
            });
        found.incomplete.extend(done.err().map(|e| (Some(event), e)));
        self.machine.written(valuation, found)
    }

    /// Returns whether arguments of an event were left out because there are infinitely many.
    fn is_cut(&self, event: EventId) -> bool {
        let parameters = &self.parts.model.events[event.index()].parameters;
        self.cuts.list().iter().any(|cut| matches!(cut.name, Name::Local(l) if parameters.contains(&l)))
    }

    /// The cuts that the search rests on, without cuts of arguments that were tried as they came.
    pub(super) fn cuts(&self) -> Vec<Cut> {
        let asked = self.by_arguments.iter().flat_map(|e| &self.parts.model.events[e.index()].parameters);
        let asked: BTreeSet<LocalId> = asked.copied().collect();
        let mut cuts = self.cuts.list();
        cuts.retain(|cut| !matches!(cut.name, Name::Local(l) if asked.contains(&l)));
        cuts
    }

    /// Returns whether the gluing invariant is true; `None` if that is not known.
    fn is_glued(&mut self, row: &[u32]) -> Option<bool> {
        for i in 0..self.parts.model.invariant.len() as u32 {
            match self.machine.label(LabelId(i), row) {
                Ok(true) => {}
                Ok(false) => return Some(false),
                Err(why) => {
                    if !is_interrupted(&why) {
                        self.gaps.missing("the gluing invariant", why);
                    }
                    return None;
                }
            }
        }
        Some(true)
    }

    /// The row of a state of the refinement and an abstract state.
    pub(super) fn row(&self, concrete: StateId, abstract_state: StateId) -> Vec<u32> {
        let own = self.concrete.row(concrete);
        let mut row = own[..self.width].to_vec();
        row.extend(self.abstracts.row(abstract_state));
        row.extend(&own[self.width..]);
        row
    }

    /// The values of a state of the refinement.
    pub(super) fn concrete_state(&self, pair: Pair) -> Vec<Value> {
        self.concrete_values(pair.0)
    }

    /// The values of a state of the refinement, without regard to the abstract states.
    pub(super) fn concrete_values(&self, concrete: StateId) -> Vec<Value> {
        // Any abstract state: its values are left out again.
        let mut state = self.machine.state(&self.row(concrete, 0));
        state.truncate(self.width);
        state
    }

    /// The values of the abstract states.
    pub(super) fn abstract_states(&self, pair: Pair) -> BTreeSet<Vec<Value>> {
        let values = |a: &StateId| self.machine.state(&self.row(pair.0, *a)).split_off(self.width);
        self.sets[pair.1 as usize].iter().map(values).collect()
    }

    /// The valuation of the constants.
    pub(super) fn valuation(&self, concrete: StateId) -> usize {
        self.concrete.row(concrete).get(self.width).map_or(0, |w| *w as usize)
    }

    fn put_concrete(&self, row: &mut [u32], concrete: StateId) {
        row[..self.width].copy_from_slice(&self.concrete.row(concrete)[..self.width]);
    }

    /// The numbers of the two parts of a row.
    fn split(&mut self, row: &[u32]) -> (StateId, StateId) {
        let behind = self.parts.model.variables.len();
        let mut own = row[..self.width].to_vec();
        own.extend(&row[behind..]);
        (number(&mut self.concrete, &own), number(&mut self.abstracts, &row[self.width..behind]))
    }

    fn set_of(&self, pair: Pair) -> Vec<StateId> {
        self.sets[pair.1 as usize].to_vec()
    }

    fn set(&mut self, set: Box<[StateId]>) -> SetId {
        if let Some(known) = self.numbers.get(&set) {
            return *known;
        }
        let id = self.sets.len() as SetId;
        self.sets.push(set.clone());
        self.numbers.insert(set, id);
        id
    }

    /// Notes why steps of the refinement may be missing. Steps that go wrong are handled elsewhere.
    fn note_gap(&mut self, place: &str, edges: &Edges) {
        if let Some(why) = edges.incomplete.as_ref().filter(|e| !is_interrupted(e)) {
            self.gaps.missing(place, why.clone());
        }
        if edges.edges.iter().any(|edge| matches!(edge.target, Target::Unwritten(_))) {
            self.gaps.missing(place, unwritten());
        }
    }

    fn note_abstract_gap(&mut self, place: &str, edges: &Edges) {
        self.note_gap(place, edges);
        for edge in &edges.edges {
            if let Target::Failed(outcome @ Outcome::IllDefined(_)) = &edge.target {
                self.gaps.missing(place, failure(outcome));
            }
        }
    }

    /// Bytes in use.
    pub(super) fn bytes(&self) -> usize {
        let sets: usize = self.sets.iter().map(|set| 2 * size_of_val(&**set) + 64).sum();
        self.concrete.bytes() + self.abstracts.bytes() + sets + self.machine.effort().bytes
    }
}

fn number(table: &mut Table, row: &[u32]) -> StateId {
    let hash = table.hash(row);
    table.add(row, hash, 0).0
}
