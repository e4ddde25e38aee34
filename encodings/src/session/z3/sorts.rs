//! Sorts as Z3 sorts.
//!
//! All sessions of a thread share its Z3 context, where a datatype's name must not mean two things.
//! So the table of sorts is the thread's, keyed by structure.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use z3::{DatatypeAccessor, DatatypeBuilder, FuncDecl};

use crate::session::backend::SolverError;
use crate::session::names::{Names, quoted};
use crate::term::{Sort, SortKind, Terms};

/// A sort in Z3.
pub(super) struct Z3Sort {
    /// The sort itself.
    pub sort: z3::Sort,
    /// The sort as SMT-LIB text.
    pub text: String,
    /// The declarations that the text needs, each after those it needs.
    pub declarations: Vec<Rc<str>>,
    /// Constructors: the elements of an enumeration, or the one of a tuple.
    pub constructors: Vec<FuncDecl>,
    /// Components of a tuple.
    pub accessors: Vec<FuncDecl>,
}

#[derive(Default)]
struct Table {
    names: Names,
    /// By the structure written out in full, as the numbers of sorts differ from session to session.
    sorts: FxHashMap<String, Rc<Z3Sort>>,
}

thread_local! {
    static TABLE: RefCell<Table> = RefCell::default();
}

/// The Z3 sort of a sort.
pub(super) fn lower(terms: &Terms, sort: Sort) -> Result<Rc<Z3Sort>, SolverError> {
    let key = terms.sort_text(sort);
    if let Some(known) = TABLE.with_borrow(|t| t.sorts.get(&key).cloned()) {
        return Ok(known);
    }
    let made = Rc::new(make(terms, sort)?);
    TABLE.with_borrow_mut(|t| t.sorts.insert(key, made.clone()));
    Ok(made)
}

fn plain(sort: z3::Sort, text: &str) -> Z3Sort {
    Z3Sort { sort, text: text.into(), declarations: vec![], constructors: vec![], accessors: vec![] }
}

fn make(terms: &Terms, sort: Sort) -> Result<Z3Sort, SolverError> {
    let unique = |name: &str| TABLE.with_borrow_mut(|t| t.names.unique(name));
    Ok(match terms.sort_kind(sort) {
        SortKind::Bool => plain(z3::Sort::bool(), "Bool"),
        SortKind::Int => plain(z3::Sort::int(), "Int"),
        SortKind::Real => plain(z3::Sort::real(), "Real"),
        SortKind::Uninterpreted(name) => {
            let name = unique(&name);
            let text = quoted(&name);
            Z3Sort {
                declarations: vec![format!("(declare-sort {text} 0)").into()],
                ..plain(z3::Sort::uninterpreted(name.into()), &text)
            }
        }
        SortKind::Enum(name, elements) => {
            if elements.is_empty() {
                return Err(SolverError::Inexpressible(format!("the empty enumeration {name}")));
            }
            let name = unique(&name);
            let elements: Vec<String> = elements.iter().map(|e| unique(e)).collect();
            let symbols: Vec<z3::Symbol> = elements.iter().map(|e| e.as_str().into()).collect();
            let list: Vec<String> = elements.iter().map(|e| format!("({})", quoted(e))).collect();
            let text = quoted(&name);
            let declaration = format!("(declare-datatypes (({text} 0)) (({})))", list.join(" "));
            let (sort, constructors, _) = z3::Sort::enumeration(name.into(), &symbols);
            Z3Sort { declarations: vec![declaration.into()], constructors, ..plain(sort, &text) }
        }
        SortKind::Array(index, value) => {
            let (index, value) = (lower(terms, index)?, lower(terms, value)?);
            let text = format!("(Array {} {})", index.text, value.text);
            let declarations = joined([&index, &value]);
            Z3Sort { declarations, ..plain(z3::Sort::array(&index.sort, &value.sort), &text) }
        }
        SortKind::Tuple(fields) => {
            let fields = fields.iter().map(|&f| lower(terms, f)).collect::<Result<Vec<_>, _>>()?;
            let name = unique("tuple");
            let accessors: Vec<String> = (0..fields.len()).map(|i| format!("{name}.{i}")).collect();
            let parts = accessors.iter().zip(&fields);
            let list: String = parts.map(|(a, f)| format!(" ({} {})", quoted(a), f.text)).collect();
            let make = format!("{name}.make");
            let text = quoted(&name);
            let declaration = format!("(declare-datatypes (({text} 0)) ((({}{list}))))", quoted(&make));
            let parts = accessors.iter().zip(&fields);
            let parts = parts.map(|(a, f)| (a.as_str(), DatatypeAccessor::sort(f.sort.clone()))).collect();
            let built = DatatypeBuilder::new(name.as_str()).variant(&make, parts).finish();
            let variant = built.variants.into_iter().next().expect("a tuple has one constructor");
            let mut declarations = joined(&fields);
            declarations.push(declaration.into());
            Z3Sort {
                declarations,
                constructors: vec![variant.constructor],
                accessors: variant.accessors,
                ..plain(built.sort, &text)
            }
        }
    })
}

fn joined<'a>(sorts: impl IntoIterator<Item = &'a Rc<Z3Sort>>) -> Vec<Rc<str>> {
    let mut all: Vec<Rc<str>> = vec![];
    for s in sorts {
        for d in &s.declarations {
            if !all.contains(d) {
                all.push(d.clone());
            }
        }
    }
    all
}
