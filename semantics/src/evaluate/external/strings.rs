//! `LibraryStrings.def`. A character is a Unicode scalar value; positions count from 1.

use bsym_language::int::Int;
use bsym_language::model::{CarrierKind, ExternalFunction as F};
use bsym_language::source::Span;
use bsym_language::types::Type;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Signed;

use crate::error::EvalError;
use crate::evaluator::{Eval, Evaluator};
use crate::tuning::Tuning;
use crate::value::Value;

impl Evaluator<'_> {
    /// Returns the value of a function on strings; `None` if it is not one.
    pub(super) fn string_function(&self, f: F, args: &[Value], ty: &Type, at: Span) -> Eval<Option<Value>> {
        let ill = |message: String| Err(EvalError::ill_defined(at, message));
        let text = |v: &Value| match v {
            Value::String(s) => Ok(s.to_string()),
            _ => Err(self.confused(at)),
        };
        Ok(Some(match (f, args) {
            (F::StringLength, [s]) => Value::int(text(s)?.chars().count() as i64),
            (F::StringAppend, [a, b]) => Value::string(text(a)? + &text(b)?),
            (F::StringRev, [s]) => Value::string(text(s)?.chars().rev().collect::<String>()),
            (F::StringConc, [list]) => Value::string(self.strings(f, list, at)?.concat()),
            (F::StringJoin, [list, separator]) => {
                Value::string(self.strings(f, list, at)?.join(&text(separator)?))
            }
            (F::StringSplit, [s, separator]) => {
                let (s, separator) = (text(s)?, text(separator)?);
                // Without a separator there is one part.
                let parts: Vec<&str> =
                    if separator.is_empty() { vec![&s] } else { s.split(separator.as_str()).collect() };
                Value::sequence(parts.into_iter().map(Value::string))
            }
            (F::StringChars, [s]) => Value::sequence(text(s)?.chars().map(|c| Value::string(c.to_string()))),
            (F::StringCodes, [s]) => {
                Value::sequence(text(s)?.chars().map(|c| Value::int(i64::from(u32::from(c)))))
            }
            (F::CodesToString, [list]) => {
                let codes = self.elements(list, at)?.ok_or_else(|| self.no_sequence(f, list, at))?;
                let chars = codes.iter().map(|n| {
                    let code = n.as_int().and_then(Int::to_i64).and_then(|n| u32::try_from(n).ok());
                    code.and_then(char::from_u32)
                });
                match chars.collect::<Option<String>>() {
                    Some(s) => Value::string(s),
                    None => return ill(format!("{} is no list of character codes", self.short(list))),
                }
            }
            (F::StringPadLeft, [s, width, with]) => {
                let (s, with) = (text(s)?, text(with)?);
                if with.chars().count() != 1 {
                    return ill("STRING_PADLEFT needs one character to pad with".into());
                }
                let missing = self.int(width, at)? - &Int::from(s.chars().count() as i64);
                match missing.to_i64() {
                    Some(n) if n <= 0 => Value::string(s),
                    Some(n) if n < Tuning::DEFAULT.evaluate.longest_string as i64 => {
                        Value::string(with.repeat(n as usize) + &s)
                    }
                    _ if missing.is_negative() => Value::string(s),
                    _ => return Err(EvalError::too_large(at, "the string would be too long")),
                }
            }
            (F::StringToUpper | F::StringToLower, [s]) => {
                let s = text(s)?;
                self.ascii(f, &s, at)?;
                let upper = f == F::StringToUpper;
                Value::string(if upper { s.to_ascii_uppercase() } else { s.to_ascii_lowercase() })
            }
            (F::StringEqualCaseInsensitive | F::GetStringEqualCaseInsensitive, [a, b]) => {
                let (a, b) = (text(a)?, text(b)?);
                self.ascii(f, &a, at)?;
                self.ascii(f, &b, at)?;
                Value::Bool(a.eq_ignore_ascii_case(&b))
            }
            (F::StringToInt, [s]) => {
                let s = text(s)?;
                match integer(&s) {
                    Some(n) => Value::Int(n),
                    None => return ill(format!("{s:?} is no integer")),
                }
            }
            (F::StringIsInt | F::GetStringIsInt, [s]) => Value::Bool(integer(&text(s)?).is_some()),
            (F::StringIsNumber | F::GetStringIsNumber, [s]) => {
                let s = text(s)?;
                Value::Bool(integer(&s).is_some() || is_decimal(&s))
            }
            (F::StringIsDecimal | F::GetStringIsDecimal, [s]) => Value::Bool(is_decimal(&text(s)?)),
            (F::StringIsAlphanumeric | F::GetStringIsAlphanumeric, [s]) => {
                let s = text(s)?;
                Value::Bool(!s.is_empty() && s.chars().all(|c| c.is_ascii_alphanumeric()))
            }
            (F::StringContainsString, [s, part]) => Value::Bool(text(s)?.contains(&text(part)?)),
            (F::StringReplace, [s, old, new]) => {
                let (s, old, new) = (text(s)?, text(old)?, text(new)?);
                if old.is_empty() {
                    return Err(EvalError::unsupported(at, "STRING_REPLACE of the empty string"));
                }
                if s.len().saturating_mul(new.len().max(1)) > Tuning::DEFAULT.evaluate.longest_string {
                    return Err(EvalError::too_large(at, "the string would be too long"));
                }
                Value::string(s.replace(&old, &new))
            }
            (F::SubString, _) => {
                let message =
                    "`SUB_STRING` is not evaluated: the meaning of its last argument is not settled";
                return Err(EvalError::unsupported(at, message));
            }
            (F::DecStringToInt, [s, precision]) => {
                let (s, precision) = (text(s)?, self.precision(precision, at)?);
                match decimal(&s) {
                    Some(r) => Value::Int(Int::from(round(&(r * power_of_ten(precision))))),
                    None => return ill(format!("{s:?} is no decimal number")),
                }
            }
            (F::IntToString, [n]) => Value::string(self.int(n, at)?.to_string()),
            (F::IntToDecString, [n, precision]) => {
                let n = self.int(n, at)?.to_big();
                Value::string(decimal_text(&n, self.precision(precision, at)?))
            }
            (F::IntToHexString, [n]) => Value::string(format!("{:x}", self.int(n, at)?.to_big())),
            (F::StringToEnum, [s]) => self.enumerated(&text(s)?, ty, at)?,
            (F::TypedStringToEnum, [set, s]) => {
                let value = self.enumerated(&text(s)?, ty, at)?;
                if !self.member(&value, set, at)? {
                    return ill(format!("{} is not in {}", self.short(&value), self.short(set)));
                }
                value
            }
            (F::ToString, [v]) => Value::string(self.shown(v)),
            (F::FormatToString, [format, list]) => {
                let format = text(format)?;
                let values = self.elements(list, at)?.ok_or_else(|| self.no_sequence(f, list, at))?;
                match formatted(&format, values.iter().map(|v| self.shown(v)).collect()) {
                    Some(s) => Value::string(s),
                    None => {
                        let n = values.len();
                        return ill(format!("the format {format:?} does not fit {n} values"));
                    }
                }
            }
            _ => return Ok(None),
        }))
    }

    /// Returns a value as text; a string without its quotes.
    fn shown(&self, v: &Value) -> String {
        match v {
            Value::String(s) => s.to_string(),
            other => self.text(other),
        }
    }

    fn no_sequence(&self, f: F, list: &Value, at: Span) -> EvalError {
        EvalError::ill_defined(at, format!("{} of {}, which is no sequence", f.name(), self.short(list)))
    }

    fn strings(&self, f: F, list: &Value, at: Span) -> Eval<Vec<String>> {
        let values = self.elements(list, at)?.ok_or_else(|| self.no_sequence(f, list, at))?;
        values
            .iter()
            .map(|v| match v {
                Value::String(s) => Ok(s.to_string()),
                _ => Err(self.confused(at)),
            })
            .collect()
    }

    // ProB also drops accents, by its own table.
    fn ascii(&self, f: F, s: &str, at: Span) -> Eval<()> {
        if s.is_ascii() {
            return Ok(());
        }
        Err(EvalError::unsupported(at, format!("{} is evaluated on ASCII letters only", f.name())))
    }

    fn precision(&self, n: &Value, at: Span) -> Eval<i32> {
        let n = self.int(n, at)?;
        let small = n.to_i64().filter(|n| n.abs() <= Tuning::DEFAULT.evaluate.decimal_places);
        let large = || EvalError::too_large(at, format!("{n} decimal places are too many"));
        small.map(|n| n as i32).ok_or_else(large)
    }

    fn enumerated(&self, s: &str, ty: &Type, at: Span) -> Eval<Value> {
        let none = || EvalError::ill_defined(at, format!("{s:?} is the name of no element"));
        match ty {
            Type::Bool if s == "TRUE" || s == "FALSE" => Ok(Value::Bool(s == "TRUE")),
            Type::Carrier(c) => match self.model.types.carriers.get(c.index()).map(|c| &c.kind) {
                Some(CarrierKind::Enumerated(names)) => {
                    let i = names.iter().position(|n| n == s).ok_or_else(none)?;
                    Ok(Value::Element(*c, i as u32))
                }
                _ => Err(EvalError::unsupported(at, "elements of deferred sets have no names")),
            },
            _ => Err(none()),
        }
    }
}

