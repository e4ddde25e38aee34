//! Event-B as text: the same models as in the files of Rodin, and messages about every mistake.

use std::path::{Path, PathBuf};

use bsym_language::archive::Archive;
use bsym_language::diagnostic::Severity;
use bsym_language::eventb::{rodin, text};
use bsym_language::files::Texts;
use bsym_language::load::{LoadRequest, Loaded, load_from, load_in, load_model, load_with};
use bsym_language::model::Model;
use bsym_language::source::Sources;
use bsym_language::{print, render, walk};
use bsym_testing::{Known, corpus, rodin_projects};

fn ours(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/eventb").join(name)
}

fn messages(loaded: &Loaded) -> Vec<String> {
    loaded.diagnostics.iter().map(|d| render::render_line(&loaded.sources, d)).collect()
}

fn model(loaded: Loaded) -> Model {
    let messages = messages(&loaded);
    loaded.model.unwrap_or_else(|| panic!("{messages:#?}"))
}

fn component(name: &str) -> LoadRequest {
    LoadRequest { component: Some(name.into()), ..LoadRequest::default() }
}

/// Fails unless two models have the same content, labels and texts.
fn assert_same(text: &Model, rodin: &Model, what: &str) {
    assert_eq!(walk::normalised(text), walk::normalised(rodin), "{what}");
    assert_eq!(print::machine(text), print::machine(rodin), "{what}");
    let labels = |m: &Model| {
        let all = m.axioms.iter().chain(&m.invariant).chain(&m.assertions);
        all.map(|c| (c.label.clone(), c.text.clone())).collect::<Vec<_>>()
    };
    assert_eq!(labels(text), labels(rodin), "{what}");
    let formulas = |m: &Model| {
        let all = m.text.formulas.iter().map(|f| (f.event.clone(), f.label.clone(), f.role));
        all.collect::<Vec<_>>()
    };
    assert_eq!(formulas(text), formulas(rodin), "{what}");
}

#[test]
fn a_text_is_the_same_model_as_the_files_of_rodin() {
    let text = |file: &str, name: &str| {
        model(load_with(&ours("Text").join(file), &component(name)).expect("it can be read"))
    };
    for (file, name) in [("Tank0.bumx", "Tank0"), ("tanks.eventb", "Tank1"), ("tanks.eventb", "Tank2")] {
        let rodin = model(load_model(&ours("Tank").join(format!("{name}.bum"))).expect("it can be read"));
        let text = text(file, name);
        assert_eq!(walk::normalised(&text), walk::normalised(&rodin), "{name}");
        let labels = |m: &Model| m.text.formulas.iter().map(|f| f.label.clone()).collect::<Vec<_>>();
        assert_eq!(labels(&text), labels(&rodin), "{name}");
    }
    // The last refinement of a file is read without a name, and the component of the file's name with one.
    let last = model(load_model(&ours("Text/tanks.eventb")).expect("it can be read"));
    assert_eq!(last.name, "Tank2");
    let valve = model(load_model(&ours("Text/Valve.bucx")).expect("it can be read"));
    assert_eq!((valve.name.as_str(), valve.axioms.len()), ("Valve", 1));
}

fn texts(files: &[(&str, &str)]) -> Texts {
    files.iter().copied().collect()
}

const CONTEXT: &str = "context C constants k axioms @axm1 k ∈ ℕ end";

#[test]
fn components_are_found_in_the_file_beside_it_and_on_the_include_path() {
    let machine = "machine M sees C variables x invariants @inv1 x ∈ ℕ\n\
                   events event INITIALISATION then @act1 x ≔ k end end";
    let load = |files: &[(&str, &str)], include: &[&str]| {
        let request =
            LoadRequest { component: None, include_path: include.iter().map(PathBuf::from).collect() };
        load_in(&texts(files), "m/M.eventb".as_ref(), &request).expect("it can be read")
    };
    for (place, include) in [
        ("m/C.eventb", &[][..]),
        ("m/C.bucx", &[]),
        ("m/contexts.eventb", &[]),
        ("m/C.ctx", &[]),
        ("lib/C.eventb", &["lib"]),
        ("lib/others.bucx", &["none", "lib"]),
    ] {
        let found = model(load(&[("m/M.eventb", machine), (place, CONTEXT)], include));
        assert_eq!(found.constants.len(), 1, "{place}");
    }
    let both = format!("{CONTEXT}\n{machine}");
    assert_eq!(model(load(&[("m/M.eventb", &both)], &[])).constants.len(), 1);
    let missing = load(&[("m/M.eventb", machine)], &[]);
    assert_eq!(messages(&missing).len(), 1, "{:?}", messages(&missing));
    assert!(messages(&missing)[0].starts_with("m/M.eventb:1:16: error[B0420]: there is no context `C`"));
    // A mistake of another file stands there.
    let wrong = load(&[("m/M.eventb", machine), ("m/C.eventb", &CONTEXT.replace("∈", "∈∈"))], &[]);
    assert!(messages(&wrong)[0].starts_with("m/C.eventb:1:"), "{:?}", messages(&wrong));
}

