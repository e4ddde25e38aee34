//! Random formulas about all sets, about some set, about sets of relations, and hypotheses beside goals.

use super::generate::Kind::{C, D, Int};
use super::generate::{Generator, Kind, listed};

/// Values of sets of relations: `D <-> D`, `C <-> D`, `(D * D) <-> D`, `D <-> (D * D)`, in this order.
pub fn values(g: &mut Generator) -> Vec<String> {
    let item: [fn(&mut Generator) -> String; 4] = [
        |g| format!("{} |-> {}", g.literal(D), g.literal(D)),
        |g| format!("{} |-> {}", g.literal(C), g.literal(D)),
        |g| format!("({} |-> {}) |-> {}", g.literal(D), g.literal(D), g.literal(D)),
        |g| format!("{} |-> ({} |-> {})", g.literal(D), g.literal(D), g.literal(D)),
    ];
    let mut all: Vec<Vec<String>> = vec![];
    for item in item {
        let n = g.below(4);
        let relation = |g: &mut Generator| {
            let n = g.below(4);
            let items = (0..n).map(|_| item(g)).collect();
            listed(items, &item(g))
        };
        all.push((0..=n).map(|_| relation(g)).collect());
    }
    // Some inverses are there as well.
    for (of, to) in [(0, 0), (2, 3), (3, 2)] {
        if g.below(2) == 0 {
            let inverse = format!("({}~)", all[of][0]);
            all[to].push(inverse);
        }
    }
    all.into_iter().map(|items| listed(items, "")).collect()
}

/// A formula, and one that is a hypothesis beside it where it is true.
pub fn formula(g: &mut Generator, depth: usize) -> (String, Option<String>) {
    match g.below(3) {
        0 => inclusion(g, depth),
        _ => (predicate(g, depth), None),
    }
}

/// A goal that is an inclusion, beside a hypothesis about all sets that mentions its lesser set.
fn inclusion(g: &mut Generator, depth: usize) -> (String, Option<String>) {
    let (k, lesser) = [(D, "ds"), (C, "cs")][g.below(2)];
    let p = g.name("p");
    let part = match g.below(4) {
        0 => format!("{p} <: {}", g.set(k, 0)),
        1 => format!("{}[{p}] <: {p}", g.relation(k, k, depth - 1)),
        2 => format!("{} : {p}", g.element(k, 0)),
        _ => under_set(g, &p, k, |g| g.predicate(depth - 1)),
    };
    let then = match g.below(3) {
        0 => format!("{lesser} <: {p}"),
        1 => format!("{lesser} /\\ {p} /= {lesser}"),
        _ => under_set(g, &p, k, |g| format!("({} => {lesser} <: {p})", g.predicate(depth - 1))),
    };
    let goal = format!("{lesser} <: {}", g.set(k, depth));
    (goal, Some(format!("!{p}.({p} : POW({}) & {part} => {then})", whole(k))))
}

fn whole(k: Kind) -> &'static str {
    match k {
        Int => "(0 .. 2)",
        C => "C",
        D => "D",
    }
}

fn under_set(g: &mut Generator, name: &str, k: Kind, f: impl FnOnce(&mut Generator) -> String) -> String {
    g.sets.push((name.into(), k));
    let text = f(g);
    g.sets.pop();
    text
}

fn under_relation(
    g: &mut Generator,
    name: &str,
    of: (Kind, Kind),
    f: impl FnOnce(&mut Generator) -> String,
) -> String {
    g.relations.push((name.into(), of));
    let text = f(g);
    g.relations.pop();
    text
}

