//! Checking a certificate again, from the machine's file, with a solver in another process.
//!
//! Nothing of the run that made the certificate is used: the machine is read and encoded again and the lemmas are
//! parsed from their text. cvc5 is asked first where it is installed, for it is not the solver that engines use; checks
//! that it does not decide are left to z3. A check that one solver refutes is refuted; one that neither decides is
//! undecided.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use bsym_encodings::budget::Budget;
use bsym_encodings::session::{SolverChoice, SolverError, open};
use bsym_encodings::system::build::{Representations, encode, encode_with_facts};
use bsym_encodings::term::Terms;
use bsym_language::diagnostic::Diagnostic;
use bsym_language::load::{LoadError, LoadRequest, Loaded, check_predicate, load_with};
use bsym_language::model::{ComponentId, Conjunct, EventId, Model, Pred};
use bsym_language::render::render_line;
use bsym_language::source::Sources;
use bsym_language::walk::Names;
use bsym_semantics::scope::{Scope, ScopeError, ScopeRequest};
use bsym_status::digest::{self, INITIALISATION};
use bsym_status::{Level, PairStatus, ProofStatus};

use crate::certificate::{Certificate, CertificateError, ClaimedPredicate, ClaimedProperty, EvidenceText};
use crate::check::{Represented, check, check_representations};
use crate::claim::{Checked, Claim, Evidence, Property};
use crate::sizes::{SmallSizes, check_small};

/// Reason to refuse a certificate before any check.
#[derive(Debug, thiserror::Error)]
pub enum CertifyError {
    /// The certificate itself.
    #[error(transparent)]
    Certificate(#[from] CertificateError),
    /// The machine is not where the certificate says.
    #[error("the machine of the certificate cannot be read: {0}")]
    NoMachine(String),
    /// The machine is not the one that was proved.
    #[error("{} has changed since the certificate was written: its SHA-256 is {found}, the certificate is for {recorded}; prove it again", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
        /// SHA-256 in the certificate.
        recorded: String,
        /// SHA-256 now.
        found: String,
    },
    /// The machine has mistakes.
    #[error("{} is not a correct machine: {message}", path.display())]
    Machine {
        /// The file.
        path: PathBuf,
        /// The first message.
        message: String,
    },
    /// The contents of the certificate do not fit the machine.
    #[error("the certificate does not fit the machine: {0}")]
    Mismatch(String),
    /// The scope does not fit the machine.
    #[error("the scope of the certificate does not fit the machine: {0}")]
    Scope(#[from] ScopeError),
    /// There is no program to check with.
    #[error("no solver found to check with; install cvc5 or z3, or set BSYM_CVC5 or BSYM_Z3 to its path")]
    NoSolver,
    /// The solvers failed.
    #[error(transparent)]
    Solver(#[from] SolverError),
}

/// Options of a check of a certificate.
#[derive(Clone, Debug, Default)]
pub struct CertifyOptions {
    /// Solvers in the order in which they are asked. If empty: cvc5 and z3, as far as they are installed.
    pub solvers: Vec<SolverChoice>,
    /// Does not accept trusted pairs.
    pub recheck: bool,
}

/// One solver's checks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attempt {
    /// Solver's name and version.
    pub solver: String,
    /// The outcome of its checks.
    pub checked: Checked,
}

/// Comparison of the solver that checks a proof with the one that it was made with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sameness {
    /// Another program.
    Other,
    /// Another version of the same program.
    OtherVersion,
    /// Same version of the same program.
    Same,
}

impl Sameness {
    /// Compares a solver with the one that made a proof, both as name and version: `z3 5.4.0 (linked)`.
    pub fn of(solver: &str, maker: &str) -> Sameness {
        // The same program reached in another way counts as the same.
        let program = |text: &str| text.split(" (").next().unwrap_or_default().trim().to_ascii_lowercase();
        let name = |text: &str| text.split_whitespace().next().unwrap_or_default().to_string();
        let (solver, maker) = (program(solver), program(maker));
        if solver == maker {
            Sameness::Same
        } else if name(&solver) == name(&maker) {
            Sameness::OtherVersion
        } else {
            Sameness::Other
        }
    }
}

