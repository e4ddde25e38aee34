//! Comparison of proved formulas with the present text of the user's file.
//!
//! Rodin's stamps tie a status to its obligation, and nothing ties the obligation to the file that a user, or another
//! program, may have changed since. So the predicates quoted by the obligations (axioms, invariants, guards) and those
//! of the checked machine (actions, witnesses too) are compared with the files that they name as their source.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use roxmltree::Document;

use super::handle::Handle;
use super::unchecked::{Labelled, Unchecked};
use crate::error::PoError;
use crate::sources::xml::{self, attribute};

/// Formulas of all files, without differences of layout.
pub struct Formulas {
    /// By component, then by kind.
    all: BTreeMap<String, Texts>,
}

#[derive(Default)]
struct Texts {
    predicates: BTreeSet<String>,
    guards: BTreeSet<String>,
    actions: BTreeSet<String>,
    witnesses: BTreeSet<String>,
}

impl Formulas {
    /// Collects the formulas of these components.
    pub fn new<'a>(components: impl Iterator<Item = (&'a str, &'a Unchecked)>) -> Formulas {
        let mut all = BTreeMap::new();
        for (name, unchecked) in components {
            let mut texts = Texts::default();
            add(&mut texts.predicates, &unchecked.predicates);
            for event in &unchecked.events {
                add(&mut texts.guards, &event.guards);
                add(&mut texts.actions, &event.actions);
                add(&mut texts.witnesses, &event.witnesses);
            }
            all.insert(name.to_string(), texts);
        }
        Formulas { all }
    }

    /// Returns a formula that a file quotes and its source no longer contains.
    pub fn changed(&self, document: &Document<'_>) -> Option<String> {
        for node in document.root_element().descendants().filter(roxmltree::Node::is_element) {
            let (kind, text) = match xml::tag(node) {
                "poPredicate" | "scInvariant" | "scAxiom" | "scGuard" | "scWitness" => {
                    (xml::tag(node), attribute(node, "predicate"))
                }
                "scAction" => ("scAction", attribute(node, "assignment")),
                _ => continue,
            };
            // The goal of a sequent has the substitution applied.
            let is_goal = node.parent().is_some_and(|p| xml::tag(p) == "poSequent");
            let local = node.parent().is_some_and(|p| p.attribute("name") == Some("SEQHYP"));
            let (false, false, Some(text), Some(source)) = (is_goal, local, text, attribute(node, "source"))
            else {
                continue;
            };
            let Some(source) = Handle::parse(source) else { continue };
            let Some(said) = self.all.get(source.component()) else {
                return Some(format!("`{}` that it was proven with is gone", source.file));
            };
            let kind_of = source.steps.last().map(|s| s.kind.as_str()).unwrap_or_default();
            let (word, known) = match kind_of {
                "invariant" | "axiom" | "theorem" => (kind_of, &said.predicates),
                "guard" => ("guard", &said.guards),
                // A hypothesis that comes from an action is its before-after predicate.
                "action" if kind == "scAction" => ("action", &said.actions),
                "witness" if kind == "scWitness" => ("witness", &said.witnesses),
                _ => continue,
            };
            if !known.contains(&fold(text)) {
                return Some(format!(
                    "the {word} `{}` of {} that it was proven with is gone",
                    text.trim(),
                    source.component()
                ));
            }
        }
        None
    }

    /// Returns an action of the user that the checked machine lacks: an event does more than was proved.
    pub fn added(name: &str, unchecked: &Unchecked, checked: &Document<'_>) -> Option<String> {
        let mut known: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for event in xml::children(checked.root_element(), "scEvent") {
            let label = attribute(event, "label").unwrap_or_default().trim().to_string();
            let actions = xml::children(event, "scAction").filter_map(|a| attribute(a, "assignment"));
            known.entry(label).or_default().extend(actions.map(fold));
        }
        for event in &unchecked.events {
            let Some(actions) = known.get(&event.label) else {
                return Some(format!("the event {} of {name} is newer", event.label));
            };
            if let Some(new) = event.actions.iter().find(|a| !actions.contains(&fold(&a.text))) {
                return Some(format!("the action `{}` of {} is newer", new.text.trim(), event.label));
            }
        }
        None
    }
}

/// Reads a checked machine or context.
///
/// # Errors
/// The text is not XML, or has another root.
pub fn checked<'a>(place: &Path, text: &'a str, is_context: bool) -> Result<Document<'a>, PoError> {
    let document = xml::parse(place, text)?;
    xml::root(place, &document, if is_context { "scContextFile" } else { "scMachineFile" })?;
    Ok(document)
}

fn add(to: &mut BTreeSet<String>, formulas: &[Labelled]) {
    to.extend(formulas.iter().map(|f| fold(&f.text)));
}

