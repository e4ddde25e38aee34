//! Sequents as predicates of B, before they have terms.

use bsym_encodings::first_order::{self, Goal};
use bsym_language::model::*;
use bsym_language::walk::Names;
use bsym_status::file::Kind;

/// Claim of a sequent about its goal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::obligations) enum Says {
    /// The goal is well-defined and true.
    Holds,
    /// The goal is well-defined.
    Defined,
    /// An integer that is computed fits into the machine. If its form shows that, nothing has to be proved.
    Fits,
    /// The goal is one of the hypotheses: nothing has to be proved.
    Trivial,
}

/// Hypotheses and a goal, with a name.
#[derive(Clone, Debug)]
pub(in crate::obligations) struct Sequent {
    pub kind: Kind,
    pub name: String,
    /// The goal in words or B.
    pub text: String,
    pub hypotheses: Vec<Pred>,
    pub goal: Pred,
    pub says: Says,
}

/// Sequents with common hypotheses.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub event: Option<EventId>,
    /// `true` if the sequents are about the effects of an event or the initialisation.
    pub of_step: bool,
    /// `true` if the invariants of all levels are hypotheses.
    pub invariant: bool,
    pub sequents: Vec<Sequent>,
}

/// A sequent that was asked.
#[derive(Clone, Debug)]
pub(in crate::obligations) struct Asked {
    pub sequent: Sequent,
    /// `true` if the invariants of all levels are hypotheses.
    pub invariant: bool,
}

/// A sequent as a machine without events: its invariant is the hypotheses, its assertion the goal.
#[derive(Clone, Debug)]
pub struct SequentMachine {
    /// The machine. Variables stand for the state before, for parameters and for chosen values.
    pub model: Model,
    /// Names in the sequent itself, without the invariants of the levels.
    pub names: Names,
}

impl Asked {
    /// Returns the sequent for the first-order form. `model` has the variables and axioms.
    pub fn in_first_order(&self, model: &Model) -> first_order::Sequent {
        let invariant = if self.invariant { &model.invariant[..] } else { &[] };
        let known = model.axioms.iter().chain(invariant).map(|c| &c.pred);
        let goal = self.sequent.goal.clone();
        first_order::Sequent {
            hypotheses: known.chain(&self.sequent.hypotheses).cloned().collect(),
            defined: vec![],
            goal: match self.sequent.says {
                Says::Defined => Goal::Defined(goal),
                Says::Holds | Says::Fits | Says::Trivial => Goal::Meant(goal),
            },
        }
    }

    /// Returns the sequent as a machine. `model` has the variables and axioms.
    pub fn as_machine(&self, model: &Model) -> SequentMachine {
        let Sequent { text, hypotheses, goal, .. } = &self.sequent;
        let conjunct = |pred: &Pred, text: &str| Conjunct {
            label: None,
            text: text.to_string(),
            origin: ComponentId(0),
            span: pred.span,
            pred: pred.clone(),
        };
        let mut names = Names::of_pred(goal);
        for of in hypotheses.iter().map(Names::of_pred) {
            names.variables.extend(of.variables);
            names.constants.extend(of.constants);
        }
        let known = if self.invariant { model.invariant.clone() } else { vec![] };
        let further = hypotheses.iter().map(|p| conjunct(p, ""));
        let model = Model {
            invariant: known.into_iter().chain(further).collect(),
            assertions: vec![conjunct(goal, text)],
            events: vec![],
            ..model.clone()
        };
        SequentMachine { model, names }
    }
}

/// Reason why a part has no obligations: lower case, no full stop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct NoObligations(pub String);
