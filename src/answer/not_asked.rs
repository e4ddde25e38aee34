//! What an answer says nothing about, although the machine speaks of it.

use bsym_language::model::Model;
use bsym_proofs::claim::Property;
use schemars::JsonSchema;
use serde::Serialize;

use super::words::words;

/// Definitions with temporal formulas, by the beginning of their names, and what is to be said of them.
const TEMPORAL: [(&str, &str); 2] =
    [("ASSERT_LTL", "`bsym ltl` checks it"), ("ASSERT_CTL", "`bsym ltl` checks it")];

words! {
    /// What can be left unasked.
    NotAskedKind {
        Invariant = "inv",
        Assertions = "assertions",
        Deadlock = "deadlock",
        Goal = "goal",
        Temporal = "temporal",
        Variant = "variant",
        Refinement = "refinement",
    }
}

/// Something that was not asked.
#[derive(Serialize, JsonSchema, Clone, PartialEq, Eq, Debug)]
pub struct NotAskedObject {
    pub property: NotAskedKind,
    /// In words.
    pub text: String,
}

impl NotAskedObject {
    /// The comparison of a refinement with its abstraction.
    pub fn refinement(model: &Model) -> NotAskedObject {
        let nearest = model.refinement.refined.as_ref().and_then(|refined| refined.levels.first());
        let name =
            nearest.map_or("its abstraction", |l| model.text.components[l.component.index()].name.as_str());
        let text = format!("that it refines {name} (`bsym refine`)");
        NotAskedObject { property: NotAskedKind::Refinement, text }
    }
}

/// What was not asked of a machine.
pub fn not_asked(model: &Model, asked: &[Property]) -> Vec<NotAskedObject> {
    let mut all = vec![];
    let mut add = |property: NotAskedKind, text: String| all.push(NotAskedObject { property, text });
    let count = |is: fn(&Property) -> bool| asked.iter().filter(|p| is(p)).count();
    let conjuncts = count(|p| matches!(p, Property::Invariant(_)));
    let assertions = count(|p| matches!(p, Property::Assertion(_)));
    for (property, what, part, n, of) in [
        (
            NotAskedKind::Invariant,
            "the invariant",
            "conjuncts of the invariant",
            conjuncts,
            model.invariant.len(),
        ),
        (NotAskedKind::Assertions, "the assertions", "assertions", assertions, model.assertions.len()),
    ] {
        match of.saturating_sub(n) {
            0 => {}
            _ if n == 0 => add(property, format!("{what} (--prop {})", property.word())),
            left => add(property, format!("{left} of {of} {part}")),
        }
    }
    if !asked.contains(&Property::DeadlockFree) {
        add(NotAskedKind::Deadlock, "deadlock freedom (--prop deadlock)".into());
    }
    if model.definitions.goal.is_some() && !asked.contains(&Property::NoGoal) {
        add(NotAskedKind::Goal, "whether the goal is reached (--prop goal)".into());
    }
    for entry in model.definitions.main.iter() {
        let name = &entry.name.name;
        if let Some((_, what)) = TEMPORAL.iter().find(|(prefix, _)| name.starts_with(prefix)) {
            add(NotAskedKind::Temporal, format!("{name} ({what})"));
        }
    }
    if !model.refinement.variants.is_empty() {
        add(NotAskedKind::Variant, "that convergent events decrease the variant".into());
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use bsym_language::load::load_text;

    fn names(text: &str, asked: &[Property]) -> Vec<String> {
        let model = load_text("m.mch", text).model.expect("a machine");
        not_asked(&model, asked).into_iter().map(|n| n.text).collect()
    }

    #[test]
    fn what_the_machine_speaks_of_is_named() {
        let text = "MACHINE m DEFINITIONS GOAL == (x = 3); ASSERT_LTL1 == \"G {x < 4}\" VARIABLES x INVARIANT x : NAT & x < 9
            ASSERTIONS x < 4 INITIALISATION x := 0 OPERATIONS up = x := x + 1 END";
        let all = [
            Property::Invariant(0),
            Property::Invariant(1),
            Property::Assertion(0),
            Property::DeadlockFree,
            Property::NoGoal,
        ];
        assert_eq!(names(text, &all), ["ASSERT_LTL1 (`bsym ltl` checks it)"]);
        assert_eq!(
            names(text, &all[..1]),
            [
                "1 of 2 conjuncts of the invariant",
                "the assertions (--prop assertions)",
                "deadlock freedom (--prop deadlock)",
                "whether the goal is reached (--prop goal)",
                "ASSERT_LTL1 (`bsym ltl` checks it)",
            ]
        );
        assert_eq!(names("MACHINE m END", &[]), ["deadlock freedom (--prop deadlock)"]);
    }
}
