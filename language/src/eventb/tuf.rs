//! Theories of Rodin's theory plug-in: the user's file (`.tuf`), otherwise the results of the plug-in (`.tcf`, `.dtf`).
//!
//! All theories of a project are read, since only `TheoryPath.tul` tells which of them a component uses. Unreadable
//! parts are warnings: an operator whose definition is lost has no value.

use std::collections::BTreeMap;

use super::formula::{self, Fixity, Names, Text};
use super::project::*;
use super::xml::{self, Element, children};
use crate::ast::{Expr, Ident};
use crate::diagnostic::{Diagnostic, Severity};
use crate::text::archive::{Archive, split};
use crate::text::files::ReadError;
use crate::text::source::{Source, SourceId, Sources};

/// The kinds of files of one theory, the most telling first.
const EXTENSIONS: [&str; 3] = ["tuf", "tcf", "dtf"];

/// Names of operators, and how they are written.
pub(super) type Operators = BTreeMap<String, Fixity>;

/// Returns the theories that a project may use: those in its folder, and those of other folders of the archive that its
/// theory path names.
///
/// # Errors
/// A file cannot be read.
pub(super) fn read(
    archive: &Archive,
    folder: &str,
    sources: &mut Sources,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<(Vec<Theory>, Operators), ReadError> {
    let elsewhere = available(archive, folder)?;
    let mut files: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for name in archive.names() {
        let (place, stem, extension) = split(name);
        let Some(rank) = EXTENSIONS.iter().position(|e| *e == extension) else { continue };
        let named = elsewhere.iter().any(|(project, theory)| {
            theory == stem && (place == project || place.ends_with(&format!("/{project}")))
        });
        // Its own theories come before those of others.
        let rank = if place == folder { rank } else { rank + EXTENSIONS.len() };
        if place == folder || named {
            let known = files.entry(stem.to_string()).or_insert((rank, name.to_string()));
            if rank < known.0 {
                *known = (rank, name.to_string());
            }
        }
    }
    let mut loaded: Vec<(String, SourceId)> = vec![];
    for (stem, (_, name)) in files {
        let text = archive.text(&name)?.text;
        loaded.push((stem, sources.add(Source::new(archive.place(&name), text))));
    }
    let mut operators = Operators::new();
    let mut documents = vec![];
    for (stem, id) in &loaded {
        match xml::parse(&sources.get(*id).text, *id) {
            Ok(document) => {
                note_operators(&document, *id, &mut operators);
                documents.push((stem, *id, document));
            }
            Err(d) => diagnostics.push(lenient(d)),
        }
    }
    let mut theories = vec![];
    for (stem, id, document) in &documents {
        let root = Element { node: document.root_element(), source: *id };
        let mut reader = Reader { operators: &operators, diagnostics };
        theories.push(reader.theory(stem, root));
    }
    Ok((theories, operators))
}

/// Returns the project and theory names in the theory path of a project.
fn available(archive: &Archive, folder: &str) -> Result<Vec<(String, String)>, ReadError> {
    let mut found = vec![];
    for name in archive.names() {
        let (place, _, extension) = split(name);
        if place != folder || extension != "tul" {
            continue;
        }
        let text = archive.text(name)?.text;
        let Ok(document) = xml::parse(&text, SourceId(0)) else { continue };
        for node in document.root_element().descendants().filter(|n| kind(*n) == "availableTheory") {
            let Some(target) = (Element { node, source: SourceId(0) }).text("availableTheory") else {
                continue;
            };
            let path = target.text.split('|').next().unwrap_or_default();
            if let Some((project, file)) = path.trim_start_matches('/').rsplit_once('/') {
                let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
                found.push((project.to_string(), stem.to_string()));
            }
        }
    }
    Ok(found)
}

/// The kind of an element; those of checked files have `sc` in front.
fn kind(node: roxmltree::Node<'_, '_>) -> String {
    let tag = xml::tag(node);
    match tag.strip_prefix("sc") {
        Some(rest) if rest.starts_with(|c: char| c.is_ascii_uppercase()) => {
            rest[..1].to_ascii_lowercase() + &rest[1..]
        }
        _ => tag.to_string(),
    }
}

fn note_operators(document: &roxmltree::Document<'_>, source: SourceId, operators: &mut Operators) {
    for node in document.root_element().descendants().filter(roxmltree::Node::is_element) {
        let e = Element { node, source };
        let name = match kind(node).as_str() {
            "newOperatorDefinition" | "axiomaticOperatorDefinition" => e.label(),
            "datatypeDefinition"
            | "datatypeConstructor"
            | "constructorArgument"
            | "axiomaticTypeDefinition" => declared(e).ok().map(|id| id.name),
            _ => continue,
        };
        let infix = e.text("notationType").is_some_and(|t| t.text.trim() == "INFIX");
        let fixity = match (infix, e.text("formulaType").is_some_and(|t| t.text.trim() == "false")) {
            (false, _) => Fixity::Prefix,
            (true, false) => Fixity::InfixExpression,
            (true, true) => Fixity::InfixPredicate,
        };
        operators.extend(name.map(|n| (n, fixity)));
    }
}

/// The name that an element declares: checked files have it where others have the internal name.
fn declared(e: Element<'_, '_>) -> Result<Ident, Diagnostic> {
    match e.node.attribute("name").filter(|_| xml::tag(e.node).starts_with("sc")) {
        Some(name) => Ok(Ident { name: name.trim().to_string(), span: e.span() }),
        None => e.name("identifier"),
    }
}

/// A mistake in a theory is one of the model only where the theory is used.
fn lenient(d: Diagnostic) -> Diagnostic {
    Diagnostic { severity: Severity::Warning, ..d }
}

struct Reader<'d> {
    operators: &'d Operators,
    diagnostics: &'d mut Vec<Diagnostic>,
}

