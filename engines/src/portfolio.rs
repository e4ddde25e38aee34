//! The portfolio: engines at work side by side, or in turns where there are more of them than cores, until one is
//! conclusive.
//!
//! Each engine is a [contestant](crate::contestant) on a thread of its own. The portfolio gives slices, which get
//! longer, and between them does what is due: it checks imported status with the solver for a moment, and starts the
//! contestants that work in parallel to the engines. A proof is settled before it is believed; status that
//! is refuted on the way is dropped, and the engines restart without it.

use std::sync::atomic::AtomicUsize;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use bsym_encodings::budget::Budget;
use bsym_encodings::session::{SolverError, Statistics};
use bsym_language::model::Pred;
use bsym_language::print;
use bsym_proofs::recorded::Recorded;
use bsym_semantics::verdict::{Observer, Reason, Vacuous};
use bsym_status::ProofStatus;

use crate::contestant::{
    Conclusion, Ended, Message, Opener, Prepared, Role, Shared, has_diagrams_apart, start,
};
use crate::deep;
use crate::exchange::Exchange;
use crate::excluded::Excluded;
use crate::options::{Domains, Job};
use crate::problem::Existence;
use crate::proof_graph::Candidates;
use crate::seats::{Seat, Seats, State};
use crate::settle::Settled;
use crate::settle::wrong_status::{drop_claim, refute_statuses, refuted_by};
use crate::tuning::tuning;
use crate::verdict::{Contradicted, Engine, Objection, Progress, Report, Verdict};
use crate::vetting::Vetting;
use crate::wishes::Wishes;

/// Result of a round so far.
enum Step {
    GoOn,
    /// The engines begin again, since status that they used is wrong.
    Again,
    /// The engines begin again with more that is proved.
    Further,
    Answer(Verdict),
}

/// Context of a round, besides its own state.
pub(crate) struct Course<'c> {
    pub job: &'c mut Job,
    pub excluded: &'c Excluded,
    pub vetting: &'c mut Vetting,
    pub opener: &'c Opener,
    pub observer: &'c mut dyn Observer<Progress>,
    pub report: &'c mut Report,
}

/// One attempt at the properties that are not violated yet.
pub(crate) struct Round {
    engines: Vec<Engine>,
    seats: Seats,
    /// Time at work of the seats that [`Sharing::between`](crate::options::Sharing::between) knows of.
    told: Duration,
    wishes: Arc<Wishes>,
    exchange: Arc<Exchange>,
    existence: Arc<OnceLock<Existence>>,
    losses: Arc<AtomicUsize>,
    /// The first engine has looked at the problem.
    is_prepared: bool,
    statistics: Statistics,
    clear: Option<usize>,
    guessed: Vec<Pred>,
    /// Lemmas of frames, which need not be inductive.
    lemmas: Vec<Pred>,
    /// Status that a failed check made doubtful as a whole, out of use since.
    doubtful: ProofStatus,
    /// Contestants that begin late and have begun, once for all attempts.
    late: Vec<Role>,
}

impl Round {
    pub(crate) fn new(engine: Engine, job: &Job) -> Round {
        let engines = match engine {
            Engine::Check => vec![Engine::Bmc, Engine::Kind, Engine::Ic3],
            one => vec![one],
        };
        let exchange = exchange_of(&engines, job);
        Round {
            engines,
            seats: Seats::new(&Budget::unlimited(), false),
            told: Duration::ZERO,
            wishes: Arc::default(),
            exchange,
            existence: Arc::default(),
            losses: Arc::default(),
            is_prepared: false,
            statistics: Statistics::default(),
            clear: None,
            guessed: vec![],
            lemmas: vec![],
            doubtful: ProofStatus::none(),
            late: vec![],
        }
    }

    /// Lets the engines work until one is conclusive.
    ///
    /// # Errors
    /// If the solver fails for good.
    pub(crate) fn decide(&mut self, course: &mut Course<'_>) -> Result<Verdict, SolverError> {
        loop {
            let budget = course.job.budget.part();
            let (sender, messages) = channel();
            self.begin(course, &budget, &sender);
            let step = loop {
                match self.turn(course, &messages, &sender, &budget) {
                    Ok(Step::GoOn) => {}
                    step => break step,
                }
            };
            // Also where the portfolio fails: the contestants end with it.
            budget.cancel();
            let step = step?;
            // An answer need not wait for what others know.
            let is_known =
                !matches!(step, Step::Answer(Verdict::Unknown(_))) && course.job.sharing.threads > 1;
            self.end(
                course,
                &messages,
                if is_known { Duration::ZERO } else { tuning().portfolio.last_words },
            );
            course.job.proved = self.exchange.all_proved();
            match step {
                Step::Answer(verdict) => return Ok(verdict),
                // Facts may rest on the status that is wrong.
                Step::Again => self.exchange = exchange_of(&self.engines, course.job),
                Step::GoOn | Step::Further => {}
            }
        }
    }

