//! Models with one operator exchanged in the invariant: what is still proved of them has to be true where the sets are
//! small.
//!
//! ```text
//! BSYM_MODELS=A:B BSYM_MUTANTS=200 cargo test --release --test mutants_of_models -- --nocapture
//! ```
//! The command checks `BSYM_MUTANTS` mutants of each file, from number `BSYM_FIRST` on, and lists what is discharged of
//! the changed conjunct.

mod common;
#[path = "../proofs/src/obligations/agreement/exchange.rs"]
mod exchange;
#[path = "statements/proved.rs"]
mod proved;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bsym_language::load::{load_model, load_text};
use bsym_language::print;
use bsym_proofs::obligations::Subject;
use common::number;
use exchange::{Parts, mutant};
use proved::{Counts, Effort, look};

/// Blocks of a railway are reserved, each for one route; a model with relations between deferred sets.
const MODEL: &str = "MACHINE Routes SETS BLOCK; ROUTE CONSTANTS parts PROPERTIES parts : BLOCK <-> ROUTE
    VARIABLES reserved, blocks, serves
    INVARIANT reserved <: ROUTE & blocks <: BLOCK & serves : blocks --> reserved & serves <: parts
    INITIALISATION reserved := {} || blocks := {} || serves := {}
    OPERATIONS
      reserve(r) = SELECT r : ROUTE & r /: reserved & parts~[{r}] /\\ blocks = {} THEN
        reserved := reserved \\/ {r} || blocks := blocks \\/ parts~[{r}] || serves := serves \\/ (parts |> {r}) END;
      release(b) = SELECT b : blocks THEN blocks := blocks - {b} || serves := {b} <<| serves END;
      clear(r) = SELECT r : reserved THEN
        blocks := blocks - serves~[{r}] || serves := serves |>> {r} || reserved := reserved - {r} END
    END";

#[test]
fn what_is_proved_of_mutants_is_true_where_sets_are_small() {
    if !cfg!(feature = "z3") {
        return;
    }
    let listed = std::env::var("BSYM_MODELS");
    let loaded = match &listed {
        Ok(listed) => listed.split(':').map(|p| load_model(Path::new(p)).expect("it is readable")).collect(),
        Err(_) => vec![load_text("Routes.mch", MODEL)],
    };
    let thorough = listed.is_ok();
    let effort = Effort {
        states: if thorough { 400 } else { 100 },
        work: if thorough { 4_000_000 } else { 40_000 },
        time: Duration::from_millis(number("BSYM_LIMIT").unwrap_or(50)),
    };
    let (mut all, mut failures, mut surviving) = (Counts::default(), vec![], 0);
    for loaded in loaded {
        let original = loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
        let first = number("BSYM_FIRST").unwrap_or(1);
        for seed in first..first + number("BSYM_MUTANTS").unwrap_or(3) {
            let Some(changed) = mutant(&original, Parts::Invariant, seed as usize) else { continue };
            let pairs = original.invariant.iter().zip(&changed.invariant);
            let Some(i) = pairs.clone().position(|(a, b)| a.pred != b.pred) else { continue };
            let texts = [&original, &changed].map(|m| print::pred(m, &m.invariant[i].pred));
            let Some(looked) = look(&Arc::new(changed), effort) else { continue };
            all.add(&looked.counts);
            let own = looked.discharged.iter().filter(|(_, s)| *s == Subject::Invariant(i));
            let own: Vec<&str> = own.map(|(name, _)| name.as_str()).collect();
            surviving += own.len();
            println!(
                "{} mutant {seed}: `{}` instead of `{}`: {} of {} discharged, {} false claims, {} states, of it: {}",
                original.name,
                texts[1],
                texts[0],
                looked.counts.discharged,
                looked.counts.asked,
                looked.counts.false_ones,
                looked.counts.states,
                own.join(" "),
            );
            for wrong in &looked.wrong {
                println!("  WRONG {}: {}", wrong.kind, wrong.detail);
                failures.push(format!("{} mutant {seed}: {}: {}", original.name, wrong.kind, wrong.detail));
            }
        }
    }
    println!("{all:#?}\n{surviving} obligations of changed conjuncts are discharged");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(all.discharged > 0 && all.steps > 0, "{all:#?}");
}
