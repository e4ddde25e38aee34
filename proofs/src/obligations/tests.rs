use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bsym_encodings::budget::Budget;
use bsym_encodings::session::{Session, SolverError, find_solver};
use bsym_encodings::term::Terms;
use bsym_language::load::load_model;
use bsym_language::model::{EventId, Model};
use bsym_semantics::scope::{Scope, ScopeRequest};
use bsym_status::file::{Kind, PoFile, SCHEMA, Status, Target};
use bsym_status::{Import, ImportOptions, import, read_status};
use bsym_testing::process::Limited;
use bsym_testing::{Part, present};

use super::{
    Choice, Extent, Job, Obligations, SharedOpener, Workers, prove, prove_and_confirm, prove_obligations,
};
use crate::scope::named;
use crate::testing::{model, open_default, scope, solver};

const COUNTER: &str =
    "MACHINE Counter VARIABLES n, m INVARIANT n : INTEGER & m : NAT & /*@ label bound */ n <= 10
INITIALISATION n, m := 0, 0
OPERATIONS inc = SELECT n < 10 THEN n := n + 1 END; far = n := n + 3; other = BEGIN m := 1 END END";

/// The pairs that the file proves, without those that need no obligation.
fn proven(import: &Import) -> Vec<(Option<u32>, usize)> {
    let pairs = import.status.iter().filter(|(p, _)| !import.trivial.contains(p));
    pairs.map(|(p, _)| (p.0.map(|e| e.0), p.1)).collect()
}

/// Our own obligations, made of `before` and read for `now`.
fn carried_over(before: &str, now: &str) -> Option<Import> {
    solver()?;
    let file = own(&model(before)).1;
    let options =
        ImportOptions { trust_reviewed: false, scope: Some(named(&model(now), &scope(&model(now)))) };
    Some(import(Path::new("po.json"), &file, &model(now), &options).expect("an import"))
}

fn own(m: &Model) -> (Obligations, PoFile) {
    let all = prove_obligations(
        Arc::new(m.clone()),
        &scope(m),
        &mut open_default,
        &Budget::unlimited(),
        &mut |_| {},
    )
    .expect("a solver");
    let file = all.to_po(m, &scope(m), Path::new(""));
    (all, file)
}

#[test]
fn our_obligations_have_the_right_status() {
    if solver().is_none() {
        return;
    }
    let (all, _) = own(&model(COUNTER));
    let status = |name: &str| all.all.iter().find(|p| p.name == name).map(|p| p.status);
    assert_eq!(status("INITIALISATION/bound/INV"), Some(Status::Discharged));
    assert_eq!(status("inc/bound/INV"), Some(Status::Discharged));
    assert_eq!(status("far/bound/INV"), Some(Status::Refuted));
    assert_eq!(status("other/bound/INV"), Some(Status::Trivial));
    assert_eq!(status("other/inv2/INV"), Some(Status::Discharged));
    let pairs = all.status();
    assert!(pairs.is_proven(Some(EventId(0)), 2) && !pairs.is_proven(Some(EventId(1)), 2));
    assert_eq!(pairs.len(), 11);
}

#[test]
fn ill_defined_parts_are_obligations() {
    if solver().is_none() {
        return;
    }
    let (all, _) = own(&model(
        "MACHINE Wd VARIABLES n INVARIANT n : INTEGER & 10 / n < 5 ASSERTIONS n /= 0; n > 0 INITIALISATION n := 3
         OPERATIONS a = n := 10 / (n - 3); b = n := 10 / n END",
    ));
    let of = |kind, status| all.all.iter().filter(|p| p.kind == kind && p.status == status).count();
    assert_eq!((of(Kind::Wd, Status::Refuted), of(Kind::Wd, Status::Discharged)), (2, 1), "{:#?}", all.all);
    assert_eq!((of(Kind::Assertion, Status::Refuted), of(Kind::Assertion, Status::Discharged)), (1, 1));
}

