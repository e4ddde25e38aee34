//! Known findings: `--baseline` fails only on findings that a file does not have, `--write-baseline` writes the file.
//!
//! A finding is known by the command, the file of the machine as seen from the folder of the baseline, the property and
//! what became of it. Lines, traces and times play no part, so that a text can be edited around a known finding. What was
//! violated before and is not decided now is known as well. Wrong input and failures of bsym are never known.

mod findings;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};

use crate::answer::Answer;
use crate::answer::against::{Against, BaselineObject, FindingObject};
use crate::answer::finding::{Finding, FindingStatus};
use crate::answer::several::{Row, RowVerdict};
use crate::arguments::{BaselineArguments, Command, OutputArguments};
use crate::exit::Exit;
use crate::output;
use crate::refusal::Refusal;

/// Value of `format`.
const FORMAT: &str = "bsym-baseline";

/// The file of a baseline.
#[derive(Serialize, Deserialize, Clone, Debug, Default)]
#[serde(deny_unknown_fields)]
struct File {
    format: String,
    version: u32,
    /// Known findings, sorted.
    findings: BTreeSet<Known>,
}

/// A known finding.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[serde(deny_unknown_fields)]
struct Known {
    /// As seen from the folder of the baseline, with `/`.
    file: String,
    /// The machine of a project that was asked for by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    component: Option<String>,
    command: String,
    #[serde(flatten)]
    finding: Finding,
}

/// The findings that are known to a run.
#[derive(Clone, Debug)]
pub struct Baseline {
    command: &'static str,
    /// The folder that paths are seen from.
    folder: PathBuf,
    known: Option<BTreeSet<Known>>,
    /// Findings of other commands and machines, and where those of this run are written.
    write: Option<(PathBuf, BTreeSet<Known>)>,
}

impl Baseline {
    /// Reads the baseline that a command names; `None` if it names none.
    ///
    /// # Errors
    /// The file cannot be read or written, or is something else.
    pub fn of(command: &Command) -> anyhow::Result<Option<Baseline>> {
        let Some(BaselineArguments { baseline, write_baseline }) = command.baseline() else {
            return Ok(None);
        };
        let Some(path) = baseline.as_ref().or(write_baseline.as_ref()) else {
            return Ok(None);
        };
        let known = baseline.as_ref().map(|path| read(path)).transpose()?;
        let write =
            match write_baseline {
                Some(path) => {
                    output::check_writable(path, "--write-baseline", &command.inputs())?;
                    let before = if path.exists() { read(path)? } else { BTreeSet::new() };
                    if output::folder_of(path) != output::folder_of(baseline.as_ref().unwrap_or(path)) {
                        bail!(Refusal::new("--baseline and --write-baseline are in two folders").help(
                            "files are named as seen from the folder of the baseline: put both into one"
                        ));
                    }
                    Some((path.clone(), before))
                }
                None => None,
            };
        let folder = output::folder_of(path);
        Ok(Some(Baseline { command: command.name(), folder, known, write }))
    }

    /// Returns the answer with what is new in it, and writes the baseline that was asked for.
    pub fn apply(&self, answer: Answer, format: &OutputArguments, seconds: f64) -> Answer {
        let rows = match &answer {
            Answer::Several(several) => several.rows().to_vec(),
            Answer::Refused(_) | Answer::Text(_) | Answer::Found(_) | Answer::Said(_) => {
                return answer;
            }
            _ => {
                let file = format.file.as_ref().map(|path| path.display().to_string());
                let row = Row::of(file.unwrap_or_default(), &answer, answer.exit(), seconds);
                vec![row.part(format.component.clone())]
            }
        };
        let compared: Vec<Compared> = rows.iter().map(|row| self.compare(row)).collect();
        if let Some((path, before)) = &self.write {
            self.write(path, before, &rows);
        }
        let object = BaselineObject {
            known: compared.iter().map(|one| one.known.len()).sum(),
            new: self.objects(&rows, compared.iter().map(|one| &one.new)),
            gone: self.objects(&rows, compared.iter().map(|one| &one.gone)),
        };
        let exit =
            rows.iter().zip(&compared).map(|(row, compared)| compared.exit(row)).max_by_key(|e| e.rank());
        let known = compared.into_iter().map(|one| one.known).collect();
        let against = Against { object, known, exit: exit.unwrap_or(Exit::Done) };
        Answer::Against(Box::new(answer), Box::new(against))
    }