#[test]
fn a_file_says_by_its_first_words_that_it_is_a_text() {
    let is_text = |name: &str, content: &str| text::is_text(Path::new(name), content);
    assert!(is_text("a.eventb", "// c\nMACHINE M end") && is_text("a.bumx", "anything"));
    assert!(!is_text("a.eventb", "package(load_event_b_project([],[],[],_))."));
    assert!(!is_text("printed.mch", "MACHINE M\nSETS S\nPROPERTIES @finite(S) & @partition(S, {})\nEND"));
    assert!(is_text("a.mch", "machine M variables x invariants @inv1 x ∈ ℕ end"));
    assert!(is_text("a.mch", "/* c */ CONTEXT C END") && is_text("a.ctx", CONTEXT));
    assert!(!is_text("a.mch", "MACHINE M INVARIANT /*@ label i */ x = \"@a\" & s = \" @b\" END"));
    assert!(!is_text("a.mch", "MACHINE M /* a context */ END"));
}

/// Loads a machine `M` with this text and returns the first error without the file's name.
fn first_error(content: &str) -> String {
    let files = texts(&[("M.eventb", content), ("C.eventb", CONTEXT)]);
    match load_from(&files, "M.eventb".as_ref()) {
        Err(error) => error.to_string(),
        Ok(loaded) => {
            assert!(loaded.model.is_none(), "{content}");
            let errors = loaded.diagnostics.iter().filter(|d| d.severity == Severity::Error);
            let errors: Vec<String> = errors
                .map(|d| {
                    let help = d.help.as_ref().map(|help| format!(" | {help}")).unwrap_or_default();
                    render::render_line(&loaded.sources, d).replace("M.eventb:", "") + &help
                })
                .collect();
            errors.first().cloned().unwrap_or_default()
        }
    }
}

#[test]
fn mistakes_are_said_with_their_place() {
    let all = [
        ("", ""),
        ("machine", ""),
        ("machine M", ""),
        ("machine M variables x invariants @inv1 x ∈ ℕ events event e then @a x ≔ 1 end", ""),
        ("machine M\nvariables x\ninvariant @inv1 x ∈ ℕ\nend", ""),
        ("machine M\nvariables x\ninvariants\n  @inv1 x ∈ ∈ ℕ\nend", ""),
        ("machine M\nvariables x\ninvariants\n  @inv1\n  @inv2 x ∈ ℕ\nend", ""),
        ("machine M\nvariables x y- z\nend", ""),
        ("machine M\nvariables mod\nend", ""),
        ("machine M\nvariables\ninvariants @i x = 1\nend", ""),
        ("machine M /* open\nend", ""),
        ("machine M includes N\nend", ""),
        ("machine M\nevents\n  event INITIALISATION\n    any p\n    whith @g p = 1\n  end\nend", ""),
        ("machine M refines A, B\nend", ""),
        ("machine M\nend\nmachine M\nend", ""),
        ("machine M\nend\nand more", ""),
        ("machine A\nend\nmachine B\nend", ""),
        ("theory T end", ""),
        (
            "machine M sees C variables x invariants @inv1 x ∈ ℕ\nevents event INITIALISATION then @a x ≔ k\n end\n event e refines f with p = 1 end\nend",
            "",
        ),
        ("machine M variables x invariants @ x ∈ ℕ end", ""),
    ];
    let mut found = String::new();
    for (content, _) in all {
        found.push_str(&format!("{content}\n--> {}\n\n", first_error(content)));
    }
    let path = ours("Text/mistakes.txt");
    if std::env::var_os("BSYM_BLESS").is_some() {
        std::fs::write(&path, &found).expect("it can be written");
    }
    assert_eq!(found, std::fs::read_to_string(&path).expect("it is there"));
}

