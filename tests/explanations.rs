//! Explanations below a false conjunct, in text and in JSON.

mod common;

use common::{answer, file, root, run};
use serde_json::json;

#[test]
fn a_false_conjunct_comes_with_the_values_that_make_it_false() {
    let machine = root().join("examples/library.mch");
    let text = String::from_utf8(run("mc", &machine, &[]).stdout).unwrap();
    let (_, below) = text.split_once("<= limit)   ").expect("the conjunct that is false");
    assert!(below.contains("\n    card(loans~[{r}]) = 2, limit = 1, with r = r1\n"), "{text}");
    let (_, result) = answer("result", "mc", &machine, &[]);
    let why = json!({
        "part": null,
        "with": { "r": "r1" },
        "values": [
            { "expression": "card(loans~[{r}])", "value": "2" },
            { "expression": "limit", "value": "1" },
        ],
        "elements": [],
    });
    assert_eq!(result["violated"][0]["why"], why);
}

#[test]
fn long_sets_are_folded_in_text_and_whole_where_all_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let machine = file(
        folder.path(),
        "shelves.mch",
        "MACHINE shelves CONSTANTS n PROPERTIES n = 60 VARIABLES at, queue INVARIANT at : 0..n --> 0..9 & \
         queue : seq(0..9) & at(n) = 0 INITIALISATION at := (0..n) * {0} || queue := [] OPERATIONS \
         move(i) = PRE i = n THEN at(i) := 7 || queue := queue <- i - n + 7 <- 1 END END",
    );
    let text = |arguments: &[&str]| String::from_utf8(run("mc", &machine, arguments).stdout).unwrap();
    let folded = text(&[]);
    assert!(folded.contains("at: at 60: 0 to 7   (61 elements)\n"), "{folded}");
    assert!(folded.contains("queue = [7,1]\n") && folded.contains(" more}\n"), "{folded}");
    let whole = text(&["-v"]);
    assert!(whole.contains("(59|->0),(60|->7)}") && !whole.contains("more}"), "{whole}");
    let (_, result) = answer("result", "mc", &machine, &[]);
    assert_eq!(result["trace"][1]["state"]["queue"], "{(1|->7),(2|->1)}");
}
