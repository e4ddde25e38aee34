//! The abstractions of a refinement, level by level, as parts of the model's [`Refined`].
//!
//! A variable that a refinement keeps has one id in the composition. Here each level gets its own variables, numbered
//! after those of the state, and the formulas of a level are rewritten for them: in a formula of level k, a name
//! denotes the variable of the first level from k on that has it.

use std::collections::BTreeMap;

use super::refinement::preconditions;
use super::*;
use crate::model::same::same_pred;
use crate::model::visit::{Names, VisitorMut};

/// A level while it is collected.
struct Floor {
    instance: usize,
    /// Instances that belong to it and are not part of the environment.
    instances: Vec<usize>,
    /// Ids of its variables in the composition, in order of declaration, with those that they get here.
    variables: Vec<(VarId, VarId)>,
}

impl Composition {
    /// Collects the abstractions of the main machine. Operations and initialisations are typed, types still open.
    pub(super) fn levels(&mut self) {
        if self.c.incomplete || self.c.diagnostics.iter().any(|d| d.severity == Severity::Error) {
            return;
        }
        let floors = self.floors();
        if floors.len() < 2 {
            return;
        }
        let invariant = self.c.model.invariant.clone();
        let mut levels = vec![];
        for k in 1..floors.len() {
            let gluing = self.glue(&floors, k - 1, &invariant);
            let invariant = self.own_invariant(&floors, k, &invariant);
            let initialisation = self.level_initialisation(&floors, k);
            let instance = floors[k].instance;
            let variables =
                floors[k].variables.iter().map(|(v, _)| self.c.model.variables[v.index()].clone());
            let variables = variables.collect();
            let component = ComponentId(instance as u32);
            levels.push(Level {
                component,
                variables,
                invariant,
                gluing,
                initialisation,
                operations: vec![],
            });
        }
        let own = self.own_level(&floors);
        let mut refined = Refined { levels, operations: vec![], own };
        let main: Vec<(String, usize)> =
            self.interfaces[0].operations.iter().map(|(name, p, _)| (name.clone(), *p)).collect();
        for event in 0..self.c.model.events.len() {
            // Those of machines that are seen come after.
            let followed =
                main.get(event).and_then(|(name, p)| self.followed(&floors, &mut refined, name, *p));
            refined.operations.push(followed);
        }
        self.c.model.refinement.refined = Some(Box::new(refined));
    }

    /// Builds the level of the refinement itself, before anything about its abstractions is removed.
    fn own_level(&mut self, floors: &[Floor]) -> OwnLevel<OpenType> {
        let renaming = Relevel::of(floors, 0);
        let mut parts = vec![];
        for i in self.order.clone() {
            if self.instances[i].concrete
                && let Some(body) = self.initialisations[i].clone()
            {
                let mut body = self.c.copied_subst(&body);
                renaming.clone().subst(&mut body);
                parts.push(body);
            }
        }
        let span = parts.last().map_or(Span::default(), |body| body.span);
        let initialisation = SubstKind::Sequence(parts).at(span);
        let mut operations = vec![];
        let main: Vec<usize> = self.interfaces[0].operations.iter().map(|(_, p, _)| *p).collect();
        for (at, event) in self.c.model.events.clone().into_iter().enumerate() {
            operations.push(match main.get(at) {
                Some(procedure) => self.level_event(floors, 0, &event.name, *procedure),
                // Machines that are seen know nothing of abstractions.
                None => event,
            });
        }
        let assertions = self.c.model.assertions.clone();
        let assertions = (0..).zip(&assertions).map(|(at, c)| self.releveled(c, at, &renaming)).collect();
        let implementation = self.implementation();
        let owed = self.owed.clone();
        let mut local = vec![];
        for (name, specification, implementation) in self.local.clone() {
            local.push(LocalOperation {
                specification: self.level_event(floors, 0, &name, specification),
                implementation: self.level_event(floors, 0, &name, implementation),
            });
        }
        OwnLevel { initialisation, operations, assertions, owed, implementation, local }
    }

    /// Writes the texts of conjuncts for which the source has none.
    pub(super) fn write_level_texts(&self, model: &mut Model) {
        let Some(refined) = &mut model.refinement.refined else { return };
        for c in &mut refined.own.assertions {
            if let Some(Ok(at)) = c.text.strip_prefix('\u{0}').map(str::parse::<usize>) {
                c.text = model.assertions[at].text.clone();
            }
        }
        for c in
            refined.levels.iter_mut().flat_map(|level| level.gluing.iter_mut().chain(&mut level.invariant))
        {
            if let Some(Ok(at)) = c.text.strip_prefix('\u{0}').map(str::parse::<usize>) {
                c.text = model.invariant[at].text.clone();
            }
        }
    }

