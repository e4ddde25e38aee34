//! The result of an explicit-state search.

use bsym_engines::verdict::violated_properties;
use bsym_engines::verdict::{Condition, PropertyVerdict};
use bsym_engines::vetting::Vetted;
use bsym_explore::audit::{Difference, Finding};
use bsym_explore::report::{Counterexample, OpenProperty, SearchReport, Unknown, Verdict};
use bsym_language::model::{Conjunct, Model};
use bsym_proofs::claim::Property;
use bsym_proofs::status::{Level, Pair, ProofStatus};
use bsym_semantics::bounded::Cut;
use bsym_semantics::env::Name;
use bsym_semantics::scope::Scope;
use bsym_semantics::value::Value;
use bsym_semantics::value_text::value_text;

use super::{
    AxiomObject, Reason, RunResult, Subject, UnsupportedObject, condition_object, further_object,
    pair_object, place, property_object, scope_object, violated_objects,
};

impl RunResult {
    /// The result of an explicit-state search.
    pub fn of_search(subject: &Subject<'_>, report: &SearchReport) -> RunResult {
        let model = subject.model;
        let mut result = RunResult::unknown(subject, "mc", report.statistics.depth, None);
        result.scope = scope_object(model, &report.scope, &subject.settings);
        result.states = Some(report.statistics.states);
        result.transitions = Some(report.statistics.transitions);
        result.stats.audited = Some(report.statistics.audited);
        result.unsupported = report
            .incomplete
            .iter()
            .map(|i| {
                let (file, line, column) = place(&model.sources, i.error.span);
                UnsupportedObject {
                    part: i.place.clone(),
                    reason: i.error.message.clone(),
                    file,
                    line,
                    column,
                }
            })
            .collect();
        let first = match &report.verdict {
            Verdict::Holds(_) => {
                result.verdict = "holds";
                result.certificate_kind = Some("search");
                None
            }
            Verdict::Violated(counterexample) => {
                result.verdict = "violated";
                result.set_counterexample(model, &counterexample.trace, &counterexample.violations);
                Some(&**counterexample)
            }
            Verdict::Vacuous(reason) => {
                result.verdict = "vacuous";
                result.reason = Some(reason.clone());
                None
            }
            Verdict::Contradiction(difference) => {
                let text = difference_text(model, &report.scope, difference);
                result.set_reason(Reason::new("audit-failed", &text));
                None
            }
            Verdict::Unknown(reason) => {
                match reason {
                    Unknown::NotChecked(_, parts) => {
                        result.certificate_kind = Some("search");
                        result.conditions = vec![condition_object(&Condition::NotChecked(parts.clone()))];
                    }
                    Unknown::Doubtful(counterexample, _) => {
                        let Counterexample { trace, violations } = &**counterexample;
                        result.set_counterexample(model, trace, violations);
                    }
                    _ => {}
                }
                result.set_reason(search_reason(model, reason, report));
                None
            }
        };
        result.unsupported.extend(report.cuts.iter().map(|cut| {
            let (file, line, column) = place(&model.sources, cut.declaration(model));
            UnsupportedObject { part: part(model, cut.name), reason: cut.message(model), file, line, column }
        }));
        result.further =
            report.further.iter().map(|c| further_object(model, &c.trace, &c.violations)).collect();
        let violated: Vec<Property> = first
            .into_iter()
            .chain(&report.further)
            .flat_map(|c| &c.violations)
            .flat_map(violated_properties)
            .collect();
        result.properties = subject
            .properties
            .iter()
            .map(|&p| {
                let verdict = if violated.contains(&p) {
                    PropertyVerdict::Violated
                } else if report.exhausted && !is_open(report, p) {
                    PropertyVerdict::Holds
                } else {
                    PropertyVerdict::Unknown
                };
                property_object(model, p, verdict)
            })
            .collect();
        result
    }
}

impl RunResult {
    /// Of a search that was not told of any status.
    pub fn uses_no_status(&mut self) {
        let n = self.proofs.used.len() + self.proofs.checks.used.len();
        self.proofs.used.clear();
        self.proofs.checks.used.clear();
        if n > 0 {
            self.proofs.ignored.push(format!("{n} entries: the search judges every state itself"));
        }
    }