/// Returns a formula without the parts that Rodin adds and drops when it prints: white space, parentheses, the types of
/// generic constants and bound variables. `f(x) ≔ E` is printed as an override, `{E ∣ P}` with its bound variables.
pub fn fold(text: &str) -> String {
    let chars: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
    if let Some((target, argument, rest)) = function_update(&chars) {
        let (argument, rest): (String, String) = (argument.iter().collect(), rest.iter().collect());
        return format!("{target}≔{target}\u{e103}{{{}↦{}}}", fold(&argument), fold(&rest));
    }
    let mut out = Vec::with_capacity(chars.len());
    let mut i = 0;
    while i < chars.len() {
        match chars[i] {
            '⦂' => i = after_type(&chars, i + 1),
            '(' | ')' => i += 1,
            c => {
                out.push(c);
                i += 1;
            }
        }
    }
    comprehensions(&out)
}

/// Rewrites `{E∣P}` and `{x·P∣E}` as `{P∣E}`.
fn comprehensions(chars: &[char]) -> String {
    let mut out = String::with_capacity(chars.len());
    let mut i = 0;
    while i < chars.len() {
        let end = (chars[i] == '{').then(|| closing(chars, i)).flatten();
        let Some(end) = end else {
            out.push(chars[i]);
            i += 1;
            continue;
        };
        let inside = &chars[i + 1..end];
        let bound = inside.iter().position(|c| !is_name(*c) && *c != ',').filter(|&p| inside[p] == '·');
        let parts = match bound {
            Some(dot) => (comprehensions(&inside[dot + 1..]), None),
            None => match bar(inside) {
                Some(bar) => (comprehensions(&inside[bar + 1..]), Some(comprehensions(&inside[..bar]))),
                None => (comprehensions(inside), None),
            },
        };
        match parts {
            (all, None) => out.push_str(&format!("{{{all}}}")),
            (predicate, Some(element)) => out.push_str(&format!("{{{predicate}∣{element}}}")),
        }
        i = end + 1;
    }
    out
}

/// Returns the `}` of a `{`.
fn closing(chars: &[char], open: usize) -> Option<usize> {
    let mut depth = 0;
    for (i, c) in chars.iter().enumerate().skip(open) {
        depth += i32::from(*c == '{') - i32::from(*c == '}');
        if depth == 0 {
            return Some(i);
        }
    }
    None
}

/// Returns the `∣` of a set that is written `{E∣P}`, unless it may belong to a quantifier.
fn bar(inside: &[char]) -> Option<usize> {
    let mut depth = 0;
    for (i, c) in inside.iter().enumerate() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            'λ' | '⋃' | '⋂' => return None,
            '∣' if depth == 0 => return Some(i),
            _ => {}
        }
    }
    None
}

/// Splits `f(x)≔E` into f, x and E.
fn function_update(chars: &[char]) -> Option<(String, &[char], &[char])> {
    let assign = chars.iter().position(|c| *c == '≔')?;
    let open = chars[..assign].iter().position(|c| *c == '(')?;
    let left = &chars[..assign];
    if left.last() != Some(&')') || !left[..open].iter().all(|c| is_name(*c)) {
        return None;
    }
    Some((left[..open].iter().collect(), &left[open + 1..assign - 1], &chars[assign + 1..]))
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$' | '\'')
}

/// Returns the position behind the type that begins here: names, `T(…)`, `(…)`, joined by `×`.
fn after_type(chars: &[char], mut i: usize) -> usize {
    loop {
        while i < chars.len() && is_name(chars[i]) {
            i += 1;
        }
        if chars.get(i) == Some(&'(') {
            let mut depth = 0;
            while i < chars.len() {
                depth += i32::from(chars[i] == '(') - i32::from(chars[i] == ')');
                i += 1;
                if depth == 0 {
                    break;
                }
            }
        }
        if chars.get(i) != Some(&'×') {
            return i;
        }
        i += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printing_by_rodin_makes_no_difference() {
        let check = |user: &str, rodin: &str| assert_eq!(fold(user), fold(rodin));
        check("a ∈ 0 ‥ 5 ", "a∈0 ‥ 5");
        check("(a = ∅) ∧ b=1", "a=(∅ ⦂ ℙ(S×(T×ℤ)))∧b=1");
        check("∀x,y·x ∈ S ⇒ y∈ T", "∀x⦂S,y⦂ℙ(T)·x∈S⇒y∈T");
        check("f(x) ≔ y + 1", "f ≔ f\u{e103}{x ↦ y+1}");
        check("f(g(x)) ≔ f(y)", "f ≔ f\u{e103}{g(x) ↦ f(y)}");
        check("P = { i ∣ i ∈ ℕ ∧ (∀ A · A ⊆ S) }", "P={i⦂ℤ·i∈ℕ∧(∀A⦂ℙ(S)·A⊆S) ∣ i}");
        check("{f(x) ∣ x ∈ {y ∣ y>0}}", "{x⦂ℤ·x∈{y⦂ℤ·y>0 ∣ y} ∣ f(x)}");
        assert_ne!(fold("{x ∣ x>0}"), fold("{x ∣ x>1}"));
        assert_ne!(fold("a ≔ 1"), fold("a ≔ 2"));
        assert_ne!(fold("a ∈ {∅ ⦂ ℙ(S), b}"), fold("a ∈ {∅ ⦂ ℙ(S)}"));
    }
}