    /// The main machine and its abstractions, nearest first.
    fn floors(&self) -> Vec<Floor> {
        let mut floors = vec![];
        let mut next = self.state;
        let mut at = Some(0);
        while let Some(instance) = at {
            let instances = self.belonging_to(instance);
            let mut variables: Vec<(VarId, VarId)> = vec![];
            for &i in &instances {
                for (_, v) in &self.interfaces[i].own {
                    if variables.iter().any(|(known, _)| known == v) {
                        continue;
                    }
                    let own = if floors.is_empty() { *v } else { VarId(next as u32) };
                    next += usize::from(!floors.is_empty());
                    variables.push((*v, own));
                }
            }
            floors.push(Floor { instance, instances, variables });
            at = self.abstraction_of(instance);
        }
        floors
    }

    pub(super) fn abstraction_of(&self, instance: usize) -> Option<usize> {
        self.instances[instance].links.iter().find(|l| l.relation == Relation::Refines).map(|l| l.instance)
    }

    /// Returns the conjuncts of a level's invariant about the levels behind it, and equations for the variables that
    /// are kept.
    fn glue(&mut self, floors: &[Floor], level: usize, invariant: &[Conjunct]) -> Vec<Conjunct> {
        let renaming = Relevel::of(floors, level);
        let (own, behind) = (&floors[level], &floors[level + 1]);
        let is_own = |v: &VarId| own.variables.iter().any(|(known, _)| known == v);
        let mut gluing = vec![];
        for (at, conjunct) in (0..).zip(invariant) {
            let names = Names::of_pred(&conjunct.pred);
            let speaks = names.variables.iter().any(|v| !is_own(v) && renaming.0.contains_key(v));
            if own.instances.contains(&conjunct.origin.index()) && speaks {
                gluing.push(self.releveled(conjunct, at, &renaming));
            }
        }
        for (v, copy) in &behind.variables {
            let Some((_, kept)) = own.variables.iter().find(|(known, _)| known == v) else { continue };
            let Variable { name, ty, span } = self.c.model.variables[v.index()].clone();
            let value = |v: VarId| Box::new(ExprKind::Var(v).typed(ty.clone(), span));
            let machine = self.machine_name(behind.instance);
            gluing.push(Conjunct {
                label: None,
                text: format!("{name} = {machine}.{name}"),
                origin: ComponentId(own.instance as u32),
                span,
                pred: PredKind::Compare(CompareOp::Equal, value(*kept), value(*copy)).at(span),
            });
        }
        gluing
    }

    /// Returns the conjuncts of a level's invariant about its own variables alone.
    fn own_invariant(&mut self, floors: &[Floor], level: usize, invariant: &[Conjunct]) -> Vec<Conjunct> {
        let renaming = Relevel::of(floors, level);
        let is_behind = |v: &VarId| {
            renaming.0.contains_key(v) && floors[level].variables.iter().all(|(known, _)| known != v)
        };
        let mut own = vec![];
        for (at, conjunct) in (0..).zip(invariant) {
            let names = Names::of_pred(&conjunct.pred);
            // Conjuncts about the main machine's variables are left out, even where both belong to one included
            // machine.
            if floors[level].instances.contains(&conjunct.origin.index())
                && !names.variables.iter().any(is_behind)
            {
                own.push(self.releveled(conjunct, at, &renaming));
            }
        }
        own
    }

    fn releveled(&mut self, conjunct: &Conjunct, at: usize, renaming: &Relevel) -> Conjunct {
        let mut pred = self.c.copied(&conjunct.pred);
        renaming.clone().pred(&mut pred);
        // Texts that are missing are written when all types are closed.
        let text = if conjunct.text.is_empty() { format!("\u{0}{at}") } else { conjunct.text.clone() };
        Conjunct { pred, text, ..conjunct.clone() }
    }

    fn level_initialisation(&mut self, floors: &[Floor], level: usize) -> Subst {
        let renaming = Relevel::of(floors, level);
        let mut parts = vec![];
        for i in self.order.clone() {
            if floors[level].instances.contains(&i)
                && let Some(body) = self.initialisations[i].clone()
            {
                let mut body = self.c.copied_subst(&body);
                renaming.clone().subst(&mut body);
                parts.push(body);
            }
        }
        let span = parts.last().map_or(Span::default(), |body| body.span);
        if parts.is_empty() { SubstKind::Skip.at(span) } else { SubstKind::Sequence(parts).at(span) }
    }

