//! States, transitions and verdicts of a sample of the corpus are those of ProB, but for what is listed with a reason in
//! `corpus_counts.tsv`. The whole corpus is compared by
//! `cargo run --release -p bsym-explore --example counts -- --timeout 20 --expected explore/tests/corpus_counts.tsv`,
//! and once more with `--verdicts`.

use std::time::{Duration, Instant};

use bsym_language::stack::with_large_stack;
use serde_json::Value;

use compare::{Class, Facts, Question, compare};
use expected::Expected;

#[path = "../examples/counts/compare.rs"]
mod compare;
#[path = "../examples/counts/expected.rs"]
mod expected;

/// One in so many of the models with small figures is in the sample.
const EVERY: usize = 4;
/// The largest number of states of the models in the sample.
const STATES: u64 = 150;
/// The largest number of transitions.
const TRANSITIONS: u64 = 1000;
/// Longest time for one model, in seconds. One that takes longer is left to the comparison of all.
const EACH: f64 = 3.0;
/// No model is begun after this time.
const BUDGET: Duration = Duration::from_secs(45);
/// So many have to be compared in this time all the same.
const LEAST: usize = 60;

#[test]
fn a_sample_of_the_corpus_is_as_expected() {
    let expected = Expected::read(include_str!("corpus_counts.tsv")).expect("the list can be read");
    let Some(corpus) = bsym_testing::corpus() else { return };
    let text = std::fs::read_to_string(corpus.join("manifest.json")).expect("the manifest is a text");
    let manifest: Value = serde_json::from_str(&text).expect("the manifest is JSON");
    let entries = manifest["entries"].as_array().expect("a list");
    let small = |e: &&Value| {
        let facts = &e["facts"];
        facts["comparable"] == true
            && matches!(e["formalism"].as_str(), Some("b" | "eventb-package"))
            && facts["states"].as_u64().is_some_and(|n| n <= STATES)
            && facts["transitions"].as_u64().is_some_and(|n| n <= TRANSITIONS)
    };
    let begin = Instant::now();
    let question = Question { timeout: EACH, reference: false, verdicts: false, assertions: false };
    let (mut compared, mut complaints) = (0, vec![]);
    let path = |e: &Value| e["path"].as_str().unwrap_or_default().to_owned();
    let small: Vec<&Value> =
        entries.iter().filter(small).filter(|e| !expected.is_slow("counts", &path(e))).collect();
    // What is listed comes first: it is what is most easily forgotten.
    let listed: Vec<&str> = expected.listed("counts").collect();
    let first = small.iter().copied().filter(|e| listed.contains(&path(e).as_str()));
    for entry in first.chain(small.iter().copied().step_by(EVERY)) {
        if begin.elapsed() > BUDGET {
            break;
        }
        let path = entry["path"].as_str().expect("a path");
        let facts = Facts::of(&entry["facts"]);
        let (class, figures, _) = with_large_stack(|| compare(&corpus.join(path), &facts, &question));
        if class != Class::Unfinished {
            complaints.extend(expected.complaint("counts", path, class, &figures));
            compared += 1;
        }
    }
    assert!(complaints.is_empty(), "{complaints:#?}");
    assert!(compared >= LEAST, "only {compared} models were compared in {:?}", begin.elapsed());
}

#[test]
fn the_list_fails_in_both_directions() {
    let list = "# a comment\ncounts\ta.mch\tdiffers\t3/4\tProB stops at an error\n\
                counts\tb.mch\tslow\t-\tmany valuations\n";
    let expected = Expected::read(list).expect("it is a list");
    let complains = |path, class, figures| expected.complaint("counts", path, class, figures).is_some();
    assert!(!complains("a.mch", Class::Differs, "3/4"));
    assert!(complains("a.mch", Class::Differs, "3/5"), "other figures");
    assert!(complains("a.mch", Class::Equal, "3/4"), "it agrees now");
    assert!(!complains("b.mch", Class::Equal, "9/9") && !complains("b.mch", Class::Unfinished, "-"));
    assert!(complains("b.mch", Class::Differs, "9/9"));
    assert!(complains("c.mch", Class::Unfinished, "-") && complains("c.mch", Class::Incomplete, "-"));
    assert!(!complains("c.mch", Class::Equal, "1/1"));
    for wrong in ["counts\ta.mch\tdiffers\t3/4", "counts\ta.mch\tequal\t-\tno", "counts\ta.mch\tslow\t-\t"] {
        assert!(Expected::read(wrong).is_err(), "{wrong}");
    }
}
