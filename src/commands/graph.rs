//! `bsym graph`: the state space of a finite scope, or a smaller view of it, as a picture.

mod bounds;
mod common;
mod state;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use anyhow::bail;
use bsym_encodings::patience::Patience;
use bsym_explore::graph::{
    Collected, Content, Graph, GraphOptions, Operation, StyledEdge, among, collect, determinise, merge,
    minimise, to_first,
};
use bsym_explore::options::Limits;
use bsym_explore::search::Problem;
use bsym_language::diagnostic::nearest;
use bsym_language::model::Model;
use bsym_semantics::evaluator::finder::ValueFinder;
use bsym_semantics::scope::Scope;
use bsym_semantics::value::Value;
use bsym_semantics::value::text::value_text;
use bsym_semantics::verdict::{Reason, ReasonCode, Vacuous};

use self::bounds::Bounds;
use self::common::{Format, begun, predicate, text_of};
use crate::answer::Answer;
use crate::answer::graph::{EdgeObject, GraphAnswer, GraphObject, NodeObject, NodeWord};
use crate::answer::named::Values;
use crate::answer::property::{AxiomObject, conjunct_name, event_name};
use crate::answer::scope::ScopeObject;
use crate::answer::statistics::TimeObject;
use crate::answer::verification::search_reason;
use crate::arguments::{GraphArguments, ViewName};
use crate::commands::default_scope;
use crate::commands::enlarge::contradiction;
use crate::drawing;
use crate::paint::Paint;
use crate::progress::Reporter;
use crate::race::control::Control;
use crate::refusal::Refusal;
use crate::{input, output, solvers};

/// Runs the command.
pub fn run(arguments: &GraphArguments, control: &Control) -> anyhow::Result<Answer> {
    let format = check(arguments)?;
    if arguments.state.is_some() || arguments.trace.is_some() {
        return state::run(arguments, format, control);
    }
    let solver = solvers::choose_if_any(arguments.solver.name.as_deref())?;
    let read = input::finite(&arguments.file, &arguments.component, &arguments.scope, &arguments.output)?;
    let input::Finite { mut model, scope, settings, sizes } = read;
    let paint = Paint::stderr(arguments.output.color);
    let mut predicates = Vec::new();
    let mut ask = |flag: &str, text: &Option<String>| -> anyhow::Result<Option<usize>> {
        let Some(text) = text else { return Ok(None) };
        predicates.push(predicate(&mut model, flag, text, paint)?);
        Ok(Some(predicates.len() - 1))
    };
    let asked = Asked { query: ask("--where", &arguments.query)?, goal: ask("--goal", &arguments.goal)? };
    let hidden = hidden(&model, &arguments.hide)?;
    let model = Arc::new(model);
    let begun = begun(arguments, &model, ScopeObject::new(&model, &scope, &settings));
    let (stuck, clock) = (begun.clone(), control.clone());
    control.set_fallback(move |reason| {
        let stats = TimeObject { seconds: clock.seconds() };
        let messages = vec![format!("nothing was drawn: {}", reason.text())];
        let reason = Some(reason.code());
        Answer::Graph(Box::new(GraphAnswer { reason, messages, stats, ..stuck }))
    });
    let finder = Patience::new(model.clone(), solver.clone(), &control.budget);
    let finder = Some(&finder as &dyn ValueFinder);
    let problem = Problem { model: &model, scope: &scope, finder };
    // More states than can be drawn need not be found.
    let draws_all = arguments.view == ViewName::States && asked.query.is_none();
    let most = draws_all.then_some(arguments.max_nodes);
    let options = GraphOptions {
        limits: Limits {
            states: arguments.max_states.into_iter().chain(most).min(),
            valuations: arguments.max_valuations,
            memory: arguments.limits.memory.and_then(|n| usize::try_from(n).ok()),
            time: control.budget.left(),
        },
        cancelled: control.budget.cancellation(),
    };
    let mut reporter = Reporter::new(model.clone(), control, &arguments.output, Arc::default());
    let found = collect(&problem, &predicates, &options, &mut reporter);
    let core = match found.vacuous {
        Some(Vacuous::NoValuation) => contradiction(&model, &scope, &sizes, control, solver.as_ref()),
        _ => None,
    };
    reporter.finish();
    let mut answer = begun;
    say_doubt(&mut answer, &model, &found, most, control.stopped());
    if let Some(why) = found.vacuous {
        let doubt = default_scope::doubt(&model, &scope, &sizes, &why.to_string()).filter(|_| core.is_none());
        let text = doubt.as_ref().map_or(why.to_string(), |doubt| doubt.text());
        answer.incomplete(doubt.map(|doubt| doubt.code()), text);
        answer.core = AxiomObject::all(&model, &core.unwrap_or_default());
    }
    let bounds = Bounds::new(&model, &scope, &found, control);
    let maker = Maker { arguments, model: &model, scope: &scope, found: &found, asked, hidden, bounds };
    let graph = maker.view(&mut answer);
    answer.messages.extend(bounds::messages(&graph.nodes));
    // Values of many states are a long text: until they are written out, the limits hold.
    control.finish();
    answer.stats.seconds = control.seconds();
    publish(arguments, format, answer, graph)
}