/// The outcome of certifying.
#[derive(Clone, Debug)]
pub struct Certified {
    /// The certificate that was checked.
    pub certificate: Certificate,
    /// The machine, the scope and the claim, read again.
    pub opened: Opened,
    /// The outcome of all solvers together.
    pub checked: Checked,
    /// Each solver's part, in the order they were asked.
    pub attempts: Vec<Attempt>,
    /// The claim checked in small sizes of the sets whose size it leaves open.
    pub sizes: SmallSizes,
    /// The check that values fit their representations in the encoding.
    pub represented: Represented,
    /// Existence of an initial state, without which the claim is vacuous.
    pub existence: Existence,
}

/// Existence of a valuation of the constants and an initial state of the machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Existence {
    /// The evaluator repeats the valuation and initial state of the certificate.
    Shown,
    /// No initial state is known; the missing part, in words.
    Undecided(String),
}

/// Machine, scope and claim of a certificate, read again from the machine's file.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The machine, with the constants that were fixed.
    pub model: Model,
    /// The scope of the claim.
    pub scope: Scope,
    /// The claim.
    pub claim: Claim,
}

/// Reads the machine of a certificate whose paths are seen from `folder`, and the claim about it.
///
/// # Errors
/// If the machine is missing or has changed, or if text does not fit it.
pub fn open_value(certificate: &Certificate, folder: &Path) -> Result<Opened, CertifyError> {
    let mut model = machine(certificate, folder)?;
    fix_constants(&mut model, &certificate.settings)?;
    let scope = scope(certificate, &model)?;
    let claim = claim(certificate, &mut model)?;
    Ok(Opened { model, scope, claim })
}

/// Checks a certificate file.
///
/// # Errors
/// A file that is no certificate, a machine that is missing or has changed, text that does not fit
/// it, no solver.
pub fn certify(path: &Path, options: &CertifyOptions, budget: &Budget) -> Result<Certified, CertifyError> {
    let certificate = Certificate::read(path)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    certify_value(certificate, folder, options, budget)
}

/// Checks a certificate whose paths are seen from `folder`.
///
/// # Errors
/// As [`certify`].
pub fn certify_value(
    certificate: Certificate,
    folder: &Path,
    options: &CertifyOptions,
    budget: &Budget,
) -> Result<Certified, CertifyError> {
    let opened = open_value(&certificate, folder)?;
    let status = status(&certificate, &opened.model)?;
    let solvers = if options.solvers.is_empty() {
        // The program that made the proof comes last.
        let mut names = ["cvc5", "z3"];
        names.sort_by_key(|name| Sameness::of(name, &certificate.checked.solver) != Sameness::Other);
        names.iter().filter_map(|s| SolverChoice::named(s)).collect()
    } else {
        options.solvers.clone()
    };
    if solvers.is_empty() {
        return Err(CertifyError::NoSolver);
    }
    let Opened { model, scope, claim } = &opened;
    let shared = Arc::new(model.clone());
    let mut attempts: Vec<Attempt> = vec![];
    for solver in &solvers {
        let terms = Rc::new(Terms::new());
        let mut system = if claim.properties.contains(&Property::DeadlockFree) {
            encode_with_facts(terms, shared.clone(), scope, Representations::Analysed)
        } else {
            encode(terms, shared.clone(), scope)
        };
        let mut opener = |terms| open(terms, solver);
        let checked = check(&mut system, claim, &status, options.recheck, &mut opener, budget)?;
        let trusts = checked.trusts();
        let decided = checked.undecided.is_empty() && !trusts;
        let wrong = !checked.wrong.is_empty() || !checked.wrong_checks.is_empty();
        let refuted = !checked.failed.is_empty() || wrong;
        attempts.push(Attempt { solver: checked.solver.clone(), checked });
        if decided || refuted || budget.check().is_err() {
            break;
        }
    }
    let mut checked = together(&attempts, budget.check().is_ok());
    let (mut sizes, mut represented) = (SmallSizes::default(), Represented::default());
    if checked.passed() {
        let mut opener = |terms| open(terms, &solvers[0]);
        sizes = check_small(&shared, scope, claim, &mut opener, budget)?;
        if let Some(failed) = &sizes.failed {
            let sizes = &failed.sizes;
            checked.failed.extend(failed.checks.iter().map(|check| format!("{check}, with {sizes}")));
        }
        let system = encode(Rc::new(Terms::new()), shared, scope);
        represented = check_representations(&system, claim, &mut opener, budget)?;
        checked.checks += represented.checks;
        checked.failed.extend(represented.failed.iter().cloned());
    }
    let existence = existence(&certificate, &opened, budget);
    Ok(Certified { certificate, opened, checked, attempts, sizes, represented, existence })
}

