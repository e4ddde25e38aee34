//! Limits on the shape of the code, as a check of all its files.
//!
//! A word of the field has one meaning: `Verdict`, `Reason` and `Counterexample` are each defined once, and at most two
//! `enum`s share one of the names `Outcome`, `Found` and `Asked`. A struct has at most 15 named fields, unless it is
//! what a command line or a file of JSON consists of; the numbers of a `tuning.rs` stand in a macro and do not count. A
//! file has at most 800 lines. The engines have no function of 80 lines, and times that steer a program stand in its
//! tuning. `explore` reaches a model through a trait of seven methods, and the machine behind it stays small.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use syn::spanned::Spanned;
use syn::visit::Visit;

/// Types that are defined once: what other crates add to them are parameters.
const ONCE: [&str; 3] = ["Verdict", "Reason", "Counterexample"];

/// Names of which no more than two enums may have one.
const TWICE: [&str; 3] = ["Outcome", "Found", "Asked"];

/// Derived traits of types whose fields a command line or a file prescribes.
const PRESCRIBED: [&str; 4] = ["Args", "Parser", "Serialize", "Deserialize"];

const MOST_FIELDS: usize = 15;
const MOST_LINES: usize = 800;
const FUNCTION: usize = 80;
const MACHINE: (&str, usize) = ("explore/src/space/machine.rs", 500);
const SYSTEM: (&str, usize) = ("explore/src/space/system.rs", 7);

/// Files with more lines, each with the sentence that says why: tables, which are looked up and not read.
const TABLES: [(&str, &str); 0] = [];

/// What one file contributes.
#[derive(Default)]
struct Limits {
    path: PathBuf,
    /// Places of the types that are defined once, by name.
    types: BTreeMap<String, Vec<String>>,
    /// Places of all enums of names that may be given twice.
    enums: BTreeMap<String, Vec<String>>,
    wrong: Vec<String>,
}

impl Limits {
    /// Looks at the text of a file, whose path is relative to the repository.
    fn of(path: &Path, text: &str) -> Limits {
        let mut limits = Limits { path: path.to_path_buf(), ..Limits::default() };
        let tree = syn::parse_file(text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        limits.visit_file(&tree);
        let lines = text.lines().count();
        let is_table = TABLES.iter().any(|(table, _)| Path::new(table) == path);
        if lines > MOST_LINES && !is_table {
            limits.wrong.push(format!("{}: {lines} lines, more than {MOST_LINES}", path.display()));
        }
        if is_table && lines <= MOST_LINES {
            limits.wrong.push(format!("{}: the list of tables has a file that is short", path.display()));
        }
        if path == Path::new(MACHINE.0) && lines >= MACHINE.1 {
            limits.wrong.push(format!("{}: {lines} lines, not below {}", path.display(), MACHINE.1));
        }
        limits
    }

    fn place(&self, item: &impl Spanned) -> String {
        format!("{}:{}", self.path.display(), item.span().start().line)
    }

    /// Notes the definition of a type.
    fn defined(&mut self, name: &syn::Ident, is_enum: bool) {
        let (place, name) = (|| self.place(name), name.to_string());
        if ONCE.contains(&name.as_str()) {
            let place = place();
            self.types.entry(name).or_default().push(place);
        } else if is_enum && TWICE.contains(&name.as_str()) {
            let place = place();
            self.enums.entry(name).or_default().push(place);
        }
    }

    /// Refuses a long function of the engines, without its comments and attributes.
    fn function(&mut self, signature: &syn::Signature, block: &syn::Block) {
        if !self.path.starts_with("engines/src") {
            return;
        }
        let lines = block.span().end().line - signature.span().start().line + 1;
        if lines >= FUNCTION {
            let place = self.place(signature);
            self.wrong
                .push(format!("{place}: `{}` has {lines} lines, not below {FUNCTION}", signature.ident));
        }
    }

    /// Returns whether the file belongs to a program, not to tests alone.
    fn is_of_program(&self) -> bool {
        let is_test = |part: &str| part.ends_with("tests") || part == "testing" || part == "examples";
        !self.path.with_extension("").iter().filter_map(|part| part.to_str()).any(is_test)
    }
}

/// Returns whether the fields of a type are prescribed from outside.
fn is_prescribed(attributes: &[syn::Attribute]) -> bool {
    let mut found = false;
    for attribute in attributes.iter().filter(|a| a.path().is_ident("derive")) {
        // A derive that syn cannot read, the compiler cannot either.
        let _ = attribute.parse_nested_meta(|meta| {
            let name = meta.path.segments.last().map(|segment| segment.ident.to_string());
            found |= name.is_some_and(|name| PRESCRIBED.contains(&name.as_str()));
            Ok(())
        });
    }
    found
}

impl<'ast> Visit<'ast> for Limits {
    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.defined(&item.ident, false);
        if let syn::Fields::Named(fields) = &item.fields
            && fields.named.len() > MOST_FIELDS
            && !is_prescribed(&item.attrs)
        {
            let (place, fields) = (self.place(&item.ident), fields.named.len());
            self.wrong
                .push(format!("{place}: `{}` has {fields} fields, more than {MOST_FIELDS}", item.ident));
        }
        syn::visit::visit_item_struct(self, item);
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.defined(&item.ident, true);
        syn::visit::visit_item_enum(self, item);
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        if self.path == Path::new(SYSTEM.0) && item.ident == "System" {
            let methods = || {
                item.items.iter().filter_map(|item| match item {
                    syn::TraitItem::Fn(method) => Some(method),
                    _ => None,
                })
            };
            if methods().count() > SYSTEM.1 {
                let place = self.place(&item.ident);
                self.wrong.push(format!("{place}: `System` has more than {} methods", SYSTEM.1));
            }
            for method in methods().filter(|method| method.default.is_some()) {
                let place = self.place(&method.sig);
                self.wrong.push(format!("{place}: `System::{}` has a default", method.sig.ident));
            }
        }
        syn::visit::visit_item_trait(self, item);
    }

    fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
        let is_time = matches!(&*item.ty, syn::Type::Path(ty)
            if ty.path.segments.last().is_some_and(|segment| segment.ident == "Duration"));
        if is_time && self.is_of_program() {
            let place = self.place(&item.ident);
            self.wrong.push(format!("{place}: the time `{}` is no field of a tuning", item.ident));
        }
        syn::visit::visit_item_const(self, item);
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function(&item.sig, &item.block);
        syn::visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.function(&item.sig, &item.block);
        syn::visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.function(&item.sig, block);
        }
        syn::visit::visit_trait_item_fn(self, item);
    }
}

/// What is wrong with some files together, given as path and text.
fn violations(files: &[(PathBuf, String)]) -> Vec<String> {
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let each: Vec<Limits> = std::thread::scope(|scope| {
        let parts: Vec<_> = files
            .chunks(files.len().div_ceil(cores).max(1))
            .map(|part| scope.spawn(|| part.iter().map(|(path, text)| Limits::of(path, text)).collect()))
            .collect();
        parts.into_iter().flat_map(|part| -> Vec<Limits> { part.join().expect("it parses") }).collect()
    });
    let mut wrong = vec![];
    let mut defined: BTreeMap<(usize, String), Vec<String>> = BTreeMap::new();
    for limits in each {
        wrong.extend(limits.wrong);
        for (most, found) in [(1, limits.types), (2, limits.enums)] {
            for (name, places) in found {
                defined.entry((most, name)).or_default().extend(places);
            }
        }
    }
    for ((most, name), places) in defined.into_iter().filter(|((most, _), places)| places.len() > *most) {
        wrong.push(format!("`{name}` is defined more than {most} times: {}", places.join(" ")));
    }
    wrong
}

/// The Rust files below a folder of the repository.
fn collect(root: &Path, folder: &Path, into: &mut Vec<(PathBuf, String)>) {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a folder can be read").path()).collect();
    paths.sort();
    for path in paths {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() {
            if !name.starts_with('.') && !["target", "dist", "node_modules"].contains(&name) {
                collect(root, &path, into);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            into.push((path.strip_prefix(root).unwrap_or(&path).to_path_buf(), text));
        }
    }
}

#[test]
fn the_code_keeps_its_limits() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the repository");
    let mut files = vec![];
    collect(root, root, &mut files);
    for file in [MACHINE.0, SYSTEM.0].into_iter().chain(TABLES.map(|(table, _)| table)) {
        assert!(files.iter().any(|(path, _)| path == Path::new(file)), "{file} is gone: adapt the limits");
    }
    let wrong = violations(&files);
    assert!(wrong.is_empty(), "{} limits are passed:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_limit_is_seen() {
    let file = |path: &str, text: &str| (PathBuf::from(path), text.to_string());
    let fields: String = (0..=MOST_FIELDS).map(|i| format!("f{i}: u8, ")).collect();
    let body = "\n".repeat(FUNCTION - 1);
    let short = "\n".repeat(FUNCTION - 2);
    let methods: String = (0..=SYSTEM.1).map(|i| format!("fn f{i}();")).collect();
    let wrong = violations(&[
        file("a/src/lib.rs", "pub enum Verdict {} enum Outcome {} struct Found; type Reason = u8;"),
        file("b/src/lib.rs", "mod inner { struct Verdict; } enum Outcome {} struct Outcome2;"),
        file("c/src/lib.rs", &format!("#[derive(Clone)] struct Many {{ {fields} }}")),
        file("d/src/lib.rs", &format!("#[derive(serde::Serialize)] struct Json {{ {fields} }}")),
        file("e/src/lib.rs", &format!("t! {{ struct Tuning {{ {fields} }} }}")),
        file("e/src/f.rs", "const T: std::time::Duration = f(); #[cfg(test)] enum Outcome {}"),
        file("e/src/tests.rs", "const T: Duration = f();"),
        file("engines/src/a.rs", &format!("impl A {{ fn long() {{{body}}} }} fn short() {{{short}}}")),
        file("proofs/src/a.rs", &format!("fn elsewhere() {{{body}}}")),
        file("g/src/lib.rs", &"\n".repeat(MOST_LINES + 1)),
        file(MACHINE.0, &"\n".repeat(MACHINE.1)),
        file(SYSTEM.0, &format!("trait System {{ {methods} fn g() {{}} }} trait Other {{ fn h() {{}} }}")),
    ]);
    let expected = [
        "c/src/lib.rs:1: `Many` has 16 fields",
        "e/src/f.rs:1: the time `T` is no field",
        "engines/src/a.rs:1: `long` has 80 lines",
        "g/src/lib.rs: 801 lines",
        "explore/src/space/machine.rs: 500 lines",
        "explore/src/space/system.rs:1: `System` has more than 7 methods",
        "explore/src/space/system.rs:1: `System::g` has a default",
        "`Verdict` is defined more than 1 times: a/src/lib.rs:1 b/src/lib.rs:1",
        "`Outcome` is defined more than 2 times: a/src/lib.rs:1 b/src/lib.rs:1 e/src/f.rs:1",
    ];
    assert_eq!(wrong.len(), expected.len(), "{wrong:#?}");
    for (found, begin) in wrong.iter().zip(expected) {
        assert!(found.starts_with(begin), "{found} does not begin with {begin}");
    }
}
