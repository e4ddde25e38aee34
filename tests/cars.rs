//! The cars on a bridge of an external corpus, level by level: our state spaces compared with ProB's, with the same
//! number of cars. As a package and as a Rodin project.

mod common;

use std::path::Path;

use bsym_testing::process::Limited;
use common::{bsym, json};
use serde_json::Value as Json;

/// States and transitions with `d` cars; all levels hold.
fn ours(file: &Path, d: u32) -> (u64, u64) {
    let constant = format!("d={d}");
    let output = bsym().arg("mc").arg(file).args(["--set", &constant, "--json"]).output().unwrap();
    let result = json(&output);
    assert_eq!(result["verdict"], "holds", "{result:#}");
    counts(&result)
}

fn counts(result: &Json) -> (u64, u64) {
    let count = |name: &str| result[name].as_u64().unwrap_or_else(|| panic!("no {name}: {result:#}"));
    (count("states"), count("transitions"))
}

/// Runs ProB on the same file and returns its counts.
fn theirs(peer: &Path, file: &Path, d: u32) -> (u64, u64) {
    let property = format!("d={d}");
    let options = ["--timeout", "120", "--", "-property", &property, "-nodead", "-nogoal"];
    let output = Limited::new(peer).arg("prob-mc").arg(file).args(options).output().unwrap();
    let result: Json = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:?}"));
    assert_eq!(result["verdict"], "holds", "{result:#}");
    counts(&result)
}

#[test]
fn every_level_has_the_state_space_that_prob_finds() {
    let (Some(corpus), Some(projects)) = (bsym_testing::corpus(), bsym_testing::rodin_projects()) else {
        return;
    };
    let packages = corpus.join("eventb/EventBPrologPackages/Abrial_Teaching/ch2_car");
    let project = projects.join("cars-on-bridge");
    let peer = bsym_testing::peer_program();
    let mut sizes = vec![];
    for (level, d) in [("m0", 2), ("m1", 2), ("m2", 2), ("m3", 2), ("m3", 3)] {
        let package = packages.join(format!("{level}_mch.eventb"));
        let found = ours(&package, d);
        assert_eq!(ours(&project.join(format!("{level}.bum")), d), found, "{level} with {d} cars");
        if let Some(peer) = &peer {
            assert_eq!(theirs(peer, &package, d), found, "{level} with {d} cars");
        }
        sizes.push(found.0);
    }
    // Each level distinguishes more states, and so does another car.
    assert!(sizes.is_sorted_by(|a, b| a < b), "{sizes:?}");
}
