//! The reviewed list of models whose figures are not those of the corpus, with a reason each.

use std::collections::BTreeMap;

use super::compare::Class;

/// What is expected of the models that are listed; all others agree.
pub struct Expected(BTreeMap<(String, String), Entry>);

struct Entry {
    /// One class, or several where time decides between them, with `/` in between.
    class: String,
    figures: String,
}

impl Entry {
    fn is_slow(&self) -> bool {
        self.class.split('/').any(|class| class == Class::Unfinished.name())
    }
}

impl Expected {
    /// Reads a list: a line of question (`counts` or `verdicts`), path, class, states/transitions and reason for each
    /// model, with tabs in between; `#` begins a comment. `slow/otherwise` is slow or otherwise.
    ///
    /// # Errors
    /// A line that is none.
    pub fn read(text: &str) -> Result<Expected, String> {
        let mut entries = BTreeMap::new();
        for (i, line) in text.lines().enumerate().filter(|(_, l)| !l.is_empty() && !l.starts_with('#')) {
            let fields: Vec<&str> = line.split('\t').collect();
            let [question, path, class, figures, reason] = fields[..] else {
                return Err(format!("line {}: five fields are expected", i + 1));
            };
            let known = |class| Class::ALL.iter().any(|c| c.name() == class && *c != Class::Equal);
            if !class.split('/').all(known) || reason.is_empty() {
                return Err(format!("line {}: a class and a reason are expected", i + 1));
            }
            let entry = Entry { class: class.into(), figures: figures.into() };
            if entries.insert((question.to_owned(), path.to_owned()), entry).is_some() {
                return Err(format!("line {}: `{path}` is listed twice", i + 1));
            }
        }
        Ok(Expected(entries))
    }

    /// The models that are listed for a question.
    pub fn listed<'e>(&'e self, question: &'e str) -> impl Iterator<Item = &'e str> {
        self.0.keys().filter(move |(q, _)| q == question).map(|(_, path)| path.as_str())
    }

    /// Whether time decides about a model. The sample of the test leaves those out.
    #[allow(dead_code)]
    pub fn is_slow(&self, question: &str, path: &str) -> bool {
        self.0.get(&(question.to_owned(), path.to_owned())).is_some_and(Entry::is_slow)
    }

    /// What is wrong with the outcome for a model, if anything is: one that agrees although it is listed as well as one
    /// that does not although it is not. Where time decides, `slow`, it may agree or not be finished.
    pub fn complaint(&self, question: &str, path: &str, class: Class, figures: &str) -> Option<String> {
        let Some(entry) = self.0.get(&(question.to_owned(), path.to_owned())) else {
            return (class != Class::Equal)
                .then(|| format!("{path}: {} ({figures}), and not listed", class.name()));
        };
        let may = class == Class::Equal && entry.is_slow();
        if !may && entry.class.split('/').all(|listed| listed != class.name()) {
            return Some(format!("{path}: {}, listed as {}", class.name(), entry.class));
        }
        let other = entry.figures != "-" && figures != "-" && entry.figures != figures;
        other.then(|| format!("{path}: {figures}, listed with {}", entry.figures))
    }
}
