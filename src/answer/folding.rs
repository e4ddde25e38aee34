//! Values as people read them: intervals and sequences are written as such, long sets are folded, and of a long set that
//! changes only the change is written.
//!
//! It works on the text of a value, which has no white space outside of strings and couples in parentheses.

use std::collections::{HashMap, HashSet};

use bsym_language::model::{Model, Notation};

use crate::tuning::tuning;

/// How values are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reading {
    /// `[a, b]` for `{1 |-> a, 2 |-> b}`, which not every notation has.
    pub sequences: bool,
    /// Long sets are written without what is in the middle.
    pub folded: bool,
}

/// Whether values of a model may be written as sequences.
pub fn has_sequences(model: &Model) -> bool {
    model.text.notation == Notation::ClassicalB
}

/// A value as people read it.
pub fn readable(value: &str, reading: Reading) -> String {
    if let Some(elements) = elements(value) {
        return set(&elements, reading);
    }
    match couple(value) {
        Some((left, right)) => format!("({}|->{})", inner(left, reading), inner(right, reading)),
        None => value.to_string(),
    }
}

/// A value inside another one.
fn inner(value: &str, reading: Reading) -> String {
    let text = readable(value, reading);
    let is_interval = !value.contains("..") && text.contains("..") && !text.contains(['{', '(', '[', '"']);
    if is_interval { format!("({text})") } else { text }
}

fn set(elements: &[&str], reading: Reading) -> String {
    if let Some(interval) = interval(elements) {
        return interval;
    }
    let images = if reading.sequences { sequence(elements) } else { None };
    let (open, close, parts) = match &images {
        Some(images) => ('[', ']', &images[..]),
        None => ('{', '}', elements),
    };
    let texts: Vec<String> = parts.iter().map(|part| inner(part, reading)).collect();
    let whole = format!("{open}{}{close}", texts.join(","));
    if !reading.folded
        || texts.len() < tuning().listed.folded_set
        || whole.chars().count() <= tuning().listed.folded_text
    {
        return whole;
    }
    let mut length = 0;
    let mut shown = 0;
    while shown < 3 || length < tuning().listed.folded_shown {
        length += texts[shown].chars().count() + 1;
        shown += 1;
    }
    let rest = texts.len() - shown;
    match rest {
        0..3 => whole,
        _ => format!("{open}{}, … {rest} more{close}", texts[..shown].join(",")),
    }
}

/// What has changed from one value of a variable to the next, where that says more than the folded value.
pub fn change(before: &str, after: &str, reading: Reading) -> Option<String> {
    if !reading.folded || after.chars().count() <= tuning().listed.folded_text {
        return None;
    }
    let (old, new) = (elements(before)?, elements(after)?);
    if new.len() < tuning().listed.folded_set {
        return None;
    }
    let (is_old, is_new): (HashSet<&str>, HashSet<&str>) =
        (old.iter().copied().collect(), new.iter().copied().collect());
    let lost: Vec<&str> = old.iter().copied().filter(|e| !is_new.contains(e)).collect();
    let won: Vec<&str> = new.iter().copied().filter(|e| !is_old.contains(e)).collect();
    if lost.len() + won.len() > tuning().listed.folded_set.min(new.len() / 2) {
        return None;
    }
    // A function that has another value at a point.
    let images: HashMap<&str, &str> = lost.iter().filter_map(|e| couple(e)).collect();
    let is_moved = |e: &&str| couple(e).is_some_and(|(point, _)| images.contains_key(point));
    let mut parts = vec![];
    for (point, image) in won.iter().filter(|e| is_moved(e)).filter_map(|e| couple(e)) {
        parts.push(format!("at {point}: {} to {}", inner(images[point], reading), inner(image, reading)));
    }
    let moved: HashSet<&str> = won.iter().filter_map(|e| couple(e)).map(|(point, _)| point).collect();
    let list = |sign: &str, elements: Vec<&str>| {
        let texts: Vec<String> = elements.iter().map(|e| inner(e, reading)).collect();
        (!texts.is_empty()).then(|| format!("{sign} {{{}}}", texts.join(",")))
    };
    parts.extend(list("plus", won.into_iter().filter(|e| !is_moved(e)).collect()));
    let gone = lost.into_iter().filter(|e| couple(e).is_none_or(|(point, _)| !moved.contains(point)));
    parts.extend(list("minus", gone.collect()));
    Some(format!("{}   ({} elements)", parts.join(", "), new.len()))
}

/// The parts of a text between commas that stand in no bracket and no string; `None` where brackets do not match.
pub fn arguments(text: &str) -> Option<Vec<&str>> {
    split(text, |rest| rest.starts_with(',').then_some(1))
}

