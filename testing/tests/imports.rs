//! Imports between files, and a check that no imports go round in a circle.
//!
//! Cargo forbids circles between crates; inside a crate nothing does. A circle whose files lie in different folders is
//! refused, because then none of these folders can be understood, tested or taken out alone. A circle inside a folder
//! is refused unless `imports/circles.tsv` lists it with a sentence that gives the reason. Circles of either kind that
//! were there before and are still to be cut are listed in `imports/open.tsv`. A line that no circle needs any more is
//! refused as well, in both lists.
//!
//! A file imports another if it names, by a path from `crate`, `self` or `super`, an item that is defined there; code
//! for tests may do so. `pub use` is a door, not an import: code that uses it imports the item behind.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use proc_macro2::{TokenStream, TokenTree};
use syn::visit::Visit;

/// Path of a module inside its crate: empty for the root.
type ModulePath = Vec<String>;

/// Imports of one file: a module and the modules written out inside it.
struct File {
    path: PathBuf,
    /// Paths that are named, as from the root of the crate, with the line of the first mention.
    mentions: BTreeMap<ModulePath, usize>,
    /// Names that the module's `use` items bring in, as from the root of the crate.
    names: BTreeMap<String, ModulePath>,
}

/// One crate's modules, by their paths.
type Crate = BTreeMap<ModulePath, File>;

