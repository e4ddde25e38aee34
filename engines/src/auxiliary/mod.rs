//! Auxiliary invariants that discharge open obligations.
//!
//! An obligation is open where the invariant is too weak for it, although nothing may be wrong in any reachable state.
//! IC3 is asked whether what it says holds in all of these, under the assumption of everything else that is demanded of
//! the machine: its lemmas are inductive together with the invariant, and as further conjuncts of it they discharge the
//! obligation. All open ones are asked together first, then those about one formula, then each alone.
//!
//! Lemmas that were found are read again from their text and proved as a part of the machine, by the obligations that
//! it has then: these count, whatever the search assumed. Conjuncts that are not needed are left out.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use bsym_encodings::budget::Budget;
use bsym_encodings::session::SolverError;
use bsym_encodings::system::System;
use bsym_language::print;
use bsym_language::walk::Names;
use bsym_proofs::claim::check_of;
use bsym_proofs::obligations::{Obligations, Proof, Subject, prove_obligations};
use bsym_proofs::recorded::Recorded;
use bsym_semantics::trace::doubt;
use bsym_semantics::verdict::{Counterexample, Observer};
use bsym_status::file::Kind;
use bsym_status::{Check, Formula, ProofStatus};

use crate::excluded::Excluded;
use crate::invariants::shapes::shapes;
use crate::invariants::typing::typing;
use crate::options::Job;
use crate::problem::{Open, Problem};
use crate::settle::dropped::is_genuine;
use crate::small_scopes::first_states::FirstStates;
use crate::tuning::tuning;
use crate::verdict::Progress;

use self::closing::{Closing, label};
use self::goal::{Goal, Question};
use self::search::{LemmaSearch, search};

mod closing;
mod goal;
mod search;

/// A conjunct to be added to the invariant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Auxiliary {
    /// A label that no conjunct has.
    pub label: String,
    /// In B.
    pub text: String,
    /// Obligations that stay open without it; nothing where there was no time to find out.
    pub closes: Vec<String>,
    /// Labels of the conjuncts that are not proved without it.
    pub needed_by: Vec<String>,
}

/// An obligation that stays open.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Left {
    /// Its name.
    pub name: String,
    /// The goal that it states.
    pub goal: String,
    /// Reason why it stays open: lower case, no full stop.
    pub why: String,
}

/// Result for the open obligations.
#[derive(Debug)]
pub struct Strengthened {
    /// All obligations as they were.
    pub before: Obligations,
    /// Names of those that are open in the status and for the prover.
    pub open: Vec<String>,
    /// Conjuncts that close some of them; each is needed.
    pub auxiliaries: Vec<Auxiliary>,
    /// Number of obligations that these have themselves; all are discharged.
    pub own: usize,
    /// Names of those that are discharged with them.
    pub closed: Vec<String>,
    /// Obligations that stay open.
    pub left: Vec<Left>,
    /// Traces on which open obligations fail, with their names.
    pub violations: Vec<(Vec<String>, Counterexample)>,
}

/// Looks for conjuncts that discharge the open obligations of a job's machine: those that neither its status nor the
/// prover discharges. The budget's time for a query is that for one obligation.
///
/// # Errors
/// If the solver fails.
pub fn strengthen(
    job: &Job,
    open: &mut Open<'_>,
    observer: &mut dyn Observer<Progress>,
    proved: &mut dyn FnMut(&Proof),
) -> Result<Strengthened, SolverError> {
    let before = prove_obligations(
        Arc::clone(&job.model),
        &job.scope,
        open,
        &share(&job.budget, tuning().auxiliary.first),
        proved,
    )?;
    let done = before.all.iter().filter(|p| p.status.is_discharged());
    let discharged: BTreeSet<String> = done.map(|p| p.name.clone()).collect();
    let system = Problem::plain(job, &Excluded::default()).system;
    let mut left = BTreeMap::new();
    let mut goals = vec![];
    let mut all = vec![];
    for p in before.all.iter().filter(|p| !p.status.is_discharged() && !is_recorded(&job.status, p, &system))
    {
        all.push(p.name.clone());
        match Goal::of(p, &system) {
            Ok(goal) => goals.push((p.name.clone(), goal)),
            Err(why) => drop(left.insert(p.name.clone(), why.to_string())),
        }
    }
    let closing =
        Closing { model: &job.model, scope: &job.scope, budget: job.budget.clone(), discharged: &discharged };
    let mut work = Strengthening {
        job,
        closing,
        goals,
        texts: vec![],
        violations: vec![],
        left,
        closed: BTreeSet::new(),
        own: 0,
    };
    work.kinds(open)?;
    work.all(open, observer)?;
    work.close(all, before, open)
}

