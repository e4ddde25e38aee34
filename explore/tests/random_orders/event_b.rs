//! Random projects of Event-B: a machine and its refinement, with parameters, guards, witnesses and a carrier set.

use std::collections::BTreeMap;

use super::generate::Dice;

/// The files of a project, by name; the refinement is `M1.bum`.
pub fn project(seed: u64) -> BTreeMap<String, String> {
    let mut draw = Draw { dice: Dice::new(seed ^ 0x5EED), element: 0 };
    BTreeMap::from([
        ("C0.buc".to_owned(), draw.context()),
        ("M0.bum".to_owned(), draw.abstraction()),
        ("M1.bum".to_owned(), draw.refinement()),
    ])
}

struct Draw {
    dice: Dice,
    element: usize,
}

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>";

impl Draw {
    fn name(&mut self) -> usize {
        self.element += 1;
        self.element
    }

    /// An element of a file, with attributes and what is inside.
    fn node(&mut self, tag: &str, attributes: &[(&str, &str)], inside: &str) -> String {
        let escaped = |s: &str| s.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let attributes: String = attributes
            .iter()
            .map(|(name, value)| format!(" org.eventb.core.{name}=\"{}\"", escaped(value)))
            .collect();
        format!(
            "<org.eventb.core.{tag} name=\"_{}\"{attributes}>{inside}</org.eventb.core.{tag}>",
            self.name()
        )
    }

    fn file(tag: &str, inside: &[String]) -> String {
        let configuration = "org.eventb.core.configuration=\"org.eventb.core.fwd\" version=\"5\"";
        format!(
            "{HEAD}\n<org.eventb.core.{tag} {configuration}>\n{}\n</org.eventb.core.{tag}>",
            inside.join("\n")
        )
    }

    fn context(&mut self) -> String {
        let mut all = vec![
            self.node("carrierSet", &[("identifier", "S")], ""),
            self.node("constant", &[("identifier", "a")], ""),
            self.node("constant", &[("identifier", "b")], ""),
            self.node("constant", &[("identifier", "k")], ""),
        ];
        let axiom = if self.dice.percent(60) {
            "partition(S, {a}, {b})"
        } else {
            "a ∈ S ∧ b ∈ S ∧ a ≠ b ∧ S = {a, b}"
        };
        let numbers = if self.dice.percent(70) { "k = 1" } else { "k ∈ 1‥2" };
        all.push(self.node("axiom", &[("label", "axm1"), ("predicate", axiom)], ""));
        all.push(self.node("axiom", &[("label", "axm2"), ("predicate", numbers)], ""));
        Self::file("contextFile", &all)
    }

    fn number(&mut self, parameter: Option<&str>) -> String {
        let fixed =
            ["0", "1", "k", "x", "card(s)", "card(f[{1}])", "card(dom(f))", "card(r[{a}])", "x + 1", "f(1)"];
        let which = self.dice.below(fixed.len() + 2);
        match (which, parameter) {
            (10, Some(p)) => p.to_owned(),
            (11, Some(p)) => format!("card(f[{{{p}}}])"),
            (w, _) => fixed[w % fixed.len()].to_owned(),
        }
    }

    fn truth(&mut self, parameter: Option<&str>) -> String {
        let n = self.number(parameter);
        let point = match parameter {
            Some(p) if self.dice.percent(50) => p.to_owned(),
            _ => "1".to_owned(),
        };
        match self.dice.below(14) {
            0 => format!("{point} ∈ dom(f)"),
            1 => format!("{point} ∉ dom(f)"),
            2 => "a ∈ s".to_owned(),
            3 => "b ∉ s".to_owned(),
            4 => format!("{point} ∈ dom(f) ∧ f({point}) = 0"),
            5 => "r[{a}] = ∅".to_owned(),
            6 => "s = ∅".to_owned(),
            7 => "a ↦ TRUE ∈ r".to_owned(),
            8 => format!("f({point}) = 1"),
            9 => "∃i·i ∈ dom(f) ∧ f(i) = 1".to_owned(),
            10 => format!("x < {n}"),
            11 => format!("¬(x = {n} ∧ a ∈ s)"),
            12 => format!("f[{{{point}}}] = ∅ ⇒ x = {n}"),
            _ => format!("x = {n}"),
        }
    }