    fn objects<'a>(
        &self,
        rows: &[Row],
        findings: impl Iterator<Item = &'a BTreeSet<Finding>>,
    ) -> Vec<FindingObject> {
        let all = rows.iter().zip(findings);
        all.flat_map(|(row, findings)| {
            findings.iter().map(|finding| FindingObject::new(&row.file, row.component.as_ref(), finding))
        })
        .collect()
    }

    /// Returns whether everything that is found of a machine is known.
    pub fn knows(&self, row: &Row) -> bool {
        !row.holds() && self.compare(row).exit(row) == Exit::Done
    }

    fn compare(&self, row: &Row) -> Compared {
        let found = findings::all(row);
        let before: BTreeSet<Finding> = match &self.known {
            Some(known) => {
                known.iter().filter(|known| self.is_about(known, row)).map(|k| k.finding.clone()).collect()
            }
            // What is written is known from now on.
            None => found.clone(),
        };
        let is_known = |finding: &Finding| before.iter().any(|known| known.covers(finding));
        let (known, new): (BTreeSet<_>, BTreeSet<_>) = found.into_iter().partition(is_known);
        let is_there = |old: &Finding| known.iter().any(|now| old.covers(now));
        let has_answer = !matches!(row.verdict, RowVerdict::Refused | RowVerdict::Failed);
        let gone = before.iter().filter(|old| has_answer && row.result.is_some() && !is_there(old));
        Compared { gone: gone.cloned().collect(), known, new }
    }

    fn is_about(&self, known: &Known, row: &Row) -> bool {
        known.command == self.command
            && known.component == row.component
            && known.file == relative_to(&self.folder, &row.file)
    }

    fn write(&self, path: &Path, before: &BTreeSet<Known>, rows: &[Row]) {
        // Without an answer nothing is known about a machine, so what was known of it stays.
        let answered = || rows.iter().filter(|row| row.result.is_some() && Compared::has_answer(row));
        let others = before.iter().filter(|known| !answered().any(|row| self.is_about(known, row)));
        let mut findings: BTreeSet<Known> = others.cloned().collect();
        for row in answered() {
            let file = relative_to(&self.folder, &row.file);
            findings.extend(findings::all(row).into_iter().map(|finding| Known {
                file: file.clone(),
                component: row.component.clone(),
                command: self.command.into(),
                finding,
            }));
        }
        let number = findings.len();
        let file = File { format: FORMAT.into(), version: 1, findings };
        match serde_json::to_string_pretty(&file) {
            Ok(text) => {
                if output::write(path, &(text + "\n")) {
                    let findings =
                        if number == 1 { "1 finding".into() } else { format!("{number} findings") };
                    output::note(&format!("baseline with {findings} written to {}", path.display()));
                }
            }
            Err(error) => output::lost(&format!("--write-baseline: {error}")),
        }
    }
}

/// The findings of a machine, held against those that are known.
struct Compared {
    known: BTreeSet<Finding>,
    new: BTreeSet<Finding>,
    gone: BTreeSet<Finding>,
}

impl Compared {
    fn has_answer(row: &Row) -> bool {
        !matches!(row.verdict, RowVerdict::Refused | RowVerdict::Failed)
    }

    /// The exit code of a machine: that of what is new.
    fn exit(&self, row: &Row) -> Exit {
        match row.verdict {
            RowVerdict::Refused => Exit::Refused,
            RowVerdict::Failed => Exit::Failed,
            _ if self.new.iter().any(|finding| finding.outcome == FindingStatus::Violated) => Exit::Violated,
            _ if !self.new.is_empty() => Exit::Unknown,
            // A machine without an answer, such as one that was not begun.
            _ if !row.holds() && row.result.is_none() => Exit::Unknown,
            _ => Exit::Done,
        }
    }
}

fn read(path: &Path) -> anyhow::Result<BTreeSet<Known>> {
    let shown = path.display();
    let text = match std::fs::read(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => bail!(
            Refusal::new(format!("--baseline: there is no file `{shown}`"))
                .help("the same command with --write-baseline in place of --baseline writes it")
        ),
        Err(error) => {
            return Err(error).with_context(|| format!("--baseline: `{shown}` cannot be read"));
        }
    };
    let wrong = |why: String| Refusal::new(why).help("--write-baseline FILE writes a baseline");
    let file: File = serde_json::from_slice(&text).map_err(|error| {
        wrong(format!("--baseline: {shown}:{}:{}: {error}", error.line(), error.column()))
    })?;
    if file.format != FORMAT || file.version != 1 {
        bail!(wrong(format!("--baseline: `{shown}` is no baseline of this version")));
    }
    Ok(file.findings)
}

/// A path as seen from a folder, with `/`; the whole path if it is elsewhere.
fn relative_to(folder: &Path, file: &str) -> String {
    let whole = |path: &Path| {
        path.canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.into())
    };
    let (folder, path) = (whole(folder), whole(Path::new(file)));
    let shared = path.components().zip(folder.components()).take_while(|(a, b)| a == b).count();
    let up = folder.components().count() - shared;
    let down = path.components().skip(shared).map(|part| part.as_os_str().to_string_lossy().into_owned());
    std::iter::repeat_n("..".to_string(), up).chain(down).collect::<Vec<_>>().join("/")
}
