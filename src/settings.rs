//! The settings of a project: `bsym.toml`, in the folder of the machine or one above it.
//!
//! ```toml
//! include = ["lib", "definitions"]   # folders in which machines and files of definitions are looked for
//! maxint = 10
//! timeout = "60s"
//! scope = { TRAIN = 3 }              # or "prob"
//! set = { capacity = "4" }
//!
//! [[machine]]
//! match = "drivers/**/*.mch"         # a pattern of paths, seen from the folder of bsym.toml
//! engine = "ic3"
//! ```
//!
//! A setting has the value of a flag where the command line has none. Tables of `[[machine]]` that match come after the
//! general settings and after each other: if two set the same, the later one counts.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use bsym_language::diagnostic::nearest;
use bsym_language::int::Int;
use bsym_language::source::Source;
use clap::ValueEnum;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::arguments::{
    CheckArguments, Command, ComponentArguments, EncodingName, EngineName, LimitArguments, OutputArguments,
    PropertyName, ScopeArguments, ScopeItem, Setting, SolverArguments, VerifyArguments, duration, memory,
};
use crate::refusal::Refusal;
use crate::traces::Format;

/// The name of the file.
pub const FILE: &str = "bsym.toml";

/// The settings for one machine.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Settings {
    include: Vec<PathBuf>,
    scope: Option<Vec<ScopeItem>>,
    maxint: Option<Int>,
    minint: Option<Int>,
    set: Option<Vec<Setting>>,
    properties: Option<Vec<PropertyName>>,
    engine: Option<EngineName>,
    depth: Option<usize>,
    timeout: Option<Duration>,
    memory: Option<u64>,
    solver: Option<String>,
    encoding: Option<EncodingName>,
    warnings: Option<bool>,
}

impl Settings {
    /// Reads the settings for a machine from the nearest `bsym.toml` at or above its folder. Without one they say
    /// nothing.
    ///
    /// # Errors
    /// The file cannot be read, is no TOML, or has a key or value that is unknown.
    pub fn of(machine: &Path) -> anyhow::Result<Settings> {
        match find(machine) {
            Some(path) => {
                let text = std::fs::read_to_string(&path)
                    .with_context(|| format!("{}: the settings cannot be read", path.display()))?;
                Reader { source: Source::new(path, text) }.settings(machine)
            }
            None => Ok(Settings::default()),
        }
    }

    /// Returns the folders in which machines and files of definitions are looked for.
    pub fn include_path(&self) -> &[PathBuf] {
        &self.include
    }

    /// Returns the settings as the text of a file for this machine alone, without its folders, its time limit and what is shown;
    /// empty if they say nothing.
    pub fn text(&self) -> String {
        // Strings of JSON are strings of TOML.
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        let word = |value: Option<clap::builder::PossibleValue>| value.map(|word| quoted(word.get_name()));
        let table =
            |entries: Vec<String>| (!entries.is_empty()).then(|| format!("{{ {} }}", entries.join(", ")));
        let scope = self.scope.as_ref().and_then(|items| match items.as_slice() {
            [ScopeItem::Prob] => Some(quoted("prob")),
            items => table(
                items
                    .iter()
                    .filter_map(|item| match item {
                        ScopeItem::Size(name, size) => Some(format!("{} = {size}", quoted(name))),
                        ScopeItem::Prob => None,
                    })
                    .collect(),
            ),
        });
        let set = self.set.iter().flatten().map(|s| format!("{} = {}", quoted(&s.name), quoted(&s.value)));
        let properties = self.properties.as_ref().map(|all| {
            let words = all.iter().filter_map(|property| word(property.to_possible_value()));
            format!("[{}]", words.collect::<Vec<_>>().join(", "))
        });
        let lines = [
            ("scope", scope),
            ("maxint", self.maxint.as_ref().map(ToString::to_string)),
            ("minint", self.minint.as_ref().map(ToString::to_string)),
            ("set", table(set.collect())),
            ("properties", properties),
            ("engine", self.engine.and_then(|engine| word(engine.to_possible_value()))),
            ("depth", self.depth.map(|depth| depth.to_string())),
            ("memory", self.memory.map(|bytes| bytes.to_string())),
            ("solver", self.solver.as_deref().map(quoted)),
            ("encoding", self.encoding.and_then(|encoding| word(encoding.to_possible_value()))),
        ];
        lines.into_iter().filter_map(|(key, value)| Some(format!("{key} = {}\n", value?))).collect()
    }