#[test]
fn obligations_of_event_b_have_rodins_names() {
    if solver().is_none() {
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../language/tests/eventb");
    let named = |file: &str| {
        let m = load_model(&folder.join(file)).expect("a file").model.expect("a machine");
        let (all, file) = own(&m);
        let text = file.to_text();
        assert!(PoFile::parse(Path::new("po.json"), text.as_bytes()).is_ok());
        all.all
            .into_iter()
            .map(|p| (p.name, (p.kind, p.status)))
            .collect::<std::collections::BTreeMap<_, _>>()
    };
    let tank = named("Tank/Tank1.bum");
    let discharged =
        |name: &str, kind| assert_eq!(tank.get(name), Some(&(kind, Status::Discharged)), "{tank:#?}");
    discharged("drain/grd1/GRD", Kind::Grd);
    discharged("drain/act1/SIM", Kind::Sim);
    discharged("open/VAR", Kind::Var);
    discharged("FIN", Kind::Fin);
    discharged("drain/inv2/INV", Kind::Inv);
    discharged("drain/Tank0.inv1/INV", Kind::Inv);
    discharged("Tank0.thm1/THM", Kind::Thm);
    assert_eq!(named("Tank/Tank0.bum")["drain/act1/FIS"], (Kind::Fis, Status::Discharged));
    let claims = named("Claims/Claims.bum");
    assert_eq!(claims["up/thm1/THM"], (Kind::Thm, Status::Refuted));
    assert_eq!(claims["up/NAT"], (Kind::Nat, Status::Discharged));
    assert_eq!(named("Ration/Halved.bum")["divide/act1/WD"], (Kind::Wd, Status::Refuted));
    // An axiom is well-defined by those before it.
    assert_eq!(named("Tank/Valve.buc")["thm1/THM"], (Kind::Thm, Status::Discharged));
}

/// Knowledge about `f` grows from axiom to axiom: a relation before `axm2`, a function after it.
#[test]
fn each_theorem_of_a_context_has_its_own_form_of_a_constant() {
    if solver().is_none() {
        return;
    }
    let axiom = |label: &str, predicate: &str, theorem: bool| {
        format!(
            "<org.eventb.core.axiom name=\"{label}\" org.eventb.core.label=\"{label}\" \
             org.eventb.core.predicate=\"{predicate}\" org.eventb.core.theorem=\"{theorem}\"/>"
        )
    };
    let text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<org.eventb.core.contextFile \
         org.eventb.core.configuration=\"org.eventb.core.fwd\" version=\"3\">\
         <org.eventb.core.carrierSet name=\"s\" org.eventb.core.identifier=\"S\"/>\
         <org.eventb.core.constant name=\"f\" org.eventb.core.identifier=\"f\"/>{}{}{}{}\
         </org.eventb.core.contextFile>",
        axiom("axm1", "f ∈ S ↔ ℤ", false),
        axiom("thm1", "dom(f) ⊆ S", true),
        axiom("axm2", "f ∈ S → 1‥3", false),
        axiom("thm2", "∀x· x∈S ⇒ f(x) &gt; 0", true),
    );
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("Forms.buc");
    std::fs::write(&path, text).expect("a file");
    let m = load_model(&path).expect("a file").model.expect("a context");
    let all = own(&m).0.all;
    for name in ["thm1/THM", "thm2/WD", "thm2/THM"] {
        let status = all.iter().find(|p| p.name == name).map(|p| p.status);
        assert!(matches!(status, Some(Status::Discharged | Status::Trivial)), "{name}: {all:#?}");
    }
}

#[test]
fn a_variant_that_does_not_decrease_is_refuted() {
    if solver().is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let claims = Path::new(env!("CARGO_MANIFEST_DIR")).join("../language/tests/eventb/Claims/Claims.bum");
    let text = std::fs::read_to_string(claims).expect("a file");
    assert!(text.contains("3 - x") || text.contains("3 \u{2212} x"), "{text}");
    let wrong = folder.path().join("Claims.bum");
    std::fs::write(&wrong, text.replace("3 - x", "3 + x").replace("3 \u{2212} x", "3 + x")).expect("a file");
    let m = load_model(&wrong).expect("a file").model.expect("a machine");
    let all = own(&m).0.all;
    let of = |name: &str| all.iter().find(|p| p.name == name).map(|p| p.status);
    assert_eq!(of("up/VAR"), Some(Status::Refuted), "{all:#?}");
}

