//! Temporary.
use bsym_language::load::load_model;
use bsym_language::stack::with_large_stack;
use bsym_language::{print, render};
use std::path::{Path, PathBuf};
fn walk(dir: &Path, out: &mut Vec<PathBuf>) {
    let Ok(list) = std::fs::read_dir(dir) else { return };
    for e in list.flatten() {
        let p = e.path();
        if p.is_dir() { walk(&p, out) } else { out.push(p) }
    }
}
fn main() {
    with_large_stack(|| {
        let mut files = vec![];
        for root in std::env::args().skip(1) {
            walk(Path::new(&root), &mut files);
        }
        files.sort();
        for p in files {
            let ext = p.extension().and_then(|e| e.to_str()).unwrap_or("").to_lowercase();
            if !["mch", "ref", "imp", "sys", "eventb", "bum", "buc", "def", "zip"].contains(&ext.as_str()) {
                continue;
            }
            println!("== {}", p.display());
            match load_model(&p) {
                Err(e) => println!("E {e}"),
                Ok(l) => {
                    for d in &l.diagnostics {
                        println!("{}", render::render(&l.sources, d, false));
                    }
                    if let Some(m) = l.model {
                        let t = format!(
                            "{}\n{:?}\n{:?}\n{:?}",
                            print::machine_with_types(&m),
                            m.axioms,
                            m.locals,
                            m.hints
                        );
                        let rest = format!(
                            "{:?}{:?}{:?}{:?}{:?}{:?}{:?}{:?}{:?}{:?}{:?}{:?}{:?}{:?}",
                            m.invariant,
                            m.gluing,
                            m.not_checked,
                            m.assertions,
                            m.initialisation,
                            m.events,
                            m.refinement_checks,
                            m.variants,
                            m.operators,
                            m.free_types,
                            m.constants,
                            m.variables,
                            m.abstract_variables,
                            m.goal
                        );
                        use std::hash::{Hash, Hasher};
                        let mut h = std::collections::hash_map::DefaultHasher::new();
                        t.hash(&mut h);
                        rest.hash(&mut h);
                        println!("M {:x} {}", h.finish(), m.choices);
                    }
                }
            }
        }
    });
}