    /// Fills in what the command line leaves open.
    ///
    /// # Errors
    /// As [`Settings::of`].
    pub fn fill(command: &mut Command) -> anyhow::Result<()> {
        macro_rules! fill_all {
            ($a:expr) => {
                Parts::of(&mut $a.component, &mut $a.output)
                    .scope(&mut $a.scope)
                    .limits(&mut $a.limits)
                    .solver(&mut $a.solver)
                    .fill(&$a.file)
            };
        }
        match command {
            Command::Check(a) => Settings::fill_check(a),
            Command::Bmc(a) | Command::Tree(a) | Command::Kind(a) | Command::Ic3(a) => {
                Settings::fill_verify(a, true)
            }
            Command::Mc(a) => Settings::fill_verify(&mut a.verify, false),
            Command::Ldd(a) => Settings::fill_verify(&mut a.verify, false),
            Command::Ltl(a) => fill_all!(a),
            Command::Refine(a) => fill_all!(a),
            Command::Graph(a) => fill_all!(a),
            Command::Cbc(a) => fill_all!(a),
            Command::Tests(a) => fill_all!(a),
            Command::Simulate(a) => fill_all!(a),
            Command::Export(a) => Parts::of(&mut a.component, &mut a.output)
                .scope(&mut a.scope)
                .limits(&mut a.limits)
                .fill(&a.file),
            // Their time limit applies to each line.
            Command::Animate(a) => Parts::of(&mut a.component, &mut a.output)
                .scope(&mut a.scope)
                .solver(&mut a.solver)
                .fill(&a.file),
            // An input that is no file is a formula, which belongs to no project.
            Command::Eval(a) => match a.inputs.first().map(PathBuf::from).filter(|file| file.exists()) {
                Some(file) => Parts::of(&mut a.component, &mut a.output).scope(&mut a.scope).fill(&file),
                None => Ok(()),
            },
            Command::Parse(a) => {
                Parts::of(&mut a.component, &mut a.output).limits(&mut a.limits).fill(&a.file)
            }
            Command::Po(a) => fill_all!(a),
            Command::Strengthen(a) => fill_all!(a),
            Command::Replay(a) => {
                let parts = Parts::of(&mut a.component, &mut a.output).limits(&mut a.limits);
                // Our own traces have their scope with them.
                let is_own = !matches!(Format::of(&a.trace), Ok(Format::Itf | Format::Prob));
                if is_own { parts.fill(&a.file) } else { parts.scope(&mut a.scope).fill(&a.file) }
            }
            Command::Proofs(_)
            | Command::Certify(_)
            | Command::Cache(_)
            | Command::Explain(_)
            | Command::Lsp(_)
            | Command::Worker(_)
            | Command::Completions { .. }
            | Command::Manual(_) => Ok(()),
        }
    }

    /// Fills in what the flags of an engine leave open; depth and encoding are those of symbolic engines.
    fn fill_verify(verify: &mut VerifyArguments, is_symbolic: bool) -> anyhow::Result<()> {
        if verify.component.no_project {
            return Ok(());
        }
        let settings = Settings::of(&verify.file)?;
        let parts = Parts::of(&mut verify.component, &mut verify.output);
        parts.scope(&mut verify.scope).limits(&mut verify.limits).solver(&mut verify.solver).set(&settings);
        if verify.properties.is_empty() && verify.conjunct.is_empty() {
            verify.properties = settings.properties.unwrap_or_default();
        }
        if is_symbolic {
            verify.depth = verify.depth.or(settings.depth);
        }
        if is_symbolic && verify.encoding == EncodingName::Auto {
            verify.encoding = settings.encoding.unwrap_or_default();
        }
        Ok(())
    }

    /// Fills in what the flags of `check` leave open.
    ///
    /// # Errors
    /// As [`Settings::of`].
    pub fn fill_check(check: &mut CheckArguments) -> anyhow::Result<()> {
        if check.engine.is_none() && !check.verify.component.no_project {
            check.engine = Settings::of(&check.verify.file)?.engine;
        }
        Settings::fill_verify(&mut check.verify, check.engine != Some(EngineName::Mc))
    }
}

/// Returns the places of settings for a machine, the nearest first.
pub fn places(machine: &Path) -> Vec<PathBuf> {
    let whole = std::path::absolute(machine).unwrap_or_else(|_| machine.to_owned());
    let above = whole.ancestors().skip(usize::from(!machine.is_dir()));
    above.map(|folder| folder.join(FILE)).collect()
}