#[test]
fn an_obligation_follows_from_the_invariant_and_not_from_all_events() {
    if solver().is_none() {
        return;
    }
    // No event makes f anything but a function; only where the invariant says so does `put` keep f small.
    let status = |said: &str| {
        let (all, _) = own(&model(&format!(
            "MACHINE Small SETS D = {{a, b}} VARIABLES f INVARIANT f : {said} & card(f) <= 2 INITIALISATION f := {{}}
             OPERATIONS put(x, y) = PRE x : D & y : D THEN f := f <+ {{x |-> y}} END END"
        )));
        all.all.iter().find(|p| p.name == "put/inv2/INV").map(|p| p.status)
    };
    assert_eq!(status("D <-> D"), Some(Status::Refuted));
    assert_eq!(status("D +-> D"), Some(Status::Discharged));
    // A conjunct further behind is no hypothesis of whether one is well-defined.
    let (all, _) = own(&model(
        "MACHINE Late SETS D = {a, b} VARIABLES f INVARIANT f : D <-> D & f(a) = b & f : D --> D INITIALISATION f := D * {b}
         OPERATIONS put(x) = PRE x : D THEN f(x) := b END END",
    ));
    let of = |name: &str| all.all.iter().find(|p| p.name == name).map(|p| p.status);
    assert_eq!((of("inv2/WD"), of("put/inv3/INV")), (Some(Status::Refuted), Some(Status::Discharged)));
}

#[test]
fn an_own_file_that_was_changed_by_hand_is_refused() {
    if solver().is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let machine = folder.path().join("m.mch");
    std::fs::write(&machine, COUNTER).expect("a file");
    let m = load_model(&machine).expect("a file").model.expect("a machine");
    let file = own(&m).0.to_po(&m, &scope(&m), folder.path());
    let path = Path::new("po.json");
    let read = |change: &dyn Fn(&mut PoFile)| {
        let mut changed = file.clone();
        change(&mut changed);
        let read = PoFile::parse(path, changed.to_text().as_bytes())?;
        import(path, &read, &m, &ImportOptions::default())
    };
    let refused = |place: &str, change: &dyn Fn(&mut PoFile)| {
        let error = read(change).expect_err(place).to_string();
        assert!(error.contains(place), "{error}");
    };
    // The numbers for people may be missing, as the outcome of an obligation may be another one.
    assert!(read(&|f| f.summary = None).is_ok());
    refused("summary", &|f| f.obligations[0].status = Status::Pending);
    let target =
        |f: &mut PoFile, change: &dyn Fn(&mut Target)| change(f.obligations[0].target.as_mut().unwrap());
    refused("obligations[0].event", &|f| f.obligations[0].event = None);
    refused("obligations[0].target", &|f| target(f, &|t| t.hash = Some("0".repeat(64))));
    refused("obligations[0].target", &|f| target(f, &|t| t.text = Some("n : NAT".into())));
    refused("obligations[0].source.name", &|f| f.obligations[0].id = "Counter/other".into());
    refused("components[0].invariants[0].hash", &|f| {
        f.components[0].invariants[0].text = "TRUE = TRUE".into()
    });
    refused("components[0].model_hash", &|f| {
        f.components[0].axioms = Some(vec![f.components[0].invariants[0].clone()])
    });
    refused("components[0].events", &|f| f.components[0].events.swap(1, 2));
    refused("sources[0].role", &|f| f.sources[0].role = None);
    refused("model.scope.maxint", &|f| {
        let about = f.model.as_mut().unwrap();
        about.scope.as_mut().unwrap().maxint = String::new();
    });
}