/// Reads the module in `path` and the modules in files of their own below it.
fn read(path: &Path, module: ModulePath, into: &mut Crate) {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let tree = syn::parse_file(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut reader = Reader {
        module: module.clone(),
        depth: module.len(),
        file: File { path: path.to_path_buf(), mentions: BTreeMap::new(), names: BTreeMap::new() },
        children: vec![],
    };
    reader.visit_file(&tree);
    let own_folder =
        matches!(path.file_name().and_then(|n| n.to_str()), Some("lib.rs" | "main.rs" | "mod.rs"));
    let folder = if own_folder { path.with_file_name("") } else { path.with_extension("") };
    let children = std::mem::take(&mut reader.children);
    into.insert(module.clone(), reader.file);
    for child in children {
        let name = child.last().expect("a module has a name").clone();
        let below = folder.join(child[module.len()..child.len() - 1].join("/"));
        let candidates = [below.join(format!("{name}.rs")), below.join(&name).join("mod.rs")];
        let found = candidates.iter().find(|p| p.is_file());
        read(found.unwrap_or_else(|| panic!("{} has no file", child.join("::"))), child, into);
    }
}

struct Reader {
    /// The module in which the reader stands: that of the file, or one written out inside it.
    module: ModulePath,
    /// Length of the path of the file's own module.
    depth: usize,
    file: File,
    /// Modules in files of their own.
    children: Vec<ModulePath>,
}

impl Reader {
    /// A path as from the root of the crate; `None` if it begins elsewhere.
    fn absolute(&self, segments: &[String]) -> Option<ModulePath> {
        let mut at = match segments.first()?.as_str() {
            "crate" => vec![],
            "self" => self.module.clone(),
            "super" => {
                let mut above = self.module.clone();
                above.pop();
                above
            }
            _ => return None,
        };
        for segment in &segments[1..] {
            match segment.as_str() {
                "super" => {
                    at.pop();
                }
                _ => at.push(segment.clone()),
            }
        }
        Some(at)
    }

    fn mention(&mut self, segments: &[String], line: usize) {
        if let Some(path) = self.absolute(segments) {
            self.file.mentions.entry(path).or_insert(line);
        }
    }

    /// The paths of a `use` item, with the names that they bring in.
    fn leaves(tree: &syn::UseTree, before: &[String], into: &mut Vec<(Vec<String>, Option<String>)>) {
        let longer = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        match tree {
            syn::UseTree::Path(path) => Self::leaves(&path.tree, &longer(&path.ident), into),
            syn::UseTree::Name(name) if name.ident == "self" => {
                into.push((before.to_vec(), before.last().cloned()))
            }
            syn::UseTree::Name(name) => into.push((longer(&name.ident), Some(name.ident.to_string()))),
            syn::UseTree::Rename(renamed) => {
                into.push((longer(&renamed.ident), Some(renamed.rename.to_string())))
            }
            syn::UseTree::Glob(_) => into.push((before.to_vec(), None)),
            syn::UseTree::Group(group) => group.items.iter().for_each(|t| Self::leaves(t, before, into)),
        }
    }

    /// Paths in what a macro is given, which is no syntax tree.
    fn tokens(&mut self, stream: TokenStream) {
        let mut path: Vec<String> = vec![];
        let mut colons = 0;
        let mut line = 0;
        for token in stream {
            match token {
                TokenTree::Ident(ident) if colons == 2 || path.is_empty() => {
                    line = if path.is_empty() { ident.span().start().line } else { line };
                    path.push(ident.to_string());
                    colons = 0;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' && !path.is_empty() => colons += 1,
                other => {
                    self.mention(&std::mem::take(&mut path), line);
                    colons = 0;
                    match other {
                        TokenTree::Group(group) => self.tokens(group.stream()),
                        TokenTree::Ident(ident) => {
                            line = ident.span().start().line;
                            path.push(ident.to_string());
                        }
                        _ => {}
                    }
                }
            }
        }
        self.mention(&path, line);
    }
}

/// Returns whether an item is for tests only.
fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|a| {
        a.path().is_ident("test")
            || a.path().is_ident("cfg")
                && matches!(&a.meta, syn::Meta::List(list) if list.tokens.to_string() == "test")
    })
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if is_for_tests(&item.attrs) {
            return;
        }
        self.module.push(item.ident.to_string());
        match &item.content {
            None => self.children.push(self.module.clone()),
            Some((_, items)) => items.iter().for_each(|i| self.visit_item(i)),
        }
        self.module.pop();
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        if !is_for_tests(&item.attrs) {
            syn::visit::visit_item_fn(self, item);
        }
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        if !is_for_tests(&item.attrs) {
            syn::visit::visit_item_impl(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        if is_for_tests(&item.attrs) {
            return;
        }
        let mut leaves = vec![];
        Self::leaves(&item.tree, &[], &mut leaves);
        let is_door = !matches!(item.vis, syn::Visibility::Inherited);
        for (segments, name) in leaves {
            // Paths of a `use` that begin with a sibling module are those from `self`.
            let local = [&["self".to_string()], &segments[..]].concat();
            let path = self.absolute(&segments).or_else(|| self.absolute(&local));
            if let (Some(name), Some(path)) = (name, path.filter(|_| self.module.len() == self.depth)) {
                self.file.names.insert(name, path);
            }
            if !is_door {
                let line = syn::spanned::Spanned::span(item).start().line;
                self.mention(&segments, line);
                self.mention(&local, line);
            }
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments: Vec<_> = path.segments.iter().map(|s| s.ident.to_string()).collect();
        let line = path.segments.first().map_or(0, |s| s.ident.span().start().line);
        self.mention(&segments, line);
        if segments.len() > 1 {
            // A child or a module that a `use` has brought in.
            self.mention(&[&["self".to_string()], &segments[..]].concat(), line);
        }
        syn::visit::visit_path(self, path);
    }

    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {
        // `pub(in crate::a)` imports nothing.
    }

    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        self.visit_path(&called.path);
        self.tokens(called.tokens.clone());
    }
}

/// The module in which something is defined; `None` if the path does not lead into one.
fn home(modules: &Crate, path: &[String]) -> Option<ModulePath> {
    let mut path = path.to_vec();
    // Re-exports may lead to re-exports, but no crate has so long a chain that this does not end.
    'doors: for _ in 0..20 {
        let mut at: ModulePath = vec![];
        for (position, segment) in path.iter().enumerate() {
            let child = [&at[..], std::slice::from_ref(segment)].concat();
            if modules.contains_key(&child) {
                at = child;
                continue;
            }
            let door = modules.get(&at).and_then(|m| m.names.get(segment));
            match door {
                Some(target) if target[..] != path[..=position] => {
                    path = [&target[..], &path[position + 1..]].concat();
                    continue 'doors;
                }
                _ => return Some(at),
            }
        }
        return Some(at);
    }
    None
}

/// The folder that a file belongs to: a module with children stands for their folder.
fn folder(module: &ModulePath, modules: &Crate) -> ModulePath {
    let has_children = modules.keys().any(|m| m.len() > module.len() && m.starts_with(module));
    if has_children || module.is_empty() { module.clone() } else { module[..module.len() - 1].to_vec() }
}

/// A circle: its files, whether they lie in one folder, and the imports that close it.
struct Circle {
    files: BTreeSet<PathBuf>,
    in_one_folder: bool,
    imports: Vec<String>,
}