/// A budget that ends after a part of the time that is left, where that has an end.
fn share(budget: &Budget, part: f64) -> Budget {
    budget.left().map_or_else(|| budget.clone(), |left| budget.within(left.mul_f64(part)))
}

/// Returns whether the status says that an obligation is discharged.
fn is_recorded(status: &ProofStatus, p: &Proof, system: &System) -> bool {
    let recorded: Vec<Recorded> = match (&p.subject, p.kind) {
        (Subject::Invariant(i), Kind::Wd) => vec![Recorded::Check(Check::Meaning(Formula::Invariant(*i)))],
        (Subject::Invariant(i), _) => vec![Recorded::Pair((p.event, *i))],
        (Subject::Assertion(i), Kind::Wd) => vec![Recorded::Check(Check::Meaning(Formula::Assertion(*i)))],
        (Subject::Assertion(i), _) => vec![Recorded::Check(Check::Theorem(*i))],
        (Subject::Action(_), _) => {
            let transition = p.event.map_or(&system.initialisation, |event| &system.events[event.index()]);
            let checks = p.failures.iter().map(|&i| check_of(p.event, transition.failures.get(i)?));
            match checks.collect::<Option<Vec<Check>>>() {
                Some(checks) => checks.into_iter().map(Recorded::Check).collect(),
                None => return false,
            }
        }
        _ => return false,
    };
    !recorded.is_empty() && recorded.into_iter().all(|one| one.is_in(status))
}

/// A search at work.
struct Strengthening<'a> {
    job: &'a Job,
    closing: Closing<'a>,
    /// Open obligations that more conjuncts may discharge.
    goals: Vec<(String, Goal)>,
    /// Conjuncts found so far; their own obligations are discharged.
    texts: Vec<String>,
    violations: Vec<(Vec<String>, Counterexample)>,
    /// Reasons why some obligations stay open.
    left: BTreeMap<String, String>,
    closed: BTreeSet<String>,
    /// Number of obligations that the conjuncts have themselves.
    own: usize,
}

