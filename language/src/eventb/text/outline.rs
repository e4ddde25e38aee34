//! The structure of a text: components and their sections, with formulas that are not yet read.

use super::words::{Keyword, Words, without_comments};
use crate::ast::{Convergence, Ident};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::codes;
use crate::diagnostic::nearest;
use crate::eventb::formula::Text;
use crate::eventb::project::INITIALISATION;
use crate::text::source::{SourceId, Span};

/// A formula with its label.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub label: Option<Ident>,
    pub theorem: bool,
    pub text: Text,
}

/// An event.
#[derive(Clone, Debug)]
pub(super) struct EventOutline {
    pub name: Ident,
    pub convergence: Convergence,
    pub extended: bool,
    pub refines: Vec<Ident>,
    pub parameters: Vec<Ident>,
    pub guards: Vec<Piece>,
    pub witnesses: Vec<Piece>,
    pub actions: Vec<Piece>,
}

/// A machine or context. The sections of the other kind are empty.
#[derive(Clone, Debug)]
pub(super) struct Outline {
    pub is_machine: bool,
    pub name: Ident,
    pub span: Span,
    /// The machine that a machine refines.
    pub refines: Vec<Ident>,
    /// The contexts that a machine sees, or that a context extends.
    pub contexts: Vec<Ident>,
    pub sets: Vec<Ident>,
    pub constants: Vec<Ident>,
    pub variables: Vec<Ident>,
    /// Axioms or invariants.
    pub predicates: Vec<Piece>,
    pub variants: Vec<Piece>,
    pub events: Vec<EventOutline>,
}

impl Outline {
    /// Returns the machines (`true`) and contexts that it names.
    pub fn needs(&self) -> impl Iterator<Item = (bool, &Ident)> {
        let machines = self.refines.iter().map(|name| (true, name));
        machines.chain(self.contexts.iter().map(|name| (false, name)))
    }

    /// Returns the sets, constants and variables.
    pub fn declares(&self) -> impl Iterator<Item = &Ident> {
        self.sets.iter().chain(&self.constants).chain(&self.variables)
    }
}

const MACHINE_SECTIONS: &str =
    "a section (`refines`, `sees`, `variables`, `invariants`, `variant`, `events`) or `end`";
const CONTEXT_SECTIONS: &str = "a section (`extends`, `sets`, `constants`, `axioms`) or `end`";
const EVENT_PARTS: &str = "`any`, `where`, `with`, `then` or `end`";
const WORDS: [&str; 16] = [
    "refines",
    "sees",
    "extends",
    "sets",
    "constants",
    "axioms",
    "variables",
    "invariants",
    "variant",
    "events",
    "event",
    "where",
    "with",
    "then",
    "end",
    "theorem",
];

/// Reads the components of a text.
pub(super) fn components(text: &str, source: SourceId, diagnostics: &mut Vec<Diagnostic>) -> Vec<Outline> {
    let (clean, open) = without_comments(text);
    if let Some(start) = open {
        let span = Span { source, start: start as u32, end: start as u32 + 2 };
        let message = "this comment does not end";
        diagnostics.push(
            Diagnostic::error(codes::UNTERMINATED_COMMENT, span, message).help("write `*/` where it ends"),
        );
    }
    let mut reader = Reader { words: Words::new(&clean, source), diagnostics };
    let mut found = vec![];
    while !reader.words.is_over() {
        let start = reader.words.offset();
        let is_machine = match reader.words.keyword() {
            Some(Keyword::Machine) => true,
            Some(Keyword::Context) => false,
            Some(Keyword::Theory) => {
                let d = reader.words.unexpected("`machine` or `context`");
                reader.report(d.help("theories are read from Rodin's files (.tuf) beside the text"));
                break;
            }
            _ => {
                let expected = match found.is_empty() {
                    true => "`machine` or `context`",
                    false => "`machine`, `context` or the end of the file",
                };
                let d = reader.words.unexpected(expected);
                reader.report(d);
                break;
            }
        };
        reader.words.take_keyword();
        match reader.component(is_machine, start) {
            Some(component) => found.push(component),
            None => break,
        }
    }
    found
}

