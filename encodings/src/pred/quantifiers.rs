//! Universal and existential quantifiers.

use bsym_language::model::{LocalId, Pred, PredKind};

use super::instances::Body;
use crate::symbolic::encoder::{Encoder, Env};
use crate::symbolic::{StatePredicate, Unsupported};
use crate::term::Terms;

impl Encoder {
    /// `!x.(P => Q)`: instances where x ranges over few values, else a quantifier.
    pub(super) fn forall(
        &mut self,
        env: &Env,
        locals: &[LocalId],
        body: &Pred,
    ) -> Result<StatePredicate, Unsupported> {
        let t = self.terms.clone();
        let (given, conclusion) = match &body.kind {
            PredKind::Implies(p, q) => (Body::of(p), &**q),
            _ => (Body { conjuncts: vec![] }, body),
        };
        let (mut holds, mut defined) = (vec![], vec![]);
        for i in self.instances(env, locals, &given)? {
            let (range, inner) = self.bind_rest(&i);
            let p = self.conjunction(&inner, &i.rest)?;
            let (mut then, mut meaning) = (Terms::TRUE, p.defined);
            if p.holds != Terms::FALSE {
                let q = self.pred(&inner, conclusion)?;
                then = t.implies(p.holds, q.holds);
                meaning = t.and([p.defined, t.implies(p.holds, q.defined)]);
            }
            let whole = self.every(&range, t.implies(i.guard, then));
            holds.push(whole);
            defined.push(i.defined);
            let whole = self.every(&range, t.implies(i.guard, meaning));
            defined.push(whole);
            self.close(range);
        }
        Ok(StatePredicate { holds: t.and(holds), defined: t.and(defined) })
    }

    /// `#x.(P)`
    pub(super) fn exists(
        &mut self,
        env: &Env,
        locals: &[LocalId],
        body: &Pred,
    ) -> Result<StatePredicate, Unsupported> {
        let t = self.terms.clone();
        let (mut holds, mut defined) = (vec![], vec![]);
        for i in self.instances(env, locals, &Body::of(body))? {
            let (range, inner) = self.bind_rest(&i);
            let p = self.conjunction(&inner, &i.rest)?;
            let whole = self.some(&range, t.and([i.guard, p.holds]));
            holds.push(whole);
            defined.push(i.defined);
            let whole = self.every(&range, t.implies(i.guard, p.defined));
            defined.push(whole);
            self.close(range);
        }
        Ok(StatePredicate { holds: t.or(holds), defined: t.and(defined) })
    }
}
