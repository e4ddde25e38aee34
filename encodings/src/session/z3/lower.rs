//! Terms as Z3 expressions.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::str::FromStr;

use z3::ast::{Array, Ast, Bool, Dynamic, Int, Real, Set};
use z3::{FuncDecl, Solver};

use super::sorts::{self, Z3Sort};
use crate::budget::spend;
use crate::session::backend::SolverError;
use crate::term::{Node, Op, Sort, SortKind, SymbolId, Term, Terms};
use crate::tuning::tuning;

/// Terms already lowered, of one session.
///
/// All of a thread's sessions share one context of Z3, which numbers its expressions and gives free numbers out again;
/// the order of these numbers decides among its models. So the maps are ordered: what they free when the session
/// ends is freed in the same order in each run.
pub(super) struct Lowering {
    terms: Rc<Terms>,
    sorts: BTreeMap<Sort, Rc<Z3Sort>>,
    done: BTreeMap<Term, Dynamic>,
    /// Point-wise `ite` for an array sort; `None` where Z3 does not give it to us.
    array_ite: BTreeMap<Sort, Option<FuncDecl>>,
    /// `true` if arrays are only read, so that symbols for them are functions.
    pub functions: bool,
}

impl Lowering {
    pub fn new(terms: Rc<Terms>) -> Self {
        Lowering {
            terms,
            sorts: BTreeMap::new(),
            done: BTreeMap::new(),
            array_ite: BTreeMap::new(),
            functions: false,
        }
    }

    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// Returns the terms as a shared pointer, for callers that lower more on the way.
    pub fn shared_terms(&self) -> Rc<Terms> {
        self.terms.clone()
    }

    /// A sort in Z3.
    pub fn sort(&mut self, sort: Sort) -> Result<Rc<Z3Sort>, SolverError> {
        if let Some(s) = self.sorts.get(&sort) {
            return Ok(s.clone());
        }
        let lowered = sorts::lower(&self.terms, sort)?;
        self.sorts.insert(sort, lowered.clone());
        Ok(lowered)
    }

    /// A Boolean term in Z3.
    pub fn bool(&mut self, t: Term) -> Result<Bool, SolverError> {
        bool(&self.term(t)?)
    }

    /// A term in Z3. Shared parts are lowered once; the depth of the term does not matter.
    pub fn term(&mut self, t: Term) -> Result<Dynamic, SolverError> {
        let mut stack = vec![(t, false)];
        while let Some((t, ready)) = stack.pop() {
            if self.done.contains_key(&t) {
                continue;
            }
            let node = self.terms.node(t);
            if ready || node.args.is_empty() {
                let lowered = self.node(&node)?;
                spend(tuning().z3.lowered);
                self.done.insert(t, lowered);
            } else {
                stack.push((t, true));
                stack.extend(node.args.iter().filter(|a| !self.done.contains_key(a)).map(|&a| (a, false)));
            }
        }
        Ok(self.done[&t].clone())
    }

    fn symbol(&mut self, id: SymbolId) -> Result<Dynamic, SolverError> {
        let sort = self.sort(self.terms.symbol_sort(id))?;
        Ok(Dynamic::new_const(self.name(id), &sort.sort))
    }

    fn name(&self, id: SymbolId) -> String {
        let name = self.terms.symbol_name(id);
        // Z3 takes no empty name and none with a NUL.
        let sayable = !name.is_empty() && !name.contains(['\0', '\u{1}']);
        if sayable { name.to_string() } else { format!("\u{1}{}", id.0) }
    }

    /// The function that a symbol for an array is, where arrays are only read.
    pub fn function(&mut self, array: Term) -> Result<Option<FuncDecl>, SolverError> {
        let terms = self.terms.clone();
        let (Some(id), SortKind::Array(index, value)) =
            (terms.as_symbol(array), terms.sort_kind(terms.sort_of(array)))
        else {
            return Ok(None);
        };
        if !self.functions {
            return Ok(None);
        }
        let mut sorts = vec![];
        for sort in terms.argument_sorts(index) {
            sorts.push(self.sort(sort)?);
        }
        let domain: Vec<&z3::Sort> = sorts.iter().map(|s| &s.sort).collect();
        let range = self.sort(value)?;
        Ok(Some(FuncDecl::new(self.name(id), &domain, &range.sort)))
    }