/// Numbers of the predicates that were asked.
#[derive(Clone, Copy)]
struct Asked {
    query: Option<usize>,
    goal: Option<usize>,
}

/// Checks flags that exclude each other, and the file, before the long run.
fn check(arguments: &GraphArguments) -> anyhow::Result<Format> {
    state::check(arguments)?;
    if arguments.minimise && arguments.view != ViewName::Dfa {
        bail!(Refusal::new("--minimise is for automata").help("add --view dfa"));
    }
    if arguments.query.is_some() && matches!(arguments.view, ViewName::Dfa | ViewName::Paths) {
        bail!(
            Refusal::new("--where: states that satisfy it need not be reached by such states")
                .help("--view states and --view signature draw the states that satisfy it")
        );
    }
    if arguments.max_nodes == 0 {
        bail!(Refusal::new("--max-nodes 0 draws nothing").help("leave it out, or give a larger number"));
    }
    let Some(path) = &arguments.out else { return Ok(Format::Dot) };
    let end = path.extension().and_then(|end| end.to_str()).map(str::to_lowercase);
    let format = match end.as_deref() {
        Some("dot" | "gv") => Format::Dot,
        Some("svg") => Format::Svg,
        Some("html" | "htm") => Format::Html,
        Some("json") => Format::Json,
        _ => bail!(
            Refusal::new(format!("-o: `{}` has no ending that says what to write", path.display()))
                .help("name it .svg, .html, .dot or .json")
        ),
    };
    let inputs: [&Path; 1] = [&arguments.file];
    output::check_writable(path, "-o", &inputs)?;
    Ok(format)
}

/// Returns the operations that are not drawn.
fn hidden(model: &Model, names: &[String]) -> anyhow::Result<Vec<String>> {
    let known = || model.events.iter().map(|event| event.name.as_str());
    let all = || known().chain([SET_UP, INITIALISE]);
    for name in names {
        if !all().any(|known| known == name) {
            let refusal = Refusal::new(format!("--hide: {} has no operation `{name}`", model.name));
            bail!(match nearest(name, all()) {
                Some(near) => refusal.help(format!("did you mean `{near}`?")),
                None =>
                    refusal.help(format!("its operations are: {}", known().collect::<Vec<_>>().join(", "))),
            });
        }
    }
    Ok(names.to_vec())
}