fn existence(certificate: &Certificate, opened: &Opened, budget: &Budget) -> Existence {
    let Some(witness) = &certificate.witness else {
        return Existence::Undecided(
            "the certificate has no valuation of the constants and initial state".into(),
        );
    };
    match witness.replay(&opened.model, &opened.scope, budget) {
        Ok(()) => Existence::Shown,
        Err(why) => {
            Existence::Undecided(format!("the initial state of the certificate does not replay: {why}"))
        }
    }
}

/// Combines the outcomes of all solvers. A check is undecided if no solver decided it, and trusted if none proved it.
fn together(attempts: &[Attempt], complete: bool) -> Checked {
    let Some((first, rest)) = attempts.split_first() else { return Checked::default() };
    let mut all = first.checked.clone();
    for other in rest.iter().map(|a| &a.checked) {
        all.solver = format!("{}, {}", all.solver, other.solver);
        all.checks += other.checks;
        all.in_first_order += other.in_first_order;
        join(&mut all.wrong, &other.wrong);
        join(&mut all.trusted, &other.trusted);
        join(&mut all.wrong_checks, &other.wrong_checks);
        join(&mut all.trusted_checks, &other.trusted_checks);
        all.failed.extend(other.failed.iter().cloned());
    }
    // A run that was stopped has no names for what it did not ask.
    if complete {
        for other in rest.iter().map(|a| &a.checked) {
            let left: Vec<&str> = other.undecided.iter().map(|u| sequent_name(u)).collect();
            all.undecided.retain(|u| left.contains(&sequent_name(u)));
        }
    }
    // Where a solver decided everything, it proved all that it did not trust.
    all.trusted.retain(|pair| {
        attempts.iter().map(|a| &a.checked).all(|c| c.trusted.contains(pair) || !c.undecided.is_empty())
    });
    all.trusted_checks.retain(|check| {
        attempts
            .iter()
            .map(|a| &a.checked)
            .all(|c| c.trusted_checks.contains(check) || !c.undecided.is_empty())
    });
    all
}

fn join<T: Copy + PartialEq>(list: &mut Vec<T>, more: &[T]) {
    for new in more {
        if !list.contains(new) {
            list.push(*new);
        }
    }
}

/// The name in an undecided check's text, without the reason.
fn sequent_name(undecided: &str) -> &str {
    let reasons = [": time is up", ": interrupted", ": the solver answered unknown"];
    let end = reasons.iter().filter_map(|r| undecided.rfind(r)).min();
    &undecided[..end.unwrap_or(undecided.len())]
}

fn machine(certificate: &Certificate, folder: &Path) -> Result<Model, CertifyError> {
    let recorded = &certificate.machine;
    let path = folder.join(&recorded.path);
    let mut files = vec![(path.clone(), &recorded.sha256)];
    files.extend(recorded.definitions.iter().map(|(p, hash)| (folder.join(p), hash)));
    let mut listed = vec![];
    for (path, hash) in files {
        let missing = || CertifyError::NoMachine(format!("{}: no such file", path.display()));
        let found = digest::file(&path).ok_or_else(missing)?;
        if !found.eq_ignore_ascii_case(hash) {
            return Err(CertifyError::Changed { path, recorded: hash.clone(), found });
        }
        listed.push(found);
    }
    let include_path = recorded.include.iter().map(|path| folder.join(path)).collect();
    let loaded = load(&path, &recorded.name, include_path)
        .map_err(|e| CertifyError::NoMachine(format!("{}: {e}", path.display())))?;
    let Some(model) = loaded.model else {
        let message = first_message(&loaded.sources, &loaded.diagnostics);
        return Err(CertifyError::Machine { path, message });
    };
    if model.name != recorded.name {
        let text = format!(
            "the machine in {} is {}, the certificate is for {}",
            path.display(),
            model.name,
            recorded.name
        );
        return Err(CertifyError::Mismatch(text));
    }
    // Each file that the machine reads must be listed, and no other, so that none can change unseen.
    let mut read: Vec<String> = model.text.sources.iter().map(|(_, s)| digest::source(s)).collect();
    read.sort();
    listed.sort();
    if read != listed {
        return Err(CertifyError::Mismatch(
            "the machine reads other files than the ones that it lists".into(),
        ));
    }
    Ok(model)
}