    /// Starts the engines; the first one prepares the problem.
    fn begin(&mut self, course: &mut Course<'_>, budget: &Budget, sender: &Sender<(usize, Message)>) {
        // What has not come to its end begins again.
        let is_cut = |role: Role| self.seats.all.iter().any(|s| s.role == role && s.state != State::Ended);
        self.late.retain(|role| *role == Role::Deduction || !is_cut(*role));
        self.seats = Seats::new(budget, course.job.sharing.between.is_some());
        self.told = Duration::ZERO;
        self.wishes = Arc::default();
        self.is_prepared = false;
        for engine in self.engines.clone() {
            course.observer.progress(&Progress::Started(engine));
            self.seat(course, Role::Engine(engine), budget, sender);
        }
        if self.engines.contains(&Engine::Ic3) && has_diagrams_apart(course.job) {
            self.seat(course, Role::Diagrams, budget, sender);
        }
        if !course.job.scope.is_finite(&course.job.model) {
            let number = self.seat(course, Role::SmallScopes, budget, sender);
            self.seats.all[number].state = State::Idle;
        }
        self.seats.queue.push_back(0);
    }

    /// Starts a contestant, which waits for a slice. Its number.
    fn seat(
        &mut self,
        course: &Course<'_>,
        role: Role,
        budget: &Budget,
        sender: &Sender<(usize, Message)>,
    ) -> usize {
        let (number, (slices, waits)) = (self.seats.all.len(), channel());
        let shared = Shared {
            job: Arc::new(Job { budget: budget.clone(), ..course.job.clone() }),
            excluded: Arc::new(course.excluded.clone()),
            opener: course.opener.clone(),
            waiting: self.seats.waiting.clone(),
            wishes: self.wishes.clone(),
            exchange: self.exchange.clone(),
            existence: self.existence.clone(),
            losses: self.losses.clone(),
        };
        start(role, number, shared, waits, sender.clone());
        self.seats.add(role, slices);
        number
    }

    /// Gives slices, takes messages, and does what is due.
    fn turn(
        &mut self,
        course: &mut Course<'_>,
        messages: &Receiver<(usize, Message)>,
        sender: &Sender<(usize, Message)>,
        budget: &Budget,
    ) -> Result<Step, SolverError> {
        if let Err(stopped) = course.job.budget.check() {
            return Ok(Step::Answer(Verdict::Unknown(stopped.into())));
        }
        if self.is_prepared {
            match self.duties(course, budget, sender)? {
                Step::GoOn => {}
                step => return Ok(step),
            }
        }
        if let Some(between) = course.job.sharing.between.as_ref().filter(|_| !self.seats.is_any_at_work()) {
            let elapsed = self.seats.elapsed();
            between.pause(elapsed.saturating_sub(std::mem::replace(&mut self.told, elapsed)));
            if let Err(stopped) = course.job.budget.check() {
                return Ok(Step::Answer(Verdict::Unknown(stopped.into())));
            }
        }
        let due = if course.job.sharing.threads <= 1 { self.due(course) } else { None };
        // Where they take turns, wishes are noticed between slices, so that the order is always the same.
        if (course.job.sharing.threads > 1 || !self.seats.is_any_at_work()) && self.wishes.notice() {
            self.seats.wake();
        }
        self.seats.give_slices(course.job.sharing.threads, due);
        if !self.seats.is_any_at_work() {
            return self.exhausted(course, budget, sender);
        }
        match messages.recv_timeout(self.patience(course)) {
            Ok((number, message)) => self.take(course, number, message),
            Err(RecvTimeoutError::Timeout) => Ok(Step::GoOn),
            Err(RecvTimeoutError::Disconnected) => unreachable!("a sender is at hand"),
        }
    }

    /// Returns how long to wait for messages.
    fn patience(&self, course: &Course<'_>) -> Duration {
        let due = self.due(course).filter(|_| course.job.sharing.threads > 1);
        due.map_or(tuning().portfolio.tick, |due| due.min(tuning().portfolio.tick))
            .max(tuning().portfolio.least_patience)
    }

