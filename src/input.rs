//! Reading what the user names: the machine, its scope and constants, the properties to check.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::bail;
use bsym_language::diagnostic::{Diagnostic, Severity, codes, nearest};
use bsym_language::files::ReadError;
use bsym_language::load::{LoadError, LoadRequest, check_predicate, is_eventb, load_with};
use bsym_language::model::{ComponentId, Conjunct, Model};
use bsym_language::render;
use bsym_language::source::Sources;
use bsym_language::walk::Names;
use bsym_proofs::claim::Property;
use bsym_semantics::scope::{Scope, ScopeRequest};

use crate::answer::diagnostic::DiagnosticObject;
use crate::answer::property::conjunct_name;
use crate::answer::trace::counted;
use crate::arguments::{
    ComponentArguments, OutputArguments, PropertyName, ScopeArguments, ScopeItem, Setting,
};
use crate::output::note;
use crate::paint::Paint;
use crate::refusal::{Refusal, errors};

/// A machine that was read, with its warnings.
#[derive(Debug)]
pub struct Input {
    /// The machine.
    pub model: Model,
    /// Its warnings, as objects.
    pub diagnostics: Vec<DiagnosticObject>,
}

/// A file that was read: its texts, the model if it has one, and the messages.
#[derive(Debug)]
pub struct ReadFile {
    /// The files.
    pub sources: Arc<Sources>,
    /// The model, if no message is an error.
    pub model: Option<Model>,
    /// Errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads and checks a file.
///
/// # Errors
/// It is missing, a folder, not text, or of a kind that is not read.
pub fn read(path: &Path, component: &ComponentArguments) -> anyhow::Result<ReadFile> {
    refuse_other_kinds(path)?;
    if let (Some(name), false) = (&component.component, is_eventb(path)) {
        bail!(
            Refusal::new(format!("--machine {name}: `{}` is one machine", path.display()))
                .help("--machine chooses from a Rodin project or a ProB package")
        );
    }
    if let Some(folder) = component.include.iter().find(|folder| !folder.is_dir()) {
        bail!(
            Refusal::new(format!("--include: there is no folder `{}`", folder.display()))
                .help("name a folder with machines or files of definitions")
        );
    }
    let request =
        LoadRequest { component: component.component.clone(), include_path: component.include.clone() };
    let loaded = load_with(path, &request).map_err(|e| unreadable(path, &e))?;
    Ok(ReadFile { sources: loaded.sources, model: loaded.model, diagnostics: loaded.diagnostics })
}

/// Reads a machine; its warnings go to standard error unless the output is JSON.
///
/// # Errors
/// As [`read`], or there are errors in it.
pub fn machine(
    path: &Path,
    component: &ComponentArguments,
    format: &OutputArguments,
) -> anyhow::Result<Input> {
    checked(path, read(path, component)?, format)
}

/// The machine of a file that was read.
fn checked(path: &Path, file: ReadFile, format: &OutputArguments) -> anyhow::Result<Input> {
    if file.model.is_some() && !format.is_for_programs() {
        warn(path, &file, format, false);
    }
    let Some(model) = file.model else {
        bail!(not_a_model(path, &file.sources, &file.diagnostics, Paint::stderr(format.color)));
    };
    let diagnostics = file.diagnostics.iter().map(|d| DiagnosticObject::new(&file.sources, d)).collect();
    Ok(Input { model, diagnostics })
}

/// Prints the warnings about a file to standard error. With `all` false, those about style are only counted: only
/// `parse` and the editor show each.
pub fn warn(path: &Path, file: &ReadFile, format: &OutputArguments, all: bool) {
    if format.no_warnings {
        return;
    }
    let paint = Paint::stderr(format.color);
    let (style, others): (Vec<_>, Vec<_>) =
        file.diagnostics.iter().partition(|d| d.severity == Severity::Warning && codes::is_style(d.code));
    let shown = if all { file.diagnostics.iter().collect() } else { others };
    for d in shown {
        note(&render::render(&file.sources, d, paint.is_on()));
        note("");
    }
    if !all && !style.is_empty() {
        let count = counted(style.len(), "warning");
        note(&format!("note: {count} about style: `bsym parse {}` shows what", path.display()));
    }
}

/// The refusal of a file with errors.
pub fn not_a_model(path: &Path, sources: &Sources, diagnostics: &[Diagnostic], paint: Paint) -> Refusal {
    let count = counted(errors(diagnostics), "error");
    Refusal::new(format!("{count} in {}", path.display())).diagnostics(sources, diagnostics, paint)
}

fn refuse_other_kinds(path: &Path) -> anyhow::Result<()> {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    let kind = match extension.as_str() {
        "bcm" | "bcc" | "bps" | "bpo" | "bpr" => {
            bail!(
                Refusal::new(format!("`{}` is made by Rodin from other files", path.display()))
                    .help("name the machine (.bum), the context (.buc) or the folder of the project")
            );
        }
        "tla" | "cfg" => "TLA+ modules",
        "csp" => "CSP specifications",
        "zed" | "tex" => "Z specifications",
        "als" => "Alloy models",
        "pog" | "pos" | "pmi" | "bxml" => "files of Atelier B",
        "json" | "prob2trace" => {
            bail!(Refusal::new(format!("`{}` is no machine", path.display())).help(
                "a status file goes with --proofs; a certificate with `bsym certify`; a trace with `bsym replay`",
            ));
        }
        _ => return Ok(()),
    };
    Err(Refusal::new(format!("`{}`: {kind} are not supported yet", path.display()))
        .help("classical B (.mch, .ref, .imp) and Event-B (.eventb, .bum, .buc, a Rodin project) are read")
        .into())
}

fn unreadable(path: &Path, error: &LoadError) -> Refusal {
    let refusal = Refusal::new(error.to_string());
    match error {
        LoadError::Read(ReadError::Missing(_)) => {
            let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
            if !folder.exists() {
                return refusal.help(format!("the folder `{}` does not exist either", folder.display()));
            }
            let names: Vec<String> = list(folder);
            let wanted = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
            let with_extension = names.iter().find(|n| {
                let n = Path::new(n);
                n.file_stem().is_some_and(|stem| stem.to_string_lossy() == wanted) && is_machine(n)
            });
            let like_it = with_extension.map(String::as_str);
            match like_it.or_else(|| nearest(&wanted, names.iter().map(String::as_str))) {
                Some(name) => refusal.help(format!("did you mean `{}`?", folder.join(name).display())),
                None => refusal.help("check the path; it is relative to the current folder"),
            }
        }
        LoadError::Read(ReadError::Directory(_)) => {
            let machines: Vec<String> =
                list(path).into_iter().filter(|n| n.ends_with(".mch")).take(5).collect();
            if machines.is_empty() {
                refusal.help("name a machine: a file that ends in .mch")
            } else {
                refusal.help(format!("name a machine inside it: {}", machines.join(", ")))
            }
        }
        _ => refusal,
    }
}

/// Returns whether a file is a machine or model by its name.
pub fn is_machine(path: &Path) -> bool {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    matches!(extension.as_str(), "mch" | "ref" | "imp" | "sys" | "eventb" | "bum" | "buc" | "bumx" | "bucx")
}

/// Returns whether a folder holds machines, itself or in a folder inside it.
pub fn holds_machines(folder: &Path) -> bool {
    let names = list(folder);
    let inside = |name: &String| list(&folder.join(name)).iter().any(|n| is_machine(Path::new(n)));
    names.iter().any(|n| is_machine(Path::new(n))) || names.iter().any(inside)
}

fn list(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.map(|e| e.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Returns the user's choices for the scope.
///
/// # Errors
/// A size given twice.
pub fn scope_request(arguments: &ScopeArguments) -> anyhow::Result<ScopeRequest> {
    let mut request = ScopeRequest {
        maxint: arguments.maxint.clone(),
        minint: arguments.minint.clone(),
        ..ScopeRequest::default()
    };
    for item in &arguments.scope {
        match item {
            ScopeItem::Prob => request.prob = true,
            ScopeItem::Size(name, size) => {
                if request.sizes.insert(name.clone(), *size).is_some_and(|before| before != *size) {
                    bail!("--scope: two sizes for `{name}`");
                }
            }
        }
    }
    Ok(request)
}

/// Settles the scope of a run.
///
/// # Errors
/// A name that is no deferred set, a size given twice, bounds that cross.
pub fn scope(model: &Model, arguments: &ScopeArguments) -> anyhow::Result<Scope> {
    let mut request = scope_request(arguments)?;
    let is_there = |name: &String| model.types.carriers.iter().any(|carrier| carrier.name == *name);
    request.sizes.retain(|name, _| is_there(name) || !arguments.sets_of_project.contains(name));
    let settled = Scope::settle(model, &request).map_err(|error| {
        let refusal = Refusal::new(format!("--scope: {error}"));
        let unknown = request.sizes.keys().find(|n| !model.types.carriers.iter().any(|c| c.name == **n));
        match unknown.and_then(|n| nearest(n, model.types.carriers.iter().map(|c| c.name.as_str()))) {
            Some(name) => refusal.help(format!("did you mean `{name}`?")),
            None => refusal,
        }
    });
    Ok(settled?)
}

/// A machine in a finite scope, with the constants that were fixed.
pub struct Finite {
    pub model: Model,
    pub scope: Scope,
    pub settings: BTreeMap<String, String>,
    /// The user's choices for the scope, and ProB's scope where there is no choice.
    pub sizes: ScopeArguments,
}

/// Reads a machine for a command that evaluates, by default in ProB's finite scope.
///
/// # Errors
/// As of [`machine`], [`scope`] and [`fix_constants`].
pub fn finite(
    file: &Path,
    component: &ComponentArguments,
    scope: &ScopeArguments,
    output: &OutputArguments,
) -> anyhow::Result<Finite> {
    finite_scope(machine(file, component, output)?.model, scope, output)
}

/// Reads a refinement that is compared with its abstraction, as [`finite`] does. That its states lack what the
/// abstraction has is no warning then.
///
/// # Errors
/// As [`finite`].
pub fn finite_refinement(
    file: &Path,
    component: &ComponentArguments,
    scope: &ScopeArguments,
    output: &OutputArguments,
) -> anyhow::Result<Finite> {
    let mut read = read(file, component)?;
    let is_answered = |d: &Diagnostic| d.severity == Severity::Warning && d.code == codes::ABSTRACT_ONLY;
    read.diagnostics.retain(|d| !is_answered(d));
    finite_scope(checked(file, read, output)?.model, scope, output)
}

fn finite_scope(
    mut model: Model,
    scope: &ScopeArguments,
    output: &OutputArguments,
) -> anyhow::Result<Finite> {
    let mut sizes = scope.clone();
    sizes.scope.push(ScopeItem::Prob);
    let scope = self::scope(&model, &sizes)?;
    let settings = fix_constants(&mut model, &sizes.set, Paint::stderr(output.color))?;
    Ok(Finite { model, scope, settings, sizes })
}

/// Adds an axiom `constant = expression` for every `--set`.
///
/// # Errors
/// An unknown constant, or an expression that is invalid or of another type.
pub fn fix_constants(
    model: &mut Model,
    settings: &[Setting],
    paint: Paint,
) -> anyhow::Result<BTreeMap<String, String>> {
    let mut fixed = BTreeMap::new();
    for Setting { name, value, is_of_project } in settings {
        let is_there = model.constants.iter().any(|c| c.name == *name);
        if !is_there && *is_of_project {
            continue;
        }
        if !is_there {
            bail!(no_constant(model, name));
        }
        if fixed.insert(name.clone(), value.clone()).is_some() {
            bail!("--set: `{name}` is set twice");
        }
        let text = format!("{name} = ({value})");
        let pred = check_predicate(model, &text).map_err(|diagnostics| {
            Refusal::new(format!("--set: `{name} = {value}` does not fit")).diagnostics(
                &model.text.sources,
                &diagnostics,
                paint,
            )
        })?;
        // A value that depends on variables would hold in some states only.
        if let Some(&id) = Names::of_pred(&pred).variables.first() {
            let variable = &model.variables[id.index()].name;
            bail!("--set: `{variable}` is a variable; a constant needs a constant value");
        }
        let text = format!("{name} = {value}");
        model.axioms.push(Conjunct {
            label: Some("--set".into()),
            text,
            origin: ComponentId(0),
            span: pred.span,
            pred,
        });
    }
    Ok(fixed)
}

fn no_constant(model: &Model, name: &str) -> Refusal {
    let names = || model.constants.iter().map(|c| c.name.as_str());
    if model.variables.iter().any(|v| v.name == name) {
        return Refusal::new(format!("--set: `{name}` is a variable, no constant"))
            .help("constants are declared in CONSTANTS");
    }
    if model.types.carriers.iter().any(|c| c.name == name) {
        return Refusal::new(format!("--set: `{name}` is a set, no constant"))
            .help(format!("--scope {name}=3 fixes the size of a deferred set"));
    }
    let refusal = Refusal::new(format!("--set: {} has no constant `{name}`", model.name));
    match nearest(name, names()) {
        Some(near) => refusal.help(format!("did you mean `{near}`?")),
        None if model.constants.is_empty() => refusal.help("it has no constants"),
        None => refusal.help(format!("its constants are: {}", names().collect::<Vec<_>>().join(", "))),
    }
}

/// Returns the properties to check, from `--prop` and `--conjunct`, with warnings about what the machine does not have.
/// A machine without an invariant is checked for well-definedness alone, where that is asked.
///
/// # Errors
/// An unknown conjunct, or nothing to check.
pub fn properties(
    model: &Model,
    asked: &[PropertyName],
    conjuncts: &[String],
    well_definedness: bool,
) -> anyhow::Result<(Vec<Property>, Vec<String>)> {
    // Default properties; a machine that lacks one of them gives no warning.
    let by_default = asked.is_empty();
    let mut asked =
        if by_default { vec![PropertyName::Inv, PropertyName::Assertions] } else { asked.to_vec() };
    asked.sort();
    asked.dedup();
    let asked_for_invariant = asked.contains(&PropertyName::Inv);
    let (mut found, mut missing) = (vec![], vec![]);
    if !conjuncts.is_empty() && !asked.contains(&PropertyName::Inv) {
        bail!(Refusal::new(
            "--conjunct names a conjunct of the invariant, and --prop leaves the invariant out",
        )
        .help("add `inv` to --prop"));
    }
    for name in asked {
        match name {
            PropertyName::Inv if !conjuncts.is_empty() => {
                for label in conjuncts {
                    let property = Property::Invariant(conjunct(model, "--conjunct", label)?);
                    if !found.contains(&property) {
                        found.push(property);
                    }
                }
            }
            PropertyName::Inv => {
                found.extend((0..model.invariant.len()).map(Property::Invariant));
                if model.invariant.is_empty() {
                    missing.push("INVARIANT (--prop inv)");
                }
            }
            PropertyName::Deadlock => found.push(Property::DeadlockFree),
            PropertyName::Assertions => {
                found.extend((0..model.assertions.len()).map(Property::Assertion));
                if model.assertions.is_empty() {
                    missing.push("ASSERTIONS (--prop assertions)");
                }
            }
            PropertyName::Goal => match model.definitions.goal {
                Some(_) => found.push(Property::NoGoal),
                None => missing.push("definition GOAL (--prop goal)"),
            },
        }
    }
    if found.is_empty() && !(well_definedness && asked_for_invariant) {
        bail!(
            Refusal::new(format!("nothing to check: {} has no {}", model.name, missing.join(" and no ")))
                .help("choose with --prop inv,deadlock,assertions,goal")
        );
    }
    if by_default {
        missing.clear();
    }
    let warnings = missing.iter().map(|m| format!("{} has no {m}", model.name)).collect();
    Ok((found, warnings))
}

pub fn conjunct(model: &Model, flag: &str, label: &str) -> anyhow::Result<usize> {
    let all = &model.invariant;
    if let Some(i) = all.iter().position(|c| c.label.as_deref() == Some(label)) {
        return Ok(i);
    }
    if let Some(i) = label.strip_prefix('#').and_then(|n| n.parse::<usize>().ok())
        && i < all.len()
    {
        return Ok(i);
    }
    // As obligations call those without a label, by position from 1.
    if let Some(i) = label.strip_prefix("inv").and_then(|n| n.parse::<usize>().ok()?.checked_sub(1))
        && all.get(i).is_some_and(|c| c.label.is_none())
    {
        return Ok(i);
    }
    let folded = |text: &str| text.split_whitespace().collect::<String>();
    let same: Vec<usize> = (0..all.len()).filter(|&i| folded(&all[i].text) == folded(label)).collect();
    if let [i] = same[..] {
        return Ok(i);
    }
    let refusal = Refusal::new(format!("{flag}: {} has no conjunct `{label}`", model.name));
    if all.is_empty() {
        bail!(refusal.help("it has no invariant"));
    }
    let list: Vec<String> = all
        .iter()
        .enumerate()
        .map(|(i, c)| match &c.label {
            Some(label) => format!("\n      #{i}  {label}: {}", c.text),
            None => format!("\n      #{i}  {}", c.text),
        })
        .collect();
    let near = nearest(label, all.iter().filter_map(|c| c.label.as_deref()));
    let meant = near.map(|n| format!("did you mean `{n}`? ")).unwrap_or_default();
    Err(refusal.help(format!("{meant}its conjuncts are:{}", list.concat())).into())
}

/// The name of a property for progress messages.
pub fn property_name(model: &Model, property: Property) -> String {
    match property {
        Property::Invariant(i) => model.invariant.get(i).map(conjunct_name).unwrap_or_default(),
        Property::Assertion(i) => model.assertions.get(i).map(conjunct_name).unwrap_or_default(),
        Property::DeadlockFree => "deadlock freedom".into(),
        Property::NoGoal => "GOAL".into(),
    }
}