impl Reader<'_> {
    fn noted<T>(&mut self, result: Result<T, Diagnostic>) -> Option<T> {
        result.map_err(|d| self.diagnostics.push(lenient(d))).ok()
    }

    fn formula(&mut self, e: Element<'_, '_>, attributes: &[&str]) -> Option<Expr> {
        let first = attributes.iter().find(|a| e.text(a).is_some()).or(attributes.first())?;
        let text = self.noted(e.required(first))?;
        self.tree(&text)
    }

    fn tree(&mut self, text: &Text) -> Option<Expr> {
        let names = Names { is_declared: &|_| false, operators: self.operators };
        self.noted(formula::formula_with(text, &names))
    }

    fn theory(&mut self, name: &str, root: Element<'_, '_>) -> Theory {
        let mut theory = Theory {
            name: name.into(),
            parameters: vec![],
            data_types: vec![],
            operators: vec![],
            mappings: vec![],
            span: root.span(),
        };
        for node in children(root.node) {
            let e = Element { node, source: root.source };
            match kind(node).as_str() {
                "typeParameter" => theory.parameters.extend(self.noted(declared(e)).map(|id| id.name)),
                "datatypeDefinition" => theory.data_types.extend(self.data_type(e)),
                "newOperatorDefinition" => theory.operators.extend(self.operator(e)),
                "axiomaticDefinitionsBlock" => self.axiomatic(e, &mut theory),
                // Rules and theorems state nothing beyond the definitions.
                _ => {}
            }
        }
        theory
    }

    /// Types and operators about which there are axioms alone.
    fn axiomatic(&mut self, block: Element<'_, '_>, theory: &mut Theory) {
        for node in children(block.node) {
            let e = Element { node, source: block.source };
            match kind(node).as_str() {
                "axiomaticTypeDefinition" => {
                    let types = self.noted(declared(e));
                    theory.data_types.extend(types.map(|name| DataType {
                        name,
                        parameters: vec![],
                        constructors: vec![],
                    }));
                }
                "axiomaticOperatorDefinition" => theory.operators.extend(self.operator(e)),
                _ => {}
            }
        }
    }

    fn data_type(&mut self, e: Element<'_, '_>) -> Option<DataType> {
        let mut data = DataType { name: self.noted(declared(e))?, parameters: vec![], constructors: vec![] };
        for node in children(e.node) {
            let e = Element { node, source: e.source };
            match kind(node).as_str() {
                "typeArgument" => {
                    let given = e.text("givenType").map(|t| t.text.trim().to_string());
                    data.parameters.extend(given.or_else(|| declared(e).ok().map(|id| id.name)));
                }
                "datatypeConstructor" => {
                    let mut parts = vec![];
                    for node in children(node).filter(|n| kind(*n) == "constructorArgument") {
                        let part = Element { node, source: e.source };
                        let ty = self.formula(part, &["type", "expression"]);
                        parts.extend(self.noted(declared(part)).zip(ty));
                    }
                    data.constructors.extend(self.noted(declared(e)).map(|id| (id, parts)));
                }
                _ => {}
            }
        }
        Some(data)
    }

    fn operator(&mut self, e: Element<'_, '_>) -> Option<Operator> {
        let label = self.noted(e.name("label"))?;
        let mut operator =
            Operator { name: label, parameters: vec![], condition: None, definition: Definition::Axiomatic };
        let mut conditions = vec![];
        // Checked files have one condition, in the element itself.
        if e.text("predicate").is_some() {
            conditions.extend(self.formula(e, &["predicate"]));
        }
        for node in children(e.node) {
            let child = Element { node, source: e.source };
            match kind(node).as_str() {
                "operatorArgument" => {
                    let ty = self.formula(child, &["expression", "type"]);
                    operator.parameters.extend(self.noted(declared(child)).zip(ty));
                }
                "operatorWDcondition" => conditions.extend(self.formula(child, &["predicate"])),
                "directOperatorDefinition" => {
                    if let Some(body) = self.formula(child, &["formula"]) {
                        operator.definition = Definition::Direct(body);
                    }
                }
                "recursiveOperatorDefinition" => {
                    if let Some(cases) = self.cases(child, &operator.parameters) {
                        operator.definition = cases;
                    }
                }
                _ => {}
            }
        }
        operator.condition = Expr::all(conditions);
        Some(operator)
    }

    /// A definition by cases; nothing if a part of it is lost.
    fn cases(&mut self, e: Element<'_, '_>, parameters: &[(Ident, Expr)]) -> Option<Definition> {
        let inductive = self.noted(e.name("inductiveArgument"))?;
        let Some(parameter) = parameters.iter().position(|(p, _)| p.name == inductive.name) else {
            let message = format!("`{}` is no argument of this operator", inductive.name);
            self.diagnostics.push(lenient(Diagnostic::error(
                crate::diagnostic::codes::MALFORMED_XML,
                inductive.span,
                message,
            )));
            return None;
        };
        let mut cases = vec![];
        for node in children(e.node).filter(|n| kind(*n) == "recursiveDefinitionCase") {
            let case = Element { node, source: e.source };
            let pattern = self.formula(case, &["expression"])?;
            let body = self.formula(case, &["formula"])?;
            let (constructor, bound) = self.noted(constructor_pattern(pattern).map_err(|span| {
                let message = "expected a constructor with names for its parts";
                Diagnostic::error(crate::diagnostic::codes::MALFORMED_XML, span, message)
            }))?;
            cases.push((constructor, bound, body));
        }
        Some(Definition::Cases { parameter, cases })
    }
}