    fn node(&mut self, node: &Node) -> Result<Dynamic, SolverError> {
        let args: Vec<Dynamic> = node.args.iter().map(|a| self.done[a].clone()).collect();
        let arg_sort = |i: usize| self.terms.sort_of(node.args[i]);
        Ok(match &node.op {
            Op::True => Bool::from_bool(true).into(),
            Op::False => Bool::from_bool(false).into(),
            Op::Int(n) => match n.to_i64() {
                Some(n) => Int::from_i64(n).into(),
                None => Int::from_str(&n.to_string())
                    .map_err(|()| SolverError::Inexpressible(n.to_string()))?
                    .into(),
            },
            Op::Real(r) => Real::from_rational_str(&r.numer().to_string(), &r.denom().to_string())
                .ok_or_else(|| SolverError::Inexpressible(r.to_string()))?
                .into(),
            Op::Symbol(id) => self.symbol(*id)?,
            Op::Constructor(sort, i) => self.sort(*sort)?.constructors[*i as usize].apply(&[]),
            Op::Not => bool(&args[0])?.not().into(),
            Op::And => Bool::and(&bools(&args)?).into(),
            Op::Or => Bool::or(&bools(&args)?).into(),
            Op::Ite => bool(&args[0])?.ite(&args[1], &args[2]),
            Op::Eq => args[0].eq(args[1].clone()).into(),
            Op::Add if node.sort == Terms::REAL => Real::add(&reals(&args)?).into(),
            Op::Add => Int::add(&ints(&args)?).into(),
            Op::Mul if node.sort == Terms::REAL => Real::mul(&reals(&args)?).into(),
            Op::Mul => Int::mul(&ints(&args)?).into(),
            Op::Div => int(&args[0])?.div(int(&args[1])?).into(),
            Op::Mod => int(&args[0])?.modulo(int(&args[1])?).into(),
            Op::RealDiv => real(&args[0])?.div(real(&args[1])?).into(),
            Op::Le if arg_sort(0) == Terms::REAL => real(&args[0])?.le(real(&args[1])?).into(),
            Op::Le => int(&args[0])?.le(int(&args[1])?).into(),
            Op::Lt if arg_sort(0) == Terms::REAL => real(&args[0])?.lt(real(&args[1])?).into(),
            Op::Lt => int(&args[0])?.lt(int(&args[1])?).into(),
            Op::ToReal => int(&args[0])?.to_real().into(),
            Op::Floor => real(&args[0])?.to_int().into(),
            Op::Select => match self.function(node.args[0])? {
                Some(function) => {
                    let mut all = vec![];
                    for a in arguments(&self.terms.clone(), node.args[1]) {
                        all.push(self.term(a)?);
                    }
                    function.apply(&all.iter().map(|a| a as &dyn Ast).collect::<Vec<_>>())
                }
                None => array(&args[0])?.select(&args[1]),
            },
            Op::Store => array(&args[0])?.store(&args[1], &args[2]).into(),
            Op::ConstArray(sort) => {
                let (index, _) = self.terms.array_parts(*sort);
                Array::const_array(&self.sort(index)?.sort, &args[0]).into()
            }
            Op::SetUnion => Set::set_union(&sets(&args)?).into(),
            Op::SetInter => Set::intersect(&sets(&args)?).into(),
            Op::SetMinus => set(&args[0])?.difference(set(&args[1])?).into(),
            Op::SetComplement => set(&args[0])?.complement().into(),
            Op::ArrayIte => self.array_ite(node.sort, &args)?,
            Op::Tuple(sort) => {
                let fields: Vec<&dyn Ast> = args.iter().map(|a| a as &dyn Ast).collect();
                self.sort(*sort)?.constructors[0].apply(&fields)
            }
            Op::Field(i) => {
                let tuple = arg_sort(0);
                self.sort(tuple)?.accessors[*i as usize].apply(&[&args[0]])
            }
            Op::Forall(bound) | Op::Exists(bound) => {
                let bound = bound.iter().map(|&b| self.symbol(b)).collect::<Result<Vec<_>, _>>()?;
                let bound: Vec<&dyn Ast> = bound.iter().map(|b| b as &dyn Ast).collect();
                let body = bool(&args[0])?;
                match node.op {
                    Op::Forall(_) => z3::ast::forall_const(&bound, &[], &body).into(),
                    _ => z3::ast::exists_const(&bound, &[], &body).into(),
                }
            }
            Op::Lambda(bound) => z3::ast::lambda_const(&[&self.symbol(*bound)?], &args[0]).into(),
        })
    }

