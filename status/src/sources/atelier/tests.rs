use std::path::Path;

use md5::{Digest, Md5};

use super::super::testing::{folder, listed, read};
use crate::OpenKind;
use crate::file::*;
use crate::proven::Level;
use crate::sources::convert;
use crate::{ImportOptions, read_status};
use bsym_language::load::load_model;

const MACHINE: &str = "MACHINE Jar VARIABLES x, y INVARIANT x : 0..9 & y : NAT & y <= x
INITIALISATION x, y := 9, 0 OPERATIONS fill = SELECT x < 9 THEN x := x + 1 END;
 pour = SELECT y < x THEN y := y + 1 END END";

const BXML: &str = "<Machine version=\"1\" name=\"Jar\" type=\"abstraction\" \
 xmlns=\"https://www.atelierb.eu/Formats/bxml\"><Attr/><Abstract_Variables/><Properties/><Invariant><Attr/>\
 <Nary_Pred op=\"&amp;\"><Attr/><Exp_Comparison/><Exp_Comparison/><Exp_Comparison/></Nary_Pred></Invariant>\
 <Initialisation/><Operations><Operation name=\"fill\"/><Operation name=\"pour\"/></Operations></Machine>";

/// Groups with the conjuncts (from 1) that their goals are about; 0: a goal that points at none.
const GROUPS: [(&str, &[u32]); 4] = [
    ("Initialisation", &[1, 3]),
    ("Operation_fill", &[1, 1, 3]),
    ("Operation_pour", &[2, 3]),
    ("AssertionLemmas", &[]),
];

fn pog(groups: &[(&str, &[u32])]) -> String {
    let mut text = String::new();
    for (group, goals) in groups {
        text += &format!("<Proof_Obligation goalHash=\"1\"><Tag>{group}</Tag><Definition name=\"inv\"/>");
        for conjunct in *goals {
            let tag = match conjunct {
                0 => "C:/x/Jar.bxml:1:5:2:3".into(),
                n => format!("C:/x/Jar.bxml:1:5:2:3,C:/x/Jar.bxml:1:3:1:{n}:2"),
            };
            text += &format!(
                "<Simple_Goal><Tag>Invariant is preserved</Tag><Goal><Exp_Comparison op=\"&lt;=i\" tag=\"{tag}\">\
                 <Id value=\"x\" tag=\"C:/x/Jar.bxml:1:5:1\"/></Exp_Comparison></Goal></Simple_Goal>"
            );
        }
        text += "</Proof_Obligation>";
    }
    format!(
        "<Proof_Obligations version=\"1.0\" xmlns=\"https://www.atelierb.eu/Formats/pog\"><Define name=\"inv\"/>{text}\
         </Proof_Obligations>"
    )
}

/// Statuses in the order of the goals.
fn pos(groups: &[(&str, &[u32])], states: &[&str]) -> String {
    let mut states = states.iter();
    let mut text = String::new();
    for (group, goals) in groups {
        text += &format!("<Proof_Obligation><Tag>{group}</Tag>");
        for _ in *goals {
            let state = states.next().unwrap();
            let status = if state.starts_with("Proved") { "Proved" } else { "Unproved" };
            text += &format!(
                "<Simple_Goal status=\"{status}\"><Tag>Invariant is preserved</Tag>\
                 <Proof_State proofState=\"{state}\" methodList=\"pr\" passList=\"Force(1)\"/></Simple_Goal>"
            );
        }
        text += "</Proof_Obligation>";
    }
    format!("<Proof_Obligations version=\"1.0\" author=\"pmi2Pos\">{text}</Proof_Obligations>")
}

const STATES: [&str; 7] =
    ["Proved(0)", "Proved(1)", "Proved(0)", "Unproved", "Proved(Util)", "Proved(0)", "Unproved"];

fn dep(machine: &str) -> String {
    let md5: String = Md5::digest(machine).iter().map(|b| format!("{b:02x}")).collect();
    format!("file:{md5}\n")
}

