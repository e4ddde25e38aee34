//! Rows in less memory: if values of variables take more memory than rows, rows get another layout, in which values lie
//! as trees that share their parts.
//!
//! It is not a layer: no answer of the system changes, and the states that a search keeps have to change with it.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use super::cached::Cached;
use super::dependency_matrix::GroupId;
use super::machine::Machine;
use super::system::System;
use super::updates::Updates;
use crate::store::layout::{Form, Layout};
use crate::store::state_table::{StateId, Table};
use crate::tuning::{Tuning, tuning};

/// Checks from time to time whether another layout of rows takes less memory.
pub struct Condensing {
    /// Number of states at which the next check is due.
    look_at: usize,
}

impl Default for Condensing {
    fn default() -> Condensing {
        Condensing { look_at: tuning().space.first_look }
    }
}

impl Condensing {
    /// Returns the states of a table in another form, if they take less memory so. Afterwards all rows, and the matrix,
    /// are of that form: columns have moved, and groups and labels have kept their numbers.
    pub fn condense(&mut self, system: &mut Cached<Machine<'_>>, table: &Table) -> Option<Table> {
        if table.len() < self.look_at || system.is_stopped() {
            return None;
        }
        self.look_at = 2 * table.len();
        let layout = system.layout_for(table)?;
        let (variables, mut row) = (system.context.variables.len(), vec![0; table.width()]);
        let mut condensed = Table::new(layout.width() + table.width() - variables);
        // The words are still those of the plain layout.
        system.set_layout(layout)?;
        for state in 0..table.len() as StateId {
            table.read(state, &mut row);
            let mut new = system.context.row_of(row[..variables].to_vec());
            new.extend(&row[variables..]);
            let hash = condensed.hash(&new);
            condensed.append(&new, hash, table.parent(state));
        }
        system.context.store.give_back();
        Some(condensed)
    }
}

impl Machine<'_> {
    /// Frees the values that are kept apart from rows, once they take many of the bytes that all states take. Only rows
    /// keep their meaning.
    pub fn tidy(&mut self, bytes: usize) {
        let passing = self.context.store.passing_bytes();
        if passing >= Tuning::DEFAULT.space.least_passing
            && passing * Tuning::DEFAULT.space.passing >= bytes
            && !self.context.layout.is_plain()
        {
            self.context.store.forget();
        }
    }

    /// Makes updates of variables those of their columns. They are updates of a row.
    pub(super) fn fold_updates(&mut self, group: GroupId, row: &[u32], updates: &mut Updates) {
        if self.context.layout.is_plain() {
            return;
        }
        let Machine { context, matrix, events, by_variable, by_column, .. } = self;
        let writes = &events[group.index()].writes;
        std::mem::swap(updates, by_variable);
        updates.start(matrix.groups[group.index()].may_write.len());
        for update in by_variable.iter() {
            by_column.clear();
            for (i, variable) in writes.iter().enumerate() {
                if update.is_written(i) {
                    context.fold_change(*variable, row, update.words[i], by_column);
                } else {
                    by_column.extend(context.layout.columns(*variable).map(|_| None));
                }
            }
            updates.push(by_column.drain(..));
        }
    }

    /// Gives rows another layout. Rows that were made before must not be used any more.
    ///
    /// `None` if the layout is not the plain one, or the variables cannot be written in these forms.
    pub fn set_layout(&mut self, layout: Layout) -> Option<()> {
        if !self.context.layout.is_plain() || !layout.fits(&self.context.variables) {
            return None;
        }
        if layout.is_plain() {
            return Some(());
        }
        let matrix = Arc::make_mut(&mut self.matrix);
        let parts = |name: &str, columns: Range<usize>| {
            let half = |i: usize| if i == 0 { name.to_owned() } else { format!("{name}'") };
            (0..columns.len()).map(half).collect::<Vec<String>>()
        };
        let names = matrix.columns.iter().enumerate();
        matrix.columns = names.flat_map(|(v, name)| parts(name, layout.columns(v))).collect();
        matrix.root = matrix.root.map(|_| layout.width());
        for group in &mut matrix.groups {
            for columns in [&mut group.reads, &mut group.may_write, &mut group.must_write] {
                *columns = layout.columns_of(columns);
            }
        }
        for label in &mut matrix.labels {
            label.reads = layout.columns_of(&label.reads);
        }
        (self.width, self.values_end) = (matrix.width(), layout.width());
        self.context.layout = layout;
        Some(())
    }

    /// The layout in which the states of a table would take less memory, if there is one: values that differ in nearly
    /// every state as halves, and no value as a word that cannot be forgotten.
    fn layout_for(&self, table: &Table) -> Option<Layout> {
        let values = self.context.store.unfolded_bytes();
        if !self.context.layout.is_plain()
            || values < Tuning::DEFAULT.space.least_values
            || values < table.bytes()
        {
            return None;
        }
        let mut row = vec![0; table.width()];
        let mut distinct = vec![HashSet::new(); self.context.variables.len()];
        for state in 0..table.len() as StateId {
            table.read(state, &mut row);
            for ((seen, rep), word) in distinct.iter_mut().zip(&self.context.variables).zip(&row) {
                if rep.is_list() {
                    seen.insert(*word);
                }
            }
        }
        let forms = self.context.variables.iter().zip(&distinct).map(|(rep, seen)| match &**rep {
            rep if rep.is_plain() => Form::Word,
            rep if rep.is_list() && seen.len() * tuning().space.own >= table.len() => Form::Halves,
            _ => Form::Folded,
        });
        let forms: Vec<Form> = forms.collect();
        // Values that many states share make rows no larger: only the memory of the values shrinks, and can be
        // forgotten.
        let pays = forms.contains(&Form::Halves) || values >= tuning().space.far_more * table.bytes();
        pays.then(|| Layout::new(forms))
    }
}