    /// Returns the time until the portfolio has something to do, if it has.
    fn due(&self, course: &Course<'_>) -> Option<Duration> {
        let Course { job, vetting, .. } = course;
        let late = self.next_late(course).map(|(_, after)| after.saturating_sub(self.seats.elapsed()));
        let vetting =
            (!vetting.is_done() && !job.status.is_empty()).then_some(tuning().portfolio.first_slice);
        late.into_iter().chain(vetting).min()
    }

    fn take(
        &mut self,
        course: &mut Course<'_>,
        number: usize,
        message: Message,
    ) -> Result<Step, SolverError> {
        match message {
            Message::Progress(progress) => {
                course.observer.progress(&progress);
                Ok(Step::GoOn)
            }
            Message::Prepared(prepared) => Ok(self.prepared(course, *prepared)),
            Message::Paused(worked) => {
                self.seats.paused(number, worked, self.wishes.is_open());
                Ok(Step::GoOn)
            }
            Message::Ended(ended) => Ok(self.ended(course, number, *ended)),
            Message::Panicked(panic) => std::panic::resume_unwind(panic),
        }
    }

    /// The first engine knows the problem. If there is something to check, the others begin.
    fn prepared(&mut self, course: &mut Course<'_>, prepared: Prepared) -> Step {
        // An engine that restarts with another solver sends this again.
        if self.is_prepared {
            return Step::GoOn;
        }
        course.report.unsupported = prepared.unsupported;
        self.is_prepared = true;
        let existence = self.existence.get_or_init(|| prepared.existence);
        let verdict = match existence {
            Existence::Nothing(what @ Vacuous::NoValuation, why) => Verdict::Vacuous(*what, why.clone()),
            Existence::Undefined(reason) => Verdict::Unknown(Reason::IllDefined(reason.clone())),
            Existence::Contradicted(trace) => {
                let objection = Objection::InitialState(trace.clone());
                Verdict::Contradiction(Box::new(Contradicted { claim: None, lemmas: vec![], objection }))
            }
            Existence::Shown(_) | Existence::Nothing(..) | Existence::Undecided(_) => {
                if prepared.is_unsupported {
                    self.only_small_scopes(course);
                } else {
                    let begins = |s: &Seat| matches!(s.role, Role::Engine(_) | Role::Diagrams);
                    self.seats
                        .queue
                        .extend((1..self.seats.all.len()).filter(|&n| begins(&self.seats.all[n])));
                }
                return Step::GoOn;
            }
        };
        Step::Answer(verdict)
    }

    /// Where parts of the model have no term for sets of any size, small sets may still show a violation.
    fn only_small_scopes(&mut self, course: &Course<'_>) {
        self.wishes.wish(
            course
                .job
                .depth
                .unwrap_or(tuning().portfolio.deepest_small)
                .min(tuning().portfolio.deepest_small),
        );
        for number in 0..self.engines.len() {
            self.seats.give_up(number, Reason::Unsupported);
        }
    }

    /// Handles the end of a contestant.
    fn ended(&mut self, course: &mut Course<'_>, number: usize, ended: Ended) -> Step {
        let Course { job, observer, report, .. } = course;
        self.note(report, &ended);
        if std::mem::replace(&mut self.seats.all[number].state, State::Ended) == State::Ended {
            return Step::GoOn;
        }
        let engine = match self.seats.all[number].role {
            Role::Engine(engine) => engine,
            Role::Strongest | Role::Bits | Role::Diagrams => Engine::Ic3,
            Role::SmallScopes | Role::Deduction | Role::Deep | Role::FirstStates => self.engines[0],
        };
        let step = match ended.found {
            Conclusion::Violated(ref found) => {
                if course.excluded.properties.is_empty() {
                    refute_statuses(&mut self.doubtful, found, job, *observer, report);
                }
                refuted_by(found, job, *observer, report);
                Step::Answer(Verdict::Violated(found.clone()))
            }
            Conclusion::Vacuous(what, ref why) => Step::Answer(Verdict::Vacuous(what, why.clone())),
            // Engines that are still at work know it from the exchange.
            Conclusion::Proved(ref proved) if proved.is_empty() || !self.is_stuck() => Step::GoOn,
            Conclusion::Proved(_) => Step::Further,
            Conclusion::Unknown(_) => Step::GoOn,
            Conclusion::Settled(settled) => {
                return self.settled(course, number, engine, ended.clear, settled);
            }
        };
        if matches!(step, Step::Answer(_)) {
            (report.engine, report.depth) = (engine, ended.clear);
        }
        self.seats.all[number].ended = Some(Box::new(ended));
        step
    }