    /// What one variable gets.
    fn action(&mut self, variable: &str, parameter: Option<&str>) -> String {
        let n = self.number(parameter);
        let point = parameter.filter(|_| self.dice.percent(60)).unwrap_or("1").to_owned();
        let image = if self.dice.percent(60) { "0".to_owned() } else { n.clone() };
        let which = self.dice.below(5);
        match (variable, which) {
            ("y", 0 | 1) => "y ≔ (y + 1) mod 3".to_owned(),
            ("y", 2) => "y :∈ 0‥2".to_owned(),
            ("y", 3) => format!("y ≔ min({{2, {n}}})"),
            ("y", _) => format!("y ≔ {n}"),
            ("x", 0) => "x ≔ (x + 1) mod 3".to_owned(),
            ("x", 1) => "x :∈ 0‥2".to_owned(),
            ("x", 2) => "x :∣ x' ∈ 0‥2 ∧ x' ≠ x".to_owned(),
            ("x", 3) => format!("x ≔ min({{2, {n}}})"),
            ("x", _) => format!("x ≔ {n}"),
            ("f", 0) => format!("f({point}) ≔ {image}"),
            ("f", 1) => format!("f ≔ {{{point}}} ⩤ f"),
            ("f", 2) => format!("f ≔ f  {{{point} ↦ {image}, 2 ↦ 0}}"),
            ("f", 3) => "f ≔ ∅".to_owned(),
            ("f", _) => format!("f ≔ f ∪ {{{point} ↦ {image}}}"),
            ("s", 0) => "s ≔ s ∪ {a}".to_owned(),
            ("s", 1) => "s ≔ s ∖ {a}".to_owned(),
            ("s", 2) => "s ≔ s ∪ {b}".to_owned(),
            ("s", 3) => "s :∈ {∅, {b}}".to_owned(),
            ("s", _) => "s ≔ dom(r)".to_owned(),
            (_, 0) => "r ≔ r ∪ {a ↦ TRUE}".to_owned(),
            (_, 1) => "r ≔ r ∖ {a ↦ TRUE}".to_owned(),
            (_, 2) => "r ≔ {a} ⩤ r".to_owned(),
            (_, 3) => "r ≔ r ∪ {b ↦ bool(1 ∈ dom(f))}".to_owned(),
            _ => "r ≔ r  {b ↦ FALSE}".to_owned(),
        }
    }

    /// Parameters, guards and actions of an event, with what it refines and witnesses in front.
    fn event(
        &mut self,
        label: &str,
        refined: Option<&str>,
        mut inside: Vec<String>,
        variables: &[&str],
    ) -> String {
        if let Some(target) = refined {
            inside.push(self.node("refinesEvent", &[("target", target)], ""));
        }
        let mut left: Vec<&str> = variables.to_vec();
        let parameter = self.dice.percent(40).then_some("p");
        if let Some(p) = parameter {
            inside.push(self.node("parameter", &[("identifier", p)], ""));
            let set = ["1‥2", "1‥2", "dom(f)"][self.dice.below(3)];
            inside.push(self.node("guard", &[("label", "typ"), ("predicate", &format!("p ∈ {set}"))], ""));
        }
        for i in 0..1 + self.dice.below(2) {
            let guard = self.truth(parameter);
            inside.push(self.node("guard", &[("label", &format!("grd{i}")), ("predicate", &guard)], ""));
        }
        for i in 0..1 + self.dice.below(2) {
            if left.is_empty() {
                break;
            }
            let variable = left.swap_remove(self.dice.below(left.len()));
            let action = self.action(variable, parameter);
            inside.push(self.node("action", &[("label", &format!("act{i}")), ("assignment", &action)], ""));
        }
        self.node("event", &[("convergence", "0"), ("extended", "false"), ("label", label)], &inside.concat())
    }

    fn start(&mut self, assignments: &[&str]) -> String {
        let label = |i: usize| format!("act{i}");
        let actions: String = assignments
            .iter()
            .enumerate()
            .map(|(i, text)| self.node("action", &[("label", &label(i)), ("assignment", text)], ""))
            .collect();
        self.node(
            "event",
            &[("convergence", "0"), ("extended", "false"), ("label", "INITIALISATION")],
            &actions,
        )
    }

    fn invariant(&mut self, label: &str, pred: &str) -> String {
        self.node("invariant", &[("label", label), ("predicate", pred)], "")
    }

    fn variables(&mut self, names: &[&str]) -> Vec<String> {
        names.iter().map(|name| self.node("variable", &[("identifier", name)], "")).collect()
    }