fn database() -> Vec<(&'static str, String)> {
    vec![
        ("src/Jar.mch", MACHINE.into()),
        ("bdp/Jar.bxml", BXML.into()),
        ("bdp/Jar.pog", pog(&GROUPS)),
        ("bdp/Jar.pos", pos(&GROUPS, &STATES)),
        ("bdp/Jar.dep", dep(MACHINE)),
    ]
}

fn proven(folder: &Path, level: Level) -> (Vec<(Option<u32>, usize)>, Vec<OpenKind>) {
    let model = load_model(&folder.join("src/Jar.mch")).unwrap().model.unwrap();
    let import = read_status(&folder.join("bdp/Jar.pog"), &model, &ImportOptions::default()).unwrap();
    let pairs = import.status.iter().filter(|(p, _)| !import.trivial.contains(p)).map(|(p, s)| {
        assert_eq!(s.level, level);
        (p.0.map(|e| e.0), p.1)
    });
    (pairs.collect(), import.open.iter().map(|o| o.kind).collect())
}

#[test]
fn goals_become_pairs_by_their_tags() {
    let folder = folder(&database());
    let all = read(&folder.path().join("bdp/Jar.pog"));
    assert_eq!(all.warnings, [""; 0]);
    assert_eq!(
        listed(&all.file.obligations),
        [
            "Jar/INITIALISATION/#0/INV discharged",
            "Jar/INITIALISATION/#1/INV discharged",
            "Jar/INITIALISATION/#2/INV discharged",
            "Jar/fill/#0/INV pending",
            "Jar/fill/#1/INV discharged",
            "Jar/fill/#2/INV discharged",
            "Jar/pour/#0/INV discharged",
            "Jar/pour/#1/INV discharged",
            "Jar/pour/#2/INV pending",
        ]
    );
    let fill = &all.file.obligations[3];
    assert_eq!(
        (fill.parts, fill.prover.as_slice()),
        (Some(Parts { total: 2, proved: 1 }), &["atelierb:pr".into()][..])
    );
    assert_eq!(all.file.obligations[5].manual, Some(true));
    assert_eq!(all.file.obligations[1].prover, ["atelierb:generator"]);
    let expected =
        vec![(None, 0), (None, 1), (None, 2), (Some(0), 1), (Some(0), 2), (Some(1), 0), (Some(1), 1)];
    assert_eq!(proven(folder.path(), Level::Tool), (expected, vec![OpenKind::Unproven; 2]));
    // The folder of the project yields the same obligations, and so does the status file.
    for path in [folder.path().to_owned(), folder.path().join("bdp/Jar.pos")] {
        assert_eq!(listed(&read(&path).file.obligations), listed(&all.file.obligations));
    }
}

#[test]
fn the_older_status_is_in_reverse() {
    let states: Vec<&str> = STATES.iter().rev().copied().collect();
    let pmi = format!(
        "\u{feff}THEORY BalanceX IS Jar,7,1,0,4,1,0,0 END\n&\nTHEORY ProofState IS {} END\n&\nTHEORY MethodList IS \
         pr;pp;?;pr;\"a;END\";pr;pr END\n&\nTHEORY Empty END",
        states.join(";")
    );
    let mut files = database();
    let newer = listed(&read(folder(&files).path()).file.obligations);
    files[3] = ("bdp/Jar.pmi", pmi.clone());
    assert_eq!(listed(&read(folder(&files).path()).file.obligations), newer);
    let shorter = pmi.replace("Unproved;", "");
    files[3] = ("bdp/Jar.pmi", shorter);
    let all = read(folder(&files).path());
    assert!(all.warnings[0].contains("has the states of 5 goals, and there are 7"), "{:?}", all.warnings);
    assert!(all.file.obligations.iter().all(|o| o.stale));
    // Without a .pog the .po has the operations, and an operation counts as a whole.
    let po = "THEORY ProofList IS _f(1) & Operation_pour.2,(_f(2) => _f(9));_f(1) & Operation_pour.1,(_f(3));\
              Operation_fill.3,(_f(1));Operation_fill.2,(_f(1));Operation_fill.1,(_f(1));Initialisation.2,(_f(7));\
              Initialisation.1,(_f(7)) END & THEORY Formulas IS (x: 0..9);(\"`a; THEORY END'\" & y) END";
    let all_proved = |pmi: &str, which: &str| pmi.replace(which, "Proved(0)");
    files[1] = ("bdp/Jar.po", po.into());
    files.remove(2);
    files[2] = ("bdp/Jar.pmi", all_proved(&pmi, "Unproved"));
    let folder_of_all = folder(&files);
    let import = |folder: &Path| {
        let model = load_model(&folder.join("src/Jar.mch")).unwrap().model.unwrap();
        read_status(&folder.join("bdp/Jar.po"), &model, &ImportOptions::default()).unwrap()
    };
    let every = import(folder_of_all.path());
    assert_eq!((every.status.len(), every.open.len(), every.unmatched.len()), (9, 0, 7), "{every:#?}");
    files[2] = ("bdp/Jar.pmi", pmi);
    let some = import(folder(&files).path());
    assert_eq!(some.status.iter().filter(|(p, _)| p.0.is_none()).count(), 3);
    assert!(some.open.iter().all(|o| o.kind == OpenKind::Unproven), "{some:#?}");
}