/// Writes into the answer how much was visited and, if that is not everything, why.
fn say_doubt(
    answer: &mut GraphAnswer,
    model: &Model,
    found: &Collected,
    most: Option<usize>,
    stopped: Option<Reason>,
) {
    answer.states = found.graph.len();
    answer.transitions = found.graph.edges().len();
    answer.complete = true;
    let Some(doubt) = found.doubt() else { return };
    let reason = search_reason(model, &doubt, &found.incomplete, &found.cuts, stopped);
    let text = match doubt {
        Reason::StateLimit(limit) if most == Some(limit) => {
            format!("there are more states than {limit}; --max-nodes N draws more of them")
        }
        _ => reason.text(),
    };
    answer.incomplete(Some(reason.code()), format!("the picture is incomplete: {text}"));
}

/// Name of the edges that give the constants their values.
const SET_UP: &str = "SETUP_CONSTANTS";
/// Name of the edges to initial states.
const INITIALISE: &str = "INITIALISATION";

/// A view before it has words: of each node those that it stands for, and whether edges may be missing.
struct View {
    nodes: Vec<(Vec<usize>, bool)>,
    edges: Vec<(StyledEdge, bool)>,
}

/// Makes views.
struct Maker<'a> {
    arguments: &'a GraphArguments,
    model: &'a Model,
    scope: &'a Scope,
    found: &'a Collected,
    asked: Asked,
    hidden: Vec<String>,
    bounds: Bounds<'a>,
}

