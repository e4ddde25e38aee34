//! Events as substitutions: parameters and guards around actions.

use super::actions::{Move, MoveKind, Parameters, conjunction, parallel};
use super::follow::Steps;
use super::*;
use crate::ast::visit::FreeNames;
use crate::eventb::project::Event as Source;

impl<'p> Composer<'p> {
    /// Composes an event of the lowest machine with the simultaneous events of its abstractions.
    pub(super) fn event(&mut self, e: &'p Source) -> Event {
        let level = self.chain.len() - 1;
        let locals = self.c.enter(&e.parameters);
        let (guards, theorems) = self.guards(e);
        let moves = self.moves(level, e);
        self.c.leave(&locals);
        let parameters: Parameters =
            e.parameters.iter().map(|id| id.name.clone()).zip(locals.iter().copied()).collect();
        let mut refines = vec![];
        let mut body = self.steps(level, e, &parameters, moves, &mut refines);
        // Theorems are checked where all guards hold: a theorem between two guards must follow from the first one
        // alone, but a step that the second one forbids is not a step of the machine.
        for p in theorems.into_iter().rev() {
            let span = p.span;
            body = SubstKind::Assert(Claim::Assertion, p, Box::new(body)).at(span);
        }
        let is_event = e.name.name != INITIALISATION;
        if !guards.is_empty() || (is_event && !locals.is_empty()) {
            let choice = self.c.choice();
            let branches = vec![(conjunction(guards, e.span), body)];
            let kind = SubstKind::Select { choice, branches, otherwise: None, from_pre: true };
            body = kind.at(e.span);
        }
        self.c.finish_group();
        Event {
            name: e.name.name.clone(),
            parameters: locals,
            results: vec![],
            body,
            origin: self.origin(level),
            convergence: e.convergence,
            refines,
            span: e.name.span,
        }
    }

    fn steps(
        &mut self,
        level: usize,
        e: &'p Source,
        parameters: &Parameters,
        moves: Vec<Move>,
        refines: &mut Vec<String>,
    ) -> Subst {
        if level == 0 {
            let parts = moves.into_iter().map(|m| self.plain(m)).collect();
            return parallel(parts, e.span);
        }
        let seen = self.looked_at(level, e);
        let mut steps = Steps::new(e.span);
        let mut choices = vec![];
        for m in moves {
            if m.targets().iter().any(|v| seen.contains(v)) {
                choices.extend(self.explicit(m, &mut steps));
            } else {
                let part = self.plain(m);
                steps.beside.push(part);
            }
        }
        let owed = self.c.model.refinement.owed.len();
        let mut body = self.follow(level, e, parameters, steps, refines);
        self.behind(owed, &choices);
        for (locals, p) in choices.into_iter().rev() {
            let span = p.span;
            body = SubstKind::Any(self.c.choice(), locals, p, Box::new(body)).at(span);
        }
        body
    }

    /// Assigns some value of its type to each variable.
    pub(super) fn havoc(&mut self, span: Span) -> Subst {
        let mut parts = vec![];
        for i in 0..self.c.model.variables.len() {
            let set = self.c.type_set(&self.c.model.variables[i].ty, span);
            let kind = SubstKind::BecomesIn(self.c.choice(), vec![Target::Var(VarId(i as u32))], set);
            parts.push(kind.at(span));
        }
        parallel(parts, span)
    }

    // The variables whose new values the abstractions ask for.
    fn looked_at(&self, level: usize, e: &Source) -> BTreeSet<VarId> {
        let mut seen = self.variables[level - 1].clone();
        for (_, witness) in &e.witnesses {
            let names = FreeNames::of_expr(&witness.tree);
            seen.extend(names.iter().filter_map(|n| self.variable(n.strip_suffix('\'')?)));
        }
        seen
    }

    /// Returns the guards of an event, and the theorems that must follow from them, in the open scope.
    pub(super) fn guards(&mut self, e: &Source) -> (Vec<Pred>, Vec<Pred>) {
        let (mut guards, mut theorems) = (vec![], vec![]);
        for g in &e.guards {
            let p = self.c.pred(&g.tree);
            if g.theorem { theorems.push(p) } else { guards.push(p) }
        }
        (guards, theorems)
    }

    // New values as expressions; a chosen value gets a local with the predicate that it satisfies.
    fn explicit(&mut self, m: Move, steps: &mut Steps) -> Option<(Vec<LocalId>, Pred)> {
        match m.kind {
            MoveKind::Assign(list) => {
                steps.after.extend(list);
                None
            }
            MoveKind::In(list, set) => {
                let mut locals = vec![];
                for &v in &list {
                    let local = self.new_value(v, m.span);
                    steps.after.insert(v, self.local_expr(local, m.span));
                    locals.push(local);
                }
                let p = self.member(&locals, set, m.span);
                Some((locals, p))
            }
            MoveKind::Such(pairs, p) => {
                for (v, l) in &pairs {
                    steps.after.insert(*v, self.local_expr(*l, m.span));
                }
                Some((pairs.into_iter().map(|(_, l)| l).collect(), p))
            }
        }
    }
}