#[test]
fn a_goal_without_a_conjunct_counts_for_the_whole_operation() {
    let groups: [(&str, &[u32]); 2] = [("Initialisation", &[1]), ("Operation_fill", &[0, 3])];
    let with = |states: &[&str]| {
        let mut files = database();
        (files[2].1, files[3].1) = (pog(&groups), pos(&groups, states));
        let folder = folder(&files);
        proven(folder.path(), Level::Tool).0
    };
    let fill = |pairs: Vec<(Option<u32>, usize)>| pairs.iter().filter(|p| p.0 == Some(0)).count();
    assert_eq!(fill(with(&["Proved(0)", "Proved(0)", "Proved(0)"])), 3);
    assert_eq!(fill(with(&["Proved(0)", "Unproved", "Proved(0)"])), 0);
}

#[test]
fn a_changed_machine_takes_everything_away() {
    let mut files = database();
    files[0].1 = MACHINE.replace("x < 9", "x < 10");
    let changed = folder(&files);
    let all = read(changed.path());
    assert_eq!(
        all.warnings,
        ["the proofs of Jar are stale: Jar has changed since its obligations were generated"]
    );
    assert!(all.file.obligations.iter().all(|o| o.stale));
    let (pairs, open) = proven(changed.path(), Level::Tool);
    assert!(pairs.is_empty(), "{pairs:?}");
    assert_eq!(open.iter().filter(|o| **o == OpenKind::Stale).count(), 5, "{open:?}");
    // Without .dep the text is not known.
    files.pop();
    let unknown = folder(&files);
    assert!(read(unknown.path()).warnings[0].starts_with("there is no Jar.dep"));
    assert_eq!(proven(unknown.path(), Level::Claim).0.len(), 7);
    // Conjuncts are known by position: another number of them fits nothing.
    let mut files = database();
    files[1].1 = BXML.replace("<Exp_Comparison/></Nary_Pred>", "</Nary_Pred>");
    let other = folder(&files);
    let model = load_model(&other.path().join("src/Jar.mch")).unwrap().model.unwrap();
    let import = read_status(&other.path().join("bdp"), &model, &ImportOptions::default()).unwrap();
    let reason = "its tool has 2 conjuncts of Jar, and here there are 3";
    assert!(import.used.is_empty() && import.unmatched.iter().any(|e| e.reason == reason), "{import:#?}");
}

