//! The result of an explicit-state search.

use bsym_engines::verdict::violated_properties;
use bsym_engines::vetting::Vetted;
use bsym_explore::audit::{Difference, Finding, Refutation};
use bsym_explore::report::{Incomplete, OpenProperty, Reduction, Refused, SearchReport};
use bsym_language::model::{EventId, Model};
use bsym_language::source::Span;
use bsym_language::types::CarrierId;
use bsym_proofs::claim::Property;
use bsym_semantics::evaluator::cuts::Cut;
use bsym_semantics::scope::Scope;
use bsym_semantics::symmetry::elements::{Distinguished, Interchangeable};
use bsym_semantics::value::Value;
use bsym_semantics::value::env::Name;
use bsym_semantics::value::text::value_text;
use bsym_semantics::verdict::{Counterexample, Reason, Verdict};
use bsym_status::{Level, Pair, ProofStatus};

use super::{Subject, Verification};
use crate::answer::coverage::CoverageObject;
use crate::answer::diagnostic::{UnsupportedObject, location, place};
use crate::answer::proof::ProofObject;
use crate::answer::property::{AxiomObject, PropertyObject, PropertyVerdictWord};
use crate::answer::scope::ScopeObject;
use crate::answer::statistics::{InterchangeableObject, SymmetryObject, constant_names, left_open_text};
use crate::answer::status::PairObject;
use crate::answer::trace::{CounterexampleObject, ViolatedObject, counted};
use crate::tuning::tuning;

impl Verification {
    /// The answer of an explicit-state search.
    pub fn of_search(subject: &Subject<'_>, report: &SearchReport) -> Verification {
        let (model, settings) = (subject.model, &subject.settings);
        let object =
            |found: &Counterexample| CounterexampleObject::new(model, &found.trace, &found.violations);
        let mut verdict = report.verdict.map(
            |found| Box::new(ProofObject::search(found.symmetric)),
            object,
            |difference| {
                Verdict::Unknown(Reason::AuditFailed(difference_text(model, &report.scope, difference)))
            },
        );
        if let Verdict::Unknown(reason) = &report.verdict {
            let reason = search_reason(model, reason, &report.incomplete, &report.cuts, None);
            verdict = Verdict::Unknown(reason);
        }
        let found = report.verdict.counterexample();
        let engine = if report.statistics.diagram.is_some() { "ldd" } else { "mc" };
        let mut answer = Verification::new(subject, engine, report.statistics.depth, verdict);
        // A search evaluates; the engines that it may have run beside did not answer.
        answer.question.encoding = None;
        answer.question.scope =
            ScopeObject::new(model, found.map_or(&report.scope, |found| &found.trace.scope), settings);
        answer.extent.states = Some(report.statistics.states);
        answer.extent.transitions = Some(report.statistics.transitions);
        if let Some(diagram) = &report.statistics.diagram {
            // What cannot be written as a number of JSON is written in the other place only.
            answer.extent.states = u64::try_from(diagram.states).ok();
            answer.extent.transitions = u64::try_from(diagram.transitions).ok();
            answer.stats.diagram = Some(diagram.into());
        }
        if let Some(reduction) = &report.statistics.reduction {
            let (object, warnings) = reduced(model, &report.scope, reduction);
            answer.stats.symmetry = Some(object);
            answer.warnings.extend(warnings);
        }
        if let Some(found) = report.statistics.partial_order {
            answer.stats.partial_order = Some(found.into());
            if let Some(proof) = answer.verdict.evidence_mut() {
                proof.partial = found.reduced > 0;
            }
            if found.reduced == 0 {
                let why = if found.independent == 0 {
                    "no two events are known to commute"
                } else {
                    "in no state some events were enough"
                };
                answer.warnings.push(format!("--por: {why}; nothing was left out"));
            }
        }
        answer.stats.left_open = constant_names(model, &report.statistics.left_open);
        answer.warnings.extend(left_open_text(&answer.stats.left_open));
        // Of what is left out where values are cut nothing is known.
        let complete = report.exhausted || matches!(report.verdict, Verdict::Holds(_));
        answer.extent.coverage = report.coverage.as_ref().map(|c| CoverageObject::new(model, c, complete));
        answer.stats.audited = Some(report.statistics.successors.audited);
        answer.stats.found_by = Some(report.statistics.found_by.into());
        let unsupported =
            |part, reason, span| UnsupportedObject::new(&model.text.sources, part, reason, span);
        let incomplete = report
            .incomplete
            .iter()
            .map(|i| unsupported(i.place.clone(), i.error.message.clone(), i.error.span));
        let cuts = report
            .cuts
            .iter()
            .map(|cut| unsupported(part(model, cut.name), cut.message(model), cut.declaration(model)));
        answer.left_out.unsupported = incomplete.chain(cuts).collect();
        answer.findings.further = report.further.iter().map(object).collect();
        let first = match &report.verdict {
            Verdict::Violated(found) => Some(&**found),
            _ => None,
        };
        let violated: Vec<Property> = first
            .into_iter()
            .chain(&report.further)
            .flat_map(|c| &c.violations)
            .flat_map(violated_properties)
            .collect();
        let judged = |&p: &Property| {
            let verdict = if violated.contains(&p) {
                PropertyVerdictWord::Violated
            } else if report.exhausted && !is_open(report, p) {
                PropertyVerdictWord::Holds
            } else {
                PropertyVerdictWord::Unknown
            };
            PropertyObject::new(model, p, verdict)
        };
        answer.properties = subject.properties.iter().map(judged).collect();
        answer
    }