impl Maker<'_> {
    /// Makes the view that is asked for, with its counts.
    fn view(&self, answer: &mut GraphAnswer) -> GraphObject {
        let is_exact = matches!(self.arguments.view, ViewName::States | ViewName::Paths);
        let (names, labels) = self.labels(is_exact);
        let graph = self.found.graph.relabelled(&names, labels.len());
        let hides: Vec<bool> = labels
            .iter()
            .map(|label| self.hidden.iter().any(|hidden| hidden == label.split('(').next().unwrap_or(label)))
            .collect();
        let mut view = match self.arguments.view {
            ViewName::States => plain(&graph, self.part(&graph)),
            ViewName::Paths => self.paths(&graph, answer),
            ViewName::Signature => self.signature(&graph),
            ViewName::Dfa => self.automaton(&graph, &hides, answer),
        };
        let enabled = self.enabled(&view, &labels);
        // In an automaton they are already part of other steps.
        view.edges.retain(|(edge, _)| !hides[edge.edge.label]);
        let (nodes, most) = (view.nodes.len(), self.arguments.max_nodes);
        if nodes > most {
            view.nodes.truncate(most);
            view.edges.retain(|(edge, _)| edge.edge.from < most && edge.edge.to < most);
            if answer.reason.is_none() {
                let text =
                    format!("only the first {most} of {nodes} nodes are drawn; --max-nodes N draws more");
                answer.incomplete(Some(ReasonCode::StateLimit), text);
            }
        }
        answer.nodes = view.nodes.len();
        answer.edges = view.edges.len();
        let definite = || view.edges.iter().filter(|(edge, _)| edge.definite).count();
        answer.definite = (!is_exact).then(definite);
        let number = |node: usize| if is_exact { view.nodes[node].0[0] } else { node };
        GraphObject {
            nodes: (0..view.nodes.len())
                .map(|node| self.node(number(node), &view.nodes[node], enabled.get(&node).cloned()))
                .collect(),
            edges: view
                .edges
                .iter()
                .map(|(StyledEdge { edge, definite }, is_styled)| EdgeObject {
                    from: number(edge.from),
                    to: number(edge.to),
                    label: labels[edge.label].clone(),
                    definite: is_styled.then_some(*definite),
                })
                .collect(),
        }
    }

    /// Returns the names of the operations that are enabled in each node of a view of signatures.
    fn enabled(&self, view: &View, labels: &[String]) -> BTreeMap<usize, Vec<String>> {
        if self.arguments.view != ViewName::Signature {
            return BTreeMap::new();
        }
        let mut all: BTreeMap<usize, BTreeSet<&str>> =
            (0..view.nodes.len()).map(|node| (node, BTreeSet::new())).collect();
        for (StyledEdge { edge, .. }, _) in &view.edges {
            let name = labels[edge.label].split('(').next().unwrap_or_default();
            all.entry(edge.from).or_default().insert(name);
        }
        all.into_iter().map(|(node, names)| (node, names.into_iter().map(String::from).collect())).collect()
    }

    /// Returns for each label the number of its text, and the texts.
    fn labels(&self, is_exact: bool) -> (Vec<usize>, Vec<String>) {
        let (mut numbers, mut texts) = (BTreeMap::<String, usize>::new(), Vec::new());
        let text = |value: &Value| value_text(self.model, self.scope, value);
        let list = |values: &[Value]| values.iter().map(text).collect::<Vec<_>>().join(", ");
        let of = self.found.labels.iter().map(|label| {
            let mut name = match label.operation {
                Operation::SetUp => SET_UP.to_owned(),
                Operation::Initialise => INITIALISE.to_owned(),
                Operation::Event(event) => event_name(self.model, Some(event)),
            };
            if (is_exact || self.arguments.arguments) && !label.parameters.is_empty() {
                name += &format!("({})", list(&label.parameters));
            }
            if is_exact && !label.results.is_empty() {
                name += &format!(" --> {}", list(&label.results));
            }
            *numbers.entry(name.clone()).or_insert_with(|| {
                texts.push(name);
                texts.len() - 1
            })
        });
        let of = of.collect();
        (of, texts)
    }

    /// Returns the nodes that --where keeps.
    fn part(&self, graph: &Graph) -> Vec<bool> {
        let Some(query) = self.asked.query else { return vec![true; graph.len()] };
        self.found.nodes.iter().map(|node| node.satisfies.get(query) == Some(&true)).collect()
    }

    fn signature(&self, graph: &Graph) -> View {
        let part = among(graph, &self.part(graph));
        let merged = merge(&part.graph);
        let members = |all: &[usize]| all.iter().map(|node| part.nodes[*node]).collect();
        View {
            nodes: merged.nodes.iter().map(|node| (members(&node.members), node.is_open)).collect(),
            edges: merged.edges.into_iter().map(|edge| (edge, true)).collect(),
        }
    }

    fn automaton(&self, graph: &Graph, hides: &[bool], answer: &mut GraphAnswer) -> View {
        let mut automaton = determinise(graph, hides, self.arguments.max_nodes);
        if automaton.is_cut {
            let most = self.arguments.max_nodes;
            let text = format!("the automaton has more than {most} nodes; --max-nodes N makes more of them");
            answer.incomplete(Some(ReasonCode::StateLimit), text);
        }
        if self.arguments.minimise {
            automaton = minimise(&automaton);
        }
        View {
            nodes: automaton.nodes.into_iter().map(|node| (node.members, node.is_open)).collect(),
            edges: automaton.edges.into_iter().map(|edge| (edge, true)).collect(),
        }
    }

    fn paths(&self, graph: &Graph, answer: &mut GraphAnswer) -> View {
        let is_target = |node: &bsym_explore::graph::Node| match self.asked.goal {
            Some(goal) => node.satisfies.get(goal) == Some(&true),
            None => !node.violated.is_empty() || !node.wrong.is_empty(),
        };
        let targets: Vec<bool> = self.found.nodes.iter().map(is_target).collect();
        let part = to_first(graph, &targets);
        if part.nodes.is_empty() {
            let seen = if answer.complete { "no state" } else { "no state that was visited" };
            answer.messages.push(match self.asked.goal {
                Some(_) => format!("{seen} satisfies the goal"),
                None => format!("{seen} violates the invariant, and no step goes wrong"),
            });
        }
        plain_of(&part.graph, &part.nodes)
    }

    /// Describes a node.
    fn node(
        &self,
        number: usize,
        (members, is_open): &(Vec<usize>, bool),
        enabled: Option<Vec<String>>,
    ) -> NodeObject {
        let all = || members.iter().map(|member| &self.found.nodes[*member]);
        let first = all().next();
        let (kind, values) = match first.map(|node| (&node.content, node.valuation)) {
            Some((Content::Root, _)) => (NodeWord::Root, Values::default()),
            Some((Content::State(state), _)) => {
                let names = self.model.variables.iter().map(|variable| &variable.name);
                (NodeWord::State, self.values(names, state))
            }
            Some((Content::Constants, valuation)) => {
                let names = self.model.constants.iter().map(|constant| &constant.name);
                let constants = valuation.and_then(|valuation| self.found.constants.get(valuation));
                (NodeWord::Constants, constants.map(|values| self.values(names, values)).unwrap_or_default())
            }
            None => (NodeWord::Set, Values::default()),
        };
        let mut violated: Vec<usize> = all().flat_map(|node| node.violated.iter().copied()).collect();
        violated.sort_unstable();
        violated.dedup();
        let mut wrong: Vec<String> = all()
            .flat_map(|node| &node.wrong)
            .map(|(event, error)| format!("{}: {}", event_name(self.model, Some(*event)), error.message))
            .collect();
        wrong.sort();
        wrong.dedup();
        let deadlock = !members.is_empty() && all().all(|node| node.is_deadlock);
        let is_wrong = deadlock || !violated.is_empty() || !wrong.is_empty();
        NodeObject {
            number,
            kind: if members.len() > 1 { NodeWord::Set } else { kind },
            values,
            violated: violated.iter().map(|i| conjunct_name(&self.model.invariant[*i])).collect(),
            wrong,
            only_in_scope: is_wrong.then(|| self.bounds.only_in_scope(members)).flatten(),
            deadlock,
            goal: self
                .asked
                .goal
                .is_some_and(|goal| all().any(|node| node.satisfies.get(goal) == Some(&true))),
            open: *is_open,
            members: members.clone(),
            enabled,
        }
    }

    fn values<'n>(&self, names: impl Iterator<Item = &'n String>, values: &[Value]) -> Values {
        names.zip(values).map(|(name, v)| (name.clone(), value_text(self.model, self.scope, v))).collect()
    }
}