/// Reads an integer as ProB does: blanks before it, and between the sign and the digits; `0x` for hexadecimal digits.
fn integer(s: &str) -> Option<Int> {
    let s = s.trim_start();
    let (negative, digits) = match s.strip_prefix('-') {
        Some(rest) => (true, rest.trim_start()),
        None => (false, s),
    };
    let n = match digits.strip_prefix("0x") {
        Some(hex) if !hex.is_empty() && hex.bytes().all(|b| b.is_ascii_hexdigit()) => {
            BigInt::parse_bytes(hex.as_bytes(), 16)?
        }
        _ if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => digits.parse().ok()?,
        _ => return None,
    };
    Some(Int::from(if negative { -n } else { n }))
}

fn is_decimal(s: &str) -> bool {
    let s = s.strip_prefix('-').unwrap_or(s);
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    s.split_once('.').is_some_and(|(whole, fraction)| digits(whole) && digits(fraction))
}

/// Reads a decimal number; one side of the dot may be empty.
fn decimal(s: &str) -> Option<BigRational> {
    let s = s.trim_start();
    let (negative, s) = match s.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, s),
    };
    let (whole, fraction) = s.split_once('.').unwrap_or((s, ""));
    let digits = format!("{whole}{fraction}");
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let r = BigRational::from(digits.parse::<BigInt>().ok()?) * power_of_ten(-(fraction.len() as i32));
    Some(if negative { -r } else { r })
}