    /// `ite(mask, a, b)` at every index.
    fn array_ite(&mut self, sort: Sort, args: &[Dynamic]) -> Result<Dynamic, SolverError> {
        let (index, value) = self.terms.array_parts(sort);
        if value == Terms::BOOL {
            let (mask, a, b) = (set(&args[0])?, set(&args[1])?, set(&args[2])?);
            let inside = Set::intersect(&[mask.clone(), a]);
            return Ok(Set::set_union(&[inside, b.difference(mask)]).into());
        }
        let (index, value) = (self.sort(index)?, self.sort(value)?);
        if !self.array_ite.contains_key(&sort) {
            let found = map_ite(&*self.sort(sort)?, &index.text, &value.text);
            self.array_ite.insert(sort, found);
        }
        if let Some(f) = &self.array_ite[&sort] {
            return Ok(f.apply(&[&args[0], &args[1], &args[2]]));
        }
        let i = Dynamic::fresh_const("i", &index.sort);
        let (mask, a, b) = (array(&args[0])?, array(&args[1])?, array(&args[2])?);
        let body = bool(&mask.select(&i))?.ite(&a.select(&i), &b.select(&i));
        Ok(z3::ast::lambda_const(&[&i], &body).into())
    }
}

/// The combinator `(_ map ite)` on arrays of a sort. The bindings have no call for it, so Z3 is made
/// to read a formula that uses it.
fn map_ite(sort: &Z3Sort, index: &str, value: &str) -> Option<FuncDecl> {
    let text = format!(
        "{}(declare-const m (Array {index} Bool))(declare-const a {array})(declare-const b {array})\
         (assert (= a ((_ map (ite (Bool {value} {value}) {value})) m a b)))",
        sort.declarations.concat(),
        array = sort.text,
    );
    let reader = Solver::new();
    reader.from_string(text);
    let read = reader.get_assertions();
    let choice = read.first()?.children().into_iter().find(|c| c.is_app() && c.num_children() == 3)?;
    // Names that mean something else to the reader would make it another sort.
    (choice.get_sort() == sort.sort).then(|| choice.decl())
}

/// The arguments of a function that is an array: an index without tuples around them.
fn arguments(terms: &Terms, index: Term) -> Vec<Term> {
    match terms.sort_kind(terms.sort_of(index)) {
        SortKind::Tuple(fields) => {
            (0..fields.len()).flat_map(|i| arguments(terms, terms.field(index, i as u32))).collect()
        }
        _ => vec![index],
    }
}

fn refused(d: &Dynamic, wanted: &str) -> SolverError {
    SolverError::Refused(format!("{wanted} expected, this is {}", d.get_sort()))
}

fn bool(d: &Dynamic) -> Result<Bool, SolverError> {
    d.as_bool().ok_or_else(|| refused(d, "truth value"))
}

fn int(d: &Dynamic) -> Result<Int, SolverError> {
    d.as_int().ok_or_else(|| refused(d, "integer"))
}

fn real(d: &Dynamic) -> Result<Real, SolverError> {
    d.as_real().ok_or_else(|| refused(d, "real"))
}

fn array(d: &Dynamic) -> Result<Array, SolverError> {
    d.as_array().ok_or_else(|| refused(d, "array"))
}

fn set(d: &Dynamic) -> Result<Set, SolverError> {
    d.as_set().ok_or_else(|| refused(d, "set"))
}

fn bools(args: &[Dynamic]) -> Result<Vec<Bool>, SolverError> {
    args.iter().map(bool).collect()
}

fn ints(args: &[Dynamic]) -> Result<Vec<Int>, SolverError> {
    args.iter().map(int).collect()
}

fn reals(args: &[Dynamic]) -> Result<Vec<Real>, SolverError> {
    args.iter().map(real).collect()
}

fn sets(args: &[Dynamic]) -> Result<Vec<Set>, SolverError> {
    args.iter().map(set).collect()
}
