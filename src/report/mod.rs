//! Results in the forms that other programs read: SARIF, JUnit, the annotations of GitHub, a table with commas.
//!
//! All are made from the `--json` object of each file ([`findings`]), so that several machines, each checked in a
//! process of its own, are reported in the same words as one.

mod findings;
mod github;
mod junit;
mod sarif;
mod table;

use crate::answer::Answer;
use crate::answer::several::Row;
use crate::arguments::{FormatName, OutputArguments};
use findings::Checked;

/// Writes an answer in the requested form, `seconds` after the start; `None` where text or JSON is requested.
///
/// # Errors
/// It has no JSON.
pub fn report(answer: &Answer, format: &OutputArguments, seconds: f64) -> Option<serde_json::Result<String>> {
    let write: fn(&[Checked], i32) -> String = match format.form() {
        FormatName::Text | FormatName::Json => return None,
        FormatName::Sarif => sarif::write,
        FormatName::Junit => junit::write,
        FormatName::Github | FormatName::Csv => |_, _| String::new(),
    };
    let exit = answer.exit() as i32;
    let (answer, known) = match answer {
        Answer::Against(answer, against) => (&**answer, Some(&against.known)),
        answer => (answer, None),
    };
    let rows = match answer {
        Answer::Several(several) => several.rows().to_vec(),
        _ => {
            let subject = format.subject.as_ref().map(|path| path.display().to_string());
            vec![Row::of(subject.unwrap_or_default(), answer, answer.exit(), seconds)]
        }
    };
    if format.form() == FormatName::Csv {
        return Some(Ok(table::write(&rows)));
    }
    let checked = rows.iter().enumerate().map(|(i, row)| {
        let checked = Checked::of(row);
        match known.and_then(|known| known.get(i)) {
            Some(known) => checked.against(known),
            None => checked,
        }
    });
    let checked: Vec<Checked> = checked.collect();
    if format.form() == FormatName::Github {
        return Some(Ok(github::write(&checked, format.verbose > 0)));
    }
    Some(Ok(write(&checked, exit)))
}
