use std::path::Path;

use super::super::testing::{event_b, folder, listed, read};
use crate::OpenKind;
use crate::file::*;
use crate::proven::Level;
use crate::sources::convert;
use crate::{ImportOptions, read_status};

/// A lamp and its refinement, with facts.
fn package(facts: &str) -> String {
    format!(
        "package(load_event_b_project([event_b_model(none,'Lamp1',[sees(none,[]),refines(none,'Lamp0'),\
         variables(none,[identifier(none,n),identifier(none,on)]),\
         invariant(none,[member(rodinpos('Lamp1',inv2,'_x1'),identifier(none,on),bool_set(none)),\
         implication(rodinpos('Lamp1','glue it','_x2'),equal(none,identifier(none,on),boolean_true(none)),\
         greater(none,identifier(none,n),integer(none,0)))]),theorems(none,[]),events(none,[\
         event(rodinpos('Lamp1','INITIALISATION',i),'INITIALISATION',ordinary(none),[],[],[],[],[],[]),\
         event(rodinpos('Lamp1',push,p),push,ordinary(none),[press],[],[],[],[],[])])]),\
         event_b_model(none,'Lamp0',[sees(none,[]),variables(none,[identifier(none,n)]),\
         invariant(none,[member(rodinpos('Lamp0',inv1,'_y1'),identifier(none,n),natural_set(none))]),\
         theorems(none,[equal(rodinpos('Lamp0',thm,'_y2'),identifier(none,n),identifier(none,n))]),events(none,[\
         event(rodinpos('Lamp0','INITIALISATION',i),'INITIALISATION',ordinary(none),[],[],[],[],[],[]),\
         event(rodinpos('Lamp0',press,q),press,ordinary(none),[],[],[],[],[],[])])])],\
         [],[{facts}],_Error)).\n"
    )
}

const NEWER: &str = "exporter_version(3),\
 po('Lamp0','Theorem',[invariant(thm)],true),\
 po('Lamp0','Invariant  establishment',[event('INITIALISATION'),invariant(inv1)],true),\
 po('Lamp0','Invariant  preservation',[event(press),invariant(inv1)],true),\
 po('Lamp1','Invariant  establishment',[event('INITIALISATION'),event('INITIALISATION'),invariant('glue it')],reviewed),\
 po('Lamp1','Invariant  preservation',[event(press),event(push),invariant('glue it\\n')],true),\
 po('Lamp1','Action simulation',[event(press),event(push),action(act1)],true),\
 po('Lamp1','Guard strengthening (split)',[event(push),guard(grd1)],false),wp(a,b,c)";

const TEXT: &str =
    "MACHINE Lamp1 VARIABLES n, on INVARIANT /*@ label inv1 */ n : NATURAL & /*@ label inv2 */ on : BOOL &
 (on = TRUE => n > 0) INITIALISATION n, on := 0, FALSE OPERATIONS push = n, on := n + 1, TRUE END";

fn model(folder: &Path) -> bsym_language::model::Model {
    let mut model = event_b(folder.join("Lamp's.eventb"), TEXT, &["Lamp0", "Lamp1", "Lamp1"]);
    model.invariant[2].label = Some("glue it".into());
    model
}

fn obligations(facts: &str) -> Vec<String> {
    let folder = folder(&[("Lamp's.eventb", package(facts))]);
    listed(&read(&folder.path().join("Lamp's.eventb")).file.obligations)
}

#[test]
fn the_last_event_is_the_concrete_one() {
    assert_eq!(
        obligations(NEWER),
        [
            "Lamp0/thm/THM discharged",
            "Lamp0/INITIALISATION/inv1/INV discharged",
            "Lamp0/press/inv1/INV discharged",
            "Lamp1/INITIALISATION/glue it/INV reviewed",
            "Lamp1/push/glue it/INV discharged",
            "Lamp1/push/act1/SIM discharged",
            "Lamp1/push/grd1/GRD pending",
        ]
    );
}

