//! A machine of Event-B with its abstractions and contexts, or a context alone, as one model.
//!
//! The state is the variables of all levels, the invariant that of all levels. The modules: `enumerated` finds the
//! carrier sets whose elements the axioms name, `actions` types the actions of an event, `follow` composes them with
//! the abstract events, `owed` collects the obligations that no step is checked for, `events` adds parameters and
//! guards; `rules` holds the rules that need no types; in the resulting model, `refinement_checks` determines the
//! remaining checks.

mod actions;
mod enumerated;
mod events;
mod follow;
mod owed;
mod refinement_checks;
mod rules;

use std::collections::{BTreeMap, BTreeSet};
use std::mem::take;

use crate::ast::Ident;
use crate::check::*;
use crate::diagnostic::nearest;
use crate::eventb::project::{Context, Formula, INITIALISATION, Machine, Project};
use crate::stack::with_large_stack;

/// Returns the model of a machine or context of a project.
///
/// There is a model if and only if no error is among the diagnostics.
pub fn compose_levels(
    sources: Arc<Sources>,
    project: &Project,
    component: &str,
) -> (Option<Model>, Vec<Diagnostic>) {
    let mut model = empty_model(component.to_string(), sources);
    model.text.notation = Notation::EventB;
    let checker = Checker::new(model, Definitions::default());
    with_large_stack(move || {
        let mut composer = Composer {
            c: checker,
            project,
            chain: vec![],
            variables: vec![],
            components: BTreeMap::new(),
            broken: vec![],
            repeated: BTreeSet::new(),
        };
        composer.component(component);
        let model = composer.finish();
        // A broken rule may also cause a type error: the message of the rule suffices.
        let mut diagnostics = composer.broken;
        let told: BTreeSet<_> = diagnostics.iter().map(|d| (d.code, d.span.source, d.span.start)).collect();
        // Consequences of a name with two meanings are not reported either.
        let ambiguous = told.iter().any(|(code, ..)| *code == codes::DUPLICATE_DECLARATION);
        let follows = [codes::UNKNOWN_TYPE, codes::TYPE_MISMATCH, codes::NOT_ASSIGNABLE];
        let is_known = |d: &Diagnostic| {
            told.contains(&(d.code, d.span.source, d.span.start)) || (ambiguous && follows.contains(&d.code))
        };
        diagnostics.extend(composer.c.diagnostics.into_iter().filter(|d| !is_known(d)));
        diagnostics.sort_by_key(|d| (d.span.source, d.span.start));
        let sound = diagnostics.iter().all(|d| d.severity != Severity::Error);
        (sound.then_some(model), diagnostics)
    })
}

struct Composer<'p> {
    c: Checker,
    project: &'p Project,
    /// The machine and its abstractions; the most abstract one is the first.
    chain: Vec<&'p Machine>,
    /// The variables of each machine of the chain.
    variables: Vec<BTreeSet<VarId>>,
    /// Components by kind (machines are `true`) and name.
    components: BTreeMap<(bool, &'p str), ComponentId>,
    /// Rules that are broken.
    broken: Vec<Diagnostic>,
    /// Checks that Rodin has no obligation of.
    repeated: BTreeSet<RefinementId>,
}

impl<'p> Composer<'p> {
    fn component(&mut self, name: &str) {
        self.declare_theories();
        let mut contexts = vec![];
        if let Some(machine) = self.project.machine(name) {
            self.chain_of(machine);
            for m in self.chain.clone() {
                for seen in &m.sees {
                    self.visible(seen, &mut contexts, &mut vec![]);
                }
            }
        } else if let Some(context) = self.project.context(name) {
            self.visible(&context.name, &mut contexts, &mut vec![]);
        } else {
            self.c.error(codes::NOT_A_MACHINE, Span::default(), format!("there is no component `{name}`"));
            return;
        }
        self.broken = rules::check(self.project, &self.chain, &contexts);
        self.name_components(&contexts);
        self.static_part(&contexts);
        self.variables();
        self.invariant();
        self.events();
    }

    /// Returns the finished model.
    fn finish(&mut self) -> Model {
        let mut model = self.c.close();
        // Formulas of contexts do not know the variables: their bound names may be called like these.
        let variables = take(&mut model.variables);
        let contexts: BTreeSet<ComponentId> =
            self.components.iter().filter(|((is_machine, _), _)| !is_machine).map(|(_, id)| *id).collect();
        close::write_texts(&mut model, |c| contexts.contains(&c.origin));
        model.variables = variables;
        close::write_texts(&mut model, |_| true);
        sizes::of_deferred_sets(&mut model);
        refinement_checks::settle(&mut model, &self.repeated);
        model
    }