struct Reader<'t, 'd> {
    words: Words<'t>,
    diagnostics: &'d mut Vec<Diagnostic>,
}

impl Reader<'_, '_> {
    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Reports that the next word fits nowhere, and goes on behind it at a keyword.
    fn refuse(&mut self, expected: &str) {
        let d = self.words.unexpected(expected);
        let keyword = self.words.keyword();
        let is_extension =
            matches!(keyword, Some(Keyword::Includes | Keyword::Synchronises | Keyword::Records));
        let d = match nearest(self.words.misspelt(), WORDS) {
            _ if is_extension => d.help(
                "this extension of CamilleX is not read: let it generate the files of Rodin (.bum, .buc) and check these",
            ),
            Some(near) if keyword.is_none() => d.help(format!("did you mean `{near}`?")),
            _ => d,
        };
        self.report(d);
        if self.words.take_keyword().is_none() || is_extension {
            self.words.skip_to_keyword();
        }
    }

    fn component(&mut self, is_machine: bool, start: u32) -> Option<Outline> {
        let Some(name) = self.words.name() else {
            let d = self.words.unexpected("the name of the component");
            self.report(d);
            return None;
        };
        let mut c = Outline {
            is_machine,
            span: name.span,
            name,
            refines: vec![],
            contexts: vec![],
            sets: vec![],
            constants: vec![],
            variables: vec![],
            predicates: vec![],
            variants: vec![],
            events: vec![],
        };
        loop {
            let keyword = self.words.keyword();
            let fits = match keyword {
                Some(Keyword::End) => true,
                Some(Keyword::Theorems) => true,
                Some(
                    Keyword::Refines
                    | Keyword::Sees
                    | Keyword::Variables
                    | Keyword::Invariants
                    | Keyword::Variant
                    | Keyword::Events,
                ) => is_machine,
                Some(Keyword::Extends | Keyword::Sets | Keyword::Constants | Keyword::Axioms) => !is_machine,
                _ => false,
            };
            let Some(keyword) = keyword.filter(|_| fits) else {
                self.refuse(if is_machine { MACHINE_SECTIONS } else { CONTEXT_SECTIONS });
                if self.words.is_over() {
                    break;
                }
                continue;
            };
            self.words.take_keyword();
            match keyword {
                Keyword::Refines => c.refines.extend(self.names("a machine")),
                Keyword::Sees | Keyword::Extends => c.contexts.extend(self.names("a context")),
                Keyword::Sets => c.sets.extend(self.names("a set")),
                Keyword::Constants => c.constants.extend(self.names("a constant")),
                Keyword::Variables => c.variables.extend(self.names("a variable")),
                Keyword::Axioms | Keyword::Invariants => self.pieces(&mut c.predicates, false),
                Keyword::Theorems => self.pieces(&mut c.predicates, true),
                Keyword::Variant => self.pieces(&mut c.variants, false),
                Keyword::Events => self.events(&mut c.events),
                _ => break,
            }
        }
        c.span = Span { start, end: self.words.end(), ..c.span };
        Some(c)
    }

    /// Names up to the next keyword, at least one.
    fn names(&mut self, what: &str) -> Vec<Ident> {
        let mut found = vec![];
        let mut before = self.words;
        while let Some(name) = self.words.name() {
            if self.words.is_at_label() {
                // A section that is misspelt: declarations have no labels.
                self.words = before;
                self.refuse("a keyword");
                return found;
            }
            found.push(name);
            before = self.words;
        }
        if found.is_empty() {
            let d = self.words.unexpected(&format!("the name of {what}"));
            self.report(d);
        }
        found
    }

