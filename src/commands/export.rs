//! `bsym export`: a machine as a circuit or as Horn clauses, for other model checkers.

use std::fmt::Write;
use std::path::Path;
use std::rc::Rc;

use anyhow::{Context, bail};
use bsym_encodings::encoding;
use bsym_encodings::propositional::circuit::{Circuit, Refused, circuit};
use bsym_encodings::session::horn::horn;
use bsym_engines::export::{Exported, export};
use bsym_engines::options::Job;
use bsym_language::model::{Model, Pred};
use bsym_proofs::certificate::Certificate;
use bsym_proofs::certify::open_value;
use bsym_proofs::claim::{Evidence, Property};
use bsym_semantics::scope::Scope;

use crate::answer::Answer;
use crate::answer::diagnostic::{UnsupportedObject, location};
use crate::answer::exported::{CircuitObject, ExportAnswer, FileObject, FormWord};
use crate::answer::scope::ScopeObject;
use crate::answer::statistics::TimeObject;
use crate::arguments::ExportArguments;
use crate::export::{aiger::aiger, btor2::btor2};
use crate::paint::Paint;
use crate::race::control::Control;
use crate::refusal::Refusal;
use crate::{input, output};

/// What is exported.
struct Subject {
    model: Model,
    scope: Scope,
    settings: std::collections::BTreeMap<String, String>,
    properties: Vec<Property>,
    well_definedness: bool,
    /// The predicates of the invariant of a proof.
    claim: Option<Vec<Pred>>,
}

/// Runs the command.
pub fn run(arguments: &ExportArguments, control: &Control) -> anyhow::Result<Answer> {
    let outputs = [
        ("--aiger", &arguments.aiger),
        ("--btor2", &arguments.btor2),
        ("--horn", &arguments.horn),
        ("--witness", &arguments.witness),
    ];
    let mut inputs: Vec<&Path> = vec![&arguments.file];
    inputs.extend(arguments.certificate.as_deref());
    for (flag, path) in outputs {
        if let Some(path) = path {
            output::check_writable(path, flag, &inputs)?;
        }
    }
    let paint = Paint::stderr(arguments.output.color);
    let subject = subject(arguments, paint)?;
    let Subject { model, scope, .. } = &subject;
    let budget = control.budget.clone();
    let job = Job {
        well_definedness: subject.well_definedness,
        ..Job::new(model.clone(), scope.clone(), subject.properties.clone(), budget)
    };
    let refused = |unsupported: Vec<bsym_encodings::system::Unsupported>| {
        let mut text = format!("{} cannot be exported:", model.name);
        for part in &unsupported {
            let part = UnsupportedObject::of(&model.text.sources, part);
            let place = location(&part.file, part.line).unwrap_or_default();
            let _ = write!(text, "\n  {place}: {}: {}", part.part, part.reason);
        }
        Refusal::new(text)
    };
    let exported = export(&job, None).map_err(refused)?;
    let mut files = vec![];
    let mut written = |path: &Path, bytes: &[u8], form: FormWord, circuit: Option<&Circuit>| {
        if output::write_bytes(path, bytes) {
            files.push(FileObject {
                path: path.display().to_string(),
                form,
                circuit: circuit.map(CircuitObject::new),
            });
        }
    };
    let comment = format!("bsym {}: {}", env!("CARGO_PKG_VERSION"), model.name);
    if arguments.aiger.is_some() || arguments.btor2.is_some() {
        let circuit = make(&exported, arguments, &subject, control)?;
        if let Some(path) = &arguments.aiger {
            written(path, &aiger(&circuit, is_text(path), &comment), FormWord::Aiger, Some(&circuit));
        }
        if let Some(path) = &arguments.btor2 {
            written(path, btor2(&circuit, &comment).as_bytes(), FormWord::Btor2, Some(&circuit));
        }
    }
    if let Some(path) = &arguments.witness {
        let claimed = export(&job, subject.claim.as_deref()).map_err(refused)?;
        let circuit = make(&claimed, arguments, &subject, control)?;
        written(path, &aiger(&circuit, is_text(path), &comment), FormWord::Witness, Some(&circuit));
    }
    if let Some(path) = &arguments.horn {
        let text =
            horn(&exported.terms, &exported.relation).map_err(|why| refusal(&why, &subject, "--horn"))?;
        written(path, format!("; {comment}\n{text}").as_bytes(), FormWord::Horn, None);
    }
    control.finish();
    Ok(Answer::Exported(Box::new(ExportAnswer {
        format: "bsym-export",
        version: 1,
        machine: model.name.clone(),
        scope: ScopeObject::new(model, scope, &subject.settings),
        properties: subject.properties.iter().map(|&p| input::property_name(model, p)).collect(),
        files,
        stats: TimeObject { seconds: control.seconds() },
    })))
}

