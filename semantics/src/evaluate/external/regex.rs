//! `LibraryRegex.def`: regular expressions as in ECMAScript, as far as they are regular.
//!
//! Patterns that need backtracking, and text outside ASCII, where classes such as `\w` differ, have no
//! value here.

use bsym_language::model::ExternalFunction as F;
use bsym_language::source::Span;
use regex::{Captures, Regex};

use crate::error::EvalError;
use crate::evaluator::{Eval, Evaluator};
use crate::value::Value;

impl Evaluator<'_> {
    /// Returns the value of a function on regular expressions; `None` if it is not one.
    pub(super) fn regex_function(&self, f: F, args: &[Value], at: Span) -> Eval<Option<Value>> {
        let text = |v: &Value| match v {
            Value::String(s) if s.is_ascii() && !s.contains(['\n', '\r']) => Ok(s.to_string()),
            Value::String(_) => {
                let message = format!("`{}` is evaluated on single lines of ASCII only", f.name());
                Err(EvalError::unsupported(at, message))
            }
            _ => Err(self.confused(at)),
        };
        let pattern = |v: &Value, whole: bool| {
            let p = text(v)?;
            let p = if whole { format!("^(?:{p})$") } else { p };
            Regex::new(&p).map_err(|_| {
                EvalError::unsupported(at, format!("the pattern {} is not supported", self.short(v)))
            })
        };
        Ok(Some(match (f, args) {
            (F::RegexMatch | F::GetIsRegexMatch, [s, p]) => {
                Value::Bool(pattern(p, true)?.is_match(&text(s)?))
            }
            (F::IsRegex | F::GetIsRegex, [p]) => Value::Bool(pattern(p, false).map(|_| true)?),
            (F::RegexReplace, [s, p, new]) => {
                let (s, new) = (text(s)?, text(new)?);
                Value::string(
                    pattern(p, false)?.replace_all(&s, |c: &Captures<'_>| expand(&new, c)).into_owned(),
                )
            }
            (F::RegexSearchStr, [s, p]) => {
                let s = text(s)?;
                Value::string(pattern(p, false)?.find(&s).map_or("", |m| m.as_str()))
            }
            (F::RegexSearchAll, [s, p]) => {
                let s = text(s)?;
                let found: Vec<Value> =
                    pattern(p, false)?.find_iter(&s).map(|m| Value::string(m.as_str())).collect();
                Value::sequence(found)
            }
            (F::RegexSearch, [s, from, p]) => {
                let s = text(s)?;
                let start = self.int(from, at)?.to_usize().and_then(|n| n.checked_sub(1));
                let Some(start) = start.filter(|n| *n <= s.len()) else {
                    return Err(EvalError::ill_defined(at, "REGEX_SEARCH from outside the string"));
                };
                let p = pattern(p, false)?;
                let Some(found) = p.captures(&s[start..]) else {
                    return Err(EvalError::unsupported(at, "REGEX_SEARCH found nothing"));
                };
                record(&found, start)
            }
            _ => return Ok(None),
        }))
    }
}

fn record(found: &Captures<'_>, start: usize) -> Value {
    let (position, whole) = found.get(0).map_or((0, ""), |m| (m.start() + start + 1, m.as_str()));
    let parts = found.iter().skip(1).map(|m| Value::string(m.map_or("", |m| m.as_str())));
    let fields = [
        ("length", Value::int(whole.len() as i64)),
        ("position", Value::int(position as i64)),
        ("string", Value::string(whole)),
        ("submatches", Value::sequence(parts)),
    ];
    Value::Record(fields.into_iter().map(|(l, v)| (l.into(), v)).collect::<Vec<_>>().into())
}

/// Expands `$1`, `$&` and `$$` in the text that replaces a match.
fn expand(new: &str, found: &Captures<'_>) -> String {
    let mut out = String::new();
    let mut rest = new;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let digits = rest.bytes().take_while(u8::is_ascii_digit).take(2).count();
        if digits > 0 {
            let group = rest[..digits].parse().ok().and_then(|n: usize| found.get(n));
            out.push_str(group.map_or("", |m| m.as_str()));
            rest = &rest[digits..];
        } else if let Some(after) = rest.strip_prefix('&') {
            out.push_str(found.get(0).map_or("", |m| m.as_str()));
            rest = after;
        } else {
            out.push('$');
            rest = rest.strip_prefix('$').unwrap_or(rest);
        }
    }
    out + rest
}