    /// Of a search that was not told of any status.
    pub fn uses_no_status(&mut self) {
        let n = self.proofs.used.len() + self.proofs.checks.used.len();
        self.proofs.used.clear();
        self.proofs.checks.used.clear();
        if n > 0 {
            self.proofs
                .ignored
                .push(format!("{}: the search judges every state itself", counted(n, "entry")));
        }
    }

    /// The scopes in which there was nothing to search.
    pub fn set_tried(&mut self, model: &Model, tried: &[Scope]) {
        let objects = tried.iter().map(|scope| ScopeObject::new(model, scope, &self.question.scope.settings));
        let others: Vec<_> = objects.filter(|object| *object != self.question.scope).collect();
        self.question.scopes_tried = others;
    }

    /// Of a verdict that there is nothing to check: the axioms that contradict each other, by position, and for which
    /// scopes that is known.
    pub fn set_core(&mut self, model: &Model, core: &[usize], scopes: Option<String>) {
        if let Verdict::Vacuous(_, reason) = &mut self.verdict {
            self.findings.core = AxiomObject::all(model, core);
            if let Some(scopes) = scopes {
                reason.push_str(&format!(": {scopes}"));
            }
        }
    }

    /// What came of the imported status beside a search: it rests on what was confirmed, and on nothing else.
    pub fn set_vetted(&mut self, model: &Model, status: &ProofStatus, vetted: &Vetted) {
        let counts = |pair: Pair| {
            vetted.confirmed.contains(&pair) || status.get(pair).is_some_and(|s| s.level == Level::Checked)
        };
        let (used, left): (Vec<_>, Vec<_>) = status.iter().partition(|(pair, _)| counts(*pair));
        let proofs = &mut self.proofs;
        proofs.used =
            used.into_iter().map(|(pair, status)| PairObject::new(model, pair, Some(status))).collect();
        proofs.wrong =
            vetted.wrong.iter().map(|&pair| PairObject::new(model, pair, status.get(pair))).collect();
        let left = left.iter().filter(|(pair, _)| !vetted.wrong.contains(pair)).count();
        if left > 0 {
            let pairs = counted(left, "pair");
            let reason = "not confirmed when the search ended; the conjunct was evaluated in every state";
            proofs.ignored.push(format!("{pairs}: {reason}"));
        }
        // A search evaluates whatever it meets.
        proofs.checks.used.clear();
    }
}