fn predicate(g: &mut Generator, depth: usize) -> String {
    let n = depth - 1;
    match g.below(16) {
        0 | 1 => {
            let (p, k) = (g.name("p"), g.kind());
            let space = bounds(g, k);
            let body = under_set(g, &p, k, |g| format!("({} => {})", g.predicate(n), g.predicate(n)));
            format!("!{p}.({p} : {space} => {body})")
        }
        2..=5 => {
            let (p, k) = (g.name("p"), g.kind());
            let space = bounds(g, k);
            let (whole, other) = (g.set(k, n), g.set(k, n));
            let equation = match g.below(6) {
                0 => format!("{whole} = {other} \\/ {p}"),
                1 => format!("{p} \\/ {other} = {whole}"),
                2 => format!("{whole} = {other} - {p}"),
                3 => format!("{p} = {whole}"),
                4 => format!("{whole} = {p} - {other}"),
                _ => format!("{whole} - {p} = {other}"),
            };
            let body = under_set(g, &p, k, |g| g.predicate(n));
            match g.below(3) {
                0 => format!("#{p}.({p} : {space} & {equation})"),
                1 => format!("#{p}.({p} : {space} & {body} & {equation})"),
                _ => {
                    let (x, l) = (g.name("y"), g.kind());
                    let (space, set) = (bounds(g, k), g.set(l, 0));
                    format!("#({p}, {x}).({p} : {space} & {x} : {set} & {body} & {equation})")
                }
            }
        }
        6 => {
            // Two sets, one of which says what the other is.
            let (p, q, k) = (g.name("p"), g.name("q"), g.kind());
            let (space, set) = (bounds(g, k), g.set(k, 0));
            let body = under_set(g, &p, k, |g| under_set(g, &q, k, |g| g.predicate(n)));
            format!("#({p}, {q}).({p} : {space} & {q} : {space} & {set} = {q} \\/ {p} & {p} = {q} & {body})")
        }
        7 | 8 => {
            let f = g.name("f");
            let (of, space) = relations(g);
            let body = under_relation(g, &f, of, |g| format!("({} => {})", g.predicate(n), g.predicate(n)));
            format!("!{f}.({f} : {space} => {body})")
        }
        9 | 10 => {
            let f = g.name("f");
            let (of, space) = relations(g);
            let body = under_relation(g, &f, of, |g| {
                let r = g.relation(of.0, of.1, n);
                match g.below(3) {
                    0 => format!("{r} = {f} \\/ {} & {}", g.relation(of.0, of.1, 0), g.predicate(n)),
                    1 => format!("{f} = {r} & {}", g.predicate(n)),
                    _ => g.predicate(n),
                }
            });
            format!("#{f}.({f} : {space} & {body})")
        }
        11 => {
            let f = g.name("f");
            let (all, other) = [("rds", "rds"), ("ts", "us"), ("us", "ts")][g.below(3)];
            let set = match g.below(3) {
                0 => other.to_string(),
                1 => format!("({other} \\/ {{{f}~}})"),
                _ => format!("({other} - {{{f}~}})"),
            };
            match g.below(4) {
                0 => format!("!{f}.({f} : {all} => {f}~ : {set})"),
                1 => format!("#{f}.({f} : {all} & {f}~ : {set})"),
                2 => format!("!{f}.({f} : {all} => {f}~~ : {all})"),
                _ => format!("!{f}.({f} : {all} & {f}~ : {other} => {f}~ = {f}~~~)"),
            }
        }
        12 => {
            let h = g.name("h");
            let (all, other) = [("ts", "us"), ("us", "ts")][g.below(2)];
            let f = g.name("f");
            format!(
                "#({f}, {h}).({f} : {all} & {h} : {other} & {f}~ = {h} & {h}~ {} {f})",
                g.pick(&["=", "/="])
            )
        }
        13 => {
            let r = under_sets_of_relations(g, n);
            format!("{r} {} rds", g.pick(&[":", "/:"]))
        }
        14 => {
            let f = g.name("f");
            let x = g.element(D, 0);
            let y = g.element(D, 0);
            format!(
                "!{f}.({f} : rds & {f} : {} => {})",
                g.pick(&["D --> D", "D +-> D", "D >->> D", "D >+> D"]),
                match g.below(4) {
                    0 => format!("{x} |-> {f}({x}) : {f}"),
                    1 => format!("({x} |-> {y} : {f} => {f}({x}) = {y})"),
                    2 => format!("{f}[{{{x}}}] = {{{f}({x})}}"),
                    _ => format!("{f}~({f}({x})) = {x}"),
                }
            )
        }
        _ => format!("{} <: {}", g.pick(&["union(rds)", "inter(rds)", "union(rds)~"]), g.relation(D, D, n)),
    }
}

fn under_sets_of_relations(g: &mut Generator, n: usize) -> String {
    match g.below(3) {
        0 => format!("({}~)", g.relation(D, D, n)),
        1 => format!("(union(rds) ; {})", g.relation(D, D, n)),
        _ => g.relation(D, D, n),
    }
}

/// Subsets of a small set.
fn bounds(g: &mut Generator, k: Kind) -> String {
    match g.below(4) {
        0 => format!("POW1({})", g.set(k, 0)),
        1 => format!("POW({})", whole(k)),
        2 if k != Int => format!("POW({})", g.set(k, 1)),
        _ => format!("POW({})", g.set(k, 0)),
    }
}

/// Relations between sets with few elements, or those of a variable.
fn relations(g: &mut Generator) -> ((Kind, Kind), String) {
    let space = g.pick(&["<->", "+->", "-->", ">+>", ">->", "+->>", "-->>", ">->>", "<<->", "<->>"]);
    match g.below(6) {
        0 => ((D, D), "rds".into()),
        1 => ((C, D), "rcs".into()),
        2 => ((D, D), format!("({} {space} {})", g.set(D, 0), g.set(D, 0))),
        3 => ((C, D), format!("({} {space} {})", g.set(C, 0), g.set(D, 0))),
        4 => ((D, C), format!("({} {space} {})", g.set(D, 0), g.set(C, 0))),
        _ => ((D, D), format!("(rds /\\ ({} {space} {}))", g.set(D, 0), g.set(D, 0))),
    }
}
