//! The edges of the transition system: directed execution of one step, and enumeration of all.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use bsym_language::model::{
    Event, EventId, LocalId, Pred, PredKind, RefinementId, Subst, SubstKind, Target, VarId,
};
use bsym_language::source::Span;

use crate::error::{EvalError, EvalErrorKind};
use crate::evaluator::free_names::names_of_pred;
use crate::evaluator::{Eval, Evaluator};
use crate::transition::execution::{End, Path};
use crate::transition::state::{Execution, State};
use crate::transition::substitution::Walker;
use crate::value::Value;
use crate::value::env::{Env, Name};

/// Outcome of an execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The execution reaches a state.
    Reached {
        /// Values of all variables afterwards.
        state: State,
        /// Values of the results.
        results: Vec<Value>,
    },
    /// The execution is disabled: a guard or the predicate of a choice is false.
    Disabled {
        /// The guard or predicate.
        span: Span,
        /// The reason; lower case, no full stop.
        why: String,
    },
    /// An evaluation on the way is ill-defined.
    IllDefined(EvalError),
    /// The `ASSERT`, loop invariant or loop variant is violated.
    AssertFailed(Span),
    /// The `PRE` inside the body is false.
    PreconditionFailed(Span),
    /// No abstract event can follow.
    RefinementFailed(RefinementId),
}

/// An edge of the transition system, or a step that fails before it reaches a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// The event; `None` is the initialisation.
    pub event: Option<EventId>,
    /// The parameters, results and choices of the execution.
    pub execution: Execution,
    /// The outcome; never [`Outcome::Disabled`].
    pub outcome: Outcome,
}

impl Edge {
    /// Returns the state that is reached.
    pub fn state(&self) -> Option<&State> {
        match &self.outcome {
            Outcome::Reached { state, .. } => Some(state),
            _ => None,
        }
    }
}

/// The edges out of a state.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Edges {
    /// In the order of the events. Edges that agree in event, parameters, results and outcome appear once.
    pub edges: Vec<Edge>,
    /// Events with edges that may be missing, each with the reason.
    pub incomplete: Vec<(Option<EventId>, EvalError)>,
}