fn circles(root: &Path) -> Vec<Circle> {
    let mut modules = Crate::new();
    read(root, vec![], &mut modules);
    let mut graph: DiGraph<ModulePath, usize> = DiGraph::new();
    let nodes: BTreeMap<&ModulePath, NodeIndex> =
        modules.keys().map(|m| (m, graph.add_node(m.clone()))).collect();
    for (module, file) in &modules {
        for (path, line) in &file.mentions {
            let Some(target) = home(&modules, path) else { continue };
            // A path from `self` is one of the module's own names unless it leads to a child or a door.
            if target != *module {
                graph.update_edge(nodes[module], nodes[&target], *line);
            }
        }
    }
    let show = |m: &ModulePath| modules[m].path.clone();
    tarjan_scc(&graph)
        .into_iter()
        .filter(|circle| circle.len() > 1)
        .map(|circle| {
            let folders: BTreeSet<_> = circle.iter().map(|&n| folder(&graph[n], &modules)).collect();
            let inside = |n: NodeIndex| circle.contains(&n);
            let imports = graph.edge_indices().filter_map(|e| {
                let (from, to) = graph.edge_endpoints(e)?;
                let line = graph[e];
                (inside(from) && inside(to)).then(|| {
                    format!("{}:{line} imports {}", show(&graph[from]).display(), show(&graph[to]).display())
                })
            });
            Circle {
                files: circle.iter().map(|&n| show(&graph[n])).collect(),
                in_one_folder: folders.len() == 1,
                imports: imports.collect(),
            }
        })
        .collect()
}

/// The circles of a list, each with its sentence.
fn listed(path: &Path) -> BTreeMap<BTreeSet<PathBuf>, String> {
    let list = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    list.lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| {
            let (files, why) = line.split_once('\t').expect("a line is: files, tab, sentence");
            assert!(!why.trim().is_empty(), "no sentence says why: {line}");
            (files.split(' ').map(PathBuf::from).collect(), why.to_string())
        })
        .collect()
}

#[test]
fn no_imports_go_round_in_a_circle() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the repository");
    let list = |name: &str| listed(&root.join("testing/tests/imports").join(name));
    let (mut excused, mut open) = (list("circles.tsv"), list("open.tsv"));
    let mut wrong = vec![];
    let crates =
        ["testing", "language", "semantics", "encodings", "status", "proofs", "engines", "explore", "."];
    for root_file in crates.map(|c| root.join(c).join("src")) {
        for name in ["lib.rs", "main.rs"] {
            let file = root_file.join(name);
            if !file.is_file() {
                continue;
            }
            for circle in circles(&file) {
                let short = |p: &PathBuf| p.strip_prefix(root).unwrap_or(p).to_path_buf();
                let files: BTreeSet<_> = circle
                    .files
                    .iter()
                    .map(short)
                    .map(|p| p.strip_prefix(".").map(Path::to_path_buf).unwrap_or(p))
                    .collect();
                if circle.in_one_folder && excused.remove(&files).is_some() || open.remove(&files).is_some() {
                    continue;
                }
                let kind = if circle.in_one_folder { "inside a folder" } else { "between folders" };
                let named: Vec<_> = files.iter().map(|f| f.display().to_string()).collect();
                let imports: Vec<_> =
                    circle.imports.iter().map(|i| i.replace(&format!("{}/", root.display()), "")).collect();
                wrong.push(format!("a circle {kind}: {}\n    {}", named.join(" "), imports.join("\n    ")));
            }
        }
    }
    let stale = excused.keys().chain(open.keys());
    wrong.extend(stale.map(|files| format!("a list has a circle that is none any more: {files:?}")));
    assert!(wrong.is_empty(), "{} circles of imports:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_circle_is_seen_through_doors_children_and_macros() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("it has a folder")).expect("the folder can be made");
        std::fs::write(path, text).expect("the file can be written");
    };
    write("lib.rs", "pub mod a; pub mod b; mod c; mod d;");
    write("a/mod.rs", "mod deep; pub use deep::Deep; pub struct Shallow;");
    write("a/deep.rs", "pub struct Deep; pub fn f() { println!(\"{}\", crate::b::g()); }");
    write("b.rs", "use crate::a::Deep; pub fn g() -> u8 { let _ = Deep; 1 }");
    // Neither a test's import nor one in a single direction is a cycle.
    write("c.rs", "pub struct C; #[cfg(test)] mod tests { use crate::d::D; }");
    write("d.rs", "use crate::c; pub struct D(c::C); pub fn h(_: super::a::Shallow) {}");
    let found = circles(&folder.path().join("lib.rs"));
    let names: Vec<_> =
        found.iter().map(|c| c.files.iter().map(|f| f.file_name().unwrap()).collect::<Vec<_>>()).collect();
    assert_eq!(names, [["deep.rs", "b.rs"]]);
    assert!(!found[0].in_one_folder);
}
