//! Sections that only some machines have, and those that another one needs.

use super::*;
use crate::ast::SectionKind;

impl Checker {
    pub(super) fn sections_fit(&mut self, m: &ast::Machine) {
        for s in &m.sections {
            if matches!(s.kind, SectionKind::LocalOperations(_)) && m.kind != MachineKind::Implementation {
                let message = "only an implementation has LOCAL_OPERATIONS";
                self.report(
                    Diagnostic::error(codes::MISPLACED_SECTION, s.keyword, message)
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
                "for example `INVARIANT x : INTEGER`",
            ),
            (
                variables,
                find(|k| matches!(k, SectionKind::Initialisation(_))),
                "VARIABLES needs an INITIALISATION",
                "it gives the first values: `INITIALISATION x := 0 || y := {}`",
            ),
            (
                constants,
                find(|k| matches!(k, SectionKind::Properties(_))),
                "CONSTANTS needs PROPERTIES that type them",
                "for example `PROPERTIES c : INTEGER`",
            ),
            (
                scalar,
                find(|k| matches!(k, SectionKind::Constraints(_))),
                "this parameter needs CONSTRAINTS that type it",
                "for example `CONSTRAINTS p : INTEGER`",
            ),
        ];
        for (present, required, message, help) in checks {
            if let (Some(span), None) = (present, required)
                && !matches!(m.kind, MachineKind::Refinement | MachineKind::Implementation)
            {
                self.report(Diagnostic::error(codes::MISSING_SECTION, span, message).help(help));
            }
        }
    }
}
