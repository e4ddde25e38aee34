//! All obligations of a model.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use bsym_encodings::system::System;
use bsym_encodings::system::build::{Representations, encode_with};
use bsym_encodings::term::{Term, Terms};
use bsym_language::model::{Model, Notation};
use bsym_semantics::scope::Scope;
use bsym_status::file::LeftOut;

use super::call::Call;
use super::family::Family;
use super::generator::Generator;
use super::obligation::Proof;
use super::{classical, extra, owed, refinement};
use crate::recorded::is_complete;

/// All obligations of a model, before any is attempted. The same model and scope give the same obligations at the same
/// positions, so that threads with terms of their own can refer to them by position.
pub(super) struct Generated {
    pub all: Vec<Proof>,
    pub families: Vec<Family>,
    /// `true` if all hypotheses have terms.
    pub complete: bool,
    /// Stand-ins for deferred sets where arrays are only read.
    pub carriers: Vec<(Term, Term)>,
    /// The machine in terms; `None` for a refinement of classical B, whose sequents have systems of their own.
    pub system: Option<System>,
    pub left_out: Vec<LeftOut>,
    /// Sequents of a refinement of classical B, by name of the obligation, with the model of their names.
    pub asked: BTreeMap<String, (Arc<Model>, classical::Asked)>,
    /// Conditions for the operations of a refinement of classical B to be called, and the model of their names.
    pub calls: Option<(Arc<Model>, Vec<Call>)>,
}

/// Generates all obligations of a model. Those of a refinement of classical B are about its sequents.
pub(super) fn generate(terms: &Rc<Terms>, model: &Arc<Model>, scope: &Scope) -> Generated {
    if let Some(refined) =
        model.refinement.refined.as_deref().filter(|_| model.text.notation == Notation::ClassicalB)
    {
        let classical::Generated { mut all, families, systems, asked, calls, left_out } =
            classical::generate(terms, model, refined, scope);
        name_apart(&mut all);
        let complete = systems.iter().all(is_complete);
        let carriers = systems[0].whole_carriers();
        let named = |(at, system, asked): (usize, usize, classical::Asked)| {
            (all[at].name.clone(), (systems[system].model.clone(), asked))
        };
        let asked = asked.into_iter().map(named).collect();
        let calls = Some((systems[0].model.clone(), calls));
        return Generated { all, families, complete, carriers, system: None, left_out, asked, calls };
    }
    let mut system = encode_with(terms.clone(), model.clone(), scope, Representations::Stated);
    let states = [extra::feasible(&mut system), extra::variants(&mut system)].concat();
    let mut generator = Generator::new(&system, vec![]);
    let mut complete = is_complete(&system);
    let of_context = match extra::is_context(model) {
        true => extra::of_context(terms, model, scope),
        false => vec![],
    };
    if !extra::is_context(model) {
        generator.machine();
    }
    let (all, mut families) = (generator.all, generator.families);
    let listed = all.iter().map(|p| p.name.clone()).collect();
    let owes = owed::owes(&mut system, &listed);
    let mut generator = Generator::new(&system, all);
    generator.trivial(owes.trivial);
    generator.extra([owes.asked, states].concat());
    families.extend(generator.families);
    let mut all = generator.all;
    let further = extra::decreases(terms.clone(), model, scope).into_iter();
    for (own, extra) in further.chain(of_context.into_iter().map(|(own, e)| (own, vec![e]))) {
        let mut generator = Generator::new(&own, all);
        generator.extra(extra);
        complete &= is_complete(&own);
        families.extend(generator.families);
        all = generator.all;
    }
    name_apart(&mut all);
    let left_out = refinement::left_out(model).into_iter().collect();
    let carriers = system.whole_carriers();
    let (system, asked, calls) = (Some(system), BTreeMap::new(), None);
    Generated { all, families, complete, carriers, system, left_out, asked, calls }
}

/// Numbers the obligations whose labels are not unique.
fn name_apart(all: &mut [Proof]) {
    let mut used: BTreeMap<String, usize> = BTreeMap::new();
    for proof in all {
        let count = used.entry(proof.name.clone()).or_default();
        *count += 1;
        if *count > 1 {
            proof.name = format!("{}#{count}", proof.name);
        }
    }
}
