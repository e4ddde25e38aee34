use bsym_language::{diagnostic::Severity, load::load_model, render, stack::with_large_stack};
fn main() {
    with_large_stack(|| {
        let (mut good, mut total) = (0, 0);
        let all = std::env::args().any(|a| a == "-a");
        for line in std::io::stdin().lines() {
            let line = line.unwrap();
            total += 1;
            match load_model(std::path::Path::new(&line)) {
                Err(e) => println!("{line}: {e}"),
                Ok(l) => {
                    if l.model.is_some() {
                        good += 1;
                        if all {
                            println!("OK {line}");
                            for d in &l.diagnostics {
                                println!("   {}", render::render_line(&l.sources, d))
                            }
                        }
                    } else {
                        println!("-- {line}");
                        for d in l.diagnostics.iter().filter(|d| d.severity == Severity::Error).take(3) {
                            println!(
                                "   {}{}",
                                render::render_line(&l.sources, d),
                                d.help.as_ref().map(|h| format!(" | {h}")).unwrap_or_default()
                            )
                        }
                    }
                }
            }
        }
        println!("{good} of {total} load");
    })
}