#[test]
fn what_we_write_is_valid_and_comes_back() {
    if solver().is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let machine = folder.path().join("m.mch");
    std::fs::write(&machine, COUNTER).expect("a file");
    let m = load_model(&machine).expect("a file").model.expect("a machine");
    let (all, _) = own(&m);
    let path = folder.path().join("po.json");
    let file = all.to_po(&m, &scope(&m), folder.path());
    file.write(&path).expect("a file");
    assert_eq!(file.sources[0].path, "m.mch");
    let schema = serde_json::from_str(SCHEMA).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let value = serde_json::from_str(&std::fs::read_to_string(&path).expect("text")).expect("JSON");
    assert_eq!(validator.iter_errors(&value).map(|e| e.to_string()).collect::<Vec<_>>(), [""; 0]);
    assert_eq!(PoFile::read(&path).expect("a po.json"), file);
    let back = read_status(&path, &m, &ImportOptions::default()).expect("an import");
    assert_eq!(back.status.len(), all.status().len());
    assert_eq!(
        back.status.iter().map(|s| s.0).collect::<Vec<_>>(),
        all.status().iter().map(|s| s.0).collect::<Vec<_>>()
    );
    let out = all.export(&m, &folder.path().join("open")).expect("files");
    assert_eq!((out.files.len(), out.left.len()), (1, 0));
    let script = std::fs::read_to_string(&out.files[0]).expect("text");
    assert!(
        script.starts_with("; Counter/far/bound/INV (refuted)") && script.contains("(check-sat)"),
        "{script}"
    );
}

fn job<'a>(m: &Arc<Model>, scope: &'a Scope, budget: Budget, jobs: usize) -> Job<'a> {
    Job { model: m.clone(), scope, open: &open_default, budget, provers: &[], jobs, export: false }
}

#[test]
fn what_is_exported_is_proved_elsewhere() {
    let Some(z3) = present(Part::Solver, find_solver("z3"), "program z3") else { return };
    let m = model(
        "MACHINE Stock SETS PART VARIABLES known, kept, next
         INVARIANT known <: PART & kept : known +-> NAT & next : PART <-> PART & dom(next) <: known
         INITIALISATION known, kept, next := {}, {}, {}
         OPERATIONS
           name(p) = PRE p : PART THEN known := known \\/ {p} END;
           keep(p) = PRE p : known & p /: dom(kept) THEN kept(p) := 1 END;
           link(p, q) = PRE p : known & q : PART THEN next := next \\/ {p |-> q} END
         END",
    );
    let none = Budget::unlimited().within(Duration::ZERO);
    let m = Arc::new(m);
    let scope = scope(&m);
    let job = Job { export: true, ..job(&m, &scope, none, 1) };
    let all = prove_and_confirm(&job, &mut |_| {}, &|_| Choice::Ask).expect("a solver");
    let open = all.all.iter().filter(|p| !p.status.is_discharged()).count();
    let folder = tempfile::tempdir().expect("a folder");
    let out = all.export(&m, folder.path()).expect("files");
    assert_eq!((out.files.len(), out.left.len()), (open, 0));
    assert!(open > 5 && out.first_order.len() > 5, "{out:?}");
    for file in out.files.iter().chain(&out.first_order) {
        let said = Limited::new(&z3).arg(file).output().expect("it runs");
        let said = String::from_utf8_lossy(&said.stdout).into_owned();
        assert!(said.starts_with("unsat"), "{}: {said}", file.display());
    }
}

