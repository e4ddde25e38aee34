//! Which sections a machine has: none twice, none missing that another one needs.

use std::mem::discriminant;

use super::machine::is_set_parameter;
use super::*;
use crate::ast::{MachineKind, SectionKind};

impl Checker {
    pub(super) fn sections_once(&mut self, m: &ast::Machine) {
        for (i, s) in m.sections.iter().enumerate() {
            // EXPRESSIONS and PREDICATES are of one kind.
            if matches!(s.kind, SectionKind::TypedDefinitions(_)) {
                continue;
            }
            let first = m.sections[..i].iter().find(|t| discriminant(&t.kind) == discriminant(&s.kind));
            if let Some(first) = first {
                self.report(
                    Diagnostic::error(
                        codes::DUPLICATE_SECTION,
                        s.keyword,
                        format!("section {} occurs twice", section_name(&s.kind)),
                    )
                    .label(first.keyword, "first here"),
                );
            }
        }
        for s in &m.sections {
            if matches!(s.kind, SectionKind::LocalOperations(_)) && m.kind != MachineKind::Implementation {
                self.report(
                    Diagnostic::error(
                        codes::MISPLACED_SECTION,
                        s.keyword,
                        "only an implementation has LOCAL_OPERATIONS",
                    )
                    .help("include a machine with these operations"),
                );
            }
        }
        let find = |f: fn(&SectionKind) -> bool| m.sections.iter().find(|s| f(&s.kind)).map(|s| s.keyword);
        let variables = find(
            |k| matches!(k, SectionKind::AbstractVariables(v) | SectionKind::ConcreteVariables(v) if !v.is_empty()),
        );
        let constants = find(
            |k| matches!(k, SectionKind::AbstractConstants(v) | SectionKind::ConcreteConstants(v) if !v.is_empty()),
        );
        let scalar = m.parameters.iter().find(|p| !is_set_parameter(&p.name)).map(|p| p.span);
        let checks = [
            (
                variables,
                find(|k| matches!(k, SectionKind::Invariant(_))),
                "VARIABLES needs an INVARIANT that types them",
            ),
            (
                variables,
                find(|k| matches!(k, SectionKind::Initialisation(_))),
                "VARIABLES needs an INITIALISATION",
            ),
            (
                constants,
                find(|k| matches!(k, SectionKind::Properties(_))),
                "CONSTANTS needs PROPERTIES that type them",
            ),
            (
                scalar,
                find(|k| matches!(k, SectionKind::Constraints(_))),
                "this parameter needs CONSTRAINTS that type it",
            ),
        ];
        for (present, required, message) in checks {
            if let (Some(span), None) = (present, required)
                && !matches!(m.kind, MachineKind::Refinement | MachineKind::Implementation)
            {
                self.error(codes::MISSING_SECTION, span, message);
            }
        }
    }
}

fn section_name(kind: &SectionKind) -> &'static str {
    match kind {
        SectionKind::Constraints(_) => "CONSTRAINTS",
        SectionKind::Sees(_) => "SEES",
        SectionKind::Uses(_) => "USES",
        SectionKind::Includes(_) => "INCLUDES",
        SectionKind::Extends(_) => "EXTENDS",
        SectionKind::Imports(_) => "IMPORTS",
        SectionKind::Promotes(_) => "PROMOTES",
        SectionKind::Sets(_) => "SETS",
        SectionKind::FreeTypes(_) => "FREETYPES",
        SectionKind::ConcreteConstants(_) => "CONSTANTS",
        SectionKind::AbstractConstants(_) => "ABSTRACT_CONSTANTS",
        SectionKind::Properties(_) => "PROPERTIES",
        SectionKind::Values(_) => "VALUES",
        SectionKind::AbstractVariables(_) => "VARIABLES",
        SectionKind::ConcreteVariables(_) => "CONCRETE_VARIABLES",
        SectionKind::Invariant(_) => "INVARIANT",
        SectionKind::Assertions(_) => "ASSERTIONS",
        SectionKind::Initialisation(_) => "INITIALISATION",
        SectionKind::Operations(_) => "OPERATIONS",
        SectionKind::LocalOperations(_) => "LOCAL_OPERATIONS",
        SectionKind::Definitions(_) => "DEFINITIONS",
        SectionKind::TypedDefinitions(_) => "EXPRESSIONS",
        SectionKind::References(_) => "REFERENCES",
    }
}
