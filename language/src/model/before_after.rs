//! Before-after predicates: a substitution as a predicate of B on the values before and after it (B-Book, 6.3.2:
//! `prd`), made of its [`paths`].

use std::collections::{BTreeMap, BTreeSet};

use super::paths::{Demand, NoPaths, Path, Walker};
use super::visit::{Names, Replacement};
use super::*;
use crate::text::source::Span;
use crate::tuning::tuning;

/// Names of the values after: of variables and of results.
pub type After = BTreeMap<Target, Expr>;

/// Returns the before-after predicate of a substitution that writes at most the targets of `after`. It is true of the
/// values that an execution can lead to, and of all values where a condition is false that must hold. A value that is
/// overwritten is not part of it, even where it is ill-defined.
///
/// The model, which declares the names of the substitution, gets a local for each choice. Results have no value before;
/// nor have the variables if this is an initialisation.
///
/// # Errors
/// The paths of the substitution cannot be listed.
pub fn before_after(
    model: &mut Model,
    s: &Subst,
    after: &After,
    is_initialisation: bool,
) -> Result<Pred, NoPaths> {
    let frame: BTreeSet<Target> = after.keys().copied().collect();
    let is_unassigned = |t: &&Target| is_initialisation || matches!(t, Target::Local(_));
    let unassigned = frame.iter().filter(is_unassigned).copied().collect();
    Writer { model, after, start: Path { unassigned, ..Path::default() } }.pred(s, &frame)
}

struct Writer<'a> {
    model: &'a mut Model,
    after: &'a After,
    start: Path,
}

impl Writer<'_> {
    /// Keeps the form of conditions and of parts side by side at the beginning: paths of the parts are not multiplied.
    fn pred(&mut self, s: &Subst, frame: &BTreeSet<Target>) -> Result<Pred, NoPaths> {
        match &s.kind {
            SubstKind::Pre(p, body) | SubstKind::Assert(_, p, body) => {
                let body = self.pred(body, frame)?;
                Ok(PredKind::Implies(Box::new(p.clone()), Box::new(body)).at(s.span))
            }
            SubstKind::Select { branches, otherwise: None, .. } if branches.len() == 1 => {
                let (guard, body) = &branches[0];
                Ok(Pred::all(vec![guard.clone(), self.pred(body, frame)?], s.span))
            }
            SubstKind::Parallel(list) => {
                let mut rest = frame.clone();
                let mut parts = vec![];
                for part in list {
                    let names = Names::of_subst(part);
                    let written = names.written.iter().map(|v| Target::Var(*v));
                    let locals = names.written_locals.iter().map(|l| Target::Local(*l));
                    let own = written.chain(locals).filter(|t| rest.remove(t)).collect();
                    parts.push(self.pred(part, &own)?);
                }
                parts.push(self.paths(&SubstKind::Skip.at(s.span), &rest)?);
                Ok(Pred::all(parts, s.span))
            }
            _ => self.paths(s, frame),
        }
    }

    /// Returns the disjunction of the paths, and of their beginnings after which a condition is false that must hold.
    fn paths(&mut self, s: &Subst, frame: &BTreeSet<Target>) -> Result<Pred, NoPaths> {
        let mut ways = vec![];
        let mut demand = |at: &Path, demand: Demand, p: &Pred| {
            if demand != Demand::Defined {
                ways.push(taken(at, vec![PredKind::Not(Box::new(p.clone())).at(p.span)], s.span));
            }
        };
        let first = LocalId(self.model.locals.len() as u32);
        let mut walker = Walker::new(self.model, tuning().check.paths, first, &mut demand);
        let ends = walker.run(s, self.start.clone())?;
        let chosen = walker.chosen().to_vec();
        for end in ends {
            let mut updates = vec![];
            for target in frame {
                let after = &self.after[target];
                let value = match (end.value(*target), target) {
                    (Some(value), _) => value.clone(),
                    (None, Target::Var(_)) if end.unassigned.contains(target) => {
                        return Err(NoPaths::Uninitialised(s.span));
                    }
                    (None, Target::Var(v)) => ExprKind::Var(*v).typed(after.ty.clone(), s.span),
                    // A result that is not written has any value.
                    (None, Target::Local(_)) => continue,
                };
                updates.push(Pred::compare(CompareOp::Equal, after.clone(), value, s.span));
            }
            ways.push(taken(&end, updates, s.span));
        }
        self.model.locals.extend(chosen);
        Ok(if ways.len() == 1 { ways.remove(0) } else { PredKind::Or(ways).at(s.span) })
    }
}

/// States that a path is taken, and more at its end.
fn taken(path: &Path, end: Vec<Pred>, span: Span) -> Pred {
    let body = Pred::all(path.guard.iter().cloned().chain(end).collect(), span);
    match path.choices.is_empty() {
        true => body,
        false => PredKind::Exists(path.choices.clone(), Box::new(body)).at(span),
    }
}

/// Returns the conjuncts of a predicate, at any depth of `&`, without those that are plainly true.
pub fn conjuncts(p: &Pred) -> Vec<&Pred> {
    match &p.kind {
        PredKind::And(list) => list.iter().flat_map(conjuncts).collect(),
        PredKind::True => vec![],
        PredKind::Compare(CompareOp::Equal, l, r) if same::same_expr(l, r) => vec![],
        _ => vec![p],
    }
}

