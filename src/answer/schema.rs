//! The files in `schema/` are made from the types of the answers.
//!
//! `BSYM_BLESS=1 cargo test -p bsym schema` writes them; without it, a file that is not what the types say fails.

use std::path::Path;

use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema};
use serde_json::json;

use super::cases::CasesAnswer;
use super::certification::Certification;
use super::choices::ChoicesObject;
use super::constraint::ConstraintAnswer;
use super::evaluation::Evaluation;
use super::event::Event;
use super::exported::ExportAnswer;
use super::graph::GraphAnswer;
use super::of_status::OfStatus;
use super::open_obligation::Explanation;
use super::parsed::Parsed;
use super::recorded::Recorded;
use super::refinement::RefinementAnswer;
use super::refused::Refused;
use super::replay::Replay;
use super::several::Several;
use super::simulation::Simulation;
use super::strengthened::StrengthenedAnswer;
use super::temporal::TemporalAnswer;
use super::verification::Verification;

/// Objects have the members that are named and no others.
fn close(schema: &mut Schema) {
    if schema.get("properties").is_some() && schema.get("additionalProperties").is_none() {
        schema.insert("additionalProperties".into(), json!(false));
    }
}

/// Fails unless the file is what the type says. The first line of its doc is the title.
fn check<T: JsonSchema>(name: &str) {
    let mut schema =
        SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>();
    if let Some(title) = schema.remove("description") {
        schema.insert("title".into(), title);
    }
    RecursiveTransform(close).transform(&mut schema);
    let made = serde_json::to_string_pretty(&schema).expect("a schema") + "\n";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("schema/{name}.schema.json"));
    if std::env::var_os("BSYM_BLESS").is_some() {
        std::fs::write(&path, &made).expect("a file");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(found, made, "{} is not what the types say; BSYM_BLESS=1 writes it", path.display());
}

#[test]
fn the_files_are_what_the_types_say() {
    check::<Verification>("result");
    check::<Several>("results");
    check::<Certification>("certify");
    check::<Replay>("replay");
    check::<ConstraintAnswer>("cbc");
    check::<CasesAnswer>("tests");
    check::<ExportAnswer>("export");
    check::<Simulation>("simulation");
    check::<TemporalAnswer>("ltl");
    check::<RefinementAnswer>("refine");
    check::<GraphAnswer>("graph");
    check::<StrengthenedAnswer>("strengthen");
    check::<Evaluation>("eval");
    check::<ChoicesObject>("choices");
    check::<Parsed>("parse");
    check::<Recorded>("proofs");
    check::<Refused>("error");
    check::<Explanation>("explanation");
    check::<OfStatus>("of_status");
    check::<Event>("events");
}
