//! The answer of `parse`: the messages about a file, and the structure of its model.

use std::collections::BTreeSet;

use bsym_language::model::{
    Carrier, CarrierKind, ComponentId, Conjunct, Event, LocalId, Model, Notation, VarId, Variable,
};
use bsym_language::print;
use bsym_language::source::Span;
use bsym_language::walk::Names;
use schemars::JsonSchema;
use serde::Serialize;

use super::diagnostic::{DiagnosticObject, place};
use super::words::words;
use crate::answer::trace::counted;
use crate::exit::Exit;

/// What bsym parse prints with --json
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct Parsed {
    #[schemars(extend("const" = "bsym-parse"))]
    pub format: &'static str,
    #[schemars(extend("const" = 1))]
    pub version: u32,
    pub file: String,
    pub machine: Option<String>,
    pub ok: bool,
    pub diagnostics: Vec<DiagnosticObject>,
    pub model: Option<ModelObject>,
    /// The machine as it was understood, where that was asked.
    pub print: Option<String>,
}

impl Parsed {
    /// What a script is told.
    pub fn exit(&self) -> Exit {
        if self.ok { Exit::Done } else { Exit::Refused }
    }

    /// For people: the machine, or what it is made of.
    pub fn text(&self) -> String {
        match (&self.print, &self.model) {
            (Some(print), _) => format!("{}\n", print.trim_end()),
            (None, None) => String::new(),
            (None, Some(model)) => format!(
                "{}: {}, {}, {}, {} of the invariant, {}, {}\n",
                model.name,
                counted(model.carriers.len(), "set"),
                counted(model.constants.len(), "constant"),
                counted(model.variables.len(), "variable"),
                counted(model.invariant.len(), "conjunct"),
                counted(model.assertions.len(), "assertion"),
                counted(model.events.len(), "operation"),
            ),
        }
    }
}

words! {
    /// How a model is written.
    NotationWord {
        ClassicalB = "classical-b",
        EventB = "event-b",
    }
}

words! {
    /// What is known of a set.
    CarrierWord {
        Enumerated = "enumerated",
        Deferred = "deferred",
    }
}

/// Carriers, constants, variables, conjuncts and events of a model.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct ModelObject {
    name: String,
    notation: NotationWord,
    components: Vec<ComponentObject>,
    carriers: Vec<CarrierObject>,
    constants: Vec<DeclaredObject>,
    variables: Vec<DeclaredObject>,
    axioms: Vec<ConjunctObject>,
    invariant: Vec<ConjunctObject>,
    gluing: Vec<ConjunctObject>,
    assertions: Vec<ConjunctObject>,
    initialisation: AccessObject,
    events: Vec<EventObject>,
    goal: Option<String>,
}

/// A file or machine that the model is composed of.
#[derive(Serialize, JsonSchema, Clone, Debug)]
struct ComponentObject {
    name: String,
    prefix: Option<String>,
    #[schemars(extend("enum" = ["main", "sees", "uses", "includes", "extends", "imports", "refines"]))]
    relation: String,
}

/// Where something was written.
#[derive(Serialize, JsonSchema, Clone, Debug)]
struct PlaceObject {
    file: Option<String>,
    line: Option<u32>,
    column: Option<u32>,
}

/// A set.
#[derive(Serialize, JsonSchema, Clone, Debug)]
struct CarrierObject {
    name: String,
    kind: CarrierWord,
    elements: Option<Vec<String>>,
    #[serde(flatten)]
    place: PlaceObject,
}

/// A name with its type.
#[derive(Serialize, JsonSchema, Clone, Debug)]
struct TypedObject {
    name: String,
    #[serde(rename = "type")]
    ty: String,
}

/// A constant or variable.
#[derive(Serialize, JsonSchema, Clone, Debug)]
struct DeclaredObject {
    #[serde(flatten)]
    typed: TypedObject,
    #[serde(flatten)]
    place: PlaceObject,
}

/// A conjunct.
#[derive(Serialize, JsonSchema, Clone, Debug)]
struct ConjunctObject {
    label: Option<String>,
    text: String,
    origin: Option<String>,
    #[serde(flatten)]
    place: PlaceObject,
}

