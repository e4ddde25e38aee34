//! The representations of values are proved, not believed.
//!
//! An encoding may take a relation for a function, or a set for one of few numbers, where an analysis of the
//! assignments says so ([`functional`](bsym_encodings::representation)). Whatever rests on the encoding rests on this.
//! So the machine is encoded once more without the analysis, and that every name fits its representation is proved
//! there, by induction over the steps. Where a bound of a variable is needed for that, the claim has to say it:
//! in the words of [`layouts`](mod@crate::layouts), or by a conjunct from which it is proved. Then all that a proof rests on is
//! in the claim, and
//! 1. a constant is within its bound in every valuation that satisfies the axioms;
//! 2. every value that the initialisation assigns or chooses is within the bound of its name;
//! 3. so is every value that an event assigns or chooses in a state whose variables are within theirs;
//! 4. what is within the bound of a name can be held by its representation.
//!
//! A choice counts where it may be taken, and where its predicate fails: of both, the encoding must lose none.

use std::rc::Rc;
use std::sync::Arc;

use bsym_encodings::budget::Budget;
use bsym_encodings::representation::Functional;
use bsym_encodings::representation::layout::Layout;
use bsym_encodings::representation::predicate::bounded;
use bsym_encodings::session::SolverError;
use bsym_encodings::system::build::{Representations, encode_with_facts};
use bsym_encodings::system::{System, Unsupported};
use bsym_encodings::term::{Term, Terms};
use bsym_language::model::same::same_pred;
use bsym_language::model::{Model, Pred, Target, VarId};
use bsym_language::print;
use bsym_language::types::Type;
use bsym_language::walk::conjuncts;
use bsym_semantics::scope::Scope;

use crate::claim::Claim;
use crate::layouts::{self, Said, layouts};
use crate::sequent::{Decision, Effort, Hypotheses, Opener, Prover};
use crate::tuning::tuning;

/// Outcome of the sequents about representations.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Represented {
    /// Sequents asked.
    pub checks: usize,
    /// Sequents that are wrong, in words: a bug in bsym.
    pub failed: Vec<String>,
    /// Sequents that were not decided, in words.
    pub undecided: Vec<String>,
}

/// A name with its type and its representation.
struct Name<'m> {
    name: &'m str,
    ty: &'m Type,
    layout: &'m Layout,
}

/// Proves that every value fits the representation that a system has for it, and that a claim states all assumptions of
/// this.
///
/// # Errors
/// If the solver cannot be started.
pub fn check_representations(
    system: &System,
    claim: &Claim,
    open: Opener<'_>,
    budget: &Budget,
) -> Result<Represented, SolverError> {
    let model = system.model.clone();
    let chosen = system.needed();
    let layouts = layouts(system, chosen, claim);
    let unsaid = misfits(&model, &layouts, claim);
    if !unsaid.is_empty() {
        return Ok(Represented { failed: unsaid, ..Represented::default() });
    }
    if names(&model, chosen).all(|n| !system.is_restricted(n.ty, n.layout)) {
        return Ok(Represented::default());
    }
    let implied: Vec<VarId> =
        layouts.iter().filter(|l| l.said == Said::Implied).map(|l| l.variable).collect();
    let rests = Rests { chosen, implied: &implied, claim };
    let budget = budget.within(tuning().check.representations).per_query(tuning().check.representation);
    let mut found = check_in(&model, &system.scope, rests, open, &budget)?;
    if found.failed.is_empty() && !found.undecided.is_empty() && !system.scope.is_finite(&model) {
        let small = system.scope.with_open_sets(&model, |_| tuning().check.representation_size);
        let again = check_in(&model, &small, rests, open, &budget)?;
        found.checks += again.checks;
        found.failed = again.failed;
    }
    Ok(found)
}

/// Assumptions that the encoding rests on.
#[derive(Clone, Copy)]
struct Rests<'a> {
    /// The bounds of names.
    chosen: &'a Functional,
    /// Variables whose bound a conjunct implies.
    implied: &'a [VarId],
    claim: &'a Claim,
}

