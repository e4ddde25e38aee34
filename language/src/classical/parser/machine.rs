//! Whole files: header, sections, operations.

use std::mem::{Discriminant, discriminant};

use super::operators::FORMULA;
use super::state::{Parsed, Parser, Reported};
use crate::ast::{
    Expr, FreeType, Ident, Machine, MachineKind, Operation, Reference, Section, SectionKind, SetDeclaration,
};
use crate::classical::lexer::TokenKind;
use crate::diagnostic::codes;
use crate::diagnostic::{Diagnostic, Fix};
use crate::text::source::Span;

impl Parser<'_> {
    /// Parses a machine, refinement, implementation or file of definitions.
    pub(super) fn machine(&mut self) -> Machine {
        let start = self.span();
        self.refuse_other_language();
        let kind = self.machine_kind();
        let opening = self.span();
        let nameless = Ident { name: String::new(), span: Span { end: opening.start, ..opening } };
        let mut machine = Machine {
            kind,
            name: nameless,
            parameters: vec![],
            refines: None,
            sections: vec![],
            span: start,
        };
        if kind == MachineKind::Definitions {
            let keyword = self.bump();
            let kind = SectionKind::Definitions(self.definitions());
            machine.sections.push(Section { keyword, kind });
            if !self.is(TokenKind::Eof) {
                self.unexpected(codes::TRAILING_TEXT, "the end of the file behind the definitions");
            }
        } else {
            if self.opens_machine() {
                self.bump();
                self.header(&mut machine);
            }
            self.sections(&mut machine, opening);
        }
        machine.span = self.span_from(start);
        machine
    }

    fn opens_machine(&self) -> bool {
        use TokenKind::*;
        matches!(self.kind(), Machine | Model | System | Refinement | Implementation)
    }

    fn machine_kind(&mut self) -> MachineKind {
        if !self.opens_machine() && !self.is(TokenKind::Definitions) {
            let expected = "`MACHINE`, `REFINEMENT`, `IMPLEMENTATION` or `DEFINITIONS`";
            let message = format!("expected {expected}, found {}", self.found());
            let mut diagnostic = Diagnostic::error(codes::EXPECTED_MACHINE, self.span(), message);
            diagnostic = match self.other_language() {
                Some(help) => diagnostic.help(help),
                None => self.hinted(diagnostic),
            };
            self.report(diagnostic);
            while !self.opens_machine() && !self.at_section_end() {
                self.bump();
            }
            self.reported_at = Some(self.at);
            if self.is(TokenKind::Definitions) {
                return MachineKind::Machine;
            }
        }
        match self.kind() {
            TokenKind::Model => MachineKind::Model,
            TokenKind::System => MachineKind::System,
            TokenKind::Refinement => MachineKind::Refinement,
            TokenKind::Implementation => MachineKind::Implementation,
            TokenKind::Definitions => MachineKind::Definitions,
            _ => MachineKind::Machine,
        }
    }

    fn header(&mut self, machine: &mut Machine) {
        let from = self.at;
        if self.header_names(machine).is_err() {
            self.skip_to(from, |_| false);
        }
        let refines = matches!(machine.kind, MachineKind::Refinement | MachineKind::Implementation);
        if self.is(TokenKind::Refines) {
            if !refines {
                let message = "an abstract machine cannot refine another one";
                let diagnostic = Diagnostic::error(codes::UNEXPECTED_REFINES, self.span(), message)
                    .help("begin the file with `REFINEMENT` or `IMPLEMENTATION`");
                self.report(diagnostic);
            }
            self.bump();
            let from = self.at;
            match self.dotted_name() {
                Ok(name) => machine.refines = Some(name),
                Err(Reported) => self.skip_to(from, |_| false),
            }
        } else if self.is(TokenKind::Ident) && self.text_at(self.at) == "IMPLEMENTS" {
            let message = "`IMPLEMENTS` is no keyword of B";
            let diagnostic = Diagnostic::error(codes::MISSING_REFINES, self.span(), message)
                .help("an implementation says `REFINES` and its abstraction");
            self.report(diagnostic);
            self.bump();
            machine.refines = self.dotted_name().ok();
        } else if refines {
            let message = format!("expected `REFINES` and a machine, found {}", self.found());
            let diagnostic = Diagnostic::error(codes::MISSING_REFINES, self.span(), message);
            self.report(diagnostic);
        }
    }

    fn header_names(&mut self, machine: &mut Machine) -> Parsed<()> {
        machine.name = self.dotted_name()?;
        if let Some(open) = self.eat(TokenKind::OpenParen) {
            machine.parameters = self.names("a parameter")?;
            self.close(TokenKind::CloseParen, open)?;
        }
        Ok(())
    }

    fn sections(&mut self, machine: &mut Machine, opening: Span) {
        // EXPRESSIONS and PREDICATES hold the same, under two words.
        let mut seen: Vec<(Discriminant<SectionKind>, bool, Span)> = vec![];
        loop {
            self.too_deep = false;
            if self.at_section() {
                let from = self.at;
                let keyword = self.span();
                let predicates = self.is(TokenKind::Predicates);
                let Some(kind) = self.section() else { continue };
                self.finish_section(from);
                let key = discriminant(&kind);
                if let Some((_, _, first)) = seen.iter().find(|(k, p, _)| *k == key && *p == predicates) {
                    let word = self.text_at(from);
                    self.diagnostics.push(
                        Diagnostic::error(
                            codes::DUPLICATE_SECTION,
                            keyword,
                            format!("a second section `{word}`"),
                        )
                        .label(*first, "the first one is here")
                        .help("join the two"),
                    );
                }
                seen.push((key, predicates, keyword));
                self.allowed(machine.kind, &kind, keyword, from);
                machine.sections.push(Section { keyword, kind });
            } else if self.eat(TokenKind::End).is_some() {
                if !self.is(TokenKind::Eof) {
                    self.unexpected(codes::TRAILING_TEXT, "the end of the file behind the last `END`");
                }
                return;
            } else if self.is(TokenKind::Eof) {
                let message = "expected `END`, found the end of the file";
                let diagnostic = Diagnostic::error(codes::MISSING_END, self.span(), message)
                    .label(opening, "this has no `END`");
                let diagnostic = match self.else_if {
                    Some(nested) => diagnostic
                        .label(nested, "this `IF` needs an `END` of its own")
                        .help("write `ELSIF` for `ELSE IF`"),
                    None => diagnostic.help("the machine itself ends with `END`"),
                };
                self.report(diagnostic);
                return;
            } else {
                self.unexpected(codes::UNEXPECTED_TOKEN, "a section or `END`");
                if self.at_section_end() {
                    continue;
                }
                self.bump();
                self.skip_to(self.at, |_| false);
                if !self.at_section_end() {
                    self.bump();
                }
            }
        }
    }

    /// Reports and skips the rest of a section.
    fn finish_section(&mut self, from: usize) {
        if self.at_section_end() {
            return;
        }
        self.unexpected(codes::UNEXPECTED_TOKEN, "a section or `END`");
        loop {
            self.skip_to(from, |_| false);
            if self.at_section_end() {
                return;
            }
            self.bump();
        }
    }

    fn allowed(&mut self, machine: MachineKind, section: &SectionKind, keyword: Span, at: usize) {
        use SectionKind::*;
        let (allowed, instead) = match (machine, section) {
            (MachineKind::Implementation, AbstractVariables(_)) => (false, Some("CONCRETE_VARIABLES")),
            (MachineKind::Implementation, AbstractConstants(_)) => (false, Some("CONCRETE_CONSTANTS")),
            (MachineKind::Implementation, Includes(_)) => (false, Some("IMPORTS")),
            (MachineKind::Implementation | MachineKind::Refinement, Uses(_)) => (false, Some("SEES")),
            (MachineKind::Implementation | MachineKind::Refinement, Constraints(_)) => (false, None),
            (MachineKind::Implementation, _) => (true, None),
            (_, Imports(_)) => (false, Some("INCLUDES")),
            (_, Values(_)) => (false, Some("PROPERTIES")),
            _ => (true, None),
        };
        if allowed {
            return;
        }
        let kind = match machine {
            MachineKind::Implementation => "an implementation",
            MachineKind::Refinement => "a refinement",
            _ => "an abstract machine",
        };
        let message = format!("`{}` is not allowed in {kind}", self.text_at(at));
        // ProB reads it as the section that is meant.
        let mut diagnostic = match section {
            AbstractVariables(_) => Diagnostic::warning(codes::SECTION_NOT_ALLOWED, keyword, message),
            _ => Diagnostic::error(codes::SECTION_NOT_ALLOWED, keyword, message),
        };
        diagnostic.help = instead.map(|word| format!("use `{word}`"));
        self.diagnostics.push(diagnostic);
    }

    /// Parses a section, without the rest that may follow a mistake.
    fn section(&mut self) -> Option<SectionKind> {
        let kind = self.kind();
        let from = self.at;
        self.bump();
        Some(match kind {
            TokenKind::Refines => {
                self.at = from;
                let message = "`REFINES` belongs directly behind the name of the machine";
                let diagnostic = Diagnostic::error(codes::UNEXPECTED_REFINES, self.span(), message);
                self.report(diagnostic);
                self.bump();
                self.skip_to(self.at, |_| false);
                return None;
            }
            TokenKind::Sees => SectionKind::Sees(self.references()),
            TokenKind::Uses => SectionKind::Uses(self.references()),
            TokenKind::Includes => SectionKind::Includes(self.references()),
            TokenKind::Extends => SectionKind::Extends(self.references()),
            TokenKind::Imports => SectionKind::Imports(self.references()),
            TokenKind::References => SectionKind::References(self.references()),
            TokenKind::Promotes => SectionKind::Promotes(self.dotted_names().unwrap_or_default()),
            TokenKind::Constraints => SectionKind::Constraints(self.section_predicate()),
            TokenKind::Properties => SectionKind::Properties(self.section_predicate()),
            TokenKind::Invariant => SectionKind::Invariant(self.section_predicate()),
            TokenKind::Sets => SectionKind::Sets(self.entries(Self::set_declaration)),
            TokenKind::Constants => SectionKind::ConcreteConstants(self.declared(true)),
            TokenKind::AbstractConstants => SectionKind::AbstractConstants(self.declared(true)),
            TokenKind::Variables => SectionKind::AbstractVariables(self.declared(false)),
            TokenKind::ConcreteVariables => SectionKind::ConcreteVariables(self.declared(false)),
            TokenKind::Values => SectionKind::Values(self.entries(Self::value)),
            TokenKind::Assertions => SectionKind::Assertions(self.assertions()),
            TokenKind::Initialisation => SectionKind::Initialisation(self.substitution()),
            TokenKind::Operations => SectionKind::Operations(self.operations()),
            TokenKind::LocalOperations => SectionKind::LocalOperations(self.operations()),
            TokenKind::Definitions => SectionKind::Definitions(self.definitions()),
            TokenKind::Expressions | TokenKind::Predicates => {
                SectionKind::TypedDefinitions(self.definitions())
            }
            // The only other beginning of a section.
            _ => SectionKind::FreeTypes(self.entries(Self::free_type)),
        })
    }

    fn section_predicate(&mut self) -> Expr {
        self.conjuncts(Self::at_section_end, "an operator, a section or `END`")
    }

    fn assertions(&mut self) -> Vec<Expr> {
        let mut assertions = vec![];
        loop {
            let ends = |p: &Self| p.is(TokenKind::Semicolon) || p.at_section_end();
            assertions.push(self.conjuncts(ends, "an operator, `;`, a section or `END`"));
            let Some(semicolon) = self.eat(TokenKind::Semicolon) else { return assertions };
            if self.at_section_end() {
                self.trailing_semicolon(semicolon);
                return assertions;
            }
        }
    }

    /// Entries separated by `;`. A mistake in one does not hide those in the others.
    fn entries<T>(&mut self, entry: fn(&mut Self) -> Parsed<T>) -> Vec<T> {
        let mut entries = vec![];
        loop {
            let from = self.at;
            match entry(self) {
                Ok(entry) if self.is(TokenKind::Semicolon) || self.at_section_end() => entries.push(entry),
                Ok(entry) if self.is(TokenKind::Comma) => {
                    entries.push(entry);
                    let message = "expected `;`, a section or `END`, found `,`";
                    let diagnostic = Diagnostic::error(codes::UNEXPECTED_TOKEN, self.span(), message)
                        .help("declarations in this section are separated by `;`");
                    self.report(diagnostic.instead(";"));
                    self.bump();
                    continue;
                }
                Ok(entry) => {
                    entries.push(entry);
                    self.unexpected(codes::UNEXPECTED_TOKEN, "`;`, a section or `END`");
                    self.skip_to(from, |p| p.is(TokenKind::Semicolon));
                }
                Err(Reported) => self.skip_to(from, |p| p.is(TokenKind::Semicolon)),
            }
            let Some(semicolon) = self.eat(TokenKind::Semicolon) else { return entries };
            if self.at_section_end() {
                self.trailing_semicolon(semicolon);
                return entries;
            }
        }
    }

    /// Names of variables or constants.
    fn declared(&mut self, are_constants: bool) -> Vec<Ident> {
        let mut names = vec![];
        loop {
            let from = self.at;
            match self.dotted_name() {
                Ok(name) => names.push(name),
                Err(Reported) => self.skip_to(from, |p| p.is(TokenKind::Comma)),
            }
            if self.eat(TokenKind::Comma).is_some() {
                continue;
            }
            if self.at_section_end() || !self.misplaced_after_name(are_constants) {
                return names;
            }
        }
    }

    fn set_declaration(&mut self) -> Parsed<SetDeclaration> {
        let name = self.name("a set")?;
        if self.eat(TokenKind::Equal).is_none() {
            return Ok(SetDeclaration::Deferred(name));
        }
        let Some(open) = self.eat(TokenKind::OpenBrace) else {
            return Ok(SetDeclaration::ByDefinition(name, self.name("`{` or a definition")?));
        };
        let elements = self.names("an element")?;
        self.close(TokenKind::CloseBrace, open)?;
        Ok(SetDeclaration::Enumerated(name, elements))
    }

    fn free_type(&mut self) -> Parsed<FreeType> {
        let name = self.name("a free type")?;
        let parameters = self.parameters()?;
        self.expect(TokenKind::Equal, "`=` and constructors")?;
        let mut constructors = vec![];
        loop {
            let constructor = self.name("a constructor")?;
            let argument = match self.eat(TokenKind::OpenParen) {
                Some(open) => {
                    let argument = self.formula()?;
                    self.close(TokenKind::CloseParen, open)?;
                    Some(argument)
                }
                None => None,
            };
            constructors.push((constructor, argument));
            if self.eat(TokenKind::Comma).is_none() {
                return Ok(FreeType { name, parameters, constructors });
            }
        }
    }

    fn value(&mut self) -> Parsed<(Ident, Expr)> {
        let name = self.dotted_name()?;
        self.expect(TokenKind::Equal, "`=` and a value")?;
        Ok((name, self.formula()?))
    }

    /// Parses names in parentheses, if there are any.
    pub(super) fn parameters(&mut self) -> Parsed<Vec<Ident>> {
        match self.eat(TokenKind::OpenParen) {
            Some(open) => {
                let names = self.names("a parameter")?;
                self.close(TokenKind::CloseParen, open)?;
                Ok(names)
            }
            None => Ok(vec![]),
        }
    }

    fn references(&mut self) -> Vec<Reference> {
        let mut references = vec![];
        loop {
            let from = self.at;
            match self.reference() {
                Ok(reference) => references.push(reference),
                Err(Reported) => self.skip_to(from, |p| p.is(TokenKind::Comma)),
            }
            if self.eat(TokenKind::Comma).is_none() {
                return references;
            }
        }
    }

    fn reference(&mut self) -> Parsed<Reference> {
        let mut machine = self.name("a machine")?;
        let mut prefix: Option<Ident> = None;
        while self.eat(TokenKind::Dot).is_some() {
            prefix = Some(match prefix {
                Some(outer) => Ident {
                    name: format!("{}.{}", outer.name, machine.name),
                    span: outer.span.to(machine.span),
                },
                None => machine,
            });
            machine = self.name("a machine")?;
        }
        let mut file = self.file_pragma();
        let arguments = match self.eat(TokenKind::OpenParen) {
            Some(open) => {
                let arguments = self.list(FORMULA)?;
                self.close(TokenKind::CloseParen, open)?;
                file = file.or_else(|| self.file_pragma());
                arguments
            }
            None => vec![],
        };
        Ok(Reference { prefix, machine, arguments, file })
    }

    fn operations(&mut self) -> Vec<Operation> {
        let mut operations = vec![];
        loop {
            self.too_deep = false;
            let from = self.at;
            let begins = |p: &Self| p.is(TokenKind::Semicolon) || p.at > from && p.operation_begins(p.at);
            match self.operation() {
                Ok(operation) => operations.push(operation),
                Err(Reported) => self.skip_to(from, begins),
            }
            if !self.is(TokenKind::Semicolon) && !self.at_section_end() && !self.is_stray_end() {
                if self.operation_begins(self.at) {
                    let message = format!("expected `;` between operations, found {}", self.found());
                    let mut diagnostic = Diagnostic::error(codes::UNEXPECTED_TOKEN, self.span(), message)
                        .help("operations are separated by `;`");
                    diagnostic.fix = Some(Box::new(Fix { span: self.end_of_last(), text: ";".into() }));
                    self.report(diagnostic);
                    continue;
                }
                self.condition_behind();
                self.unexpected(codes::UNEXPECTED_TOKEN, "`;`, `||`, a section or `END`");
                self.skip_to(from, begins);
            }
            if self.is(TokenKind::End) && self.is_stray_end() {
                // One `END` too many: report it, and continue with the next operation.
                self.unexpected(
                    codes::UNEXPECTED_TOKEN,
                    "`;` or a section: nothing is open that this could end",
                );
                self.bump();
            }
            if self.operation_begins(self.at) {
                continue;
            }
            let Some(semicolon) = self.eat(TokenKind::Semicolon) else { return operations };
            if self.at_section_end() {
                self.trailing_semicolon(semicolon);
                return operations;
            }
        }
    }

    /// Returns whether an `END` is followed by more operations.
    fn is_stray_end(&self) -> bool {
        self.is(TokenKind::End)
            && self.kind_at(self.at + 1) == TokenKind::Semicolon
            && matches!(self.kind_at(self.at + 2), TokenKind::Ident | TokenKind::QuotedIdent)
    }

    fn operation(&mut self) -> Parsed<Operation> {
        let start = self.span();
        let mut name = self.dotted_name()?;
        let mut results = vec![];
        if matches!(self.kind(), TokenKind::Comma | TokenKind::Outputs) {
            results.push(name);
            while self.eat(TokenKind::Comma).is_some() {
                results.push(self.name("a result")?);
            }
            self.expect(TokenKind::Outputs, "`<--`")?;
            name = self.dotted_name()?;
        }
        let parameters = self.operation_parameters()?;
        let mut refines = None;
        if self.is(TokenKind::Ident) && self.text_at(self.at) == "ref" {
            self.bump();
            refines = Some(self.dotted_name()?);
        }
        let body = if self.is(TokenKind::Defines) || self.is(TokenKind::Assign) {
            let message = format!("expected `=`, found {}", self.found());
            self.report(Diagnostic::error(codes::UNEXPECTED_TOKEN, self.span(), message));
            self.bump();
            self.parallel()
        } else {
            self.operation_equal()?;
            self.parallel()
        };
        Ok(Operation { name, results, parameters, refines, body, span: self.span_from(start) })
    }
}