#[test]
fn changes_take_away_what_depends_on_them() {
    let count = |now: &str| carried_over(COUNTER, now).map(|i| (proven(&i).len(), i.stale.len()));
    let Some(same) = count(COUNTER) else { return };
    assert_eq!(same, (11, 0));
    // Layout, comments, the order of the conjuncts.
    assert_eq!(count(&COUNTER.replace("VARIABLES", "/* two */ VARIABLES")), Some((11, 0)));
    assert_eq!(count(&COUNTER.replace("n : INTEGER & m : NAT", "m : NAT & n : INTEGER")), Some((11, 0)));
    // One operation: its three pairs.
    assert_eq!(count(&COUNTER.replace("m := 1", "m := 2")), Some((8, 3)));
    // A conjunct more proves more.
    assert_eq!(count(&COUNTER.replace("n <= 10", "n <= 10 & m < 9")), Some((11, 0)));
    // A hypothesis is gone: only the initialisation's pairs are left.
    assert_eq!(count(&COUNTER.replace("m : NAT", "m : INTEGER")).map(|c| c.0), Some(2));
    // Another declaration.
    assert_eq!(count(&COUNTER.replace("VARIABLES", "SETS S VARIABLES")), Some((0, 11)));
}

#[test]
fn another_scope_needs_other_proofs() {
    if solver().is_none() {
        return;
    }
    let m = model(COUNTER);
    let file = own(&m).1;
    let request = ScopeRequest { maxint: Some(3.into()), ..ScopeRequest::default() };
    let options = ImportOptions {
        trust_reviewed: false,
        scope: Some(named(&m, &Scope::settle(&m, &request).expect("a scope"))),
    };
    let all = import(Path::new("po.json"), &file, &m, &options).expect("an import");
    assert!(proven(&all).is_empty() && all.stale[0].reason.contains("MAXINT"), "{:?}", all.stale);
}

#[test]
fn a_stopped_run_lists_what_it_did_not_try() {
    let budget = Budget::unlimited();
    budget.cancel();
    let m = model(COUNTER);
    let all = prove_obligations(Arc::new(m.clone()), &scope(&m), &mut open_default, &budget, &mut |_| {})
        .expect("a solver");
    assert!(all.stopped.is_some() && all.count(Status::Unattempted) > 0 && all.count(Status::Trivial) > 0);
}

const STOCK: &str = "MACHINE Stock SETS PART VARIABLES known, kept, next, n
 INVARIANT known <: PART & kept : known +-> NAT & next : PART <-> PART & dom(next) <: known & n : NAT & n <= 10
 ASSERTIONS dom(kept) <: known; n < 11; n < 10
 INITIALISATION known, kept, next, n := {}, {}, {}, 0
 OPERATIONS
   name(p) = PRE p : PART THEN known := known \\/ {p} END;
   keep(p) = PRE p : known & p /: dom(kept) THEN kept(p) := 1 END;
   drop(p) = PRE p : known THEN known := known - {p} END;
   link(p, q) = PRE p : known & q : PART THEN next := next \\/ {p |-> q} END;
   more = SELECT n < 10 THEN n := n + 1 END;
   far = n := n + 3
 END";

/// Proves everything with this many workers from the beginning.
fn with_workers(
    m: &Model,
    jobs: usize,
    open: SharedOpener<'_>,
    budget: &Budget,
    mut observed: impl FnMut(&str),
) -> Result<Obligations, SolverError> {
    let workers = Workers { open, jobs, least: Duration::ZERO };
    let extent = Extent { confirm: true, export: false, provers: &[], workers: Some(workers) };
    let mut own = |terms| open(terms);
    let observer = &mut |p: &super::Proof| observed(&p.name);
    prove(&Arc::new(m.clone()), &scope(m), &mut own, budget, observer, &|_| Choice::Ask, &extent)
}

fn is_worker() -> bool {
    std::thread::current().name() == Some("prover")
}

fn statuses(all: &Obligations) -> Vec<(&str, Status)> {
    all.all.iter().map(|p| (&*p.name, p.status)).collect()
}

/// Obligations that are neither trivial nor decided without a solver.
fn asked(all: &Obligations) -> usize {
    all.all.iter().filter(|p| p.form.is_some() || p.status == Status::Refuted).count()
}