/// Describes the layouts that the encoding assumes and the claim does not state, and claimed layouts that nothing rests
/// on.
fn misfits(model: &Model, layouts: &[layouts::Layout], claim: &Claim) -> Vec<String> {
    let unsaid = layouts.iter().filter(|l| l.said == Said::No).map(|l| {
        let text = print::pred(model, &l.pred);
        format!("the encoding takes `{text}` for granted, and the claim does not say it")
    });
    let is_new = |i: usize, p: &Pred| !claim.layouts[..i].iter().any(|q| same_pred(q, p));
    let is_one = |p: &Pred| layouts.iter().any(|l| same_pred(&l.pred, p));
    let surplus = claim.layouts.iter().enumerate().filter(|(i, p)| !is_new(*i, p) || !is_one(p));
    let surplus = surplus.map(|(_, p)| {
        format!("`{}` is no layout that the encoding takes for granted", print::pred(model, p))
    });
    unsaid.chain(surplus).collect()
}

/// Checks the representations in a scope.
fn check_in(
    model: &Arc<Model>,
    scope: &Scope,
    rests: Rests<'_>,
    open: Opener<'_>,
    budget: &Budget,
) -> Result<Represented, SolverError> {
    let general = Representations::General;
    let general = encode_with_facts(Rc::new(Terms::new()), model.clone(), scope, general);
    let prover = Prover::new(general.terms.clone(), open, budget.clone());
    let chosen = rests.chosen;
    let mut check = Check { model, chosen, general, prover, found: Represented::default() };
    check.shapes()?;
    let known = check.constants()?;
    check.implied(rests, &known)?;
    check.steps(&known)?;
    check.found.checks = check.prover.checks;
    Ok(check.found)
}

fn name<'m>(model: &'m Model, chosen: &'m Functional, target: Target) -> Name<'m> {
    let (variable, layout) = match target {
        Target::Var(v) => (&model.variables[v.index()], &chosen.variables[v.index()]),
        Target::Local(l) => (&model.locals[l.index()], &chosen.locals[l.index()]),
    };
    Name { name: &variable.name, ty: &variable.ty, layout }
}

fn names<'m>(model: &'m Model, chosen: &'m Functional) -> impl Iterator<Item = Name<'m>> {
    let variables = model.variables.iter().zip(&chosen.variables);
    let constants = model.constants.iter().zip(&chosen.constants);
    let locals = model.locals.iter().zip(&chosen.locals);
    variables.chain(constants).chain(locals).map(|(v, layout)| Name { name: &v.name, ty: &v.ty, layout })
}

struct Check<'a> {
    model: &'a Model,
    chosen: &'a Functional,
    /// The machine without the analysis.
    general: System,
    prover: Prover<'a>,
    found: Represented,
}

/// Goal of a sequent, with its name for messages.
struct Goal {
    name: String,
    holds: Term,
}

