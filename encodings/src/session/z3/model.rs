//! Values of a Z3 model.

use std::str::FromStr;

use bsym_language::int::Int;
use num_bigint::BigInt;
use num_rational::BigRational;
use rustc_hash::FxHashMap;
use z3::ast::{Ast, Dynamic};
use z3::{DeclKind, FuncDecl, Model};

use super::lower::Lowering;
use crate::session::backend::SolverError;
use crate::session::evaluate::any_value;
use crate::session::parse::Meaning;
use crate::session::sexpr::{self, Sexpr};
use crate::session::value::{TermValue, array_value};
use crate::term::{Sort, SortKind, Terms};
use crate::tuning::tuning;

/// Reads an expression that Z3 gave as a value.
pub(super) fn read(
    lowering: &mut Lowering,
    model: &Model,
    d: &Dynamic,
    sort: Sort,
) -> Result<TermValue, SolverError> {
    Ok(value(lowering, model, d, sort, 0)?.unwrap_or_else(|| TermValue::Opaque(d.to_string())))
}

/// Reads what a model says of a function that stands for an array of this sort, at all arguments that the model knows
/// of.
///
/// The table that Z3 gives for a function may be a formula over functions of its own, so Z3 is asked for every value.
pub(super) fn read_function(
    lowering: &mut Lowering,
    model: &Model,
    function: &FuncDecl,
    sort: Sort,
) -> Result<TermValue, SolverError> {
    let terms = lowering.shared_terms();
    let (index, element) = terms.array_parts(sort);
    let mut rows: Vec<Vec<(Dynamic, TermValue)>> = vec![vec![]];
    for sort in terms.argument_sorts(index) {
        let values = elements(lowering, model, sort)?;
        if values.is_empty() || rows.len() * values.len() > tuning().z3.arguments {
            return Ok(TermValue::Opaque(function.name()));
        }
        rows = rows
            .iter()
            .flat_map(|row| values.iter().map(|v| [row.as_slice(), std::slice::from_ref(v)].concat()))
            .collect();
    }
    let mut entries = vec![];
    for row in rows {
        let arguments: Vec<&dyn Ast> = row.iter().map(|(d, _)| d as &dyn Ast).collect();
        let Some(found) = model.eval(&function.apply(&arguments), true) else { continue };
        let at = index_of(&terms, index, &mut row.into_iter().map(|(_, value)| value));
        entries.push((at, read(lowering, model, &found, element)?));
    }
    let default = any_value(&terms, element);
    Ok(array_value(default, entries).unwrap_or_else(|| TermValue::Opaque(function.name())))
}

/// The values of a sort in a model, where they are finitely many.
fn elements(
    lowering: &mut Lowering,
    model: &Model,
    sort: Sort,
) -> Result<Vec<(Dynamic, TermValue)>, SolverError> {
    let known = lowering.sort(sort)?;
    let all: Vec<Dynamic> = match lowering.terms().sort_kind(sort) {
        SortKind::Bool => [true, false].map(|b| z3::ast::Bool::from_bool(b).into()).to_vec(),
        SortKind::Enum(..) => known.constructors.iter().map(|c| c.apply(&[])).collect(),
        SortKind::Uninterpreted(_) => match model.get_sort_universe(&known.sort) {
            Some(universe) => (0..universe.len()).map(|i| universe.get(i)).collect(),
            None => vec![],
        },
        _ => vec![],
    };
    let mut values = vec![];
    for d in all {
        let value = read(lowering, model, &d, sort)?;
        values.push((d, value));
    }
    Ok(values)
}

/// The index that these arguments are.
fn index_of(terms: &Terms, sort: Sort, arguments: &mut dyn Iterator<Item = TermValue>) -> TermValue {
    match terms.sort_kind(sort) {
        SortKind::Tuple(fields) => {
            TermValue::Tuple(fields.iter().map(|&f| index_of(terms, f, arguments)).collect())
        }
        _ => arguments.next().unwrap_or_else(|| any_value(terms, sort)),
    }
}

/// `None` if the form is not understood.
fn value(
    lowering: &mut Lowering,
    model: &Model,
    d: &Dynamic,
    sort: Sort,
    depth: usize,
) -> Result<Option<TermValue>, SolverError> {
    if depth > tuning().z3.depth {
        return Ok(None);
    }
    let depth = depth + 1;
    Ok(match lowering.terms().sort_kind(sort) {
        SortKind::Bool => d.as_bool().and_then(|b| b.as_bool()).map(TermValue::Bool),
        SortKind::Int => {
            number(d).filter(|n| n.is_integer()).map(|n| TermValue::Int(Int::from(n.to_integer())))
        }
        SortKind::Real => number(d).map(TermValue::Real),
        SortKind::Uninterpreted(_) => {
            let named = d.is_app() && d.num_children() == 0;
            named.then(|| TermValue::Element(sort, d.to_string().into()))
        }
        SortKind::Enum(..) => {
            let Ok(decl) = d.safe_decl() else { return Ok(None) };
            let name = decl.name();
            let position = lowering.sort(sort)?.constructors.iter().position(|c| c.name() == name);
            position.map(|i| TermValue::Constructor(sort, i as u32))
        }
        SortKind::Tuple(fields) => {
            if !d.is_app() || d.num_children() != fields.len() {
                return Ok(None);
            }
            let mut values = vec![];
            for (part, &field) in d.children().iter().zip(fields.iter()) {
                let Some(v) = value(lowering, model, part, field, depth)? else { return Ok(None) };
                values.push(v);
            }
            Some(TermValue::Tuple(values))
        }
        SortKind::Array(index, element) => array(lowering, model, d, index, element, depth)?,
    })
}

