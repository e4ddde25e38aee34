//! Definitions and axioms with a meaning for the scope: `SET_PREF_…`, `scope_S`, `card(S) = n`, `S = {a, b}`, `GOAL`.

use super::*;
use crate::ast::{BinaryOp as In, Constant, DefinitionBody, ExprKind as Ast, UnaryOp as InUnary};
use crate::int::Int;
use crate::model::types::CarrierId;

impl Checker {
    /// Keeps the definitions, and reads those that concern the scope. Requires that carriers are declared.
    pub(super) fn scope_hints(&mut self) {
        self.model.definitions = self.names.definitions.clone();
        let entries: Vec<_> = self.names.definitions.iter().cloned().collect();
        for entry in entries {
            let (DefinitionBody::Expr(body) | DefinitionBody::Either(body, _)) = &entry.body else {
                continue;
            };
            let name = entry.name.name.as_str();
            if let Some(preference) = name.strip_prefix("SET_PREF_") {
                match (preference, self.number(body, 0)) {
                    ("MAXINT", Some(n)) => self.model.hints.maxint = Some(n),
                    ("MININT", Some(n)) => self.model.hints.minint = Some(n),
                    _ => {
                        let text = self.plain_text(body);
                        self.model.hints.preferences.insert(preference.to_string(), text);
                    }
                }
            } else if let Some(set) = name.strip_prefix("scope_") {
                let Some((Entity::Carrier(c), _)) = self.names.globals.get(set).copied() else { continue };
                match self.size(body) {
                    Some(n) => drop(self.model.hints.sizes.insert(c, n)),
                    None => self.report(Diagnostic::warning(
                        codes::IGNORED_DEFINITION,
                        body.span,
                        format!("`{name}` is ignored: a number or an interval is expected"),
                    )),
                }
            }
        }
    }

    /// Reads `card(S) = n` from the axioms, or the least size that `card(S) > n` and `card(S) >= n` allow; a
    /// `scope_S` definition is stronger.
    pub(super) fn size_hints(&mut self) {
        let (mut exact, mut least) = (vec![], vec![]);
        for part in self.model.axiom_parts() {
            let PredKind::Compare(op, l, r) = &part.kind else { continue };
            for (card, n, card_first) in [(l, r, true), (r, l, false)] {
                if let (ExprKind::Unary(UnaryOp::Card, set), ExprKind::Integer(n)) = (&card.kind, &n.kind)
                    && let ExprKind::Carrier(c) = set.kind
                    && let Some(n) = n.to_usize()
                {
                    match (op, card_first) {
                        (CompareOp::Equal, _) => exact.push((c, n)),
                        (CompareOp::GreaterEqual, true) | (CompareOp::LessEqual, false) => least.push((c, n)),
                        (CompareOp::Greater, true) | (CompareOp::Less, false) => least.push((c, n + 1)),
                        _ => {}
                    }
                }
            }
        }
        // Two elements are the default, and a set of thousands is no scope.
        least.retain(|&(_, n)| (3..=1024).contains(&n));
        least.sort_by_key(|&(_, n)| std::cmp::Reverse(n));
        self.settle_sizes(exact);
        self.settle_least_sizes(least);
        self.sizes_by_listing();
        self.sizes_by_bijection();
    }

    /// Reads `S = {a, b, c}` from the axioms: the set has as many elements as `card({a, b, c}) = n` says, else as
    /// many as the axioms tell apart by `a /= b`.
    fn sizes_by_listing(&mut self) {
        let (mut sizes, mut least) = (vec![], vec![]);
        for (set, listed) in self.equations() {
            let (ExprKind::Carrier(c), ExprKind::SetExtension(items)) = (&set.kind, &listed.kind) else {
                continue;
            };
            let same = |others: &[Expr]| {
                others.len() == items.len() && others.iter().zip(items).all(|(a, b)| a.kind == b.kind)
            };
            let said = self.equations().find_map(|(card, n)| match (&card.kind, &n.kind) {
                (ExprKind::Unary(UnaryOp::Card, of), ExprKind::Integer(n)) => match &of.kind {
                    ExprKind::SetExtension(others) if same(others) => n.to_usize(),
                    _ => None,
                },
                _ => None,
            });
            let mut distinct: Vec<&Expr> = vec![];
            for item in items {
                if distinct.iter().all(|other| self.told_apart(item, other)) {
                    distinct.push(item);
                }
            }
            match said {
                Some(n) => sizes.push((*c, n)),
                None if distinct.len() == items.len() => sizes.push((*c, items.len())),
                None => least.push((*c, distinct.len())),
            }
        }
        self.settle_sizes(sizes);
        self.settle_least_sizes(least);
    }