#[test]
fn several_workers_decide_the_same() {
    if solver().is_none() {
        return;
    }
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let example = |name: &str| load_model(&examples.join(name)).expect("a file").model.expect("an example");
    let machines = [model(STOCK), example("library.mch"), example("crossing.mch"), example("pump.mch")];
    for m in machines {
        let budget = Budget::unlimited().per_query(Duration::from_secs(5));
        let alone = with_workers(&m, 1, &open_default, &budget, |_| {}).expect("a solver");
        let sessions = AtomicUsize::new(0);
        let open = |terms: Rc<Terms>| {
            sessions.fetch_add(usize::from(is_worker()), Ordering::SeqCst);
            open_default(terms)
        };
        let mut observed = vec![];
        let several = with_workers(&m, 3, &open, &budget, |name| observed.push(name.to_string()));
        let several = several.expect("a solver");
        assert_eq!(statuses(&several), statuses(&alone), "{}", m.name);
        assert!(sessions.load(Ordering::SeqCst) > 0, "{}: no worker was needed", m.name);
        assert_eq!(several.solver, alone.solver);
        assert!(several.statistics.queries > 0);
        observed.sort();
        let mut names: Vec<String> = several.all.iter().map(|p| p.name.clone()).collect();
        names.sort();
        assert_eq!(observed, names, "each is observed once");
        let formulas =
            |all: &Obligations| -> Vec<usize> { all.all.iter().map(|p| p.formula.len()).collect() };
        assert_eq!(formulas(&several), formulas(&alone), "{}", m.name);
    }
}

#[test]
fn workers_stop_when_they_are_asked_to() {
    if solver().is_none() {
        return;
    }
    let m = model(STOCK);
    let budget = Budget::unlimited();
    let mut decided = vec![];
    let all = with_workers(&m, 3, &open_default, &budget, |name| {
        decided.push(name.to_string());
        if decided.len() == 15 {
            budget.cancel();
        }
    });
    let all = all.expect("a solver");
    assert!(all.stopped.is_some());
    assert!(decided.len() >= 15, "{decided:?}");
    let names: Vec<&str> = all.all.iter().map(|p| &*p.name).collect();
    assert!(decided.iter().all(|name| names.contains(&name.as_str())));
}

/// A worker on whose obligation this program fails gives up that one alone.
#[test]
fn a_failing_worker_loses_one_obligation() {
    if solver().is_none() {
        return;
    }
    let m = model(STOCK);
    let budget = Budget::unlimited();
    let alone = with_workers(&m, 1, &open_default, &budget, |_| {}).expect("a solver");
    let sessions = AtomicUsize::new(0);
    let open = |terms: Rc<Terms>| {
        assert!(!is_worker() || sessions.fetch_add(1, Ordering::SeqCst) != 2, "the third session fails");
        open_default(terms)
    };
    let several = with_workers(&m, 2, &open, &budget, |_| {}).expect("a solver");
    let differ: Vec<_> = alone.all.iter().zip(&several.all).filter(|(a, b)| a.status != b.status).collect();
    assert_eq!(differ.len(), 1, "{differ:#?}");
    let reason = differ[0].1.reason.as_deref();
    assert_eq!((differ[0].1.status, reason), (Status::Unknown, Some("bsym failed: the third session fails")));
}

/// If a worker cannot start its solver, other workers take over its tasks; if no worker can, the run ends.
#[test]
fn a_worker_without_a_solver_leaves_its_work_to_others() {
    if solver().is_none() {
        return;
    }
    let m = model(STOCK);
    let budget = Budget::unlimited();
    let missing = || SolverError::NotStarted("z3".into(), "it is gone".into());
    let alone = with_workers(&m, 1, &open_default, &budget, |_| {}).expect("a solver");
    let sessions = AtomicUsize::new(0);
    let once = |terms: Rc<Terms>| -> Result<Session, SolverError> {
        if is_worker() && sessions.fetch_add(1, Ordering::SeqCst) == 1 {
            return Err(missing());
        }
        open_default(terms)
    };
    let several = with_workers(&m, 3, &once, &budget, |_| {}).expect("a solver");
    assert_eq!(statuses(&several), statuses(&alone));
    let never = |terms: Rc<Terms>| if is_worker() { Err(missing()) } else { open_default(terms) };
    assert!(with_workers(&m, 3, &never, &budget, |_| {}).is_err());
    assert!(asked(&alone) > 10);
}