    /// Returns the obligations of an operation of the main machine; adds the abstract operations to their levels.
    fn followed(
        &mut self,
        floors: &[Floor],
        refined: &mut Refined<OpenType>,
        name: &str,
        procedure: usize,
    ) -> Option<Followed<OpenType>> {
        let (mut name, mut at) = (name.to_string(), Some(procedure));
        let mut by = vec![];
        let mut signature: Option<Vec<LocalId>> = None;
        let mut allowed: Vec<Pred> = vec![];
        for level in 1..floors.len() {
            if let Some(known) = at.and_then(|p| self.c.procedures[p].refines.first()) {
                name = known.clone();
            }
            let operations = &self.interfaces[floors[level].instance].operations;
            at = operations.iter().find(|(known, ..)| *known == name).map(|(_, p, _)| *p);
            let Some(p) = at else {
                by.push(None);
                continue;
            };
            let event = self.level_event(floors, level, &name, p);
            let parameters = signature.get_or_insert_with(|| event.parameters.clone()).clone();
            let mut own = vec![];
            preconditions(&event.body, &mut own);
            let own = self.in_terms_of(&parameters, &event.parameters, own);
            for p in own {
                if !allowed.iter().any(|known| same_pred(known, &p)) {
                    allowed.push(p);
                }
            }
            let operations = &mut refined.levels[level - 1].operations;
            by.push(Some(operations.len()));
            operations.push(event);
        }
        let parameters = signature?;
        let concrete = self.level_event(floors, 0, &name, procedure);
        let mut own = vec![];
        preconditions(&concrete.body, &mut own);
        let own = self.in_terms_of(&parameters, &concrete.parameters, own);
        let own: Vec<Pred> =
            own.into_iter().filter(|p| !allowed.iter().any(|known| same_pred(known, p))).collect();
        // Each copy has its own parameters, so that cuts of values are attributed to the right one.
        let guarded = |m: &mut Composition, guard: Vec<Pred>| {
            let copied: Vec<LocalId> = parameters.iter().map(|l| m.c.copied_local(*l)).collect();
            let guard = m.in_terms_of(&copied, &parameters, guard);
            let guard = guard.iter().map(|p| m.c.copied(p)).collect();
            let guard = Pred::all(guard, concrete.span);
            let nothing = SubstKind::Skip.at(concrete.span);
            let choice = m.c.choice();
            let branches = vec![(guard, nothing)];
            let body = SubstKind::Select { choice, branches, otherwise: None, from_pre: false };
            Event { parameters: copied, results: vec![], body: body.at(concrete.span), ..concrete.clone() }
        };
        let narrowed = (!own.is_empty()).then(|| {
            let span = own[0].span;
            let broken = PredKind::Not(Box::new(Pred::all(own, span))).at(span);
            guarded(self, allowed.iter().cloned().chain([broken]).collect())
        });
        let precondition = (!allowed.is_empty()).then(|| guarded(self, allowed.clone()));
        Some(Followed { parameters: parameters.len(), by, precondition, narrowed })
    }

    /// Predicates about some parameters as ones about others.
    fn in_terms_of(&mut self, parameters: &[LocalId], instead_of: &[LocalId], list: Vec<Pred>) -> Vec<Pred> {
        let mut names = Replacement::default();
        for (old, new) in instead_of.iter().zip(parameters) {
            let Variable { ty, span, .. } = self.c.model.locals[new.index()].clone();
            names.locals.insert(*old, ExprKind::Local(*new).typed(ty, span));
        }
        list.iter().map(|p| names.in_pred(p)).collect()
    }

    /// An operation of a level, for the variables that the levels have here.
    fn level_event(&mut self, floors: &[Floor], level: usize, name: &str, procedure: usize) -> Event {
        let (parameters, results, mut body) = self.c.copied_procedure(procedure);
        Relevel::of(floors, level).subst(&mut body);
        let procedure = &self.c.procedures[procedure];
        Event {
            name: name.to_string(),
            parameters,
            results,
            body,
            origin: ComponentId(procedure.instance as u32),
            convergence: Convergence::Ordinary,
            refines: procedure.refines.clone(),
            span: procedure.span,
        }
    }
}

/// Puts the variables of levels in the place of those of the composition.
#[derive(Clone)]
struct Relevel(BTreeMap<VarId, VarId>);

impl Relevel {
    /// Creates the renaming for the formulas of a level.
    fn of(floors: &[Floor], level: usize) -> Relevel {
        let mut renaming = BTreeMap::new();
        for (v, own) in floors[level..].iter().flat_map(|floor| &floor.variables) {
            renaming.entry(*v).or_insert(*own);
        }
        Relevel(renaming)
    }

    fn rename(&self, v: &mut VarId) {
        if let Some(own) = self.0.get(v) {
            *v = *own;
        }
    }
}

impl VisitorMut<OpenType> for Relevel {
    fn expr(&mut self, e: &mut Expr) {
        if let ExprKind::Var(v) | ExprKind::Old(v) = &mut e.kind {
            self.rename(v);
        }
        visit::walk_expr_mut(self, e);
    }
    fn target(&mut self, t: &mut Target) {
        if let Target::Var(v) = t {
            self.rename(v);
        }
    }
}
