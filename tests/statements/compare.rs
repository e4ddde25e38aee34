//! Contradictions between two answers.

use super::run::Answer;

/// Two answers that cannot both be right, or a single answer that cannot be right.
#[derive(Clone, Debug)]
pub struct Contradiction {
    /// Short and the same for the same kind of contradiction.
    pub kind: &'static str,
    pub left: Answer,
    pub right: Answer,
    pub detail: String,
}

/// Finds every contradiction between any two answers about one machine. `integers`: whether the machine speaks of the
/// implementable integers, so that answers for different ones say nothing about each other.
pub fn contradictions(answers: &[Answer], deferred: &[String], integers: bool) -> Vec<Contradiction> {
    let mut all = vec![];
    for a in answers {
        for b in answers {
            if a.question.wd != b.question.wd
                || integers && a.integers != b.integers
                || !covers(a, b, deferred)
            {
                continue;
            }
            for (kind, detail) in between(a, b, deferred) {
                all.push(Contradiction { kind, left: a.clone(), right: b.clone(), detail });
            }
        }
    }
    all.extend(answers.iter().filter_map(|a| exists_nowhere(a, answers, deferred)));
    all
}

/// A proof about any size of a machine that has no state with one, two or three elements. What is drawn
/// keeps no four elements apart.
fn exists_nowhere(a: &Answer, answers: &[Answer], deferred: &[String]) -> Option<Contradiction> {
    let vacuous = |n| {
        let of_size = |x: &&Answer| deferred.iter().all(|set| x.sizes.get(set) == Some(&n));
        answers.iter().filter(of_size).find(|x| x.question.engine == "mc" && x.verdict == "vacuous")
    };
    if deferred.is_empty() || a.verdict != "holds" || a.exit != 0 || !a.sizes.is_empty() {
        return None;
    }
    let (Some(_), Some(_), Some(right)) = (vacuous(1), vacuous(2), vacuous(3)) else { return None };
    let kind = "holds where nothing exists";
    Some(Contradiction { kind, left: a.clone(), right: right.clone(), detail: String::new() })
}

/// Returns whether an answer covers every size that the other covers.
fn covers(a: &Answer, b: &Answer, deferred: &[String]) -> bool {
    // A counterexample is one for its own sizes only; its answer was about all.
    deferred.iter().all(|set| match (a.sizes.get(set), b.sizes.get(set)) {
        (None, _) => true,
        (Some(n), Some(m)) => n == m,
        (Some(_), None) => false,
    })
}

/// Returns the contradictions where the first answer covers the second.
fn between(a: &Answer, b: &Answer, deferred: &[String]) -> Vec<(&'static str, String)> {
    let mut wrong = vec![];
    let same = covers(b, a, deferred);
    let claims = |x: &Answer| x.verdict == "holds" && x.exit == 0;
    if claims(a) && b.verdict == "violated" {
        wrong.push(("holds and violated", String::new()));
    }
    if a.verdict == "vacuous" && (b.verdict == "violated" || claims(b)) {
        wrong.push(("vacuous and not", String::new()));
    }
    for (place, verdict) in &a.conjuncts {
        if verdict == "holds" && !a.trusted && b.conjuncts.get(place).is_some_and(|v| v == "violated") {
            // If another conjunct is violated, a conjunct holds only on paths on which that one holds.
            if a.verdict == "holds" || a.question.every && b.question.every {
                wrong.push(("conjunct holds and violated", place.clone()));
            }
        }
    }
    // Breadth first: no shorter counterexample exists than the one that `mc` finds.
    let shortest = |x: &Answer| x.question.command() == "mc" && x.verdict == "violated";
    if same && shortest(a) && b.verdict == "violated" && b.depth < a.depth {
        wrong.push(("shorter than the shortest", format!("{:?} and {:?}", a.depth, b.depth)));
    }
    if a.verdict == "unknown"
        && !a.trusted
        && b.verdict == "violated"
        && let (Some(free), Some(depth)) = (a.depth, b.depth)
        && depth <= free
        && a.question.command() != "mc"
    {
        let kind = if a.certain {
            "violated within the depth"
        } else {
            "violated within the depth, parts of it open"
        };
        wrong.push((kind, format!("none within {free}, one after {depth}")));
    }
    if a.complete
        && b.complete
        && same
        && a.verdict == "holds"
        && let (Some(one), Some(other)) = (a.states, b.states)
        && one != other
    {
        wrong.push(("another number of states", format!("{one} and {other}")));
    }
    if a.complete && same && b.verdict == "violated" {
        let unknown: Vec<_> = b.violations.difference(&a.violations).collect();
        if a.verdict == "violated" && !unknown.is_empty() {
            wrong.push(("violation elsewhere", format!("{unknown:?} is none of {:?}", a.violations)));
        }
    }
    wrong
}
