//! Which operators occur in a formula, and how often they were compared.

use std::collections::{BTreeMap, BTreeSet};

use bsym_language::model::*;
use bsym_language::walk::{Visitor, walk_expr, walk_pred};

/// The operators that occur in a formula, by name.
#[derive(Default)]
pub struct Operators(pub BTreeSet<String>);

impl Visitor for Operators {
    fn expr(&mut self, e: &Expr) {
        use ExprKind::*;
        let name = match &e.kind {
            Local(_) | Integer(_) | String(_) | Bool(_) => None,
            Var(_) | Old(_) | Const(_) | Element(..) | Carrier(_) | Abstract(_) | FreeSet(..)
            | Constructor(..) | TypeParameter(_) | Call(..) => None,
            Real(_) => Some("Real".into()),
            MaxInt => Some("MaxInt".into()),
            MinInt => Some("MinInt".into()),
            Set(set) => Some(format!("set {set:?}")),
            EmptySet => Some("EmptySet".into()),
            SetExtension(_) => Some("SetExtension".into()),
            SeqExtension(_) => Some("SeqExtension".into()),
            Unary(op, _) => Some(format!("{op:?}")),
            Binary(op, ..) => Some(format!("{op:?}")),
            Apply(..) => Some("Apply".into()),
            BoolOf(_) => Some("BoolOf".into()),
            Comprehension(..) => Some("Comprehension".into()),
            Quantified(op, ..) => Some(format!("quantified {op:?}")),
            Record(_) => Some("Record".into()),
            Struct(_) => Some("Struct".into()),
            Field(..) => Some("Field".into()),
            WithField(..) => Some("WithField".into()),
            If(..) => Some("IF (expression)".into()),
            Let(..) => Some("LET (expression)".into()),
            Iterate(..) => Some("Iterate".into()),
            Prj1(..) => Some("Prj1".into()),
            Prj2(..) => Some("Prj2".into()),
            Succ => Some("Succ".into()),
            Pred => Some("Pred".into()),
            Tree(op, _) => Some(format!("tree {op:?}")),
            External(f, _) => Some(format!("external {f:?}")),
        };
        self.0.extend(name);
        walk_expr(self, e);
    }

    fn pred(&mut self, p: &Pred) {
        let name = match &p.kind {
            PredKind::True | PredKind::False | PredKind::Call(..) => None,
            PredKind::And(_) => Some("And".into()),
            PredKind::Or(_) => Some("Or".into()),
            PredKind::Implies(..) => Some("Implies".into()),
            PredKind::Iff(..) => Some("Iff".into()),
            PredKind::Not(_) => Some("Not".into()),
            PredKind::Forall(..) => Some("Forall".into()),
            PredKind::Exists(..) => Some("Exists".into()),
            PredKind::Compare(op, ..) => Some(format!("{op:?}")),
            PredKind::Finite(_) => Some("Finite".into()),
            PredKind::Partition(..) => Some("Partition".into()),
            PredKind::If(..) => Some("IF (predicate)".into()),
            PredKind::Let(..) => Some("LET (predicate)".into()),
            PredKind::External(f, _) => Some(format!("external {f:?}")),
        };
        self.0.extend(name);
        walk_pred(self, p);
    }
}

/// Every operator that a closed formula without declarations can have, in the words of [`Operators`].
pub const ALL: &str = "MaxInt MinInt EmptySet SetExtension SeqExtension Apply BoolOf Comprehension Record \
    Struct Field IF_(expression) LET_(expression) Iterate Prj1 Prj2 Succ Pred \
    set_Integer set_Natural set_Natural1 set_Int set_Nat set_Nat1 set_Bool set_String \
    Negate Pow Pow1 Fin Fin1 Card Max Min GeneralUnion GeneralInter Inverse Id Dom Ran Closure Closure1 Fnc \
    Rel Seq Seq1 Iseq Iseq1 Perm Size First Last Front Tail Rev Conc \
    Add Subtract Multiply Divide Mod Power Interval Union Intersection Difference Cartesian Maplet \
    DomainRestriction DomainSubtraction RangeRestriction RangeSubtraction Override DirectProduct \
    ParallelProduct Composition Image Prepend Append Concat Take Drop Relation TotalRelation \
    SurjectiveRelation TotalSurjectiveRelation PartialFunction TotalFunction PartialInjection TotalInjection \
    PartialSurjection TotalSurjection PartialBijection TotalBijection \
    quantified_Lambda quantified_Union quantified_Inter quantified_Sigma quantified_Pi \
    tree_Trees tree_BinaryTrees tree_Const tree_Top tree_Sons tree_Prefix tree_Postfix tree_Sizet tree_Mirror \
    tree_Rank tree_Father tree_Son tree_Subtree tree_Arity tree_Bin tree_Left tree_Right tree_Infix \
    And Or Implies Iff Not Forall Exists IF_(predicate) LET_(predicate) \
    Equal NotEqual Member NotMember Subset NotSubset StrictSubset NotStrictSubset Less LessEqual Greater \
    GreaterEqual";

/// Those of reals, which ProB has only since 2021.
#[allow(dead_code)]
pub const REAL: &str = "Real set_Real NegateReal MaxReal MinReal Floor Ceiling ToReal AddReal SubtractReal \
    MultiplyReal DivideReal PowerReal quantified_SigmaReal quantified_PiReal LessReal LessEqualReal GreaterReal \
    GreaterEqualReal";

/// How often each operator occurred, by what came of the formula.
#[derive(Default)]
pub struct Coverage {
    columns: Vec<&'static str>,
    counts: BTreeMap<String, BTreeMap<&'static str, usize>>,
}

impl Coverage {
    /// A table with these operators and columns, and no counts.
    pub fn new(operators: &[&str], columns: &[&'static str]) -> Coverage {
        let all = operators.iter().flat_map(|list| list.split_whitespace());
        let all = all.map(|name| (name.replace('_', " "), BTreeMap::new()));
        Coverage { columns: columns.to_vec(), counts: all.collect() }
    }

    /// Adds a formula.
    pub fn add(&mut self, operators: &Operators, column: &'static str) {
        for name in &operators.0 {
            *self.counts.entry(name.clone()).or_default().entry(column).or_default() += 1;
        }
    }

    /// The table as text.
    pub fn table(&self) -> String {
        let mut text = format!("{:28}", "formulas with");
        for column in &self.columns {
            text += &format!("{column:>14}");
        }
        for (name, counts) in &self.counts {
            text += &format!("\n{name:28}");
            for column in &self.columns {
                text += &format!("{:>14}", counts.get(column).copied().unwrap_or(0));
            }
        }
        text
    }

    /// Operators that never occurred.
    pub fn missing(&self) -> Vec<&str> {
        self.counts.iter().filter(|(_, c)| c.is_empty()).map(|(name, _)| name.as_str()).collect()
    }
}