    fn abstraction(&mut self) -> String {
        let mut all = vec![self.node("seesContext", &[("target", "C0")], "")];
        all.extend(self.variables(&["x", "f", "s", "r"]));
        all.push(self.invariant("inv1", "x ∈ 0‥2"));
        let function = ["f ∈ 1‥2 ⇸ 0‥1", "f ∈ 1‥2 ⇸ 0‥1", "f ∈ 1‥2 ⇸ ℤ"][self.dice.below(3)];
        all.push(self.invariant("inv2", function));
        all.push(self.invariant("inv3", "s ⊆ S"));
        all.push(self.invariant("inv4", "r ∈ S ↔ BOOL"));
        for i in 0..self.dice.below(3) {
            let pred = format!("{} ∨ {}", self.truth(None), self.truth(None));
            let pred = pred.split(" ∨ ").map(|part| format!("({part})")).collect::<Vec<_>>().join(" ∨ ");
            all.push(self.invariant(&format!("more{i}"), &pred));
        }
        let f = ["f ≔ ∅", "f ≔ {1 ↦ 0}", "f ≔ {1 ↦ 1, 2 ↦ 0}"][self.dice.below(3)];
        let s = ["s ≔ ∅", "s ≔ {a}"][self.dice.below(2)];
        all.push(self.start(&["x ≔ 0", f, s, "r ≔ {b ↦ TRUE}"]));
        for i in 0..2 + self.dice.below(2) {
            all.push(self.event(&format!("e{i}"), None, vec![], &["x", "f", "s", "r"]));
        }
        let chosen = self.node("parameter", &[("identifier", "q")], "");
        let guard = self.node("guard", &[("label", "grd1"), ("predicate", "q ∈ 0‥2")], "");
        let action = self.node("action", &[("label", "act1"), ("assignment", "x ≔ q")], "");
        let attributes = [("convergence", "0"), ("extended", "false"), ("label", "put")];
        all.push(self.node("event", &attributes, &[chosen, guard, action].concat()));
        Self::file("machineFile", &all)
    }

    fn refinement(&mut self) -> String {
        let mut all = vec![
            self.node("refinesMachine", &[("target", "M0")], ""),
            self.node("seesContext", &[("target", "C0")], ""),
        ];
        all.extend(self.variables(&["x", "f", "s", "r", "y", "z"]));
        all.push(self.invariant("inv1", "y ∈ 0‥2"));
        all.push(self.invariant("inv2", "z ∈ 0‥2"));
        if self.dice.percent(30) {
            let pred = self.truth(None);
            all.push(self.invariant("more", &pred));
        }
        all.push(self.start(&["x ≔ 0", "f ≔ {1 ↦ 0}", "s ≔ ∅", "r ≔ {b ↦ TRUE}", "y ≔ 0", "z ≔ 0"]));
        for i in 0..2 + self.dice.below(2) {
            all.push(self.event(&format!("new{i}"), None, vec![], &["y"]));
        }
        // An event whose parameter has disappeared: the witness says which one it stands for.
        let witness = ["q = y", "q = min({2, y + 1})", "q = 1"][self.dice.below(3)];
        let refines = self.node("refinesEvent", &[("target", "put")], "");
        let guard = self.truth(None);
        let guard = self.node("guard", &[("label", "grd1"), ("predicate", &guard)], "");
        let witness = self.node("witness", &[("label", "q"), ("predicate", witness)], "");
        let value = ["x ≔ y", "x ≔ min({2, y + 1})", "x ≔ 1"][self.dice.below(3)];
        let action = self.node("action", &[("label", "act1"), ("assignment", value)], "");
        let attributes = [("convergence", "0"), ("extended", "false"), ("label", "put")];
        all.push(self.node("event", &attributes, &[refines, guard, witness, action].concat()));
        let guard = self.node("guard", &[("label", "grd1"), ("predicate", "z ∈ 0‥2")], "");
        let action = self.node("action", &[("label", "act1"), ("assignment", "z ≔ (z + 1) mod 3")], "");
        let attributes = [("convergence", "0"), ("extended", "false"), ("label", "round")];
        all.push(self.node("event", &attributes, &[guard, action].concat()));
        // Abstract events that are kept as they are.
        for i in 0..2 {
            let label = format!("e{i}");
            let refines = self.node("refinesEvent", &[("target", &label)], "");
            let attributes = [("convergence", "0"), ("extended", "true"), ("label", label.as_str())];
            all.push(self.node("event", &attributes, &refines));
        }
        Self::file("machineFile", &all)
    }
}