impl Check<'_> {
    /// Checks that every value within the bound of a name can be held by its representation.
    fn shapes(&mut self) -> Result<(), SolverError> {
        let mut asked: Vec<(&Type, &Layout)> = vec![];
        for Name { name, ty, layout } in names(self.model, self.chosen) {
            if asked.contains(&(ty, layout)) || !self.general.is_restricted(ty, layout) {
                continue;
            }
            asked.push((ty, layout));
            let what = format!("the representation of `{name}` holds what is within its bound");
            match self.general.is_held(&format!("any{}", asked.len()), ty, layout) {
                Ok((within, held)) => {
                    let mut known = self.general.facts.background.clone();
                    known.extend(within.definitions.into_iter().chain(held.definitions));
                    known.push(within.holds);
                    self.prove(known, vec![Goal { name: what, holds: held.holds }])?;
                }
                Err(u) => self.left_open(&what, &u),
            }
        }
        Ok(())
    }

    /// Checks that the constants are within their bounds. Returns the known facts about them, which hold in all steps.
    fn constants(&mut self) -> Result<Vec<Term>, SolverError> {
        let mut known: Vec<Term> = self.general.about_constants().collect();
        let mut goals = vec![];
        for (i, c) in self.model.constants.iter().enumerate() {
            // A known constant is a value in both encodings.
            if self.general.constants.determined[i].is_some() {
                continue;
            }
            let what = format!("constant `{}` fits its representation", c.name);
            let value = self.general.constants.values[i].clone();
            match self.general.is_within(&value, &c.ty, &self.chosen.constants[i]) {
                Ok(fit) => {
                    known.extend(fit.definitions);
                    goals.push(Goal { name: what, holds: fit.holds });
                }
                Err(u) => self.left_open(&what, &u),
            }
        }
        let within: Vec<Term> = goals.iter().map(|g| g.holds).collect();
        self.prove(known.clone(), goals)?;
        known.extend(within);
        Ok(known)
    }

    /// Checks that the conjuncts imply the bounds that the claim does not state in the same words.
    fn implied(&mut self, rests: Rests<'_>, known: &[Term]) -> Result<(), SolverError> {
        let mut known = [known, &self.general.facts.state].concat();
        let mut goals = vec![];
        for &v in rests.implied {
            for &i in &rests.claim.conjuncts {
                let speaks = |p: &&Pred| bounded(p) == Some(v);
                if conjuncts(&self.model.invariant[i].pred).iter().any(speaks) {
                    let p = &self.general.invariant[i];
                    known.extend([p.defined, p.holds]);
                }
            }
            let Name { name, ty, layout } = name(self.model, self.chosen, Target::Var(v));
            let what = format!("the invariant says what the encoding takes for granted of `{name}`");
            let value = self.general.variables.current[v.index()].clone();
            match self.general.is_within(&value, ty, layout) {
                Ok(fit) => {
                    known.extend(fit.definitions);
                    goals.push(Goal { name: what, holds: fit.holds });
                }
                Err(u) => self.left_open(&what, &u),
            }
        }
        self.prove(known, goals)
    }

    /// Checks the values that the initialisation and the events assign.
    fn steps(&mut self, known: &[Term]) -> Result<(), SolverError> {
        let mut before = [known, &self.general.facts.state].concat();
        for (i, v) in self.model.variables.iter().enumerate() {
            let value = self.general.variables.current[i].clone();
            // A value without a term is a missing hypothesis.
            if let Ok(fit) = self.general.is_within(&value, &v.ty, &self.chosen.variables[i]) {
                before.extend(fit.definitions.into_iter().chain([fit.holds]));
            }
        }
        self.assignments(None, known)?;
        for event in 0..self.model.events.len() {
            self.assignments(Some(event), &before)?;
        }
        Ok(())
    }

    /// Checks the values that one step assigns, under the hypotheses before it.
    fn assignments(&mut self, event: Option<usize>, known: &[Term]) -> Result<(), SolverError> {
        let (who, transition) = match event {
            None => ("the initialisation", &self.general.initialisation),
            Some(e) => (self.model.events[e].name.as_str(), &self.general.events[e]),
        };
        if transition.relation.is_none() {
            let what = format!("{who} has no encoding without the analysis of representations");
            self.found.undecided.push(what);
            return Ok(());
        }
        let mut known = known.to_vec();
        let mut goals = vec![];
        for assignment in transition.assignments.clone() {
            let Name { name, ty, layout } = name(self.model, self.chosen, assignment.target);
            // A local's bound serves to choose its representation only.
            let local = matches!(assignment.target, Target::Local(_));
            if layout.is_unrestricted() || local && !self.general.is_restricted(ty, layout) {
                continue;
            }
            let line = self.model.text.sources.position(assignment.span).line;
            let what = format!("what {who} assigns to `{name}` (line {line}) fits its representation");
            match self.general.is_within(&assignment.value, ty, layout) {
                Ok(fit) => {
                    known.extend(fit.definitions);
                    let holds = self.general.terms.implies(assignment.reached, fit.holds);
                    goals.push(Goal { name: what, holds });
                }
                Err(u) => self.left_open(&what, &u),
            }
        }
        self.prove(known, goals)
    }

    /// Proves goals from hypotheses, all in one query or else one by one.
    fn prove(&mut self, known: Vec<Term>, mut goals: Vec<Goal>) -> Result<(), SolverError> {
        goals.retain(|g| g.holds != Terms::TRUE && !known.contains(&g.holds));
        if goals.is_empty() {
            return Ok(());
        }
        let mut hypotheses = Hypotheses::new(known);
        let all = self.general.terms.and(goals.iter().map(|g| g.holds));
        let effort = Effort::Quick(tuning().check.representation);
        let together = hypotheses.prove(&mut self.prover, &[], all, effort)?;
        match together {
            Decision::Proved => {}
            outcome if goals.len() == 1 => self.note(outcome, &goals[0].name),
            _ => {
                for goal in &goals {
                    let outcome = hypotheses.prove(&mut self.prover, &[], goal.holds, effort)?;
                    self.note(outcome, &goal.name);
                }
            }
        }
        hypotheses.close(&mut self.prover);
        Ok(())
    }

    fn note(&mut self, outcome: Decision, name: &str) {
        match outcome {
            Decision::Proved => {}
            // If an axiom is missing, a model refutes nothing.
            Decision::Refuted if self.general.left_out.axioms.is_empty() => {
                self.found.failed.push(name.into())
            }
            Decision::Refuted => self.found.undecided.push(format!("{name}: an axiom has no encoding")),
            Decision::Undecided(reason) => self.found.undecided.push(format!("{name}: {reason}")),
        }
    }

    fn left_open(&mut self, what: &str, u: &Unsupported) {
        self.found.undecided.push(format!("{what}: {}", u.reason));
    }
}