    /// The same for sets that may be larger.
    fn settle_least_sizes(&mut self, sizes: impl IntoIterator<Item = (CarrierId, usize)>) {
        for (c, n) in sizes {
            if self.model.carriers[c.index()].kind == CarrierKind::Deferred
                && !self.model.hints.sizes.contains_key(&c)
            {
                self.model.hints.sizes.insert(c, n);
                self.model.hints.at_least.insert(c);
            }
        }
    }

    /// Settles sizes of deferred sets that are not known yet.
    fn settle_sizes(&mut self, sizes: impl IntoIterator<Item = (CarrierId, usize)>) {
        for (c, n) in sizes {
            if self.model.carriers[c.index()].kind == CarrierKind::Deferred {
                self.model.hints.sizes.entry(c).or_insert(n);
            }
        }
    }

    /// The equations among the axioms, each from both sides.
    fn equations(&self) -> impl Iterator<Item = (&Expr, &Expr)> {
        self.model.axiom_parts().into_iter().flat_map(|part| match &part.kind {
            PredKind::Compare(CompareOp::Equal, a, b) => vec![(&**a, &**b), (&**b, &**a)],
            _ => vec![],
        })
    }

    fn told_apart(&self, a: &Expr, b: &Expr) -> bool {
        self.model.axiom_parts().into_iter().any(|part| match &part.kind {
            PredKind::Compare(CompareOp::NotEqual, x, y) => {
                x.kind == a.kind && y.kind == b.kind || x.kind == b.kind && y.kind == a.kind
            }
            _ => false,
        })
    }

    /// Reads `f : S >->> E`, or `f : E >->> S`, from the axioms: S is as large as E, if the form of E tells.
    fn sizes_by_bijection(&mut self) {
        // The size of one set may tell that of another.
        for _ in 0..self.model.carriers.len() {
            let mut found = None;
            for part in self.model.axiom_parts() {
                let PredKind::Compare(CompareOp::Member, _, space) = &part.kind else { continue };
                let ExprKind::Binary(BinaryOp::TotalBijection, from, to) = &space.kind else { continue };
                for (set, other) in [(from, to), (to, from)] {
                    let ExprKind::Carrier(c) = set.kind else { continue };
                    let open = self.model.carriers[c.index()].kind == CarrierKind::Deferred
                        && !self.model.hints.sizes.contains_key(&c);
                    found = found.or_else(|| Some((c, self.extent(other, 0)?)).filter(|_| open));
                }
            }
            let Some((c, n)) = found else { break };
            self.model.hints.sizes.insert(c, n);
        }
    }

    /// The number of elements of a set, from 1 to 1024, if its form or an equation tells.
    fn extent(&self, e: &Expr, depth: usize) -> Option<usize> {
        const LARGEST: usize = 1024;
        let number = |e: &Expr| match &e.kind {
            ExprKind::Integer(n) => Some(n.clone()),
            _ => None,
        };
        let n = match &e.kind {
            ExprKind::Carrier(c) => match &self.model.carriers[c.index()].kind {
                CarrierKind::Enumerated(elements) => elements.len(),
                CarrierKind::Deferred => *self.model.hints.sizes.get(c)?,
            },
            ExprKind::Set(BuiltinSet::Bool) => 2,
            ExprKind::Binary(BinaryOp::Interval, a, b) => {
                (&(&number(b)? - &number(a)?) + &Int::ONE).to_usize()?
            }
            ExprKind::Binary(BinaryOp::Cartesian, a, b) => {
                self.extent(a, depth)?.checked_mul(self.extent(b, depth)?)?
            }
            ExprKind::Unary(UnaryOp::Pow, s) => 1usize.checked_shl(self.extent(s, depth)? as u32)?,
            ExprKind::SetExtension(items) => {
                let values: std::collections::BTreeSet<_> =
                    items.iter().map(number).collect::<Option<_>>()?;
                values.len()
            }
            ExprKind::Const(_) if depth < 8 => {
                self.model.axiom_parts().iter().find_map(|part| match &part.kind {
                    PredKind::Compare(CompareOp::Equal, c, value) if c.kind == e.kind => {
                        self.extent(value, depth + 1)
                    }
                    _ => None,
                })?
            }
            _ => return None,
        };
        (1..=LARGEST).contains(&n).then_some(n)
    }