fn power_of_ten(n: i32) -> BigRational {
    BigRational::from(BigInt::from(10)).pow(n)
}

/// Returns the nearest integer, half away from zero.
pub(super) fn round(r: &BigRational) -> BigInt {
    r.round().to_integer()
}

/// Returns `n / 10**places` with this many digits behind the dot.
fn decimal_text(n: &BigInt, places: i32) -> String {
    if places <= 0 {
        return (n * BigInt::from(10).pow(places.unsigned_abs())).to_string();
    }
    let places = places as usize;
    let digits = format!("{:0>width$}", n.abs().to_string(), width = places + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places);
    format!("{}{whole}.{fraction}", if n.is_negative() { "-" } else { "" })
}

/// Puts values in the places of `~w`, `~p` and `~a`; `~n` is a line end. `None` if their numbers differ
/// or another letter follows `~`.
fn formatted(format: &str, values: Vec<String>) -> Option<String> {
    let mut values = values.into_iter();
    let mut out = String::new();
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        if c != '~' {
            out.push(c);
            continue;
        }
        match chars.next()? {
            'w' | 'p' | 'a' => out.push_str(&values.next()?),
            'n' => out.push('\n'),
            '~' => out.push('~'),
            _ => return None,
        }
    }
    values.next().is_none().then_some(out)
}