/// Some nodes as they are.
fn plain(graph: &Graph, keep: Vec<bool>) -> View {
    let part = among(graph, &keep);
    plain_of(&part.graph, &part.nodes)
}

fn plain_of(graph: &Graph, nodes: &[usize]) -> View {
    View {
        nodes: nodes.iter().zip(&graph.open).map(|(node, open)| (vec![*node], *open)).collect(),
        edges: graph.edges().iter().map(|edge| (StyledEdge { edge: *edge, definite: true }, false)).collect(),
    }
}

/// Writes the picture and answers.
fn publish(
    arguments: &GraphArguments,
    format: Format,
    mut answer: GraphAnswer,
    graph: GraphObject,
) -> anyhow::Result<Answer> {
    let picture = || drawing::picture(&answer, &graph);
    let is_object = arguments.output.is_for_programs();
    let Some(path) = &arguments.out else {
        if !is_object {
            output::result(&drawing::dot(&picture()));
            for message in &answer.messages {
                output::note(message);
            }
            return Ok(Answer::Said(answer.exit()));
        }
        answer.graph = Some(graph);
        return Ok(Answer::Graph(Box::new(answer)));
    };
    let text = match format {
        Format::Json => {
            let whole = GraphAnswer { graph: Some(graph), ..answer.clone() };
            serde_json::to_string_pretty(&whole)? + "\n"
        }
        _ => text_of(format, &picture()).unwrap_or_default(),
    };
    if output::write(path, &text) {
        answer.picture = Some(path.display().to_string());
    }
    Ok(Answer::Graph(Box::new(answer)))
}