/// Simplifies a predicate by removing bound names that an equation determines (one-point rule), at its outermost
/// quantifiers.
pub fn without_determined(p: &Pred) -> Pred {
    let parts: Vec<Pred> = conjuncts(p).into_iter().map(simplified).collect();
    Pred::all(parts.iter().flat_map(conjuncts).cloned().collect(), p.span)
}

fn simplified(p: &Pred) -> Pred {
    match &p.kind {
        PredKind::Exists(locals, body) => {
            let (mut locals, mut body) = (locals.clone(), without_determined(body));
            while let Some((local, value)) = determined(&locals, &body) {
                let names = Replacement { locals: [(local, value)].into(), ..Replacement::default() };
                locals.retain(|l| *l != local);
                body = without_determined(&names.in_pred(&body));
            }
            if locals.is_empty() { body } else { PredKind::Exists(locals, Box::new(body)).at(p.span) }
        }
        PredKind::Or(list) => PredKind::Or(list.iter().map(without_determined).collect()).at(p.span),
        PredKind::Implies(l, r) => PredKind::Implies(l.clone(), Box::new(without_determined(r))).at(p.span),
        _ => p.clone(),
    }
}

fn determined(locals: &[LocalId], body: &Pred) -> Option<(LocalId, Expr)> {
    conjuncts(body).into_iter().find_map(|p| {
        let PredKind::Compare(CompareOp::Equal, l, r) = &p.kind else { return None };
        [(l, r), (r, l)].into_iter().find_map(|(name, value)| match name.kind {
            ExprKind::Local(local)
                if locals.contains(&local)
                    && locals.iter().all(|l| !Names::of_expr(value).locals.contains(l)) =>
            {
                Some((local, (**value).clone()))
            }
            _ => None,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::load_text;
    use crate::print;

    /// Returns the before-after predicate of an operation with a result, as text.
    fn predicate(body: &str) -> Result<String, NoPaths> {
        let text = format!(
            "MACHINE M VARIABLES x, y, f INVARIANT x : INTEGER & y : INTEGER & f : INTEGER +-> INTEGER
             INITIALISATION x, y, f := 0, 0, {{}} OPERATIONS r <-- go = BEGIN {body} END END"
        );
        let mut model = load_text("M.mch", &text).model.expect("the machine checks");
        let event = model.events[0].clone();
        let mut after = After::new();
        for v in Names::of_subst(&event.body).written {
            let Variable { name, ty, span } = model.variables[v.index()].clone();
            let local = LocalId(model.locals.len() as u32);
            model.locals.push(Variable { name: format!("{name}'"), ty: ty.clone(), span });
            after.insert(Target::Var(v), ExprKind::Local(local).typed(ty, span));
        }
        let result = event.results[0];
        let Variable { ty, span, .. } = model.locals[result.index()].clone();
        after.insert(Target::Local(result), ExprKind::Local(result).typed(ty, span));
        let p = before_after(&mut model, &event.body, &after, false)?;
        Ok(print::pred(&model, &without_determined(&p)).replace('`', ""))
    }

    fn check(body: &str, expected: &str) {
        assert_eq!(predicate(body).expect(body), expected, "{body}");
    }

    #[test]
    fn a_choice_is_written_as_it_was() {
        check("x :: 1..3 || r := y", "x' : 1 .. 3 & r = y");
        check("x, y :: {1 |-> 2} || r := 0", "x' |-> y' : {1 |-> 2} & r = 0");
        check("x : (x > x$0 & x < y) || r := 0", "x' > x & x' < y & r = 0");
        check("ANY z WHERE z : 1..x THEN x := x - z || r := z END", "r : 1 .. x & x' = x - r");
        check(
            "CHOICE x := 1; r := 0 OR y, r := 2, 0 END",
            "(x' = 1 & y' = y & r = 0) or (x' = x & y' = 2 & r = 0)",
        );
    }

    #[test]
    fn parts_side_by_side_stay_apart() {
        check(
            "IF x = 0 THEN x := 1 END || SELECT y = 0 THEN y := 1 ELSE y := 2 END || r := x",
            "((x = 0 & x' = 1) or (not(x = 0) & x' = x)) & ((y = 0 & y' = 1) or (not(y = 0) & y' = 2)) & r = x",
        );
        check(
            "ASSERT x = 0 THEN SELECT y = 0 THEN x := 1 || r := y END END",
            "x = 0 => y = 0 & x' = 1 & r = y",
        );
    }

    #[test]
    fn a_sequence_builds_on_its_parts() {
        check("x := x + 1; r := x * 2", "x' = x + 1 & r = (x + 1) * 2");
        check("VAR l IN l := x; x := y; y := l END; r := y", "x' = y & y' = x & r = x");
        check("x :: 1..y; r := x + 1", "x' : 1 .. y & r = x' + 1");
    }

    #[test]
    fn anything_happens_where_a_condition_is_false() {
        check(
            "CHOICE PRE x = 0 THEN r := 1 END OR r := 2 END; PRE r > y THEN r := y END",
            "not(x = 0) or (x = 0 & not(1 > y)) or not(2 > y) or (x = 0 & 1 > y & r = y) or (2 > y & r = y)",
        );
    }

    #[test]
    fn what_has_no_paths_has_no_predicate() {
        let round = "r := 0; WHILE x < 3 DO x := x + 1 INVARIANT x : INTEGER VARIANT 3 - x END";
        assert!(matches!(predicate(round), Err(NoPaths::Loop(_))));
        let halves = ["IF x > 0 THEN x := 1 - x END"; 7].join(";");
        assert!(matches!(predicate(&format!("{halves}; r := 0")), Err(NoPaths::TooMany(_))));
    }
}