    /// `SET_PREF_SHOW_EVENTB_ANY_VALUES == TRUE`: what an outermost `ANY` of an operation without parameters chooses
    /// is shown as its parameters.
    pub(super) fn show_choices_as_parameters(&mut self) {
        if self.model.hints.preferences.get("SHOW_EVENTB_ANY_VALUES").is_none_or(|text| text != "TRUE") {
            return;
        }
        for event in self.model.events.iter_mut().filter(|e| e.parameters.is_empty()) {
            let body = std::mem::replace(&mut event.body.kind, SubstKind::Skip);
            event.body.kind = match body {
                SubstKind::Any(choice, locals, guard, inner) => {
                    event.parameters = locals;
                    let branches = vec![(guard, *inner)];
                    SubstKind::Select { choice, branches, otherwise: None, from_pre: false }
                }
                other => other,
            };
        }
    }

    /// Reads `GOAL`. One that does not check is ignored with a warning.
    pub(super) fn goal(&mut self) {
        let Some(entry) = self.names.definitions.get("GOAL") else { return };
        let (DefinitionBody::Expr(body) | DefinitionBody::Either(body, _)) = &entry.body else { return };
        if !entry.parameters.is_empty() {
            return;
        }
        let said = self.diagnostics.len();
        let mut goal = self.pred(body);
        self.finish_group();
        self.close_pred(&mut goal);
        if self.diagnostics.len() == said {
            self.model.goal = Some(goal);
            return;
        }
        let first = self.diagnostics.drain(said..).next();
        if let Some(first) = first {
            self.diagnostics.push(Diagnostic {
                severity: Severity::Warning,
                code: codes::IGNORED_DEFINITION,
                message: format!("`GOAL` is ignored: {}", first.message),
                ..first
            });
        }
    }

    fn size(&self, e: &ast::Expr) -> Option<usize> {
        match &e.kind {
            Ast::Binary(In::Interval, a, b) => {
                let (a, b) = (self.number(a, 0)?, self.number(b, 0)?);
                (&(&b - &a) + &Int::ONE).to_usize()
            }
            _ => self.number(e, 0)?.to_usize(),
        }
    }

    // The value of a number written with literals and definitions.
    fn number(&self, e: &ast::Expr, depth: usize) -> Option<Int> {
        if depth > 100 {
            return None;
        }
        match &e.kind {
            Ast::Integer(text) => text.parse().ok(),
            Ast::Unary(InUnary::Minus, a) => Some(-&self.number(a, depth + 1)?),
            Ast::Binary(op, a, b) => {
                let (a, b) = (self.number(a, depth + 1)?, self.number(b, depth + 1)?);
                match op {
                    In::Plus => Some(&a + &b),
                    In::Minus => Some(&a - &b),
                    In::Times => Some(&a * &b),
                    In::Power => a.pow(&b),
                    _ => None,
                }
            }
            Ast::Ident(name) => match &self.names.definitions.get(name)?.body {
                DefinitionBody::Expr(body) | DefinitionBody::Either(body, _) => self.number(body, depth + 1),
                DefinitionBody::Subst(_) => None,
            },
            _ => None,
        }
    }

    fn plain_text(&self, e: &ast::Expr) -> String {
        match &e.kind {
            Ast::String(text) => text.clone(),
            Ast::Constant(Constant::True) => "TRUE".into(),
            Ast::Constant(Constant::False) => "FALSE".into(),
            _ => pred::fold_text(self.model.sources.text(e.span)),
        }
    }
}
