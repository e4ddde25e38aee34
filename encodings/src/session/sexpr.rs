//! S-expressions, as solvers print them.

/// An S-expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Sexpr {
    /// A symbol without its bars, a keyword or a numeral.
    Atom(String),
    /// A string literal.
    Text(String),
    /// A list.
    List(Vec<Sexpr>),
}

impl Sexpr {
    /// The symbol or numeral.
    pub fn atom(&self) -> Option<&str> {
        match self {
            Sexpr::Atom(a) => Some(a),
            _ => None,
        }
    }

    /// The parts of a list; none of anything else.
    pub fn list(&self) -> &[Sexpr] {
        match self {
            Sexpr::List(l) => l,
            _ => &[],
        }
    }

    /// The arguments of a list that starts with `head`.
    pub fn applied(&self, head: &str) -> Option<&[Sexpr]> {
        match self.list().split_first() {
            Some((Sexpr::Atom(h), args)) if h == head => Some(args),
            _ => None,
        }
    }
}

/// Reads all S-expressions of a text. `None` if it ends in the middle of one.
pub(super) fn read(text: &str) -> Option<Vec<Sexpr>> {
    let mut open: Vec<Vec<Sexpr>> = vec![vec![]];
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            ';' => while chars.next_if(|&c| c != '\n').is_some() {},
            '(' => open.push(vec![]),
            ')' => {
                let list = open.pop()?;
                open.last_mut()?.push(Sexpr::List(list));
            }
            '"' => {
                let mut s = String::new();
                loop {
                    match chars.next()? {
                        '"' if chars.next_if_eq(&'"').is_some() => s.push('"'),
                        '"' => break,
                        c => s.push(c),
                    }
                }
                open.last_mut()?.push(Sexpr::Text(s));
            }
            '|' => {
                let mut s = String::new();
                loop {
                    match chars.next()? {
                        '|' => break,
                        c => s.push(c),
                    }
                }
                open.last_mut()?.push(Sexpr::Atom(s));
            }
            c if c.is_whitespace() => {}
            c => {
                let mut s = String::from(c);
                // cvc5 writes `@|a b|_0` for an element of the sort `|a b|`.
                let mut barred = false;
                while let Some(c) = chars.next_if(|&c| barred || (!c.is_whitespace() && !"();\"".contains(c)))
                {
                    if c == '|' { barred = !barred } else { s.push(c) }
                }
                if barred {
                    return None;
                }
                open.last_mut()?.push(Sexpr::Atom(s));
            }
        }
    }
    let all = open.pop()?;
    open.is_empty().then_some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let read = read(text);
        let shown = read.map_or("-".into(), |all| all.iter().map(show).collect::<Vec<_>>().join(" "));
        assert_eq!(shown, expected, "{text}");
    }

    fn show(s: &Sexpr) -> String {
        match s {
            Sexpr::Atom(a) => format!("<{a}>"),
            Sexpr::Text(t) => format!("{t:?}"),
            Sexpr::List(l) => format!("({})", l.iter().map(show).collect::<String>()),
        }
    }

    #[test]
    fn atoms_lists_and_quotes() {
        check("sat", "<sat>");
        check("(a (b) |c d|)", "(<a>(<b>)<c d>)");
        check("(error \"a \"\"b\"\" (\")", r#"(<error>"a \"b\" (")"#);
        check("; comment (\n x", "<x>");
        check("(a;b\n)", "(<a>)");
        check("()", "()");
        check("(as @|a b|_0 |a b|)", "(<as><@a b_0><a b>)");
    }

    #[test]
    fn unfinished_text_is_told() {
        for text in ["(", "(a", "|a", "\"a", ")", "(a))"] {
            check(text, "-");
        }
    }
}
