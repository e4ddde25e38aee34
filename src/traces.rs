//! The formats of trace files, chosen by the end of the file's name.

use std::path::Path;

use bsym_language::model::Model;
use bsym_semantics::trace::Trace;
use bsym_semantics::trace::file::trace_to_json;
use bsym_semantics::trace::itf::trace_to_itf;
use bsym_semantics::trace::prob::trace_to_prob;
use bsym_semantics::trace::repeats::with_all_rounds;

use crate::refusal::Refusal;
use crate::tuning::tuning;

/// File format of a trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Ours, which `bsym replay` reads.
    Own,
    /// The Informal Trace Format of model checkers.
    Itf,
    /// ProB's trace file.
    Prob,
}

/// ProB's format wants a time; the same run writes the same file.
const SAVED_AT: &str = "1970-01-01T00:00:00Z";

impl Format {
    /// Returns the format of a file, by the ending of its name.
    ///
    /// # Errors
    /// The name has another ending.
    pub fn of(path: &Path) -> anyhow::Result<Format> {
        let name = path.file_name().map(|n| n.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
        if name.ends_with(".itf.json") || name.ends_with(".itf") {
            Ok(Format::Itf)
        } else if name.ends_with(".json") {
            Ok(Format::Own)
        } else if name.ends_with(".prob2trace") {
            Ok(Format::Prob)
        } else {
            Err(Refusal::new(format!("--trace: `{}` does not say which format is meant", path.display()))
                .help("end the name in .json (ours), .itf.json (ITF) or .prob2trace (ProB)")
                .into())
        }
    }
}

/// Returns the text of a trace in the format of the file, by its name.
pub fn text(path: &Path, model: &Model, trace: &Trace) -> String {
    // The formats of others have no rounds that are left out.
    let whole = || match trace.repeats.is_empty() {
        true => None,
        false => with_all_rounds(model, trace, tuning().listed.written_steps),
    };
    let json = match Format::of(path) {
        Ok(Format::Itf) => trace_to_itf(model, whole().as_ref().unwrap_or(trace)),
        Ok(Format::Prob) => trace_to_prob(model, whole().as_ref().unwrap_or(trace), SAVED_AT),
        // The name was checked before the run.
        Ok(Format::Own) | Err(_) => return trace_to_json(model, trace) + "\n",
    };
    format!("{json:#}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_says_the_format() {
        let check = |name: &str, format: Option<Format>| {
            assert_eq!(Format::of(Path::new(name)).ok(), format, "{name}");
        };
        check("t.json", Some(Format::Own));
        check("a/t.itf.json", Some(Format::Itf));
        check("t.prob2trace", Some(Format::Prob));
        check("t.txt", None);
        check("t", None);
    }
}