fn is_text(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "aag")
}

/// Reads the machine, or the machine and the claim of a certificate.
fn subject(arguments: &ExportArguments, paint: Paint) -> anyhow::Result<Subject> {
    let mut model = input::machine(&arguments.file, &arguments.component, &arguments.output)?.model;
    let scope = input::scope(&model, &arguments.scope)?;
    let settings = input::fix_constants(&mut model, &arguments.scope.set, paint)?;
    let well_definedness = !arguments.no_wd;
    let Some(path) = &arguments.certificate else {
        let (properties, warnings) =
            input::properties(&model, &arguments.properties, &arguments.conjunct, well_definedness)?;
        warnings.iter().for_each(|w| output::note(&format!("warning: {w}")));
        return Ok(Subject { model, scope, settings, properties, well_definedness, claim: None });
    };
    let named = || path.display().to_string();
    let certificate = Certificate::read(path)?;
    let opened = open_value(&certificate, path.parent().unwrap_or(Path::new(""))).with_context(named)?;
    if opened.model.name != model.name {
        bail!("{}: this is a certificate of {}, not of {}", named(), opened.model.name, model.name);
    }
    let Evidence::Inductive { .. } = opened.claim.evidence else {
        bail!(
            Refusal::new(format!("{}: the proof has no inductive invariant", named()))
                .help("`bsym ic3` gives one: --certificate writes it")
        );
    };
    let conjuncts = opened.claim.conjuncts.iter().filter_map(|&i| opened.model.invariant.get(i));
    let claim: Vec<Pred> = conjuncts.map(|c| c.pred.clone()).chain(opened.claim.lemmas().cloned()).collect();
    // The scope of the flags, where they name one: a proof for every size is one for each.
    let scope = if arguments.scope.scope.is_empty() { opened.scope } else { scope };
    Ok(Subject {
        properties: opened.claim.properties.clone(),
        well_definedness: opened.claim.well_definedness,
        model: opened.model,
        scope,
        settings: certificate.settings,
        claim: Some(claim),
    })
}

/// Makes the circuit.
fn make(
    exported: &Exported,
    arguments: &ExportArguments,
    subject: &Subject,
    control: &Control,
) -> anyhow::Result<Circuit> {
    if let Some(what) = encoding::infinite(&subject.model, &subject.scope).first() {
        bail!(
            Refusal::new(format!("a circuit is finite, and {what} is not in this scope"))
                .help("--scope SET=SIZE gives a set a size, --scope prob all of them; --horn needs none")
        );
    }
    let terms = Rc::clone(&exported.terms);
    circuit(&terms, &exported.relation, arguments.bits, &control.budget)
        .map_err(|why| refusal(&why, subject, "--aiger").into())
}

fn refusal(why: &Refused, subject: &Subject, flag: &str) -> Refusal {
    let name = &subject.model.name;
    match why {
        Refused::NoForm(what) => Refusal::new(format!("{flag}: {name} cannot be exported: {what}")),
        Refused::NoInitialState => {
            Refusal::new(format!("{flag}: {name} has no initial state, so that every property would hold"))
                .help("`bsym check` says which axioms contradict each other")
        }
        Refused::Unbounded(what) => {
            Refusal::new(format!("{flag}: {what} are as many as one likes, and a circuit has finitely many"))
                .help("--set CONSTANT=EXPR fixes a constant, --bits widens the numbers")
        }
        Refused::Stopped(why) => Refusal::new(format!("{flag}: {name} is too large for a circuit: {why}"))
            .help("a smaller scope makes a smaller circuit"),
    }
}