/// Everything that is needed to report that a search and the reference evaluator contradict each other.
fn difference_text(model: &Model, scope: &Scope, difference: &Difference) -> String {
    let named = |names: &mut dyn Iterator<Item = &str>, values: &[Value]| {
        let each = names.zip(values).map(|(name, v)| format!("{name} = {}", value_text(model, scope, v)));
        each.collect::<Vec<_>>().join(" & ")
    };
    let state = |values: &[Value]| named(&mut model.variables.iter().map(|v| v.name.as_str()), values);
    let finding = |finding: &Finding| match finding {
        Finding::Edges(n, states, all) => {
            let list: Vec<String> = states.iter().map(|s| state(s)).collect();
            let more = if *all > list.len() { ", …" } else { "" };
            let alone = if *all == 0 {
                String::new()
            } else {
                format!(", {all} of its own: {}{more}", list.join(" | "))
            };
            format!("{n} edges{alone}")
        }
        Finding::Fails(outcome) => format!("a step that goes wrong ({outcome:?})"),
        Finding::Lost(target) => format!("no state {}", state(target)),
        Finding::Reached(target) => format!("the state {}", state(target)),
        Finding::Good => "nothing is wrong".into(),
        Finding::Wrong(violations) => {
            let texts = ViolatedObject::all(model, violations).into_iter().map(|v| v.text);
            format!("violated: {}", texts.collect::<Vec<_>>().join(", "))
        }
        Finding::CanWait => "the events that were left out can wait".into(),
        Finding::CannotWait(steps, why) => {
            let name = |event: &EventId| model.events[event.index()].name.clone();
            let path: Vec<String> = steps.iter().map(name).collect();
            let path = if path.is_empty() { String::new() } else { format!("after {}: ", path.join(", ")) };
            let what = match why {
                Refutation::Wrong(violations) => {
                    let texts = ViolatedObject::all(model, violations).into_iter().map(|v| v.text);
                    format!("violated: {}", texts.collect::<Vec<_>>().join(", "))
                }
                Refutation::Fails(event, outcome) => {
                    let event = event.as_ref().map_or("the initialisation".into(), name);
                    format!("`{event}` goes wrong ({outcome:?})")
                }
                Refutation::Enabledness(event) => format!("`{}` gets enabled or disabled", name(event)),
                Refutation::Order(event) => format!("`{}` leads elsewhere than before", name(event)),
                Refutation::Instances => "its instances do not lead where it leads".into(),
            };
            format!("they cannot wait: {path}{what}")
        }
    };
    let place = match (difference.event, difference.state.is_empty()) {
        (Some(event), _) => {
            format!("event `{}` in the state {}", model.events[event.index()].name, state(&difference.state))
        }
        (None, true) => "the initialisation".into(),
        (None, false) => format!("the properties of the state {}", state(&difference.state)),
    };
    let constants = named(&mut model.constants.iter().map(|c| c.name.as_str()), &difference.constants);
    let under = if constants.is_empty() { constants } else { format!(" (constants: {constants})") };
    format!(
        "the search and the reference evaluator contradict each other about {place}{under}; the search: {}; the \
         reference: {}",
        finding(&difference.search),
        finding(&difference.reference)
    )
}

/// Where something stands, as a part of a sentence; empty where that is in no file.
fn at(model: &Model, span: Span) -> String {
    let (file, line, _) = place(&model.text.sources, span);
    location(&file, line).map(|at| format!(" ({at})")).unwrap_or_default()
}

