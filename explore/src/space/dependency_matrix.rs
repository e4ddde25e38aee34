//! Read and write sets: which columns of a row the groups and labels of a system read and write. The dependency
//! matrices of LTSmin (Blom, van de Pol, Weber, *LTSmin: Distributed and Symbolic Reachability*, CAV 2010), with writes
//! that may happen and writes that must apart (Meijer, Kant, Blom, van de Pol, *Read, Write and Copy Dependencies for
//! Symbolic Model Checking*, HVC 2014).

use std::collections::BTreeSet;
use std::fmt;

/// A group of transitions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct GroupId(pub u32);

/// A predicate about states.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LabelId(pub u32);

impl GroupId {
    /// The position.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl LabelId {
    /// The position.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Transitions of one kind: those of one event, or of the step that some systems take together.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Group {
    /// Name of the group.
    pub name: String,
    /// Columns that decide what the group does, ascending: two rows that agree there have the same updates.
    pub reads: Vec<usize>,
    /// Columns that some transition changes, ascending. An update has a word for each.
    pub may_write: Vec<usize>,
    /// Columns that every transition writes, whatever they held before; ascending, some of those above.
    pub must_write: Vec<usize>,
    /// Guards: the group is disabled if one of these is false. If all are true it may still be disabled: the values of
    /// its parameters have guards of their own.
    pub guards: Vec<LabelId>,
}

/// Predicate that a label stands for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum LabelKind {
    /// A conjunct of the invariant, by position.
    Invariant(usize),
    /// An assertion, by position.
    Assertion(usize),
    /// The goal.
    Goal,
    /// A guard that does not depend on parameters; the groups list theirs.
    Guard,
    /// A predicate of a temporal formula.
    Proposition,
}

/// A predicate about states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// The predicate.
    pub kind: LabelKind,
    /// Columns that decide its truth, ascending.
    pub reads: Vec<usize>,
}

/// The columns of a system's rows, and how its groups and labels depend on them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DependencyMatrix {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The column with the root of a row, if there are several roots.
    pub root: Option<usize>,
    /// The groups, by their number.
    pub groups: Vec<Group>,
    /// The labels, by their number.
    pub labels: Vec<Label>,
}

impl DependencyMatrix {
    /// Words of a row.
    pub fn width(&self) -> usize {
        self.columns.len()
    }

    /// The root of a row.
    #[inline]
    pub fn root(&self, row: &[u32]) -> usize {
        self.root.map_or(0, |at| row[at] as usize)
    }

    /// All groups.
    pub fn group_ids(&self) -> impl Iterator<Item = GroupId> + use<> {
        (0..self.groups.len() as u32).map(GroupId)
    }

    /// All labels.
    pub fn label_ids(&self) -> impl Iterator<Item = LabelId> + use<> {
        (0..self.labels.len() as u32).map(LabelId)
    }

    /// A group.
    #[inline]
    pub fn group(&self, group: GroupId) -> &Group {
        &self.groups[group.index()]
    }

    /// A label.
    pub fn label(&self, label: LabelId) -> &Label {
        &self.labels[label.index()]
    }

    /// Columns that decide whether an undefined truth value of a label is a violation: those of the properties that are
    /// listed before it, and its own.
    pub fn context(&self, label: LabelId) -> Vec<usize> {
        let is_before = |kind: LabelKind| match (kind, self.label(label).kind) {
            (LabelKind::Invariant(i), LabelKind::Invariant(last)) => i <= last,
            (LabelKind::Assertion(i), LabelKind::Assertion(last)) => i <= last,
            (kind, of_label) => kind == of_label,
        };
        let labels = self.labels.iter().filter(|other| is_before(other.kind));
        let columns: BTreeSet<usize> = labels.flat_map(|other| other.reads.iter().copied()).collect();
        columns.into_iter().collect()
    }

    /// The label of this kind, if there is one.
    pub fn find(&self, kind: LabelKind) -> Option<LabelId> {
        self.label_ids().find(|label| self.label(*label).kind == kind)
    }

    /// Returns whether a group writes a column that a label reads, so that a transition of the group may change the
    /// truth of the label.
    pub fn may_change(&self, group: GroupId, label: LabelId) -> bool {
        let reads = &self.label(label).reads;
        self.group(group).may_write.iter().any(|at| reads.binary_search(at).is_ok())
    }
}

/// A line for each group, as LTSmin prints it: `+` reads and writes, `r` reads, `w` writes always, `W` writes
/// perhaps, `-` neither.
impl fmt::Display for DependencyMatrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for group in &self.groups {
            for at in 0..self.width() {
                let has = |columns: &[usize]| columns.binary_search(&at).is_ok();
                let sign = match (has(&group.reads), has(&group.may_write), has(&group.must_write)) {
                    (true, true, _) => '+',
                    (true, false, _) => 'r',
                    (false, true, true) => 'w',
                    (false, true, false) => 'W',
                    (false, false, _) => '-',
                };
                write!(f, "{sign}")?;
            }
            writeln!(f, " {}", group.name)?;
        }
        Ok(())
    }
}

/// The words of a row in some columns: a short row.
pub fn project(row: &[u32], columns: &[usize]) -> Vec<u32> {
    columns.iter().map(|at| row[*at]).collect()
}

/// Puts a short row into the columns of a row.
pub fn insert(short: &[u32], columns: &[usize], row: &mut [u32]) {
    for (word, at) in short.iter().zip(columns) {
        row[*at] = *word;
    }
}