#[cfg(test)]
mod tests {
    use bsym_encodings::system::build::encode_with;

    use super::*;
    use crate::layouts::unsaid;
    use crate::testing::{Why, claim, lemma, model, open_default, scope, solver};

    /// Checks a machine's representations: those of the analysis or, for its first variable, a claimed one.
    fn outcome(text: &str, claimed: Option<Layout>) -> Option<Represented> {
        solver()?;
        let mut model_of_claim = model(text);
        let model = Arc::new(model_of_claim.clone());
        let scope = scope(&model);
        let encoded = |how| encode_with(Rc::new(Terms::new()), model.clone(), &scope, how);
        let mut system = encoded(Representations::Analysed);
        if let Some(layout) = claimed {
            let mut functional = system.functional().clone();
            functional.variables[0] = layout;
            system = encoded(Representations::Claimed(functional));
        }
        let mut claim = claim(&mut model_of_claim, &Why::Inductive(&[]));
        claim.layouts = unsaid(&system, &claim);
        let budget = Budget::unlimited();
        Some(check_representations(&system, &claim, &mut open_default, &budget).expect("the solver starts"))
    }

    /// A machine with one variable over an enumerated and a deferred set.
    fn machine(start: &str, operation: &str) -> String {
        format!(
            "MACHINE m SETS E = {{a, b}}; S CONSTANTS c, d PROPERTIES c : E --> S & d : E <-> S VARIABLES f
             INVARIANT f : E <-> S INITIALISATION f := {start} OPERATIONS op(p) = {operation} END"
        )
    }

    /// Returns the number of sequents asked, all of them proved.
    fn proved(text: &str) -> Option<usize> {
        let found = outcome(text, None)?;
        assert_eq!((found.failed, found.undecided), (vec![], vec![]), "{text}");
        Some(found.checks)
    }

    fn all_proved(text: &str) {
        let asked = proved(text);
        assert!(asked.is_none_or(|asked| asked > 0), "{text}: nothing was asked");
    }

    fn refuted(text: &str, claimed: Layout, part: &str) {
        let Some(found) = outcome(text, Some(claimed)) else { return };
        assert!(found.failed.iter().any(|f| f.contains(part)), "{text}: {found:?}");
    }

    #[test]
    fn the_analysis_is_confirmed() {
        all_proved(&machine("{}", "PRE p : S THEN f(a) := p END"));
        all_proved(&machine("c", "PRE p : S THEN f := f |> {p} END"));
        all_proved(&machine("{}", "PRE p : E - dom(f) THEN f := f \\/ {p |-> c(p)} END"));
        all_proved(&machine("{}", "PRE p : S THEN ANY g WHERE g : E +-> S & p : ran(g) THEN f := g END END"));
        all_proved(&machine(
            "{}",
            "PRE p : S THEN VAR l IN l := {a |-> p}; IF f = {} THEN f := l END END END",
        ));
        // A chosen function has no point outside of a set of any size.
        all_proved(
            "MACHINE m SETS S CONSTANTS c, d PROPERTIES c : S & !s.(s : S => s = d) VARIABLES f INVARIANT f(c) = d
             INITIALISATION f := S * {c} OPERATIONS op = BEGIN f :: S --> S; f := f <+ {c |-> c} END END",
        );
        // A sequence that is appended to is written as a sequence in both encodings: nothing is left to check.
        proved(
            "MACHINE m SETS S VARIABLES q INVARIANT q : seq(S) INITIALISATION q := []
             OPERATIONS put(p) = PRE p : S THEN q := q <- p END END",
        );
        all_proved(
            "MACHINE m VARIABLES s, n INVARIANT s <: INTEGER & n : INTEGER INITIALISATION s, n := {}, 1
             OPERATIONS put = SELECT n < 3 THEN s := s \\/ {n} || n := 2 END; take = BEGIN n := 3 END END",
        );
    }

    #[test]
    fn a_machine_without_functions_asks_nothing() {
        let text = "MACHINE m VARIABLES n INVARIANT n : INTEGER INITIALISATION n := 0 OPERATIONS up = n := n + 1 END";
        let Some(found) = outcome(text, None) else { return };
        assert_eq!(found, Represented::default());
    }

