//! The parser against foreign models, where they are present: what ProB's parser accepts is
//! accepted, what must be refused is refused with a position.

use std::path::{Path, PathBuf};

use bsym_language::decode;
use bsym_language::diagnostic::{Diagnostic, Severity};
use bsym_language::parser;
use bsym_language::source::Sources;

/// The folder of foreign models; says so where there is none.
fn corpus() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus");
    let path = std::env::var_os("BSYM_CORPUS").map_or(beside, PathBuf::from);
    if path.join("manifest.json").exists() {
        return Some(path);
    }
    eprintln!("SKIPPED: no corpus at {}", path.display());
    None
}

fn errors(path: &Path) -> (Sources, Vec<Diagnostic>) {
    let mut sources = Sources::default();
    let (id, mut diagnostics) = decode::load(&mut sources, path).unwrap_or_else(|e| panic!("{e}"));
    diagnostics.extend(parser::parse(&sources, id).1);
    diagnostics.retain(|d| d.severity == Severity::Error);
    (sources, diagnostics)
}

fn line(sources: &Sources, d: &Diagnostic) -> String {
    let position = sources.position(d.span);
    let path = sources.path(d.span).display();
    format!("{path}:{}:{}: B{:04} {}", position.line, position.column, d.code.number, d.message)
}

#[test]
fn what_prob_reads_is_read() {
    let Some(corpus) = corpus() else { return };
    let table = std::fs::read_to_string(corpus.join("prob_parser.tsv")).unwrap();
    let (mut total, mut refused, mut both_refuse, mut only_we_accept) = (0, vec![], 0, vec![]);
    let start = std::time::Instant::now();
    for row in table.lines().filter(|l| !l.starts_with('#')) {
        let mut columns = row.split('\t');
        let (Some(path), Some(answer)) = (columns.next(), columns.next()) else { continue };
        let (sources, errors) = errors(&corpus.join(path));
        match (answer, errors.first()) {
            ("ok", None) => total += 1,
            ("ok", Some(first)) => {
                total += 1;
                refused.push(line(&sources, first));
            }
            (_, Some(_)) => both_refuse += 1,
            (_, None) => only_we_accept.push(format!("{path}\t{}", columns.next().unwrap_or(""))),
        }
    }
    let elapsed = start.elapsed();
    refused.iter().for_each(|r| println!("refused: {r}"));
    only_we_accept.iter().for_each(|r| println!("only we accept: {r}"));
    let read = total - refused.len();
    println!(
        "{read} of {total} read ({:.2} %), {both_refuse} refused by both, {} only by ProB, {elapsed:?}",
        100.0 * read as f64 / total as f64,
        only_we_accept.len()
    );
    assert!(read * 1000 >= total * 995, "fewer than 99.5 % are read");
}

#[test]
fn what_is_no_machine_is_refused() {
    let Some(corpus) = corpus() else { return };
    let manifest = std::fs::read(corpus.join("manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_slice(&manifest).unwrap();
    let entries = manifest["entries"].as_array().unwrap();
    let (mut total, mut accepted) = (0, vec![]);
    for entry in entries.iter().filter(|e| e["formalism"] == "b" && e["facts"]["reject"] == "parse") {
        let path = corpus.join(entry["path"].as_str().unwrap());
        if !path.exists() || entry["kind"] == "rules-machine" {
            continue;
        }
        // Predicates and expressions are one syntax, definitions are expanded later, and the parser
        // reads one file: these are the checker's.
        let note = entry["note"].as_str().unwrap_or("");
        let checkers = ["used as a predicate", "used as predicate", "in a quantifier binder"];
        if checkers.iter().any(|c| note.contains(c))
            || path.to_string_lossy().contains("IncludedDefinitionFile")
        {
            println!("left to the checker: {}", path.display());
            continue;
        }
        total += 1;
        let (sources, errors) = errors(&path);
        match errors.first() {
            Some(first) => {
                println!("{}", line(&sources, first));
                assert!((first.span.start as usize) <= sources.get(first.span.source).text.len());
            }
            None => accepted.push(format!("{}: {}", path.display(), entry["note"])),
        }
    }
    accepted.iter().for_each(|a| println!("accepted: {a}"));
    println!("{} of {total} refused", total - accepted.len());
    assert!(accepted.is_empty(), "{} files are accepted that must be refused", accepted.len());
}