/// What of symmetry is told, and what the user should know about elements that are told apart.
fn reduced(model: &Model, scope: &Scope, found: &Reduction) -> (SymmetryObject, Vec<String>) {
    let name = |carrier: CarrierId| model.types.carriers[carrier.index()].name.clone();
    let element = |carrier, i: u32| value_text(model, scope, &Value::Element(carrier, i));
    let set = |set: &Interchangeable| {
        let size = scope.size(model, set.carrier).unwrap_or(set.elements.len());
        let elements = || set.elements.iter().map(|i| element(set.carrier, *i)).collect();
        let elements = (size != set.elements.len()).then(elements);
        InterchangeableObject { set: name(set.carrier), size, elements }
    };
    let Distinguished { named, ordered } = &found.distinguished;
    let named = named.iter().filter_map(|(carrier, elements)| {
        let (set, (_, span)) = (name(*carrier), elements.iter().next()?);
        let more = if elements.len() > tuning().listed.warned { ", …" } else { "" };
        let listed: Vec<String> =
            elements.keys().take(tuning().listed.warned).map(|i| element(*carrier, *i)).collect();
        let first = at(model, *span);
        Some(format!(
            "--symmetry: elements of `{set}` that the model names keep their places: {}{more}{first}",
            listed.join(", ")
        ))
    });
    let ordered = ordered.iter().map(|(carrier, span)| {
        let set = name(*carrier);
        format!(
            "--symmetry: the elements of `{set}` are given to a function that may go by their order{}",
            at(model, *span)
        )
    });
    let refused = found.refused.map(|Refused::TooManyPermutations(n)| {
        let n = n.map_or_else(|| "too many".into(), |n| n.to_string());
        format!("--symmetry flood: {n} permutations are too many to look at each; all states were visited; --symmetry canonical looks at few")
    });
    let mut warnings: Vec<String> = named.chain(ordered).chain(refused.clone()).collect();
    if found.free.is_empty() {
        warnings.push(
            "--symmetry: there are no two elements that nothing tells apart; all states were visited".into(),
        );
    }
    let sets = if refused.is_some() { vec![] } else { found.free.iter().map(set).collect() };
    let object =
        SymmetryObject { method: found.method.name(), sets, exact: found.is_exact, computed: found.computed };
    (object, warnings)
}

/// Whether a property is ill-defined in some state that was visited.
fn is_open(report: &SearchReport, property: Property) -> bool {
    let open = match property {
        Property::Invariant(i) => OpenProperty::Invariant(i),
        Property::Assertion(i) => OpenProperty::Assertion(i),
        Property::NoGoal => OpenProperty::Goal,
        _ => return false,
    };
    report.open.contains(&open)
}

/// Returns the reason why a search gave no answer, in the words of the model. Where it was cancelled, that is why the run was
/// stopped, if it was.
pub fn search_reason(
    model: &Model,
    reason: &Reason,
    incomplete: &[Incomplete],
    cuts: &[Cut],
    stopped: Option<Reason>,
) -> Reason {
    match reason {
        Reason::Interrupted | Reason::Timeout => stopped.unwrap_or_else(|| reason.clone()),
        Reason::Incomplete(None) => Reason::Incomplete(incomplete.first().map(|first| {
            let constant = first.error.constant.map(|id| &model.constants[id.index()].name);
            let help = constant.map(|name| format!("; --set {name}=EXPR fixes it")).unwrap_or_default();
            format!("{}: {}{help}", first.place, first.error.message)
        })),
        Reason::Bounded(None) => {
            Reason::Bounded(cuts.first().map(|cut| bounded_reason(model, cut, cuts.len())))
        }
        Reason::Refuted(e) => Reason::AuditFailed(format!("{}{}", e.message, at(model, e.span))),
        other => other.clone(),
    }
}

/// Why a search of a bounded part of the model proves nothing, and what can be done about it.
fn bounded_reason(model: &Model, cut: &Cut, cuts: usize) -> String {
    let at = at(model, cut.declaration(model));
    let message = cut.message(model).replacen("` were", &format!("`{at} were"), 1);
    let others = match cuts {
        1 => String::new(),
        2 => ", and those of another name likewise".into(),
        n => format!(", and those of {} other names likewise", n - 1),
    };
    let help = match cut.name {
        Name::Const(c) => format!(", --set {}=EXPR fixes it", model.constants[c.index()].name),
        _ => String::new(),
    };
    format!("{message}{others}; --maxint N widens it{help}")
}

/// What a cut belongs to.
fn part(model: &Model, name: Name) -> String {
    match name {
        Name::Const(_) => "the constants".into(),
        Name::Var(_) | Name::Old(_) => "a choice".into(),
        Name::Local(l) => model
            .events
            .iter()
            .find(|e| e.parameters.contains(&l))
            .map_or_else(|| "a choice".into(), |e| format!("event `{}`", e.name)),
    }
}
