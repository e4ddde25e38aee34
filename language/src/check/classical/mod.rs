//! The stage of classical B: builds one model from a machine and all its references.
//!
//! The modules, in the order in which a machine goes through them: `instances` determines the machines and their
//! renaming; `sections` the sections that they need; `homonyms` holds the names that refinements identify, found by
//! `identification`; `visibility` declares the names and determines where they are visible; `machine` types the
//! sections; `behaviour` types the operations, with the help of `refinement` for an abstraction and `local` for
//! LOCAL_OPERATIONS; `levels` keeps the formulas and operations of the abstractions, `implementation` the names that
//! must have values; in the resulting model, `gluing` separates the state from variables that only abstractions have.

mod behaviour;
mod gluing;
mod homonyms;
mod identification;
mod implementation;
mod instances;
mod levels;
mod local;
mod machine;
mod refinement;
mod sections;
mod visibility;

use std::mem::{replace, swap, take};
use std::ops::Range;

use crate::ast::{DefinitionBody, ExprKind as Ast, Ident, MachineKind};
use crate::check::*;
use crate::classical::project::{Project, Unit};
use crate::stack::with_large_stack;
use homonyms::Homonyms;
use instances::Instance;

/// Checks a machine that refers to no other one, and lowers it to a typed model.
///
/// `loader` finds files of definitions by the name in quotes; their texts must be in `sources`.
/// There is a model if and only if no error is among the diagnostics.
pub fn check(
    sources: Arc<Sources>,
    machine: &ast::Machine,
    loader: &mut Loader,
) -> (Option<Model>, Vec<Diagnostic>) {
    let (definitions, mut diagnostics) = Definitions::collect(machine, loader);
    let sound = diagnostics.iter().all(|d| d.severity != Severity::Error);
    let project = Project { units: vec![Unit::alone(machine.clone(), definitions)] };
    let (model, found) = check_project(sources, Arc::new(project));
    diagnostics.extend(found);
    diagnostics.sort_by_key(|d| (d.span.source, d.span.start));
    (model.filter(|_| sound), diagnostics)
}

/// Checks a machine with all that it refers to, and lowers it to one typed model.
///
/// There is a model if and only if no error is among the diagnostics.
pub fn check_project(sources: Arc<Sources>, project: Arc<Project>) -> (Option<Model>, Vec<Diagnostic>) {
    let Some(main) = project.units.first() else { return (None, vec![]) };
    let model = empty_model(main.tree.name.name.clone(), sources);
    with_large_stack(move || {
        let mut composition = Composition::new(Checker::new(model, Definitions::default()), project);
        composition.machine();
        let model = composition.finish();
        let mut diagnostics = composition.c.diagnostics;
        diagnostics.sort_by_key(|d| (d.span.source, d.span.start));
        let sound = diagnostics.iter().all(|d| d.severity != Severity::Error);
        (sound.then_some(model), diagnostics)
    })
}

/// A name with its meaning and the place of its declaration.
type Declared<T> = (String, T, Span);

/// Names that an instance shows to others.
#[derive(Default)]
struct Interface {
    /// Its own names, while another instance is checked.
    pub environment: Environment,
    pub parameters: Option<Vec<Declared<Entity>>>,
    /// Sets, their elements and constants.
    pub statics: Vec<Declared<Entity>>,
    /// Its own variables as they are declared.
    pub own: Vec<(Ident, VarId)>,
    /// Its own constants.
    pub constants: Vec<ConstId>,
    /// All variables, with prefixes.
    pub variables: Vec<Declared<VarId>>,
    /// Own, promoted and inherited operations.
    pub operations: Vec<Declared<usize>>,
    /// Operations of the abstraction by name.
    pub abstraction: HashMap<String, usize>,
    /// Operations of the abstraction that are kept as they are.
    pub inherited: Vec<(String, usize)>,
}

/// The machines of a project while they become one model.
struct Composition {
    c: Checker,
    project: Arc<Project>,
    instances: Vec<Instance>,
    /// The instances, each after those it refers to.
    order: Vec<usize>,
    /// Names that each instance shows to others, and its own names while another one is checked.
    interfaces: Vec<Interface>,
    /// The current instance.
    current: usize,
    /// Variables before this one are the state, the others are abstract.
    state: usize,
    /// The initialisation of each instance, if it has one.
    initialisations: Vec<Option<Subst>>,
    /// Sets and constants that are one.
    homonyms: Homonyms,
    /// Assertions that are properties of abstractions and must be satisfied by others.
    owed: Range<usize>,
    /// Local operations of the main machine: specifications with their implementations.
    local: Vec<(String, usize, usize)>,
}