/// Reads the machine of a file, or of a file in an archive: `project.zip!/folder/file`.
fn load(path: &Path, name: &str, include_path: Vec<PathBuf>) -> Result<Loaded, LoadError> {
    let component = |name: &str| LoadRequest { component: Some(name.to_string()), include_path: vec![] };
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    if let Some((archive, inside)) = path.to_str().and_then(|p| p.split_once("!/")) {
        let inside = inside.rsplit_once('.').map_or(inside, |(stem, _)| stem);
        return load_with(Path::new(archive), &component(inside));
    }
    // A file of several components.
    if ["eventb", "bumx", "bucx"].contains(&extension.as_str()) {
        return load_with(path, &LoadRequest { include_path, ..component(name) });
    }
    load_with(path, &LoadRequest { component: None, include_path })
}

fn first_message(sources: &Sources, diagnostics: &[Diagnostic]) -> String {
    diagnostics.first().map(|d| render_line(sources, d)).unwrap_or_default()
}

fn predicate(model: &mut Model, what: &str, text: &str) -> Result<Pred, CertifyError> {
    check_predicate(model, text).map_err(|d| {
        CertifyError::Mismatch(format!("{what} `{text}`: {}", first_message(&model.text.sources, &d)))
    })
}

/// Adds an axiom for every constant that was fixed.
fn fix_constants(model: &mut Model, settings: &BTreeMap<String, String>) -> Result<(), CertifyError> {
    for (name, value) in settings {
        if !model.constants.iter().any(|c| c.name == *name) {
            return Err(CertifyError::Mismatch(format!("there is no constant `{name}` to fix")));
        }
        let text = format!("{name} = ({value})");
        let pred = predicate(model, "the fixed constant", &text)?;
        if !Names::of_pred(&pred).variables.is_empty() {
            return Err(CertifyError::Mismatch(format!(
                "the value of `{name}` speaks of variables: `{value}`"
            )));
        }
        model.axioms.push(Conjunct { label: None, text, origin: ComponentId(0), span: pred.span, pred });
    }
    Ok(())
}

fn scope(certificate: &Certificate, model: &Model) -> Result<Scope, CertifyError> {
    let bound = |name: &str, text: &str| {
        text.parse().map_err(|_| CertifyError::Mismatch(format!("{name} is no integer: `{text}`")))
    };
    let request = ScopeRequest {
        sizes: certificate.scope.sizes.clone(),
        maxint: Some(bound("MAXINT", &certificate.scope.maxint)?),
        minint: Some(bound("MININT", &certificate.scope.minint)?),
        prob: false,
    };
    Ok(Scope::settle(model, &request)?)
}

fn claim(certificate: &Certificate, model: &mut Model) -> Result<Claim, CertifyError> {
    let mut conjuncts = vec![];
    for c in &certificate.conjuncts {
        conjuncts.push(position("conjunct", model, &model.invariant, c)?);
    }
    let mut properties = vec![];
    for p in &certificate.properties {
        properties.push(match p {
            ClaimedProperty::Invariant(c) => {
                Property::Invariant(position("conjunct", model, &model.invariant, c)?)
            }
            ClaimedProperty::Assertion(c) => {
                Property::Assertion(position("assertion", model, &model.assertions, c)?)
            }
            ClaimedProperty::DeadlockFree => Property::DeadlockFree,
            ClaimedProperty::NoGoal => Property::NoGoal,
        });
    }
    let whole = Claim {
        properties,
        conjuncts,
        well_definedness: certificate.well_definedness,
        layouts: vec![],
        evidence: Evidence::Inductive { lemmas: vec![] },
    };
    says_something(&whole, model)?;
    let mut parse = |texts: &[String]| -> Result<Vec<Pred>, CertifyError> {
        texts.iter().map(|t| predicate(model, "the lemma", t)).collect()
    };
    let layouts = parse(&certificate.layouts)?;
    let evidence = match &certificate.evidence {
        EvidenceText::Inductive { lemmas } => Evidence::Inductive { lemmas: parse(lemmas)? },
        EvidenceText::KInduction { k, lemmas } => Evidence::KInduction { k: *k, lemmas: parse(lemmas)? },
        EvidenceText::Diameter { depth } => Evidence::Diameter { depth: *depth },
        EvidenceText::Search { states, transitions, digest, symmetric } => Evidence::Search {
            states: *states,
            transitions: *transitions,
            digest: digest.clone(),
            symmetric: *symmetric,
        },
    };
    Ok(Claim { layouts, evidence, ..whole })
}