#[test]
fn files_that_do_not_belong_together_are_told() {
    let warning = |i: usize, text: String| {
        let mut files = database();
        files[i].1 = text;
        let all = read(folder(&files).path());
        assert!(all.file.obligations.iter().all(|o| o.stale));
        all.warnings.concat()
    };
    let fewer: [(&str, &[u32]); 1] = [("Initialisation", &[1, 3])];
    assert!(warning(3, pos(&fewer, &STATES)).contains("there are fewer goals than in the .pog"));
    assert!(warning(2, pog(&fewer)).contains("there are more goals than in the .pog"));
    assert!(
        warning(3, pos(&GROUPS, &STATES).replace("Operation_fill", "Operation_f"))
            .contains("of `Operation_f`")
    );
    let refusal = |i: usize, text: String| {
        let mut files = database();
        files[i].1 = text;
        let folder = folder(&files);
        convert(folder.path(), Path::new("")).unwrap_err().to_string()
    };
    let cut = pog(&GROUPS);
    assert!(refusal(2, cut[..cut.len() / 2].into()).contains("Jar.pog:1:"));
    assert!(refusal(2, cut.replace("<Tag>Initialisation</Tag>", "")).contains("expected a `Tag`"));
    assert!(refusal(1, "<Machin/>".into()).contains("expected the element `Machine`, found `Machin`"));
}

#[test]
fn paths_may_have_blanks_and_apostrophes() {
    let files: Vec<(String, String)> =
        database().into_iter().map(|(n, t)| (format!("Bob's jars/{n}"), t)).collect();
    let named: Vec<(&str, String)> = files.iter().map(|(n, t)| (n.as_str(), t.clone())).collect();
    let folder = folder(&named);
    assert_eq!(proven(&folder.path().join("Bob's jars"), Level::Tool).0.len(), 7);
}

/// Missing attributes, truncated or garbled files: an error or a status that proves no more than before, never a panic.
#[test]
fn damaged_files_prove_no_more() {
    let sound = proven(folder(&database()).path(), Level::Tool).0;
    let mut random = fastrand::Rng::with_seed(11);
    let mut below = |n: usize| random.usize(..n);
    for round in 0..300 {
        let mut files = database();
        // The machine stays as it is, so that it can be read.
        let chosen = 1 + below(files.len() - 1);
        let mut chars: Vec<char> = files[chosen].1.chars().collect();
        let (at, length) = (below(chars.len()), 1 + below(60));
        let end = (at + length).min(chars.len());
        match round % 3 {
            0 => drop(chars.drain(at..end)),
            1 => chars[at] = ['"', '<', '>', ':', '/', '0', 'P'][below(7)],
            _ => chars.truncate(at.max(1)),
        }
        files[chosen].1 = chars.into_iter().collect();
        let folder = folder(&files);
        let model = load_model(&folder.path().join("src/Jar.mch")).unwrap().model.unwrap();
        let path = folder.path().join("bdp/Jar.pog");
        match read_status(&path, &model, &ImportOptions::default()) {
            Ok(import) => {
                let at_most = import
                    .status
                    .iter()
                    .filter(|(p, s)| !import.trivial.contains(p) && s.level == Level::Tool);
                assert!(at_most.count() <= sound.len() + 1, "{}", files[chosen].1);
            }
            Err(error) => assert!(error.to_string().contains("Jar"), "{error}"),
        }
    }
    let without = |i: usize, attributes: &[&str]| {
        let mut files = database();
        for attribute in attributes {
            assert!(files[i].1.contains(attribute));
            files[i].1 = files[i].1.replace(attribute, "");
        }
        let folder = folder(&files);
        let model = load_model(&folder.path().join("src/Jar.mch")).unwrap().model.unwrap();
        read_status(&folder.path().join("bdp/Jar.pog"), &model, &ImportOptions::default()).unwrap().used.len()
    };
    // The status stands there twice; without both, a goal is not proved.
    let proved = without(3, &[]);
    let (status, states) = (" status=\"Proved\"", [" proofState=\"Proved(0)\"", " proofState=\"Proved(1)\""]);
    assert_eq!(without(3, &[status]), proved);
    let util = " proofState=\"Proved(Util)\"";
    // Conjuncts that the generator found to be true have no goal that could lose its status.
    let all = read(&folder(&database()).path().join("bdp/Jar.pog")).file.obligations;
    let generated = all.iter().filter(|o| o.prover == ["atelierb:generator"]).count();
    assert_eq!((without(3, &[status, states[0], states[1], util]), proved > generated), (generated, true));
    // Without its tag a goal is about no known conjunct.
    assert!(without(2, &[" tag=\"C:/x/Jar.bxml:1:5:2:3,C:/x/Jar.bxml:1:3:1:3:2\""]) < proved);
}