    /// Returns whether no engine finds a proof any more, unless it begins again with what has been proved since.
    fn is_stuck(&self) -> bool {
        let ends = |s: &Seat| matches!(s.role, Role::Engine(_)) && s.state == State::Ended;
        let has_ic3 = self.engines.contains(&Engine::Ic3);
        if has_ic3 { !self.exchange.is_searched() } else { self.seats.all.iter().any(ends) }
    }

    /// Handles a settled proof.
    fn settled(
        &mut self,
        course: &mut Course<'_>,
        number: usize,
        engine: Engine,
        clear: Option<usize>,
        settled: Settled,
    ) -> Step {
        let Course { job, observer, report, .. } = course;
        match settled {
            Settled::Answer(verdict) => {
                if let Verdict::Violated(found) = &verdict {
                    refuted_by(found, job, *observer, report);
                }
                (report.engine, report.depth) = (engine, clear);
                Step::Answer(verdict)
            }
            Settled::Repeat(wrong) => {
                drop_claims(course, wrong);
                Step::Again
            }
            Settled::RepeatAlone => {
                self.doubtful = std::mem::take(&mut job.status);
                Step::Again
            }
            Settled::Unknown(reason, failed) => {
                if let Some(failed) = failed {
                    report.failed_checks = Some(*failed);
                }
                self.seats.all[number].ended = Some(Box::new(Ended::with(Conclusion::Unknown(reason))));
                Step::GoOn
            }
        }
    }

    /// Adds what a contestant did and knows to what is known of the round.
    fn note(&mut self, report: &mut Report, ended: &Ended) {
        self.statistics += ended.statistics;
        self.clear = self.clear.max(ended.clear);
        if ended.counterexample_to_induction.is_some() {
            report.attempt.counterexample_to_induction = ended.counterexample_to_induction.clone();
        }
        if ended.guessed.len() > self.guessed.len() {
            self.guessed = ended.guessed.clone();
        }
        self.lemmas.extend(ended.lemmas.iter().cloned());
    }

    /// Does what is due between slices: starts contestants, and checks status with the solver.
    fn duties(
        &mut self,
        course: &mut Course<'_>,
        budget: &Budget,
        sender: &Sender<(usize, Message)>,
    ) -> Result<Step, SolverError> {
        let is_free = !self.seats.is_any_at_work() || course.job.sharing.threads > 1;
        if !is_free {
            return Ok(Step::GoOn);
        }
        if let Some((role, after)) = self.next_late(course)
            && self.seats.elapsed() >= after
        {
            self.begin_late(course, role, budget, sender);
        }
        if course.vetting.is_done() || course.job.status.is_empty() {
            return Ok(Step::GoOn);
        }
        let longest = self.seats.longest_slice();
        let time = longest / tuning().portfolio.vetting_share;
        // The others work meanwhile, and may have the answer.
        let time =
            if course.job.sharing.threads > 1 { time.min(tuning().portfolio.first_slice) } else { time };
        let time = course.job.budget.within(time);
        let opener = course.opener.clone();
        let wrong = course.vetting.advance(&time, &mut |terms| opener(terms))?;
        if wrong.is_empty() {
            return Ok(Step::GoOn);
        }
        drop_claims(course, wrong);
        Ok(Step::Again)
    }

    /// Every engine has nothing more to try.
    fn exhausted(
        &mut self,
        course: &mut Course<'_>,
        budget: &Budget,
        sender: &Sender<(usize, Message)>,
    ) -> Result<Step, SolverError> {
        if let Some((role, _)) = self.next_late(course).filter(|(role, _)| *role != Role::Deduction) {
            self.begin_late(course, role, budget, sender);
            return Ok(Step::GoOn);
        }
        // A depth rests on the status that was used on the way to it. A solver that is gone refutes nothing.
        let opener = course.opener.clone();
        let wrong = course.vetting.insist(course.job, &mut |terms| opener(terms)).unwrap_or_default();
        if !wrong.is_empty() {
            drop_claims(course, wrong);
            return Ok(Step::Again);
        }
        // The most telling reason: that of the last engine.
        let mut reasons =
            self.seats.all.iter().filter(|s| matches!(s.role, Role::Engine(_))).map(|s| match &s.ended {
                Some(ended) => match &ended.found {
                    Conclusion::Unknown(reason) => reason.clone(),
                    _ => Reason::Unsupported,
                },
                None => Reason::Unsupported,
            });
        let reason = reasons.next_back().unwrap_or(Reason::Unsupported);
        if matches!(reason, Reason::Unsupported) {
            let depth = course
                .job
                .depth
                .unwrap_or(tuning().portfolio.deepest_small)
                .min(tuning().portfolio.deepest_small);
            self.wishes.wish(depth);
            if self.wishes.is_open() && self.seats.is_any_idle() {
                return Ok(Step::GoOn);
            }
        }
        Ok(Step::Answer(Verdict::Unknown(reason)))
    }

