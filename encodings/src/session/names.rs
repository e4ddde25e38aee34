//! Names that a solver accepts: printable between bars, and none used twice.

use rustc_hash::FxHashSet;

/// Names given out so far.
#[derive(Debug, Default)]
pub(super) struct Names {
    used: FxHashSet<String>,
    numbered: usize,
}

/// Part of every bound symbol's name and of no other.
pub(super) const BOUND: &str = " bound ";

/// Words with a meaning of their own to some solver, even between bars.
const RESERVED: &[&str] = &[
    "Array",
    "Bool",
    "Int",
    "Real",
    "String",
    "Set",
    "Seq",
    "Bag",
    "Relation",
    "FiniteSet",
    "RegLan",
    "RegEx",
    "Tuple",
    "UnitTuple",
    "Unicode",
    "Char",
    "RoundingMode",
    "FloatingPoint",
    "BitVec",
    "List",
    "Pair",
    "RegExp",
    "true",
    "false",
    "let",
    "forall",
    "exists",
    "lambda",
    "select",
    "store",
    "const",
    "as",
    "ite",
    "not",
    "and",
    "or",
    "xor",
    "distinct",
    "div",
    "mod",
    "abs",
    "rem",
    "union",
    "intersection",
    "setminus",
    "subset",
    "complement",
    "member",
    "insert",
    "map",
    "is",
    "if",
    "par",
    "_",
    "!",
    "match",
    "iff",
    "implies",
    "empty",
    "root-obj",
    "to_int",
    "to_real",
    "is_int",
    "divisible",
    "Nat",
    "T",
    "Float16",
    "Float32",
    "Float64",
    "Float128",
    "real.pi",
    "pi",
    "e",
    "sin",
    "cos",
    "tan",
    "exp",
    "sqrt",
    "card",
    "tuple",
    "nil",
    "default",
    "nth",
    "update",
    "choose",
    "is_singleton",
    "int2bv",
    "bv2nat",
    "seq",
    "set",
    "bag",
    "str",
    "rel",
];

/// The name without what cannot stand between the bars of a quoted symbol.
fn printable(name: &str) -> String {
    name.chars().map(|c| if c == '|' || c == '\\' || c.is_control() { '_' } else { c }).collect()
}

impl Names {
    /// A name that looks like `wanted` and was not given out before.
    pub fn unique(&mut self, wanted: &str) -> String {
        let name = printable(wanted);
        // A leading `@` or `.` is for the solver's own symbols.
        let free = !name.is_empty()
            && !name.starts_with(['@', '.'])
            && !name.contains(BOUND)
            && !RESERVED.contains(&name.as_str());
        if free && self.used.insert(name.clone()) {
            return name;
        }
        self.fresh(&format!("n{}", name.replace(BOUND, "_")))
    }

    /// A name that starts with `prefix` and was not given out before.
    pub fn fresh(&mut self, prefix: &str) -> String {
        loop {
            let name = format!("{prefix}!{}", self.numbered);
            self.numbered += 1;
            if self.used.insert(name.clone()) {
                return name;
            }
        }
    }
}

/// The name as an SMT-LIB symbol.
pub(super) fn quoted(name: &str) -> String {
    let simple = |c: char| c.is_ascii_alphanumeric() || "~!@$%^&*_-+=<>.?/".contains(c);
    if !name.is_empty() && name.chars().all(simple) && !name.starts_with(|c: char| c.is_ascii_digit()) {
        name.to_string()
    } else {
        format!("|{name}|")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_printable() {
        let mut names = Names::default();
        assert_eq!(names.unique("x"), "x");
        assert_ne!(names.unique("x"), "x");
        assert_eq!(names.unique("a|b\\c"), "a_b_c");
        assert_ne!(names.unique("a_b_c"), "a_b_c");
        assert_ne!(names.unique("Int"), "Int");
        assert_ne!(names.unique(""), "");
        assert_ne!(names.unique("@x"), "@x");
    }

    #[test]
    fn quoting_where_needed() {
        assert_eq!(quoted("x'"), "|x'|");
        assert_eq!(quoted("x@1"), "x@1");
        assert_eq!(quoted("1x"), "|1x|");
        assert_eq!(quoted("α"), "|α|");
    }
}