impl Evaluator<'_> {
    /// Executes one step with the given parameters and choices.
    ///
    /// Choices that are not given are searched for; that is an error of kind [`EvalErrorKind::Unsupported`] if several
    /// outcomes remain. The initialisation ignores `state`.
    ///
    /// # Errors
    /// A set is too large where its elements are needed, a wrong number of parameters, several outcomes.
    pub fn execute(
        &self,
        constants: &[Value],
        state: &[Value],
        event: Option<EventId>,
        execution: &Execution,
    ) -> Eval<Outcome> {
        Ok(self.follow(constants, state, event, execution)?.0)
    }

    /// Executes one step as [`execute`](Self::execute). Also returns the choices that were made.
    ///
    /// # Errors
    /// As [`execute`](Self::execute).
    pub fn follow(
        &self,
        constants: &[Value],
        state: &[Value],
        event: Option<EventId>,
        execution: &Execution,
    ) -> Eval<(Outcome, Execution)> {
        let mut outcomes: Vec<(Outcome, Execution)> = Vec::new();
        let _every = self.run(constants, state, event, execution, &mut |made, outcome| {
            let wanted = match &outcome {
                Outcome::Reached { results, .. } => {
                    execution.results.is_empty() || *results == execution.results
                }
                _ => true,
            };
            if wanted && outcomes.iter().all(|(known, _)| *known != outcome) {
                outcomes.push((outcome, made));
            }
            ControlFlow::Continue(())
        })?;
        if outcomes.iter().any(|(o, _)| !matches!(o, Outcome::Disabled { .. })) {
            outcomes.retain(|(o, _)| !matches!(o, Outcome::Disabled { .. }));
        }
        let span = self.body(event)?.span;
        match outcomes.len() {
            0 => {
                let why = "no execution has these results".into();
                Ok((Outcome::Disabled { span, why }, Execution::default()))
            }
            1 => Ok(outcomes.swap_remove(0)),
            n => Err(EvalError::unsupported(span, format!("the choices given leave {n} outcomes open"))),
        }
    }

    fn body(&self, event: Option<EventId>) -> Eval<&Subst> {
        match event {
            None => Ok(&self.model.initialisation),
            Some(id) => Ok(&self.event(id)?.body),
        }
    }

    fn event(&self, id: EventId) -> Eval<&Event> {
        let unknown = || EvalError::unsupported(Span::default(), "the model has no such event");
        self.model.events.get(id.index()).ok_or_else(unknown)
    }

    /// Calls `visit` for each way to execute an event with the given parameters that agrees with the given choices.
    /// Given results are used for an execution that assigns none itself.
    fn run(
        &self,
        constants: &[Value],
        state: &[Value],
        event: Option<EventId>,
        given: &Execution,
        visit: &mut dyn FnMut(Execution, Outcome) -> ControlFlow<()>,
    ) -> Eval<ControlFlow<()>> {
        let parameters = &given.parameters[..];
        let walker = Walker { eval: self, given: &given.choices };
        let (names, results, state, body) = match event {
            None => (&[][..], &[][..], &[][..], &self.model.initialisation),
            Some(id) => {
                let event = self.event(id)?;
                (&event.parameters[..], &event.results[..], state, &event.body)
            }
        };
        if names.len() != parameters.len() {
            let message = format!("{} parameters instead of {}", parameters.len(), names.len());
            return Err(EvalError::unsupported(body.span, message));
        }
        let bound: Vec<_> = names.iter().map(|l| Name::Local(*l)).zip(parameters.iter().cloned()).collect();
        for (name, value) in &bound {
            if self.type_of(*name).is_none_or(|ty| !self.has_type(value, ty)) {
                let message = format!("the value of `{}` is not of its type", self.name(*name));
                return Err(EvalError::unsupported(body.span, message));
            }
        }
        let env = Env::new(constants, state);
        let frame = env.frame(&bound);
        walker.each(&env.within(&frame), body, &[], &mut |path| {
            let (execution, outcome) = self.executed(path, given, results, state, body.span);
            Ok(visit(execution, outcome))
        })
    }

    /// Translates a path through a body into an outcome of the transition system.
    fn executed(
        &self,
        Path { writes, mut choices, end }: Path,
        given: &Execution,
        results: &[LocalId],
        state: &[Value],
        at: Span,
    ) -> (Execution, Outcome) {
        let mut execution = Execution { parameters: given.parameters.clone(), ..Execution::default() };
        choices.sort_by_key(|(id, _)| *id);
        execution.choices = choices;
        let outcome = match end {
            End::Done => {
                let after = self.model.variables.iter().enumerate().map(|(i, variable)| {
                    let written = writes.get(&Target::Var(VarId(i as u32)));
                    written.or_else(|| state.get(i)).cloned().ok_or(variable)
                });
                match after.collect::<Result<State, _>>() {
                    Ok(state) => {
                        let result = |(i, r): (usize, &LocalId)| match writes.get(&Target::Local(*r)) {
                            Some(value) => value.clone(),
                            None => self.unassigned(*r, given.results.get(i)),
                        };
                        execution.results = results.iter().enumerate().map(result).collect();
                        Outcome::Reached { state, results: execution.results.clone() }
                    }
                    // A state is invalid if a variable has no value.
                    Err(variable) => {
                        let message = format!("`{}` is not initialised", variable.name);
                        Outcome::IllDefined(EvalError::ill_defined(at, message))
                    }
                }
            }
            End::Disabled { span, why } => Outcome::Disabled { span, why },
            End::IllDefined(e) => Outcome::IllDefined(e),
            End::Assert(span) => Outcome::AssertFailed(span),
            End::Precondition(span) => Outcome::PreconditionFailed(span),
            End::Refinement(id) => Outcome::RefinementFailed(id),
        };
        (execution, outcome)
    }

    /// Returns the value of a result that an execution does not assign: the wanted one if there is one, otherwise any
    /// of its type, because nothing reads it.
    fn unassigned(&self, result: LocalId, wanted: Option<&Value>) -> Value {
        let ty = &self.model.locals[result.index()].ty;
        let wanted = wanted.filter(|v| self.has_type(v, ty));
        wanted.cloned().unwrap_or_else(|| self.some_value(ty))
    }

    /// Returns all edges out of a state.
    pub fn successors(&self, constants: &[Value], state: &[Value]) -> Edges {
        let mut all = Edges::default();
        for i in 0..self.model.events.len() as u32 {
            self.collect(constants, state, Some(EventId(i)), &mut all);
        }
        all
    }

    /// Returns the edges of one event out of a state.
    pub fn successors_of(&self, event: EventId, constants: &[Value], state: &[Value]) -> Edges {
        let mut all = Edges::default();
        self.collect(constants, state, Some(event), &mut all);
        all
    }

    /// Returns all executions of the initialisation.
    pub fn initial_states(&self, constants: &[Value]) -> Edges {
        let mut all = Edges::default();
        self.collect(constants, &[], None, &mut all);
        all
    }

    fn collect(&self, constants: &[Value], state: &[Value], event: Option<EventId>, all: &mut Edges) {
        let limit = self.limits.branching;
        let mut count = 0usize;
        let done = self.each_edge(event, constants, state, &mut |edge| {
            count += 1;
            if count <= limit {
                all.edges.push(edge);
            }
            if count > limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        let at = self.body(event).map_or(Span::default(), |b| b.span);
        let done = done.and_then(|_| match count > limit {
            true => Err(EvalError::too_large(at, format!("more than {limit} transitions of one kind"))),
            false => Ok(()),
        });
        if let Err(e) = done {
            all.incomplete.push((event, e));
        }
    }

    /// Calls `visit` for each edge of an event out of a state (of the initialisation, for `None`) as it is
    /// found, each once, until it breaks.
    ///
    /// # Errors
    /// The reason why edges may be missing; those visited are edges.
    pub fn each_edge(
        &self,
        event: Option<EventId>,
        constants: &[Value],
        state: &[Value],
        visit: &mut dyn FnMut(Edge) -> ControlFlow<()>,
    ) -> Eval<ControlFlow<()>> {
        let mut seen = BTreeSet::new();
        let mut failed: Vec<Edge> = Vec::new();
        self.each_execution(constants, state, event, &mut |execution, outcome| {
            if let Outcome::Reached { state, results } = &outcome {
                let key = (execution.parameters.clone(), results.clone(), state.clone());
                if !seen.insert(key) {
                    return ControlFlow::Continue(());
                }
            }
            let edge = Edge { event, execution, outcome };
            if edge.state().is_none() {
                if failed.contains(&edge) {
                    return ControlFlow::Continue(());
                }
                failed.push(edge.clone());
            }
            visit(edge)
        })
    }

    /// Returns an edge of an event out of a state (of the initialisation, for `None`) to the state that is wanted.
    pub fn edge_to(
        &self,
        event: Option<EventId>,
        constants: &[Value],
        state: &[Value],
        wanted: &State,
    ) -> Option<Edge> {
        let mut found = None;
        // Edges that cannot be evaluated may be missing; one that is found is an edge.
        let _ = self.each_edge(event, constants, state, &mut |edge| {
            found = Some(edge).filter(|edge| edge.state() == Some(wanted));
            if found.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        found
    }

    /// Calls `visit` for each way to execute an event with these parameters that is not disabled, as
    /// [`Evaluator::each_edge`] does for all parameters.
    ///
    /// # Errors
    /// The reason why edges may be missing; a wrong number of parameters.
    pub fn each_edge_with(
        &self,
        event: EventId,
        parameters: &[Value],
        constants: &[Value],
        state: &[Value],
        visit: &mut dyn FnMut(Edge) -> ControlFlow<()>,
    ) -> Eval<ControlFlow<()>> {
        let given = Execution { parameters: parameters.to_vec(), ..Execution::default() };
        self.run(constants, state, Some(event), &given, &mut |execution, outcome| match outcome {
            Outcome::Disabled { .. } => ControlFlow::Continue(()),
            outcome => visit(Edge { event: Some(event), execution, outcome }),
        })
    }

    /// Calls `visit` for each execution that is not disabled.
    fn each_execution(
        &self,
        constants: &[Value],
        state: &[Value],
        event: Option<EventId>,
        visit: &mut dyn FnMut(Execution, Outcome) -> ControlFlow<()>,
    ) -> Eval<ControlFlow<()>> {
        let mut enabled = |execution, outcome: Outcome| match outcome {
            Outcome::Disabled { .. } => ControlFlow::Continue(()),
            outcome => visit(execution, outcome),
        };
        let event_of = event.map(|id| self.event(id)).transpose()?;
        let Some(with) = event_of.filter(|e| !e.parameters.is_empty()) else {
            return self.run(constants, state, event, &Execution::default(), &mut enabled);
        };
        let names: Vec<_> = with.parameters.iter().map(|l| Name::Local(*l)).collect();
        let env = Env::new(constants, state);
        let mut guards = Vec::new();
        enabling(&with.body, &mut guards);
        let guards: Vec<&Pred> = guards.iter().collect();
        // A failure behind the guards is not one of the enumeration of the parameters.
        let mut failure = None;
        let flow = self.each_solution(&env, &names, &guards, with.body.span, &mut |bound, _| {
            let parameters = bound.into_iter().map(|(_, v)| v).collect();
            let given = Execution { parameters, ..Execution::default() };
            match self.run(constants, state, event, &given, &mut enabled) {
                Err(e) if e.kind == EvalErrorKind::TooLarge => {
                    failure.get_or_insert(e);
                    Ok(ControlFlow::Continue(()))
                }
                other => other,
            }
        })?;
        failure.map_or(Ok(flow), Err)
    }

    /// Returns whether an event can be executed in a state, including executions that fail before they reach a state.
    ///
    /// # Errors
    /// A set is too large where its elements are needed.
    pub fn enabled(&self, event: EventId, constants: &[Value], state: &[Value]) -> Eval<bool> {
        let mut enabled = false;
        let done = self.each_execution(constants, state, Some(event), &mut |_, _| {
            enabled = true;
            ControlFlow::Break(())
        });
        if enabled { Ok(true) } else { done.map(|_| false) }
    }

    /// Returns whether no event is enabled in a state.
    ///
    /// # Errors
    /// It cannot be decided for some event, and no other event is enabled.
    pub fn is_deadlock(&self, constants: &[Value], state: &[Value]) -> Eval<bool> {
        let mut open = None;
        for i in 0..self.model.events.len() as u32 {
            match self.enabled(EventId(i), constants, state) {
                Ok(true) => return Ok(false),
                Ok(false) => {}
                Err(e) if e.kind == EvalErrorKind::IllDefined => return Ok(false),
                Err(e) => open = Some(e),
            }
        }
        open.map_or(Ok(true), Err)
    }
}

/// Collects predicates about the parameters that hold wherever the substitution is not disabled, as far as its
/// outermost guards show.
fn enabling(subst: &Subst, out: &mut Vec<Pred>) {
    match &subst.kind {
        SubstKind::Select { branches, otherwise: None, .. } => match &branches[..] {
            [(guard, inner)] => {
                out.push(guard.clone());
                enabling(inner, out);
            }
            [] => {}
            branches => {
                let guards = branches.iter().map(|(g, _)| g.clone()).collect();
                out.push(Pred { kind: PredKind::Or(guards), span: subst.span });
            }
        },
        // The leading conjuncts about the parameters alone.
        SubstKind::Any(_, locals, pred, _) => {
            let conjuncts = match &pred.kind {
                PredKind::And(ps) => &ps[..],
                _ => std::slice::from_ref(pred),
            };
            let of_locals = |p: &&Pred| {
                names_of_pred(p).iter().any(|n| matches!(n, Name::Local(l) if locals.contains(l)))
            };
            out.extend(conjuncts.iter().take_while(|p| !of_locals(p)).cloned());
        }
        SubstKind::Sequence(parts) => {
            if let Some(first) = parts.first() {
                enabling(first, out);
            }
        }
        SubstKind::Parallel(parts) => parts.iter().for_each(|p| enabling(p, out)),
        SubstKind::Let(defs, inner) => {
            let mut guards = Vec::new();
            enabling(inner, &mut guards);
            let kind = match guards.len() {
                0 => return,
                1 => guards.swap_remove(0).kind,
                _ => PredKind::And(guards),
            };
            let body = Box::new(Pred { kind, span: inner.span });
            out.push(Pred { kind: PredKind::Let(defs.clone(), body), span: subst.span });
        }
        _ => {}
    }
}