#[test]
fn an_extension_of_camillex_is_one_mistake() {
    let rest = "variables x\ninvariants @inv1 x ∈ ℕ\nevents event INITIALISATION then @a x ≔ 0 end\nend";
    for extension in ["includes N as p, q", "synchronises p.up", "records person @f age : ℕ"] {
        let files = texts(&[("M.bumx", &format!("machine M\n{extension}\n{rest}"))]);
        let loaded = load_from(&files, "M.bumx".as_ref()).expect("it can be read");
        let said = messages(&loaded);
        assert_eq!(said.len(), 1, "{said:#?}");
        assert!(said[0].starts_with("M.bumx:2:1: "), "{said:#?}");
        assert!(loaded.diagnostics[0].help.as_ref().is_some_and(|help| help.contains("CamilleX")));
    }
}

/// No text panics, wherever it is cut or changed.
#[test]
fn any_text_is_answered() {
    let whole = std::fs::read_to_string(ours("Text/tanks.eventb")).expect("it is there");
    let ends: Vec<usize> = whole.char_indices().map(|(i, _)| i).collect();
    for end in ends.iter().step_by(7) {
        let files = texts(&[("T.eventb", &whole[..*end])]);
        let _ = load_from(&files, "T.eventb".as_ref());
        let files = texts(&[("T.eventb", &whole[*end..])]);
        let _ = load_from(&files, "T.eventb".as_ref());
        for piece in ["@", "end", "theorem", "/*", "'", "≔"] {
            let changed = format!("{}{piece}{}", &whole[..*end], &whole[*end..]);
            let _ = load_from(&texts(&[("T.eventb", &changed)]), "T.eventb".as_ref());
        }
    }
}

/// The projects of Rodin below a folder, as folders and archives.
fn archives(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    entries.sort();
    let is = |path: &PathBuf, wanted: &[&str]| {
        path.extension().and_then(|e| e.to_str()).is_some_and(|e| wanted.contains(&e))
    };
    if entries.iter().any(|path| is(path, &["bum", "buc"])) {
        found.push(folder.to_owned());
    }
    for path in entries {
        if path.is_dir() {
            archives(&path, found);
        } else if is(&path, &["zip"]) {
            found.push(path);
        }
    }
}

/// Every project of Rodin, printed as text and read again, is the same model.
#[test]
fn projects_of_rodin_are_the_same_as_texts() {
    let (Some(corpus), Some(projects)) = (corpus(), rodin_projects()) else { return };
    let shared = corpus.parent().expect("the corpus is in a folder").to_owned();
    let mut paths = vec![];
    archives(&corpus, &mut paths);
    archives(&projects, &mut paths);
    let (mut same, mut failed) = (0, vec![]);
    for path in &paths {
        let archive = Archive::open(path).expect("it is an archive");
        for (folder, files) in rodin::projects(&archive).expect("files") {
            // A folder inside another one is a project of its own.
            if path.is_dir() && !folder.is_empty() {
                continue;
            }
            for name in files.last() {
                let full = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
                let what = format!("{}#{full}", path.strip_prefix(&shared).unwrap_or(path).display());
                let Ok(Loaded { model: Some(rodin), .. }) = load_with(path, &component(&full)) else {
                    continue;
                };
                let mut sources = Sources::default();
                let project =
                    rodin::read(&archive, &folder, &files, &name, &mut sources, &mut vec![]).expect("files");
                if !project.theories.is_empty() {
                    continue;
                }
                let names = project.machines.iter().map(|m| &m.name.name);
                let names = names.chain(project.contexts.iter().map(|c| &c.name.name));
                let printed: Texts = names
                    .map(|n| (format!("{n}.eventb"), text::printed(&project, n).expect("texts")))
                    .collect();
                match load_in(&printed, format!("{name}.eventb").as_ref(), &component(&name)) {
                    Ok(Loaded { model: Some(text), .. })
                        if walk::normalised(&text) == walk::normalised(&rodin)
                            && print::machine(&text) == print::machine(&rodin) =>
                    {
                        assert_same(&text, &rodin, &what);
                        same += 1;
                    }
                    Ok(loaded) => {
                        let why = messages(&loaded).into_iter().find(|m| m.contains("error"));
                        failed.push(format!("{what}: {}", why.unwrap_or("another model".into())));
                    }
                    Err(error) => failed.push(format!("{what}: {error}")),
                }
            }
        }
    }
    println!("{same} components of Rodin are the same as texts, {} are not", failed.len());
    let surprises = Known::read(include_str!("eventb/not_as_text.tsv")).surprises(&failed);
    assert!(surprises.is_empty(), "{surprises:#?}");
}
