//! Recorded status and real models together: every pair (event, conjunct) is proven, needs no
//! obligation, or is open for a reason that is known.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bsym_language::load::{LoadRequest, load_with};
use bsym_language::model::Model;
use bsym_language::stack::with_large_stack;
use bsym_status::file::ComponentKind;
use bsym_status::import::{Import, OpenKind};
use bsym_status::sources::{attach, convert};
use bsym_status::{ImportOptions, import, read_status};
use bsym_testing::corpus;

/// A model with its own status; nothing, and a word about it, if the model has errors.
fn read(path: &Path, component: Option<&str>) -> Option<(Model, Import)> {
    let request = LoadRequest { component: component.map(String::from), ..LoadRequest::default() };
    let model = load_with(path, &request).ok().and_then(|l| l.model);
    let Some(model) = model else {
        println!("skipped: {} {} is not read", path.display(), component.unwrap_or_default());
        return None;
    };
    match read_status(path, &model, &ImportOptions::default()) {
        Ok(import) => Some((model, import)),
        Err(e) => panic!("{e}"),
    }
}

fn kinds(import: &Import) -> BTreeMap<OpenKind, usize> {
    let mut kinds = BTreeMap::new();
    for o in &import.open {
        *kinds.entry(o.kind).or_default() += 1;
    }
    kinds
}

/// Pairs of the conjuncts that the machine itself declares: all, with an obligation, trivial.
fn own(model: &Model, import: &Import) -> [usize; 4] {
    let is_own = |i: usize| model.invariant[i].origin.0 == 0;
    let conjuncts = (0..model.invariant.len()).filter(|&i| is_own(i)).count();
    let trivial = import.trivial.iter().filter(|p| is_own(p.1)).count();
    let none = import.open.iter().filter(|o| is_own(o.pair.1) && o.kind == OpenKind::NoObligation).count();
    let all = conjuncts * (model.events.len() + 1);
    [all, all - trivial - none, trivial, none]
}

#[test]
fn projects_leave_no_pair_unexplained() {
    let Some(corpus) = corpus() else { return };
    let mut found: Vec<(PathBuf, Option<String>)> = vec![];
    let mut folders = vec![corpus.join("rodin"), corpus.join("../rodin-projects")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            match path.extension().and_then(|e| e.to_str()) {
                _ if path.is_dir() => folders.push(path),
                Some("bum") if path.with_extension("bps").is_file() => found.push((path, None)),
                Some("zip") => {
                    let file = convert(&path, Path::new("")).expect("a project").file;
                    let machines = file.components.iter().filter(|c| c.kind != ComponentKind::Context);
                    found.extend(machines.map(|c| (path.clone(), Some(c.name.clone()))));
                }
                _ => {}
            }
        }
    }
    found.sort();
    let mut sum = [0; 4];
    let (mut models, mut unmatched) = (0, vec![]);
    for (path, component) in found {
        let Some((model, import)) = with_large_stack(|| read(&path, component.as_deref())) else { continue };
        models += 1;
        let counts = own(&model, &import);
        sum.iter_mut().zip(counts).for_each(|(s, n)| *s += n);
        unmatched
            .extend(import.unmatched.iter().map(|e| format!("{}: {}: {}", path.display(), e.id, e.reason)));
        unmatched
            .extend(import.ambiguous.iter().map(|e| format!("{}: {}: {}", path.display(), e.id, e.reason)));
        let total = (model.events.len() + 1) * model.invariant.len();
        println!(
            "{} {}: {total} pairs, {} proven, {} of them trivial, open {:?}; own {counts:?}",
            path.display(),
            model.name,
            import.status.len(),
            import.trivial.len(),
            kinds(&import)
        );
        assert_eq!(import.status.len() + import.open.len(), total);
        for o in import.open.iter().filter(|o| o.kind == OpenKind::NoObligation) {
            println!("  {:?} {}", o.pair, o.reason);
        }
        round_trip(&path, &model, &import);
    }
    println!("{models} models; own pairs: {sum:?} (all, with an obligation, trivial, without reason)");
    assert_eq!(unmatched, [""; 0]);
    // Rodin writes an obligation wherever neither the frame nor a type settles a pair, and so do we.
    assert_eq!(sum[3], 0);
}

/// What we write of a status says the same as the tool's own files.
fn round_trip(path: &Path, model: &Model, before: &Import) {
    let mut converted = convert(path, Path::new("")).expect("a status");
    attach(&mut converted.file, model);
    let text = converted.file.to_text();
    let file = bsym_status::PoFile::parse(Path::new("po.json"), text.as_bytes()).expect("a po.json");
    let again =
        import::import(Path::new("po.json"), &file, model, &ImportOptions::default()).expect("an import");
    assert_eq!(again.status, before.status, "{}", path.display());
    assert_eq!(again.open, before.open, "{}", path.display());
}

#[test]
fn packages_leave_no_fact_unexplained() {
    let Some(corpus) = corpus() else { return };
    let text = std::fs::read_to_string(corpus.join("manifest.json")).expect("a manifest");
    let manifest: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    let mut open: BTreeMap<OpenKind, usize> = BTreeMap::new();
    let (mut models, mut proven, mut trivial) = (0, 0, 0);
    for entry in manifest["entries"].as_array().expect("entries") {
        let Some(path) = entry["path"].as_str().filter(|p| p.ends_with(".eventb")) else { continue };
        let path = corpus.join(path);
        if !path.is_file() {
            continue;
        }
        let Some((model, import)) = with_large_stack(|| read(&path, None)) else { continue };
        models += 1;
        proven += import.status.len();
        trivial += import.trivial.len();
        for (kind, n) in kinds(&import) {
            *open.entry(kind).or_default() += n;
        }
        for e in import.unmatched.iter().chain(&import.ambiguous).chain(&import.stale) {
            println!("{}: {}: {}", path.display(), e.id, e.reason);
            *reasons.entry(e.reason.clone()).or_default() += 1;
        }
        round_trip(&path, &model, &import);
    }
    println!("{models} models, {proven} proven pairs, {trivial} of them trivial; open: {open:?}");
    for (reason, n) in reasons {
        println!("{n}  {reason}");
    }
    assert!(models == 0 || proven > 10_000, "{proven}");
}