    fn begin_late(
        &mut self,
        course: &Course<'_>,
        role: Role,
        budget: &Budget,
        sender: &Sender<(usize, Message)>,
    ) {
        self.late.push(role);
        let number = self.seat(course, role, budget, sender);
        match role {
            // They are soon over, or soon have the answer.
            Role::Deep | Role::FirstStates | Role::Strongest | Role::Bits => {
                self.seats.queue.push_front(number)
            }
            _ => self.seats.queue.push_back(number),
        }
    }

    /// Returns the next contestant that begins late, and when it begins.
    fn next_late(&self, course: &Course<'_>) -> Option<(Role, Duration)> {
        let Course { job, vetting, .. } = course;
        // Status that no solver confirmed is often wrong after a few events. An engine that rests on it may search
        // until the time is up.
        let is_doubtful = vetting.is_done() && vetting.unconfirmed().any(|claim| claim.is_in(&job.status));
        let first_states = if is_doubtful { Duration::ZERO } else { tuning().portfolio.first_states };
        let deep = deep::is_possible(&job.model).then_some((Role::Deep, tuning().portfolio.deep));
        let is_open = !job.scope.is_finite(&job.model);
        let deduction = is_open.then_some((Role::Deduction, tuning().portfolio.deduction));
        let speaks = is_open && self.engines.contains(&Engine::Ic3);
        let only = job.sharing.only;
        let strongest = (speaks && only.is_none()).then_some((Role::Strongest, tuning().portfolio.strongest));
        let bits = match only {
            Some(Domains::Bits) => Some(Duration::ZERO),
            Some(_) => None,
            None => Some(tuning().portfolio.bits),
        };
        let bits = bits.filter(|_| speaks).map(|after| (Role::Bits, after));
        let all = [Some((Role::FirstStates, first_states)), deep, strongest, deduction, bits];
        let all = all.into_iter().flatten();
        // Of those of the same time the first.
        all.filter(|(role, _)| !self.late.contains(role)).min_by_key(|(_, after)| *after)
    }

    /// Ends the contestants, and waits a moment for what they know.
    fn end(&mut self, course: &mut Course<'_>, messages: &Receiver<(usize, Message)>, time: Duration) {
        let mut left = self.seats.end();
        let begin = Instant::now();
        while !left.is_empty() {
            let patience = time.saturating_sub(begin.elapsed());
            match messages.recv_timeout(patience) {
                Ok((number, Message::Ended(ended))) => {
                    self.note(course.report, &ended);
                    left.retain(|other| *other != number);
                }
                Ok((_, Message::Panicked(panic))) => std::panic::resume_unwind(panic),
                Ok(_) => {}
                Err(_) => return,
            }
        }
    }

    /// Returns the lemmas that are known to be inductive together with the conjuncts, and those of frames.
    pub(crate) fn candidates(&self) -> Candidates {
        let mut inductive = self.guessed.clone();
        for lemma in self.exchange.all_lemmas() {
            if !inductive.contains(&lemma) {
                inductive.push(lemma);
            }
        }
        Candidates { inductive, tried: self.lemmas.clone() }
    }

    /// Adds what the contestants did and know to the report.
    pub(crate) fn finish(&mut self, job: &Job, report: &mut Report) {
        report.depth = report.depth.max(self.clear);
        let mut texts: Vec<String> = self.guessed.iter().map(|p| print::pred(&job.model, p)).collect();
        texts.sort_by_key(String::len);
        texts.truncate(tuning().portfolio.found);
        report.attempt.found_invariants = texts;
        report.statistics += self.statistics;
    }
}

/// An exchange of facts that is as yet empty.
fn exchange_of(engines: &[Engine], job: &Job) -> Arc<Exchange> {
    let is_shared = engines.len() > 1 || engines == [Engine::Ic3] && has_diagrams_apart(job);
    Arc::new(Exchange::new(is_shared, job.proved.clone()))
}

/// Drops status that is wrong, and reports it.
fn drop_claims(course: &mut Course<'_>, wrong: Vec<Recorded>) {
    for claim in wrong {
        drop_claim(course.job, claim, course.observer, course.report);
    }
}