/// Returns the nearest file of settings at or above the folder of a machine.
pub fn find(machine: &Path) -> Option<PathBuf> {
    let path = places(machine).into_iter().find(|path| path.is_file())?;
    // As people name it, where they can.
    let here = std::env::current_dir().ok().and_then(|here| Some(path.strip_prefix(here).ok()?.to_owned()));
    Some(here.unwrap_or(path))
}

/// Arguments of a command that settings can fill in.
struct Parts<'a> {
    component: &'a mut ComponentArguments,
    output: &'a mut OutputArguments,
    scope: Option<&'a mut ScopeArguments>,
    limits: Option<&'a mut LimitArguments>,
    solver: Option<&'a mut SolverArguments>,
}

impl<'a> Parts<'a> {
    fn of(component: &'a mut ComponentArguments, output: &'a mut OutputArguments) -> Parts<'a> {
        Parts { component, output, scope: None, limits: None, solver: None }
    }

    fn scope(self, scope: &'a mut ScopeArguments) -> Parts<'a> {
        Parts { scope: Some(scope), ..self }
    }

    fn limits(self, limits: &'a mut LimitArguments) -> Parts<'a> {
        Parts { limits: Some(limits), ..self }
    }

    fn solver(self, solver: &'a mut SolverArguments) -> Parts<'a> {
        Parts { solver: Some(solver), ..self }
    }

    fn fill(self, machine: &Path) -> anyhow::Result<()> {
        if !self.component.no_project {
            self.set(&Settings::of(machine)?);
        }
        Ok(())
    }

    fn set(self, settings: &Settings) {
        // A process that carries out a part of the work gets everything from this one.
        self.component.no_project = true;
        self.component.include.extend(settings.include.iter().cloned());
        self.output.no_warnings |= settings.warnings == Some(false);
        if let Some(scope) = self.scope {
            for item in settings.scope.iter().flatten() {
                let is_given = scope.scope.iter().any(|given| match (given, item) {
                    (ScopeItem::Size(given, _), ScopeItem::Size(name, _)) => given == name,
                    (given, item) => given == item,
                });
                if !is_given {
                    scope.scope.push(item.clone());
                    if let ScopeItem::Size(name, _) = item {
                        scope.sets_of_project.push(name.clone());
                    }
                }
            }
            scope.maxint = scope.maxint.take().or_else(|| settings.maxint.clone());
            scope.minint = scope.minint.take().or_else(|| settings.minint.clone());
            let is_open = |setting: &&Setting| scope.set.iter().all(|given| given.name != setting.name);
            let open: Vec<Setting> = settings.set.iter().flatten().filter(is_open).cloned().collect();
            scope.set.extend(open);
        }
        if let Some(limits) = self.limits {
            limits.timeout = limits.timeout.or(settings.timeout);
            limits.memory = limits.memory.or(settings.memory);
        }
        if let Some(solver) = self.solver {
            solver.name = solver.name.take().or_else(|| settings.solver.clone());
        }
    }
}

/// The keys, in the order in which they are listed.
const KEYS: [&str; 14] = [
    "include",
    "scope",
    "maxint",
    "minint",
    "set",
    "properties",
    "engine",
    "depth",
    "timeout",
    "memory",
    "solver",
    "encoding",
    "warnings",
    "machine",
];

type Entry<'t, 'i> = (&'t str, Range<usize>, &'t Spanned<DeValue<'i>>);

/// Reader of a file of settings, which records the place of every mistake.
struct Reader {
    source: Source,
}

impl Reader {
    fn settings(&self, machine: &Path) -> anyhow::Result<Settings> {
        let table = DeTable::parse(&self.source.text)
            .map_err(|error| self.wrong(error.span().unwrap_or(0..0), error.message(), "it is no TOML"))?;
        let mut settings = Settings::default();
        let mut tables = vec![];
        for (key, span, value) in entries(table.get_ref()) {
            match key {
                "machine" => tables.push(value),
                _ => self.set(&mut settings, (key, span, value), &KEYS)?,
            }
        }
        for tables in tables {
            let all = tables.get_ref().as_array();
            let all = all.ok_or_else(|| {
                self.wrong(tables.span(), "`machine` is no list of tables", "write `[[machine]]`")
            })?;
            for table in all.iter() {
                self.machine(&mut settings, table, machine)?;
            }
        }
        Ok(settings)
    }

    /// Reads a table of `[[machine]]`, even if it does not match, so that a mistake shows at once.
    fn machine(
        &self,
        settings: &mut Settings,
        table: &Spanned<DeValue<'_>>,
        machine: &Path,
    ) -> anyhow::Result<()> {
        let help = "write `[[machine]]`, `match = \"PATTERN\"` and settings";
        let entries_of = table.get_ref().as_table();
        let entries_of = entries_of.ok_or_else(|| self.wrong(table.span(), "`machine` is no table", help))?;
        let mut own = settings.clone();
        let mut is_meant = None;
        for (key, span, value) in entries(entries_of) {
            if key == "match" {
                is_meant = Some(self.matches(value, machine)?);
            } else {
                let keys: Vec<&str> = ["match"].into_iter().chain(KEYS.into_iter().take(13)).collect();
                self.set(&mut own, (key, span, value), &keys)?;
            }
        }
        match is_meant {
            None => Err(self.wrong(table.span(), "it says nothing about which machines it is for", help)),
            Some(true) => {
                *settings = own;
                Ok(())
            }
            Some(false) => Ok(()),
        }
    }

    fn matches(&self, value: &Spanned<DeValue<'_>>, machine: &Path) -> anyhow::Result<bool> {
        let text = self.text(value, "a pattern such as `drivers/*.mch`")?;
        let pattern = glob::Pattern::new(&text).map_err(|error| {
            self.wrong(
                value.span(),
                &format!("`{text}` is no pattern: {}", error.msg),
                "`*` stands for any name, `**` for any folders",
            )
        })?;
        let options = glob::MatchOptions { require_literal_separator: true, ..glob::MatchOptions::new() };
        // The folder of a file in the current folder is the empty path, which cannot be made absolute.
        let folder = std::env::current_dir()?.join(self.folder());
        let whole = std::path::absolute(machine)?;
        let seen = whole.strip_prefix(&folder).unwrap_or(&whole);
        Ok(pattern.matches_path_with(seen, options))
    }

    fn set(&self, settings: &mut Settings, entry: Entry<'_, '_>, keys: &[&str]) -> anyhow::Result<()> {
        let (key, span, value) = entry;
        match key {
            "include" => {
                let names = self.texts(value, "a list of folders")?;
                settings.include = names.iter().map(|name| self.folder().join(name)).collect();
                if let Some((name, path)) =
                    names.iter().zip(&settings.include).find(|(_, path)| !path.is_dir())
                {
                    let help =
                        format!("paths begin at the folder of {FILE}: there is no `{}`", path.display());
                    return Err(self.wrong(value.span(), &format!("there is no folder `{name}`"), &help));
                }
            }
            "scope" => settings.scope = Some(self.scope(value)?),
            "maxint" => settings.maxint = Some(self.integer(value)?),
            "minint" => settings.minint = Some(self.integer(value)?),
            "set" => settings.set = Some(self.constants(value)?),
            "properties" => {
                let names = self.texts(value, "a list of properties")?;
                let all = names.iter().map(|name| self.word(value.span(), name));
                settings.properties = Some(all.collect::<anyhow::Result<_>>()?);
            }
            "engine" => settings.engine = Some(self.word(value.span(), &self.text(value, "an engine")?)?),
            "depth" => {
                let depth = self.integer(value)?.to_string().parse();
                settings.depth = Some(depth.map_err(|_| {
                    self.wrong(value.span(), "a depth is not negative", "write `depth = 20`")
                })?);
            }
            "timeout" => settings.timeout = Some(self.read(value, duration)?),
            "memory" => settings.memory = Some(self.read(value, memory)?),
            "solver" => settings.solver = Some(self.text(value, "the name or path of a solver")?),
            "encoding" => {
                settings.encoding = Some(self.word(value.span(), &self.text(value, "an encoding")?)?)
            }
            "warnings" => {
                let is_shown = value.get_ref().as_bool();
                let help = "write `warnings = true` or `warnings = false`";
                settings.warnings =
                    Some(is_shown.ok_or_else(|| self.wrong(value.span(), "expected true or false", help))?);
            }
            _ => {
                let help = match nearest(key, keys.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("the keys are {}", keys.join(", ")),
                };
                return Err(self.wrong(span, &format!("there is no setting `{key}`"), &help));
            }
        }
        Ok(())
    }

    fn scope(&self, value: &Spanned<DeValue<'_>>) -> anyhow::Result<Vec<ScopeItem>> {
        let help = "write `scope = { SET = 3 }`, or `scope = \"prob\"` for ProB's finite scope";
        match value.get_ref() {
            DeValue::String(text) if text == "prob" => Ok(vec![ScopeItem::Prob]),
            DeValue::Table(table) => {
                let size = |(set, _, size): Entry<'_, '_>| {
                    let number = self.integer(size)?.to_string().parse();
                    let number =
                        number.map_err(|_| self.wrong(size.span(), "a size is a natural number", help))?;
                    Ok(ScopeItem::Size(set.into(), number))
                };
                entries(table).map(size).collect()
            }
            _ => Err(self.wrong(value.span(), "expected the sizes of sets", help)),
        }
    }

    fn constants(&self, value: &Spanned<DeValue<'_>>) -> anyhow::Result<Vec<Setting>> {
        let help = "write `set = { constant = \"EXPRESSION\" }`";
        let table = value.get_ref().as_table();
        let table = table.ok_or_else(|| self.wrong(value.span(), "expected values of constants", help))?;
        let of = |(name, _, value): Entry<'_, '_>| {
            let value = match value.get_ref() {
                DeValue::Integer(_) => self.integer(value)?.to_string(),
                _ => self.text(value, "an expression of B")?,
            };
            Ok(Setting { name: name.into(), value, is_of_project: true })
        };
        entries(table).map(of).collect()
    }

    fn integer(&self, value: &Spanned<DeValue<'_>>) -> anyhow::Result<Int> {
        let digits = value.get_ref().as_integer().filter(|number| number.radix() == 10);
        let number =
            digits.and_then(|digits| digits.as_str().trim_start_matches('+').replace('_', "").parse().ok());
        number.ok_or_else(|| self.wrong(value.span(), "expected an integer", "write it without quotes"))
    }

    fn text(&self, value: &Spanned<DeValue<'_>>, what: &str) -> anyhow::Result<String> {
        let text = value.get_ref().as_str();
        let wrong = || self.wrong(value.span(), &format!("expected {what}"), "write it in quotes");
        text.map(str::to_string).ok_or_else(wrong)
    }

    fn texts(&self, value: &Spanned<DeValue<'_>>, what: &str) -> anyhow::Result<Vec<String>> {
        let list = value.get_ref().as_array();
        let list = list.ok_or_else(|| {
            self.wrong(value.span(), &format!("expected {what}"), "write it in brackets: [\"…\", \"…\"]")
        })?;
        list.iter().map(|text| self.text(text, what)).collect()
    }

    fn read<T>(
        &self,
        value: &Spanned<DeValue<'_>>,
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> anyhow::Result<T> {
        let text = match value.get_ref() {
            DeValue::Integer(number) => number.as_str().to_string(),
            _ => self.text(value, "a text such as \"60s\" or \"4G\"")?,
        };
        parse(&text)
            .map_err(|error| self.wrong(value.span(), &error, "it is written as the flag of that name"))
    }

    fn word<T: ValueEnum>(&self, span: Range<usize>, text: &str) -> anyhow::Result<T> {
        T::from_str(text, false).map_err(|_| {
            let all = T::value_variants().iter().filter_map(ValueEnum::to_possible_value);
            let names: Vec<String> = all.map(|value| value.get_name().to_string()).collect();
            let help = match nearest(text, names.iter().map(String::as_str)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the words are {}", names.join(", ")),
            };
            self.wrong(span, &format!("there is no `{text}`"), &help)
        })
    }

    fn folder(&self) -> PathBuf {
        self.source.path.parent().unwrap_or(Path::new("")).to_owned()
    }

    fn wrong(&self, span: Range<usize>, message: &str, help: &str) -> anyhow::Error {
        let at = u32::try_from(span.start).unwrap_or(0);
        let place = self.source.position(at);
        let place = format!("{}:{}:{}", self.source.path.display(), place.line, place.column);
        Refusal::new(format!("{place}: {}", message.lines().next().unwrap_or_default())).help(help).into()
    }
}

/// The entries of a table in the order of the file.
fn entries<'t, 'i>(table: &'t DeTable<'i>) -> impl Iterator<Item = Entry<'t, 'i>> {
    let mut all: Vec<Entry<'t, 'i>> =
        table.iter().map(|(key, value)| (&**key.get_ref(), key.span(), value)).collect();
    all.sort_by_key(|(_, span, _)| span.start);
    all.into_iter()
}
