//! Readers of the values of flags.

use std::time::Duration;

use bsym_language::int::Int;
use serde::{Deserialize, Serialize};

/// One value of `--scope`.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub enum ScopeItem {
    /// ProB's finite scope.
    Prob,
    /// Size of a deferred set.
    Size(String, usize),
}

/// One value of `--set`.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub struct Setting {
    /// The constant.
    pub name: String,
    /// A B expression.
    pub value: String,
    /// It is a setting of the project, for the machines that have the constant.
    pub is_of_project: bool,
}

/// A scope as `SET=SIZE` or `prob`.
pub fn scope(text: &str) -> Result<ScopeItem, String> {
    if text == "prob" {
        return Ok(ScopeItem::Prob);
    }
    let form = "expected `SET=SIZE` or `prob`, for example `--scope S=3`";
    let (name, size) = text.split_once('=').ok_or(form)?;
    let (name, size) = (name.trim(), size.trim());
    if name.is_empty() {
        return Err(form.into());
    }
    let size = size.parse().map_err(|_| format!("the size `{size}` is no natural number; {form}"))?;
    Ok(ScopeItem::Size(name.into(), size))
}

/// An integer of any size.
pub fn integer(text: &str) -> Result<Int, String> {
    text.trim().parse().map_err(|_| "expected an integer".into())
}

/// A setting as `CONSTANT=EXPR`.
pub fn setting(text: &str) -> Result<Setting, String> {
    let form = "expected `CONSTANT=EXPR`, for example `--set c=127`";
    let (name, value) = text.split_once('=').ok_or(form)?;
    let (name, value) = (name.trim(), value.trim());
    if name.is_empty() || value.is_empty() {
        return Err(form.into());
    }
    Ok(Setting { name: name.into(), value: value.into(), is_of_project: false })
}

/// A time as `500ms`, `60s`, `2m`, `1h` or plain seconds; not zero.
pub fn duration(text: &str) -> Result<Duration, String> {
    let text = text.trim();
    let split = text.find(|c: char| c.is_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let factor = match unit.trim() {
        "ms" => 0.001,
        "" | "s" | "sec" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err("expected a time such as `60s`, `500ms`, `2m` or `1h`".into()),
    };
    let number: f64 =
        number.trim().parse().map_err(|_| "expected a time such as `60s`, `500ms`, `2m` or `1h`")?;
    if number == 0.0 {
        return Err(
            "a time limit of zero leaves no time for an answer; leave the flag out for no limit".into()
        );
    }
    // A year stands for no limit: adding more to an instant could overflow.
    let seconds = number * factor;
    if !(0.001..=31_536_000.0).contains(&seconds) {
        return Err("a time limit is between 1ms and 8760h".into());
    }
    Ok(Duration::from_secs_f64(seconds))
}

/// A number of threads.
pub fn threads(text: &str) -> Result<usize, String> {
    let number = text.trim().parse().ok().filter(|n| (1..=64).contains(n));
    number.ok_or_else(|| "expected a number from 1 to 64".into())
}

/// A number of things.
pub fn count(text: &str) -> Result<usize, String> {
    text.trim().parse().map_err(|_| "expected a natural number, for example 20".into())
}

/// A number of bytes as `4G`, `500M`, `64K` or plain bytes, in powers of 1024; not zero.
pub fn memory(text: &str) -> Result<u64, String> {
    let form = "expected a size such as `4G` or `500M`";
    match parse_size::Config::new().with_binary().parse_size(text) {
        Ok(0) => Err(format!("a memory limit is above zero; {form}")),
        bytes => bytes.map_err(|_| form.into()),
    }
}

/// How many jobs are done at the same time: as many as the user says, or one for each core.
pub fn jobs(asked: Option<usize>) -> usize {
    asked.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        let check = |text: &str, ms: u64| assert_eq!(duration(text), Ok(Duration::from_millis(ms)), "{text}");
        check("60s", 60_000);
        check("500ms", 500);
        check("2m", 120_000);
        check("1.5", 1_500);
        check("1h", 3_600_000);
        for text in ["0", "0s", "-1s", "s", "", "5y", "nan", "inf", "1e300h"] {
            assert!(duration(text).is_err(), "{text}");
        }
        assert!(duration("0s").unwrap_err().contains("zero"));
    }

    #[test]
    fn sizes_of_memory() {
        assert_eq!(memory("4G"), Ok(4 << 30));
        assert_eq!(memory("500M"), Ok(500 << 20));
        assert_eq!(memory("1.5 KiB"), Ok(1536));
        assert_eq!(memory("64kb"), Ok(64 << 10));
        assert_eq!(memory("1000"), Ok(1000));
        for text in ["", "0", "-4G", "G", "4X", "nan", "1e300T"] {
            assert!(memory(text).is_err(), "{text}");
        }
    }

    #[test]
    fn scopes_and_settings() {
        assert_eq!(scope("prob"), Ok(ScopeItem::Prob));
        assert_eq!(scope("S=3"), Ok(ScopeItem::Size("S".into(), 3)));
        for text in ["S", "S=x", "=3", "S=-1", ""] {
            assert!(scope(text).is_err(), "{text}");
        }
        let read = |text| setting(text).map(|setting| (setting.name, setting.value));
        assert_eq!(read("c = -1"), Ok(("c".into(), "-1".into())));
        assert_eq!(read("f={1|->2}"), Ok(("f".into(), "{1|->2}".into())));
        for text in ["c", "c=", "=1"] {
            assert!(setting(text).is_err(), "{text}");
        }
    }
}