    // Collects the machine and its abstractions.
    fn chain_of(&mut self, machine: &'p Machine) {
        let mut chain = vec![machine];
        let mut at = machine;
        while let Some(abstraction) = &at.refines {
            let Some(next) = self.project.machine(&abstraction.name) else {
                self.missing(
                    "machine",
                    abstraction,
                    self.project.machines.iter().map(|m| m.name.name.as_str()).filter(|m| *m != at.name.name),
                );
                break;
            };
            if chain.iter().any(|m| m.name.name == next.name.name) {
                let message = format!("machine `{}` refines itself", next.name.name);
                self.c.error(codes::CYCLIC_DEFINITION, abstraction.span, message);
                break;
            }
            chain.push(next);
            at = next;
        }
        chain.reverse();
        self.chain = chain;
    }

    fn missing<'n>(&mut self, what: &str, id: &Ident, known: impl Iterator<Item = &'n str>) {
        let known: Vec<&str> = known.collect();
        let mut d =
            Diagnostic::error(codes::MISSING_MACHINE, id.span, format!("there is no {what} `{}`", id.name));
        d = match nearest(&id.name, known.iter().copied()) {
            Some(near) => d.help(format!("did you mean `{near}`?")),
            None if known.is_empty() => d.help("its file is not in the folder of this one: copy it there"),
            None => d.help(format!("its file is not in the folder, where there are: {}", known.join(", "))),
        };
        self.c.report(d);
    }

    // A context after those that it extends.
    fn visible(&mut self, id: &Ident, found: &mut Vec<&'p Context>, open: &mut Vec<String>) {
        if found.iter().any(|c| c.name.name == id.name) {
            return;
        }
        let Some(context) = self.project.context(&id.name) else {
            self.missing("context", id, self.project.contexts.iter().map(|c| c.name.name.as_str()));
            return;
        };
        if open.contains(&id.name) {
            self.c.error(codes::CYCLIC_DEFINITION, id.span, format!("context `{}` extends itself", id.name));
            return;
        }
        open.push(id.name.clone());
        for extended in &context.extends {
            self.visible(extended, found, open);
        }
        open.pop();
        found.push(context);
    }

    fn name_components(&mut self, contexts: &[&'p Context]) {
        let machines = self.chain.iter().rev().map(|m| (true, &m.name, Relation::Refines));
        let contexts = contexts.iter().rev().map(|c| (false, &c.name, Relation::Sees));
        for (i, (is_machine, id, relation)) in machines.chain(contexts).enumerate() {
            let relation = if i == 0 { Relation::Main } else { relation };
            self.components.insert((is_machine, &id.name), ComponentId(i as u32));
            let component = Component { name: id.name.clone(), prefix: None, relation, span: id.span };
            self.c.model.text.components.push(component);
        }
    }

    fn static_part(&mut self, contexts: &[&'p Context]) {
        let sets = contexts.iter().flat_map(|c| &c.sets);
        let axioms: Vec<&Formula> = contexts.iter().flat_map(|c| &c.axioms).filter(|a| !a.theorem).collect();
        let constants: Vec<&Ident> = contexts.iter().flat_map(|c| &c.constants).collect();
        let mut named: BTreeSet<&str> = BTreeSet::new();
        for set in sets {
            let elements = enumerated::elements(&set.name, &axioms, &constants);
            let kind = match &elements {
                Some(names) => CarrierKind::Enumerated(names.iter().map(|n| n.to_string()).collect()),
                None => CarrierKind::Deferred,
            };
            let carrier = self.c.declare_carrier(set, kind);
            for (i, name) in elements.into_iter().flatten().enumerate() {
                let span = constants.iter().find(|c| c.name == name).map_or(set.span, |c| c.span);
                self.c.declare_global(name, span, Entity::Element(carrier, i as u32));
                named.insert(name);
            }
        }
        for id in constants {
            if !named.contains(id.name.as_str()) {
                self.c.declare_constant(id);
            }
        }
        let (mut axioms, mut theorems) = (vec![], vec![]);
        for context in contexts {
            let origin = self.components[&(false, context.name.name.as_str())];
            for formula in &context.axioms {
                let conjunct = self.conjunct(formula, origin);
                if !formula.theorem && enumerated::is_settled(&conjunct.pred, &self.c.model.types.carriers) {
                    continue;
                }
                if formula.theorem { theorems.push(conjunct) } else { axioms.push(conjunct) }
            }
        }
        self.c.finish_group();
        self.c.close_constants();
        self.c.model.axioms = axioms;
        self.c.model.assertions = theorems;
    }

    fn conjunct(&mut self, formula: &Formula, origin: ComponentId) -> Conjunct {
        let pred = self.c.pred(&formula.tree);
        Conjunct {
            label: formula.label.clone(),
            text: formula.text.clone().unwrap_or_default(),
            origin,
            span: formula.tree.span,
            pred,
        }
    }

    // A name that several levels declare is one variable.
    fn variables(&mut self) {
        let mut known: BTreeMap<&str, VarId> = BTreeMap::new();
        for m in self.chain.iter().rev() {
            let mut own = BTreeSet::new();
            for id in &m.variables {
                let variable = known.get(id.name.as_str()).copied().unwrap_or_else(|| {
                    let ty = self.c.fresh();
                    let v = VarId(self.c.model.variables.len() as u32);
                    self.c.model.variables.push(Variable { name: id.name.clone(), ty, span: id.span });
                    self.c.declare_global(&id.name, id.span, Entity::Var(v));
                    known.insert(&id.name, v);
                    v
                });
                own.insert(variable);
            }
            self.variables.push(own);
        }
        self.variables.reverse();
    }

    fn invariant(&mut self) {
        let (mut invariant, mut theorems, mut variants) = (vec![], vec![], vec![]);
        for m in self.chain.clone() {
            let origin = self.components[&(true, m.name.name.as_str())];
            for formula in &m.invariants {
                let conjunct = self.conjunct(formula, origin);
                if formula.theorem { theorems.push(conjunct) } else { invariant.push(conjunct) }
            }
        }
        for formula in self.chain.last().map(|m| m.variants.as_slice()).unwrap_or_default() {
            let value = self.c.expr(&formula.tree);
            variants.push(Variant { label: formula.label.clone(), value });
        }
        self.c.finish_group();
        for v in &variants {
            if !matches!(
                self.c.types.head(&v.value.ty),
                OpenType::Int | OpenType::Pow(_) | OpenType::Variable(_) | OpenType::Error
            ) {
                let found = self.c.type_text(&v.value.ty);
                let message = format!("a variant is a number or a finite set, this is {found}");
                self.c.error(codes::TYPE_MISMATCH, v.value.span, message);
            }
        }
        let all: Vec<VarId> = (0..self.c.model.variables.len() as u32).map(VarId).collect();
        self.c.close_variables(&all);
        self.c.model.invariant = invariant;
        self.c.model.assertions.extend(theorems);
        self.c.model.refinement.variants = variants;
    }

    fn events(&mut self) {
        let Some(&machine) = self.chain.last() else { return };
        self.c.model.text.formulas = self.formulas();
        match machine.event(INITIALISATION) {
            Some(e) => self.c.model.initialisation = self.event(e).body,
            None if machine.variables.is_empty() => {}
            None => {
                let message = format!(
                    "machine `{}` has no event INITIALISATION, so its variables may have any value at first",
                    machine.name.name
                );
                self.c.report(Diagnostic::warning(codes::NOT_INITIALISED, machine.name.span, message));
                self.c.model.initialisation = self.havoc(machine.name.span);
            }
        }
        for e in &machine.events {
            if e.name.name == INITIALISATION {
                continue;
            }
            let event = self.event(e);
            self.c.model.events.push(event);
        }
    }

    // Collects the labelled formulas of the events of all levels.
    fn formulas(&self) -> Vec<EventFormula> {
        let mut all = vec![];
        for (level, m) in self.chain.iter().enumerate() {
            let origin = self.origin(level);
            for e in &m.events {
                let mut note = |role, label: &str, span| {
                    let (event, label) = (e.name.name.clone(), label.to_string());
                    all.push(EventFormula { origin, event, role, label, span });
                };
                for g in &e.guards {
                    note(FormulaRole::Guard, g.label.as_deref().unwrap_or_default(), g.tree.span);
                }
                for a in &e.actions {
                    note(FormulaRole::Action, a.label.as_deref().unwrap_or_default(), a.span);
                }
                for (id, witness) in &e.witnesses {
                    note(FormulaRole::Witness, &id.name, witness.tree.span);
                }
            }
        }
        all
    }

    fn declare_theories(&mut self) {
        self.c.theories.all = self.project.theories.iter().cloned().map(Arc::new).collect();
    }
}