    /// Formulas up to the next keyword.
    fn pieces(&mut self, found: &mut Vec<Piece>, are_theorems: bool) {
        loop {
            let theorem = self.words.takes(Keyword::Theorem);
            if !theorem && self.words.keyword().is_some() || self.words.is_over() {
                return;
            }
            let label = self.words.label();
            if let Some(label) = label.as_ref().filter(|label| label.name.is_empty()) {
                let message = "expected a label behind `@`";
                self.report(
                    Diagnostic::error(codes::UNEXPECTED_TOKEN, label.span, message)
                        .help("as in `@inv1 x ∈ ℕ`"),
                );
            }
            let text = self.words.formula(label.is_none());
            if text.text.is_empty() {
                let d = self.words.unexpected("a formula");
                self.report(d);
                if label.is_none() {
                    return;
                }
                continue;
            }
            // Older texts have the word behind the formula.
            let is_behind = self.is_theorem_behind();
            found.push(Piece { label, theorem: theorem || are_theorems || is_behind, text });
        }
    }

    /// Takes `theorem` where it does not belong to the formula behind it.
    fn is_theorem_behind(&mut self) -> bool {
        let before = self.words;
        let is_behind =
            self.words.takes(Keyword::Theorem) && (self.words.is_over() || self.words.keyword().is_some());
        if !is_behind {
            self.words = before;
        }
        is_behind
    }

    fn events(&mut self, found: &mut Vec<EventOutline>) {
        loop {
            let mut convergence = self.convergence();
            if self.words.is_at_word(INITIALISATION) {
                if let Some(name) = self.words.name() {
                    let name = Ident { name: INITIALISATION.into(), ..name };
                    found.push(self.event(name, convergence.unwrap_or_default()));
                }
                continue;
            }
            if !self.words.takes(Keyword::Event) {
                if convergence.is_none() && self.words.keyword().is_some() || self.words.is_over() {
                    return;
                }
                self.refuse("`event` or `end`");
                continue;
            }
            let Some(name) = self.words.name() else {
                let d = self.words.unexpected("the name of the event");
                self.report(d);
                continue;
            };
            convergence = convergence.or_else(|| self.convergence());
            found.push(self.event(name, convergence.unwrap_or_default()));
        }
    }

    fn convergence(&mut self) -> Option<Convergence> {
        self.words.takes(Keyword::Status);
        let found = match self.words.keyword()? {
            Keyword::Ordinary => Convergence::Ordinary,
            Keyword::Convergent => Convergence::Convergent,
            Keyword::Anticipated => Convergence::Anticipated,
            _ => return None,
        };
        self.words.take_keyword();
        Some(found)
    }

    fn event(&mut self, name: Ident, convergence: Convergence) -> EventOutline {
        let mut event = EventOutline {
            name,
            convergence,
            extended: false,
            refines: vec![],
            parameters: vec![],
            guards: vec![],
            witnesses: vec![],
            actions: vec![],
        };
        loop {
            if let Some(found) = self.convergence() {
                event.convergence = found;
                continue;
            }
            let before = self.words;
            match self.words.take_keyword().map(|(keyword, _)| keyword) {
                Some(Keyword::End) => return event,
                Some(Keyword::Event | Keyword::Events | Keyword::Machine | Keyword::Context) => {
                    self.words = before;
                    break;
                }
                Some(Keyword::Extended) => event.extended = true,
                Some(Keyword::Extends) => {
                    event.extended = true;
                    event.refines.extend(self.names("an event"));
                }
                Some(Keyword::Refines) => event.refines.extend(self.names("an event")),
                Some(Keyword::Any) => event.parameters.extend(self.names("a parameter")),
                Some(Keyword::Where | Keyword::When) => self.pieces(&mut event.guards, false),
                Some(Keyword::With | Keyword::Witness) => self.pieces(&mut event.witnesses, false),
                Some(Keyword::Then | Keyword::Begin) => self.pieces(&mut event.actions, false),
                None if self.words.is_over() => break,
                _ => {
                    self.words = before;
                    self.refuse(EVENT_PARTS);
                }
            }
        }
        let message = format!("event `{}` has no `end`", event.name.name);
        self.report(
            Diagnostic::error(codes::UNEXPECTED_TOKEN, event.name.span, message)
                .help("write `end` behind its last part"),
        );
        event
    }
}