/// The elements of a set that is listed.
fn elements(value: &str) -> Option<Vec<&str>> {
    let inner = value.strip_prefix('{')?.strip_suffix('}')?;
    let parts = split(inner, |rest| rest.starts_with(',').then_some(1))?;
    // `{x|P}` is no list.
    let is_list = parts
        .iter()
        .all(|part| split(part, |rest| rest.starts_with('|').then_some(1)).is_some_and(|p| p.len() == 1));
    (is_list && !inner.is_empty()).then_some(parts)
}

/// The parts of a couple.
fn couple(value: &str) -> Option<(&str, &str)> {
    let inner = value.strip_prefix('(')?.strip_suffix(')')?;
    match split(inner, |rest| rest.starts_with("|->").then_some(3))?[..] {
        [left, right] => Some((left, right)),
        _ => None,
    }
}

/// The parts between separators that stand in no bracket and no string. `separator` says how long the one is that the rest of
/// the text begins with.
fn split(text: &str, separator: impl Fn(&str) -> Option<usize>) -> Option<Vec<&str>> {
    let (mut parts, mut from, mut depth) = (vec![], 0, 0usize);
    let mut skip = 0;
    let (mut in_string, mut escaped) = (false, false);
    for (at, c) in text.char_indices() {
        if at < skip {
            continue;
        }
        if in_string {
            in_string = escaped || c != '"';
            escaped = c == '\\' && !escaped;
            continue;
        }
        match c {
            '"' => in_string = true,
            '{' | '(' | '[' => depth += 1,
            '}' | ')' | ']' => depth = depth.checked_sub(1)?,
            _ if depth == 0 => {
                if let Some(length) = separator(&text[at..]) {
                    parts.push(&text[from..at]);
                    from = at + length;
                    skip = from;
                }
            }
            _ => {}
        }
    }
    parts.push(&text[from..]);
    (depth == 0 && !in_string).then_some(parts)
}

/// Three numbers or more without a gap.
fn interval(elements: &[&str]) -> Option<String> {
    let numbers: Vec<i128> = elements.iter().map(|e| e.parse().ok()).collect::<Option<_>>()?;
    let is_dense = numbers.windows(2).all(|pair| pair[0].checked_add(1) == Some(pair[1]));
    (numbers.len() > 2 && is_dense).then(|| format!("{}..{}", numbers[0], numbers[numbers.len() - 1]))
}

/// The images of 1, 2, 3 and so on.
fn sequence<'a>(elements: &[&'a str]) -> Option<Vec<&'a str>> {
    let image = |(i, element): (usize, &&'a str)| {
        let (place, image) = couple(element)?;
        (place.parse() == Ok(i + 1)).then_some(image)
    };
    elements.iter().enumerate().map(image).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const READING: Reading = Reading { sequences: true, folded: true };

    #[test]
    fn intervals_and_sequences_are_written_as_such() {
        let check = |value: &str, text: &str| assert_eq!(readable(value, READING), text, "{value}");
        check("{1,2,3,4}", "1..4");
        check("{-1,0,1}", "-1..1");
        check("{1,2}", "{1,2}");
        check("{1,2,4}", "{1,2,4}");
        check("{(1|->a),(2|->b)}", "[a,b]");
        check("{(0|->a),(1|->b)}", "{(0|->a),(1|->b)}");
        check("{(a|->{1,2,3})}", "{(a|->(1..3))}");
        check("{(1|->{(1|->\"}\\\",\")}),(2|->{})}", "[[\"}\\\",\"],{}]");
        check("{x|x>=3}", "{x|x>=3}");
        check("((1|->2)|->{3,4,5})", "((1|->2)|->(3..5))");
        check("(0..7)", "(0..7)");
        check("{}", "{}");
        let as_set = Reading { sequences: false, folded: true };
        assert_eq!(readable("{(1|->a)}", as_set), "{(1|->a)}");
    }

    fn large(n: usize, at: impl Fn(usize) -> String) -> String {
        format!("{{{}}}", (0..n).map(|i| format!("(book{i:02}|->{})", at(i))).collect::<Vec<_>>().join(","))
    }

    #[test]
    fn a_long_set_is_folded_and_its_change_is_written() {
        let before = large(40, |_| "shelf".into());
        let text = readable(&before, READING);
        assert!(text.ends_with("… 36 more}") && text.chars().count() < tuning().listed.folded_text, "{text}");
        assert_eq!(readable(&before, Reading { folded: false, ..READING }), before);
        let after = large(41, |i| if i == 3 { "lent" } else { "shelf" }.into());
        assert_eq!(
            change(&before, &after, READING).as_deref(),
            Some("at book03: shelf to lent, plus {(book40|->shelf)}   (41 elements)")
        );
        assert_eq!(
            change(&after, &large(39, |i| if i == 3 { "lent" } else { "shelf" }.into()), READING).as_deref(),
            Some("minus {(book39|->shelf),(book40|->shelf)}   (39 elements)")
        );
        assert_eq!(change(&before, &large(40, |_| "lent".into()), READING), None);
        assert_eq!(change("{a}", "{a,b}", READING), None);
    }
}