fn array(
    lowering: &mut Lowering,
    model: &Model,
    d: &Dynamic,
    index: Sort,
    element: Sort,
    depth: usize,
) -> Result<Option<TermValue>, SolverError> {
    // The outermost store is the one that counts, so the chain is read from outside.
    let mut stores = vec![];
    let mut rest = d.clone();
    loop {
        let Ok(decl) = rest.safe_decl() else {
            let sort = lowering.terms().array_sort(index, element);
            let Some(TermValue::Array { default, entries }) = printed(lowering, &rest, sort)? else {
                return Ok(None);
            };
            stores.extend(entries);
            return Ok(array_value(*default, stores));
        };
        match decl.kind() {
            DeclKind::Store if rest.num_children() == 3 => {
                let parts = rest.children();
                let Some(i) = value(lowering, model, &parts[1], index, depth)? else { return Ok(None) };
                let Some(v) = value(lowering, model, &parts[2], element, depth)? else { return Ok(None) };
                stores.push((i, v));
                rest = parts[0].clone();
            }
            DeclKind::ConstArray => {
                let Some(default) = value(lowering, model, &rest.children()[0], element, depth)? else {
                    return Ok(None);
                };
                return Ok(array_value(default, stores));
            }
            DeclKind::AsArray => {
                let function = rest.as_array().and_then(|a| a.as_array_func_decl());
                let Some(table) = function.and_then(|f| model.get_func_interp(&f)) else { return Ok(None) };
                for entry in table.get_entries() {
                    let [at] = &entry.get_args()[..] else { return Ok(None) };
                    let Some(i) = value(lowering, model, at, index, depth)? else { return Ok(None) };
                    let Some(v) = value(lowering, model, &entry.get_value(), element, depth)? else {
                        return Ok(None);
                    };
                    stores.push((i, v));
                }
                let Some(default) = table.get_else() else { return Ok(None) };
                let Some(default) = value(lowering, model, &default, element, depth)? else {
                    return Ok(None);
                };
                return Ok(array_value(default, stores));
            }
            _ => return Ok(None),
        }
    }
}

/// A value that is given by a formula (a lambda), read as Z3 prints it.
fn printed(lowering: &mut Lowering, d: &Dynamic, sort: Sort) -> Result<Option<TermValue>, SolverError> {
    let (mut constructors, mut tuples) = (FxHashMap::default(), FxHashMap::default());
    let mut open = vec![sort];
    while let Some(sort) = open.pop() {
        match lowering.terms().sort_kind(sort) {
            SortKind::Bool | SortKind::Int | SortKind::Real => {}
            // Elements are told apart by what Z3 prints, which the text would have to give back to the letter.
            SortKind::Uninterpreted(_) => return Ok(None),
            SortKind::Enum(..) => {
                let known = lowering.sort(sort)?;
                let named = known.constructors.iter().enumerate();
                constructors.extend(named.map(|(i, c)| (c.name(), (sort, i as u32))));
            }
            SortKind::Tuple(fields) => {
                tuples.extend(lowering.sort(sort)?.constructors.iter().map(|c| (c.name(), sort)));
                open.extend(fields.iter());
            }
            SortKind::Array(index, element) => open.extend([index, element]),
        }
    }
    let Some([text]) = sexpr::read(&d.to_string()).and_then(|all| <[Sexpr; 1]>::try_from(all).ok()) else {
        return Ok(None);
    };
    let meaning = Meaning { terms: lowering.terms(), constructors: &constructors, tuples: &tuples };
    Ok(Some(meaning.value(&text, sort)))
}

/// An integer or rational literal.
fn number(d: &Dynamic) -> Option<BigRational> {
    if let Some(n) = d.as_int().and_then(|i| i.as_i64()) {
        return Some(BigRational::from_integer(n.into()));
    }
    if let Some((n, m)) = d.as_real().and_then(|r| r.as_rational()) {
        return Some(BigRational::new(n.into(), m.into()));
    }
    let text = d.to_string();
    let words: Vec<&str> = text.split(['(', ')', ' ']).filter(|w| !w.is_empty()).collect();
    let digits = |w: &str| BigInt::from_str(w.strip_suffix(".0").unwrap_or(w)).ok();
    let ratio = |n: &str, m: &str| Some((digits(n)?, digits(m)?)).filter(|(_, m)| *m != BigInt::ZERO);
    match words[..] {
        [n] => digits(n).map(BigRational::from_integer),
        ["-", n] => digits(n).map(|n| BigRational::from_integer(-n)),
        ["/", n, m] => ratio(n, m).map(|(n, m)| BigRational::new(n, m)),
        ["-", "/", n, m] | ["/", "-", n, m] => ratio(n, m).map(|(n, m)| BigRational::new(-n, m)),
        _ => None,
    }
}