impl Strengthening<'_> {
    /// Finds, without a search, where the values of the variables that the goals depend on lie.
    fn kinds(&mut self, open: &mut Open<'_>) -> Result<(), SolverError> {
        let asked = self.asked();
        if asked.is_empty() {
            return Ok(());
        }
        let model = Arc::clone(&self.job.model);
        let budget = share(&self.job.budget, tuning().auxiliary.kinds);
        let mut variables = BTreeSet::new();
        self.goals.iter().for_each(|(_, goal)| variables.extend(goal.variables(&model)));
        let Some(met) = FirstStates::visit(self.job) else { return Ok(()) };
        let mut candidates = shapes(&model, &met);
        candidates.extend(typing(&model));
        candidates.retain(|p| Names::of_pred(p).variables.is_subset(&variables));
        let known: Vec<String> = model.invariant.iter().map(|c| print::pred(&model, &c.pred)).collect();
        let truths =
            met.judge(self.job, tuning().first_states.judged_by, &candidates.iter().collect::<Vec<_>>());
        let hold = |truth: &Option<Vec<bool>>| truth.as_ref().is_some_and(|all| all.iter().all(|t| *t));
        let mut texts: Vec<String> = vec![];
        for (p, _) in candidates.iter().zip(&truths).filter(|(_, truth)| hold(truth)) {
            let text = print::pred(&model, p);
            if !known.contains(&text) && !texts.contains(&text) {
                texts.push(text);
            }
        }
        let closing = Closing { budget, ..self.closing.clone() };
        let (texts, effect) = closing.inductive(texts, &asked, open)?;
        if !effect.closed.is_empty() {
            self.texts = closing.fewest(texts, &effect.closed, open)?;
            self.own = effect.own;
            self.closed.extend(effect.closed);
        }
        Ok(())
    }

    /// Names of the goals that are open.
    fn asked(&self) -> BTreeSet<String> {
        (0..self.goals.len()).filter(|&i| self.is_open(i)).map(|i| self.goals[i].0.clone()).collect()
    }

    /// All goals together, then those about one formula, then each alone.
    fn all(&mut self, open: &mut Open<'_>, observer: &mut dyn Observer<Progress>) -> Result<(), SolverError> {
        let everything: Vec<usize> = (0..self.goals.len()).collect();
        let mut alike: Vec<Vec<usize>> = vec![];
        for i in 0..self.goals.len() {
            match alike.iter_mut().find(|group| self.goals[group[0]].1.is_like(&self.goals[i].1)) {
                Some(group) => group.push(i),
                None => alike.push(vec![i]),
            }
        }
        let alone: Vec<Vec<usize>> =
            alike.iter().filter(|g| g.len() > 1).flatten().map(|&i| vec![i]).collect();
        // All of them are one question where all are alike.
        let alike = if alike.len() > 1 { alike } else { vec![] };
        let groups: Vec<Vec<usize>> = [vec![everything], alike, alone].concat();
        for (i, group) in groups.iter().enumerate() {
            let Some(time) = self.time(groups.len() - i, i == 0) else { break };
            // A violation takes goals away, and the others are asked again.
            loop {
                let budget = self.job.budget.within(time);
                let group: Vec<usize> = group.iter().copied().filter(|&i| self.is_open(i)).collect();
                if group.is_empty()
                    || budget.check().is_err()
                    || !self.one(&group, &budget, open, observer)?
                {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Returns the time for the next one of `searches` searches, or `None` if none is left. All goals together leave
    /// some to the others.
    fn time(&self, searches: usize, together: bool) -> Option<Duration> {
        self.job.budget.check().ok()?;
        let Some(left) = self.job.budget.left() else { return Some(tuning().auxiliary.unlimited) };
        let left = left.mul_f64(tuning().auxiliary.searches);
        let parts =
            if together && searches > 1 { tuning().auxiliary.together_share } else { searches as u32 };
        Some((left / parts).max(tuning().auxiliary.least).min(left))
    }

    fn is_open(&self, i: usize) -> bool {
        let name = &self.goals[i].0;
        !self.closed.contains(name) && !self.violations.iter().any(|v| v.0.contains(name))
    }

    /// Searches for some goals. Whether the same may be asked again with fewer of them.
    fn one(
        &mut self,
        group: &[usize],
        budget: &Budget,
        open: &mut Open<'_>,
        observer: &mut dyn Observer<Progress>,
    ) -> Result<bool, SolverError> {
        let Ok(model) = self.closing.with(&self.texts) else { return Ok(false) };
        let goals: Vec<&Goal> = group.iter().map(|&i| &self.goals[i].1).collect();
        let question = Question::new(&Job { model: model.into(), ..self.job.clone() }, &goals);
        let (candidates, why) = match search(&question, budget, open, observer)? {
            LemmaSearch::Lemmas(lemmas) => (lemmas, "the lemmas that were found are not proved".to_string()),
            LemmaSearch::Nothing(met, why) => (met, why),
            LemmaSearch::Violated(found) if !is_genuine(&self.job.model, &found) => {
                let dropped = doubt::doubt(&self.job.model, &found.trace);
                let why = dropped.map(|dropped| doubt::sentence(&self.job.model, dropped));
                (vec![], why.unwrap_or_default())
            }
            LemmaSearch::Violated(found) => {
                let names = self.named(group, &found);
                let all = names.len() == group.len();
                self.violations.push((names, *found));
                return Ok(!all);
            }
        };
        let asked = self.asked();
        let mut texts = self.texts.clone();
        texts.extend(candidates.into_iter().filter(|t| !self.texts.contains(t)));
        if texts.len() > self.texts.len() {
            let (texts, effect) = self.closing.inductive(texts, &asked, open)?;
            if !effect.closed.is_empty() {
                self.texts = texts;
                self.own = effect.own;
                self.closed.extend(effect.closed);
            }
        }
        for &i in group {
            if self.is_open(i) {
                self.left.insert(self.goals[i].0.clone(), why.clone());
            }
        }
        Ok(false)
    }

    /// The obligations that a violation shows to be wrong: those about what fails, else all that were asked.
    fn named(&self, group: &[usize], found: &Counterexample) -> Vec<String> {
        let last = found.trace.steps.last().and_then(|s| s.event);
        let fits = |goal: &Goal| found.violations.iter().any(|v| goal.is_of(v, last));
        let name = |&i: &usize| self.goals[i].0.clone();
        let of_event = |goal: &Goal| match goal {
            Goal::Conjunct(e, _) | Goal::Failures(e, _) => last == Some(*e),
            Goal::Assertion(_) | Goal::Says(_) => true,
        };
        let named = |fits: &dyn Fn(&Goal) -> bool| -> Vec<String> {
            group.iter().filter(|&&i| fits(&self.goals[i].1)).map(name).collect()
        };
        let choices = [named(&fits), named(&of_event), named(&|_| true)];
        choices.into_iter().find(|names| !names.is_empty()).unwrap_or_default()
    }

    /// Leaves out what is not needed and says what the rest is for.
    fn close(
        mut self,
        all: Vec<String>,
        before: Obligations,
        open: &mut Open<'_>,
    ) -> Result<Strengthened, SolverError> {
        let texts = std::mem::take(&mut self.texts);
        let fewer = self.closing.fewest(texts.clone(), &self.closed, open)?;
        let effect = self.closing.prove(&fewer, &self.closed, open)?;
        // Where time is up, what was proved before remains.
        let is_whole = effect.unproved.is_empty() && effect.closed == self.closed;
        let (texts, own) = if is_whole { (fewer, effect.own) } else { (texts, self.own) };
        let name = |i: usize| label(self.closing.model, i);
        let mut auxiliaries = vec![];
        for (i, text) in texts.iter().enumerate() {
            let others: Vec<usize> = (0..texts.len()).filter(|&j| j != i).collect();
            let rest: Vec<String> = others.iter().map(|&j| texts[j].clone()).collect();
            let mut auxiliary =
                Auxiliary { label: name(i), text: text.clone(), closes: vec![], needed_by: vec![] };
            if is_whole {
                let without = self.closing.prove(&rest, &self.closed, open)?;
                auxiliary.closes = self.closed.difference(&without.closed).cloned().collect();
                auxiliary.needed_by = without.unproved.iter().map(|&u| name(others[u])).collect();
            }
            auxiliaries.push(auxiliary);
        }
        if self.closing.budget.check().is_err() {
            for auxiliary in &mut auxiliaries {
                (auxiliary.closes, auxiliary.needed_by) = (vec![], vec![]);
            }
        }
        let goal = |name: &str| {
            before
                .all
                .iter()
                .find(|p| p.name == *name)
                .map(|p| before.goal_text(p, self.closing.model))
                .unwrap_or_default()
        };
        let wrong = |name: &String| self.violations.iter().any(|v| v.0.contains(name));
        let left = all
            .iter()
            .filter(|n| !self.closed.contains(*n) && !wrong(n))
            .map(|n| Left {
                name: n.clone(),
                goal: goal(n),
                why: self.left.get(n).cloned().unwrap_or_else(|| "time is up".into()),
            })
            .collect();
        Ok(Strengthened {
            left,
            open: all,
            auxiliaries,
            own,
            closed: self.closed.into_iter().collect(),
            violations: self.violations,
            before,
        })
    }
}