/// Refuses a claim without property, conjunct and well-definedness, and one whose parts do not belong together.
fn says_something(claim: &Claim, model: &Model) -> Result<(), CertifyError> {
    let refused = |reason: String| Err(CertifyError::Mismatch(reason));
    if claim.properties.is_empty() && claim.conjuncts.is_empty() && !claim.well_definedness {
        return refused("it claims nothing: no property, no conjunct, no well-definedness".into());
    }
    let name = |i: usize| model.invariant.get(i).map(|c| c.text.as_str()).unwrap_or_default();
    for property in &claim.properties {
        match property {
            Property::Invariant(i) if !claim.conjuncts.contains(i) => {
                return refused(format!("it claims `{}` and does not list it among its conjuncts", name(*i)));
            }
            Property::NoGoal if model.definitions.goal.is_none() => {
                return refused(
                    "it claims that the goal is never reached, and there is no definition GOAL".into(),
                );
            }
            _ => {}
        }
    }
    for (what, twice) in
        [("property", has_twice(&claim.properties)), ("conjunct", has_twice(&claim.conjuncts))]
    {
        if twice {
            return refused(format!("it claims a {what} twice"));
        }
    }
    Ok(())
}

fn has_twice<T: Ord>(all: &[T]) -> bool {
    let mut seen = BTreeSet::new();
    !all.iter().all(|one| seen.insert(one))
}

fn position(
    what: &str,
    model: &Model,
    list: &[Conjunct],
    claimed: &ClaimedPredicate,
) -> Result<usize, CertifyError> {
    let found = list.get(claimed.index).map(|c| digest::predicate(model, &c.pred));
    let own = digest::sha256(claimed.text.as_bytes());
    let label = list.get(claimed.index).and_then(|c| c.label.as_ref());
    if found.as_ref() == Some(&claimed.hash) && own == claimed.hash && label == claimed.label.as_ref() {
        return Ok(claimed.index);
    }
    Err(CertifyError::Mismatch(format!(
        "{what} {} of the machine is not `{}`",
        claimed.index + 1,
        claimed.text
    )))
}

fn status(certificate: &Certificate, model: &Model) -> Result<ProofStatus, CertifyError> {
    let mut status = ProofStatus::none();
    for t in &certificate.trusted {
        let event = match t.event.as_str() {
            INITIALISATION => None,
            name => match model.events.iter().position(|e| e.name == name) {
                Some(e) => Some(EventId(e as u32)),
                None => {
                    return Err(CertifyError::Mismatch(format!(
                        "it trusts a pair of `{name}`, which is no operation"
                    )));
                }
            },
        };
        if t.conjunct >= model.invariant.len() {
            return Err(CertifyError::Mismatch(format!(
                "it trusts a pair of conjunct {}, and there are {}",
                t.conjunct + 1,
                model.invariant.len()
            )));
        }
        let level = Level::from(t.level);
        status.insert((event, t.conjunct), PairStatus { provers: t.provers.clone(), level });
    }
    for t in &certificate.trusted_checks {
        let check = t.check.check(model).map_err(CertifyError::Mismatch)?;
        let text = check.describe(model);
        if text != t.text {
            return Err(CertifyError::Mismatch(format!(
                "it trusts `{}` where the machine has `{text}`",
                t.text
            )));
        }
        let level = Level::from(t.level);
        status.insert_check(check, PairStatus { provers: t.provers.clone(), level });
    }
    Ok(status)
}

#[cfg(test)]
mod tests;