#[test]
fn some_image_is_of_the_type_of_the_images() {
    // Every element is an image under both relations, so that nothing else tells the images apart.
    let m = model(
        "MACHINE M SETS D; E VARIABLES a, b INVARIANT a : D & b : E & ((D * D)(a) = a => (D * E)(a) = b)
         INITIALISATION a :: D || b :: E OPERATIONS move = a :: D END",
    );
    let steps = crate::steps::Steps::new(&m);
    let invariant: Vec<_> = m.invariant.iter().map(|c| c.pred.clone()).collect();
    let sequents = steps.after(Some(EventId(0)), &invariant, &[], &invariant[2]).expect("it has paths");
    assert!(crate::steps::parts(&m, &scope(&m), &sequents).is_some());
}

/// Fermat's last theorem for cubes, and a thing that is easy.
#[cfg(unix)]
const CUBES: &str = "MACHINE Cubes VARIABLES n INVARIANT n : NAT
 ASSERTIONS !(x, y, z).(x : NAT1 & y : NAT1 & z : NAT1 => x * x * x + y * y * y /= z * z * z); n > -1
 INITIALISATION n := 0 END";

/// The status of the first assertion of `CUBES` where these programs of the shell are provers.
#[cfg(unix)]
fn cubes(programs: &[(&str, &str)]) -> (Status, Option<String>, Option<String>) {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let program = |&(name, text): &(&str, &str)| {
        let path = folder.path().join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("a program");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("a program");
        super::OtherProver::new(&path)
    };
    let provers: Vec<_> = programs.iter().map(program).collect();
    let m = Arc::new(model(CUBES));
    let (scope, budget) = (scope(&m), Budget::unlimited().per_query(Duration::from_millis(300)));
    let job = Job { provers: &provers, ..job(&m, &scope, budget, 1) };
    let all = prove_and_confirm(&job, &mut |_| {}, &|_| Choice::Ask).expect("a solver");
    let open: Vec<_> = all.all.iter().filter(|p| p.by.is_some() || !p.status.is_discharged()).collect();
    let [cubes] = &open[..] else { panic!("{:?}", statuses(&all)) };
    (cubes.status, cubes.by.clone(), cubes.reason.clone())
}

#[cfg(unix)]
#[test]
fn other_provers_prove_what_the_solver_leaves_open() {
    if solver().is_none() {
        return;
    }
    let (version, problem) = ("[ \"$1\" = --version ] && echo Mock 1.5 of today && exit", "cat > /dev/null");
    let says =
        |status: &str| format!("{version}\n{problem}\necho comment\necho '% SZS status {status} for it'");
    let (proves, gives_up) = (says("Unsatisfiable"), says("GaveUp"));
    let (nonsense, dies) = (format!("{version}\n{problem}\necho no idea"), "echo broken >&2; exit 3");
    let hangs = format!("{version}\nsleep 20");
    let proved = (Status::Discharged, Some("mock 1.5".to_string()), None);
    assert_eq!(cubes(&[("vampire", &proves)]), proved);
    assert_eq!(cubes(&[("vampire", &gives_up), ("eprover", &proves)]), proved);
    assert_eq!(cubes(&[("vampire", &hangs), ("eprover", &proves)]), proved);
    assert_eq!(cubes(&[("vampire", &nonsense), ("eprover", &proves)]), proved);
    let (status, by, without) = cubes(&[]);
    assert_eq!((status, by), (Status::Unknown, None));
    assert_eq!(cubes(&[("vampire", &gives_up)]).2, without);
    let (status, by, reason) = cubes(&[("vampire", &nonsense), ("cvc5", dies)]);
    let reason = reason.expect("a reason");
    assert_eq!((status, by), (Status::Unknown, None));
    assert!(reason.contains("mock 1.5 failed") && reason.contains("no idea"), "{reason}");
    assert!(reason.contains("cvc5 failed") && reason.contains("broken"), "{reason}");
}