#[test]
fn facts_prove_pairs_as_far_as_their_exporter_is_trusted() {
    let check = |facts: &str, expected: &[(Option<u32>, usize)]| {
        let folder = folder(&[("Lamp's.eventb", package(facts))]);
        let path = folder.path().join("Lamp's.eventb");
        let import = read_status(&path, &model(folder.path()), &ImportOptions::default()).unwrap();
        let proven: Vec<_> = import
            .status
            .iter()
            .filter(|(p, _)| !import.trivial.contains(p))
            .map(|(p, s)| {
                assert_eq!(s.level, Level::Exporter);
                (p.0.map(|e| e.0), p.1)
            })
            .collect();
        assert_eq!(proven, expected, "{import:#?}");
        import
    };
    // A guard is not strengthened: `press` need not be possible where `push` is.
    let import = check(NEWER, &[(None, 0), (Some(0), 2)]);
    let open: Vec<_> = import.open.iter().map(|o| o.kind).collect();
    assert_eq!(open, [OpenKind::Reviewed, OpenKind::Refinement]);
    check(&NEWER.replace("grd1)],false", "grd1)],true"), &[(None, 0), (Some(0), 0), (Some(0), 2)]);
    // An open theorem of the abstraction may be a hypothesis of everything but the initialisation.
    check(&NEWER.replace("invariant(thm)],true", "invariant(thm)],false"), &[(None, 0)]);
    assert_eq!(check("", &[]).warnings.len(), 1);
}

#[test]
fn the_older_form_names_invariants_in_two_ways() {
    let facts = "discharged('Lamp1',push,'glue it'),discharged('Lamp1','INITIALISATION','_x2'),\
                 discharged('Lamp1',push,lost),discharged('Lamp0',press,inv1)";
    let all = obligations(facts);
    assert_eq!(
        all,
        [
            "Lamp1/push/glue it/INV discharged",
            "Lamp1/INITIALISATION/glue it/INV discharged",
            "Lamp1/push/lost/INV? discharged",
            "Lamp0/press/inv1/INV discharged",
            // No fact says that it is proven.
            "Lamp0/thm/THM unknown",
        ]
    );
    let proven = obligations(&format!("{facts},discharged('Lamp0',thm)"));
    assert_eq!(proven[4..], ["Lamp0/thm/THM discharged"]);
}

#[test]
fn unknown_facts_are_kept_and_said() {
    let facts = "po('Lamp1','Something new',[event(push)],true),po(1,2,3),\
                 discharged('Lamp1'),po('Lamp1','Theorem',[f(x,y)],true),nonsense(a),po('Lamp1','Theorem',[],maybe),\
                 po('Lamp1','Invariant  preservation',[event(inv)],true)";
    let folder = folder(&[("Lamp's.eventb", package(facts))]);
    let converted = read(&folder.path().join("Lamp's.eventb"));
    assert_eq!(converted.warnings.len(), 5, "{:?}", converted.warnings);
    assert!(converted.warnings[0].contains("Lamp's.eventb:1:"), "{:?}", converted.warnings);
    assert!(
        converted.warnings[0].ends_with("`po/3` is no fact about proofs that is known here; it is not used"),
        "{:?}",
        converted.warnings
    );
    let all = converted.file.obligations;
    assert_eq!((all.len(), all.iter().filter(|o| o.unmatched.is_some()).count()), (7, 6));
    assert_eq!((all[0].kind, all[0].status), (Kind::Other, Status::Discharged));
}

#[test]
fn what_is_no_package_is_refused_with_its_place() {
    let refusal = |text: &str| {
        let folder = folder(&[("a b.eventb", text.into())]);
        let error = convert(&folder.path().join("a b.eventb"), Path::new("")).unwrap_err().to_string();
        error.replace(&format!("{}/", folder.path().display()), "")
    };
    let whole = package(NEWER);
    for cut in [1, whole.len() / 2, whole.len() - 4] {
        let said = refusal(&whole[..cut]);
        assert!(said.starts_with("a b.eventb:1:") && said.ends_with("export it again"), "{cut}: {said}");
    }
    let none = "there is no `package(load_event_b_project(…))` in it; give a package that ProB's plug-in for \
                Rodin exported";
    for text in ["", "emf_model(a,b).", "package(other)."] {
        assert_eq!(refusal(text), format!("a b.eventb: {none}"), "{text}");
    }
}