/// Variables that are read and written.
#[derive(Serialize, JsonSchema, Clone, Debug)]
struct AccessObject {
    reads: Vec<String>,
    writes: Vec<String>,
}

/// An event or operation.
#[derive(Serialize, JsonSchema, Clone, Debug)]
struct EventObject {
    name: String,
    parameters: Vec<TypedObject>,
    results: Vec<TypedObject>,
    #[serde(flatten)]
    access: AccessObject,
    origin: Option<String>,
    refines: Vec<String>,
    #[serde(flatten)]
    place: PlaceObject,
}

impl ModelObject {
    /// The structure of a model.
    pub fn new(model: &Model) -> ModelObject {
        let s = Structure { model };
        let components = model.text.components.iter().map(|c| ComponentObject {
            name: c.name.clone(),
            prefix: c.prefix.clone(),
            relation: format!("{:?}", c.relation).to_lowercase(),
        });
        ModelObject {
            name: model.name.clone(),
            notation: match model.text.notation {
                Notation::ClassicalB => NotationWord::ClassicalB,
                Notation::EventB => NotationWord::EventB,
            },
            components: components.collect(),
            carriers: model.types.carriers.iter().map(|c| s.carrier(c)).collect(),
            constants: s.declared(&model.constants),
            variables: s.declared(&model.variables),
            axioms: s.conjuncts(&model.axioms),
            invariant: s.conjuncts(&model.invariant),
            gluing: s.conjuncts(&model.refinement.gluing),
            assertions: s.conjuncts(&model.assertions),
            initialisation: s.access(&Names::of_subst(&model.initialisation)),
            events: model.events.iter().map(|e| s.event(e)).collect(),
            goal: model.definitions.goal.as_ref().map(|p| print::pred(model, p)),
        }
    }
}

struct Structure<'m> {
    model: &'m Model,
}

impl Structure<'_> {
    fn place(&self, span: Span) -> PlaceObject {
        let (file, line, column) = place(&self.model.text.sources, span);
        PlaceObject { file, line, column }
    }

    fn carrier(&self, c: &Carrier) -> CarrierObject {
        let (kind, elements) = match &c.kind {
            CarrierKind::Enumerated(elements) => (CarrierWord::Enumerated, Some(elements.clone())),
            CarrierKind::Deferred => (CarrierWord::Deferred, None),
        };
        CarrierObject { name: c.name.clone(), kind, elements, place: self.place(c.span) }
    }

    fn typed(&self, v: &Variable) -> TypedObject {
        TypedObject { name: v.name.clone(), ty: print::type_text(self.model, &v.ty) }
    }

    fn declared(&self, list: &[Variable]) -> Vec<DeclaredObject> {
        let object = |v: &Variable| DeclaredObject { typed: self.typed(v), place: self.place(v.span) };
        list.iter().map(object).collect()
    }

    fn locals(&self, list: &[LocalId]) -> Vec<TypedObject> {
        list.iter().map(|l| self.typed(&self.model.locals[l.index()])).collect()
    }

    fn origin(&self, id: ComponentId) -> Option<String> {
        self.model.text.components.get(id.index()).map(|o| o.name.clone())
    }

    fn conjuncts(&self, list: &[Conjunct]) -> Vec<ConjunctObject> {
        let object = |c: &Conjunct| ConjunctObject {
            label: c.label.clone(),
            text: c.text.clone(),
            origin: self.origin(c.origin),
            place: self.place(c.span),
        };
        list.iter().map(object).collect()
    }

    fn access(&self, names: &Names) -> AccessObject {
        let text = |set: &BTreeSet<VarId>| -> Vec<String> {
            set.iter().map(|v| self.model.variables[v.index()].name.clone()).collect()
        };
        AccessObject { reads: text(&names.variables), writes: text(&names.written) }
    }

    fn event(&self, e: &Event) -> EventObject {
        EventObject {
            name: e.name.clone(),
            parameters: self.locals(&e.parameters),
            results: self.locals(&e.results),
            access: self.access(&Names::of_subst(&e.body)),
            origin: self.origin(e.origin),
            refines: e.refines.clone(),
            place: self.place(e.span),
        }
    }
}