    #[test]
    fn a_claim_says_what_it_rests_on_once() {
        let layouts = |text: &str| {
            let model = Arc::new(model(text));
            let system =
                encode_with(Rc::new(Terms::new()), model.clone(), &scope(&model), Representations::Analysed);
            let claim = claim(&mut (*model).clone(), &Why::Inductive(&[]));
            unsaid(&system, &claim).iter().map(|p| print::pred(&model, p)).collect::<Vec<_>>()
        };
        let with =
            |invariant: &str| machine("{}", "PRE p : S THEN f(a) := p END").replace("f : E <-> S", invariant);
        assert_eq!(layouts(&with("f : E <-> S")), ["f : E +-> S"]);
        // Said in these words, or more than that.
        for invariant in ["f : E +-> S", "f : E >+> S & card(f) < 2", "f : E <-> S & f : E +-> S"] {
            assert_eq!(layouts(&with(invariant)), [""; 0], "{invariant}");
        }
        // The bound of a number is said only where a set's representation rests on it.
        let sets = "MACHINE m VARIABLES s, n, k INVARIANT s <: INTEGER & n : INTEGER & k : INTEGER
             INITIALISATION s, n, k := {}, 1, 1
             OPERATIONS put = SELECT n < 3 THEN s := s \\/ {n} || n := 2 END; take = BEGIN n := 3 END; other = k := 2 END";
        assert_eq!(layouts(sets), ["s <: 1 .. 3", "n : 1 .. 3"]);
        // Nor is what a function gives, where its values are integers all the same.
        let tally =
            "MACHINE m SETS E = {a, b} VARIABLES f INVARIANT f : E <-> INTEGER INITIALISATION f := E * {0}
             OPERATIONS set(e) = PRE e : E THEN f(e) := 7 END END";
        assert_eq!(layouts(tally), ["f : E --> INTEGER"]);
    }

    #[test]
    fn a_claim_that_leaves_out_a_layout_or_makes_one_up_is_found_out() {
        if solver().is_none() {
            return;
        }
        let mut model = model(&machine("{}", "PRE p : S THEN f(a) := p END"));
        let system = encode_with(
            Rc::new(Terms::new()),
            Arc::new(model.clone()),
            &scope(&model),
            Representations::Analysed,
        );
        let mut failed = |layouts: &[&str]| {
            let mut claim = claim(&mut model, &Why::Inductive(&[]));
            claim.layouts = layouts.iter().map(|text| lemma(&mut model, text)).collect();
            let budget = Budget::unlimited();
            let found = check_representations(&system, &claim, &mut open_default, &budget);
            found.expect("the solver starts").failed
        };
        assert_eq!(failed(&["f : E +-> S"]), [""; 0]);
        assert!(failed(&[]).iter().any(|f| f.contains("`f : E +-> S`")));
        assert!(failed(&["f : E --> S"]).len() == 2);
        assert!(failed(&["f : E +-> S", "f = {}"]).len() == 1);
        assert!(failed(&["f : E +-> S", "f : E +-> S"]).len() == 1);
    }

    #[test]
    fn relations_that_are_taken_for_functions_are_found_out() {
        let function = || Layout::function(Layout::Any, false, Layout::Any);
        let grows = machine("{}", "PRE p : S THEN f := f \\/ {a |-> p} END");
        refuted(&grows, function(), "op assigns to `f`");
        refuted(
            &machine("d", "PRE p : S THEN f := f |> {p} END"),
            function(),
            "initialisation assigns to `f`",
        );
        let total = Layout::function(Layout::Any, true, Layout::Any);
        refuted(&machine("c", "PRE p : S THEN f := f |> {p} END"), total, "op assigns to `f`");
        let chosen = machine("{}", "PRE p : S THEN ANY g WHERE g : E <-> S & p : S THEN f := g END END");
        refuted(&chosen, function(), "op assigns to `f`");
    }

    #[test]
    fn sets_of_other_numbers_than_claimed_are_found_out() {
        let text = "MACHINE m VARIABLES s INVARIANT s <: INTEGER INITIALISATION s := {}
            OPERATIONS put(p) = PRE p : 1..4 THEN s := s \\/ {p} END END";
        refuted(text, Layout::set(Layout::Range(1, 3), false), "put assigns to `s`");
    }

    #[test]
    fn choices_that_would_fail_are_not_lost() {
        // For a relation the predicate of the choice has no meaning, which an encoding with functions alone would miss.
        let text = machine("{}", "PRE p : S THEN f : (f(a) : S & f : E +-> S) END");
        refuted(&text, Layout::function(Layout::Any, false, Layout::Any), "op assigns to `f`");
    }
}