    /// The scopes in which there was nothing to search.
    pub fn set_tried(&mut self, model: &Model, tried: &[Scope]) {
        let objects = tried.iter().map(|scope| scope_object(model, scope, &self.scope.settings));
        let others: Vec<_> = objects.filter(|object| *object != self.scope).collect();
        self.scopes_tried = others;
    }

    /// The axioms that contradict each other, by position.
    pub fn set_core(&mut self, model: &Model, core: &[usize]) {
        let object = |axiom: &Conjunct| {
            let (file, line, _) = place(&model.sources, axiom.span);
            AxiomObject { label: axiom.label.clone(), text: axiom.text.clone(), file, line }
        };
        self.core = core.iter().filter_map(|&i| model.axioms.get(i)).map(object).collect();
    }

    /// What came of the imported status beside a search: it rests on what was confirmed, and on nothing else.
    pub fn set_vetted(&mut self, model: &Model, status: &ProofStatus, vetted: &Vetted) {
        let counts = |pair: Pair| {
            vetted.confirmed.contains(&pair) || status.get(pair).is_some_and(|s| s.level == Level::Checked)
        };
        let (used, left): (Vec<_>, Vec<_>) = status.iter().partition(|(pair, _)| counts(*pair));
        let proofs = &mut self.proofs;
        proofs.used = used.into_iter().map(|(pair, status)| pair_object(model, pair, Some(status))).collect();
        proofs.wrong = vetted.wrong.iter().map(|&pair| pair_object(model, pair, status.get(pair))).collect();
        let left = left.iter().filter(|(pair, _)| !vetted.wrong.contains(pair)).count();
        if left > 0 {
            let pairs = if left == 1 { "1 pair" } else { &format!("{left} pairs") };
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
            let texts = violations.iter().flat_map(|v| violated_objects(model, v)).map(|v| v.text);
            format!("violated: {}", texts.collect::<Vec<_>>().join(", "))
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
        "the search and the reference evaluator contradict each other about {place}{under}; the search: {}; the          reference: {}",
        finding(&difference.search),
        finding(&difference.reference)
    )
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

/// The reason why a search gave no answer.
fn search_reason(model: &Model, reason: &Unknown, report: &SearchReport) -> Reason {
    match reason {
        Unknown::Cancelled => Reason::new("interrupted", ""),
        Unknown::Timeout => Reason::new("timeout", "the time limit was reached"),
        Unknown::StateLimit(n) => Reason::new("state-limit", &format!("the limit of {n} states was reached")),
        Unknown::MemoryLimit(n) => {
            Reason::new("memory", &format!("the states take more than {} MiB", n >> 20))
        }
        Unknown::TooManyValues => {
            let why = "there are more different sets, relations and large integers than can be numbered; smaller scopes have fewer";
            Reason::new("memory-limit", why)
        }
        Unknown::ValuationLimit(n) => {
            Reason::new("valuation-limit", &format!("only {n} valuations of the constants were looked at"))
        }
        Unknown::Incomplete => {
            let explanation = report.incomplete.first().map_or_else(
                || "something could not be evaluated".into(),
                |first| {
                    let named = model
                        .constants
                        .iter()
                        .find(|c| first.error.message.contains(&format!("`{}`", c.name)));
                    let help = named.map(|c| format!("; --set {}=EXPR fixes it", c.name)).unwrap_or_default();
                    format!("{}: {}{help}", first.place, first.error.message)
                },
            );
            Reason::new("incomplete", &explanation)
        }
        Unknown::Bounded => {
            let first = report.cuts.first();
            let explanation =
                first.map_or_else(String::new, |cut| bounded_reason(model, cut, report.cuts.len()));
            Reason::new("bounded", &explanation)
        }
        Unknown::NotChecked(_, parts) => {
            let open = Condition::NotChecked(parts.clone());
            Reason::new(open.code(), &format!("every state was visited, but {}", open.message()))
        }
        Unknown::Doubtful(_, why) => Reason::new("not-checked", why),
        Unknown::NotResumed(why) => Reason::new("not-resumed", why),
        Unknown::ReplayFailed(why) => Reason::new("replay-failed", why),
    }
}

/// Why a search of a bounded part of the model proves nothing, and what can be done about it.
fn bounded_reason(model: &Model, cut: &Cut, cuts: usize) -> String {
    let (file, line, _) = place(&model.sources, cut.declaration(model));
    let at = file.zip(line).map(|(f, l)| format!(" ({f}:{l})")).unwrap_or_default();
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