impl Composition {
    fn new(c: Checker, project: Arc<Project>) -> Self {
        let (instances, order, interfaces, initialisations) = (vec![], vec![], vec![], vec![]);
        let homonyms = Homonyms::default();
        Composition {
            c,
            project,
            instances,
            order,
            interfaces,
            current: 0,
            state: 0,
            initialisations,
            homonyms,
            owed: 0..0,
            local: vec![],
        }
    }

    fn machine(&mut self) {
        let project = self.project.clone();
        let Some(main) = project.units.first() else { return };
        if main.tree.kind == MachineKind::Definitions {
            let message = "this is a file of definitions, a machine is expected";
            self.c.error(codes::NOT_A_MACHINE, main.tree.span, message);
            return;
        }
        let plan = instances::plan(&project);
        if let Some(place) = plan.too_many {
            self.c.error(
                codes::MACHINE_PARAMETERS,
                place,
                "too many machines are included under different names",
            );
            return;
        }
        (self.instances, self.order) = (plan.instances, plan.order);
        self.interfaces.resize_with(self.instances.len(), Interface::default);
        self.components();
        self.included_once();
        for unit in &project.units {
            self.c.sections_fit(&unit.tree);
        }
        self.identify();
        self.allocate_variables();
        for i in self.order.clone() {
            self.declare(i);
        }
        self.inside(0, |m| m.c.scope_hints());
        self.static_part();
        for i in self.order.clone() {
            self.inside(i, |m| m.invariant(i));
        }
        self.c.scope.visibility = Visibility::State;
        self.inside(0, |m| m.c.goal());
        self.behaviour();
        self.levels();
    }

    /// Returns the finished model.
    fn finish(&mut self) -> Model {
        let mut model = self.c.close();
        close::write_texts(&mut model, |_| true);
        self.write_level_texts(&mut model);
        sizes::of_deferred_sets(&mut model);
        self.separate_abstraction(&mut model);
        hints::show_choices_as_parameters(&mut model);
        model
    }

    /// Runs `work` with the names of an instance.
    fn inside<T>(&mut self, instance: usize, work: impl FnOnce(&mut Self) -> T) -> T {
        let mut environment = take(&mut self.interfaces[instance].environment);
        swap(&mut self.c.names, &mut environment);
        let Instance { display, given, .. } = &self.instances[instance];
        let renamed = replace(&mut self.c.renamed, display.is_some() || given.is_some());
        let component = replace(&mut self.c.component, ComponentId(instance as u32));
        let before = replace(&mut self.current, instance);
        let result = work(self);
        (self.current, self.c.component, self.c.renamed) = (before, component, renamed);
        swap(&mut self.c.names, &mut environment);
        self.interfaces[instance].environment = environment;
        result
    }

    fn machine_name(&self, instance: usize) -> String {
        self.project.units[self.instances[instance].unit].tree.name.name.clone()
    }
}

/// The names of a section; a definition of a list of names may stand for the names.
fn listed(definitions: &Definitions, ids: &[Ident]) -> Vec<Ident> {
    let names = |id: &Ident| match definitions.get(&id.name).as_deref() {
        Some(entry) => match &entry.body {
            DefinitionBody::Expr(e) | DefinitionBody::Either(e, _) if matches!(e.kind, Ast::Tuple(_)) => {
                name_list(e).unwrap_or(vec![id.clone()])
            }
            _ => vec![id.clone()],
        },
        None => vec![id.clone()],
    };
    ids.iter().flat_map(names).collect()
}

/// A machine parameter without any lower-case letter is a set (B-Book, 12.1).
fn is_set_parameter(name: &str) -> bool {
    !name.chars().any(char::is_lowercase)
}

fn name_list(e: &ast::Expr) -> Option<Vec<Ident>> {
    match &e.kind {
        Ast::Ident(name) => Some(vec![Ident { name: name.clone(), span: e.span }]),
        Ast::Tuple(items) | Ast::SetExtension(items) => {
            Some(items.iter().map(name_list).collect::<Option<Vec<_>>>()?.into_iter().flatten().collect())
        }
        _ => None,
    }
}
