//! The table of operators: one row for each, from its spellings to the operator of the model that it becomes.
//!
//! The rows are macros, so that the lexer, both parsers, the checker and the printer read the same row, each the
//! columns that it knows: a callback is called with all rows, and what stands in them is resolved there.
//!
//! Types are written over the variables `a` to `d`: `P(T)` is `POW(T)`, `Seq(T)` is `seq(T)`, `Pair(T, U)` is `T * U`,
//! `Rel(T, U)` is `T <-> U`, `Tree(T)` is `tree(T)`. If the reading depends on the types of the operands, the row names
//! a rule of `check/operator.rs` or `check/builtin.rs` instead.

use std::ops::RangeInclusive;

use super::precedence::APPLIED;

/// Calls a macro with all rows.
///
/// Infix operators: `name level group classical event_b term [partial] => reading;` where
/// - `level` is the precedence in classical B (ProB's grammar; levels as Atelier B numbers them),
/// - `group` is the group of precedence in Event-B (Métayer and Voisin, *The Event-B Mathematical Language*, 2009),
/// - `classical` and `event_b` are the spellings in both notations; the first one of `classical` is printed,
/// - `term` is the functor in a package of ProB,
/// - `partial` marks an operator that has no value for some operands of its types,
/// - `reading` says what it is in the model, with the types of the operands and of the result.
///
/// The spellings of `apart` are tokens of their own, because they mean something else too.
///
/// Word operators, written before parentheses: `name classical event_b term (arguments) [partial] => reading;`. The ones that
/// are `soft` are operators only where no declaration takes the word.
#[rustfmt::skip]
macro_rules! operators {
    ($callback:ident) => { $callback! {
        apart {
            Equal 100 COMPARISON ["="] ["="] ["equal"] => compare(Equal, Alike);
            Member 100 COMPARISON [":" "∈"] ["∈" ":"] ["member"] => compare(Member, Membership);
            Minus 180 SUM ["-" "−"] ["−" "-"] ["minus"] => rule(Subtract, NumberOrSet);
            ParallelProduct 20 SET ["||" "∥" "‖"] ["∥" "||"] ["parallel_product"]
                => value(ParallelProduct: Rel(a, b), Rel(c, d) => Rel(Pair(a, c), Pair(b, d)));
            Composition 20 SET [";"] [";"] ["composition"] => value(Composition: Rel(a, b), Rel(b, c) => Rel(a, c));
        }
        infix {
            Implies 30 IMPLICATION ["=>" "⇒" "⟹"] ["⇒" "=>"] ["implication"] => connective();
            Iff 60 IMPLICATION ["<=>" "⇔" "⟺"] ["⇔" "<=>"] ["equivalence"] => connective();
            And 40 LOGICAL ["&" "∧"] ["∧" "&"] ["conjunct"] => connective();
            Or 40 LOGICAL ["or" "∨"] ["∨"] ["disjunct"] => connective();
            NotEqual 100 COMPARISON ["/=" "≠"] ["≠" "/="] ["not_equal"] => compare(NotEqual, Alike);
            NotMember 100 COMPARISON ["/:" "∉"] ["∉" "/:"] ["not_member"] => compare(NotMember, Membership);
            Subset 100 COMPARISON ["<:" "⊆"] ["⊆" "<:"] ["subset"] => compare(Subset, Sets);
            NotSubset 100 COMPARISON ["/<:" "⊈"] ["⊈" "/<:"] ["not_subset"] => compare(NotSubset, Sets);
            StrictSubset 100 COMPARISON ["<<:" "⊂" "⊊"] ["⊂" "<<:"] ["subset_strict"] => compare(StrictSubset, Sets);
            NotStrictSubset 100 COMPARISON ["/<<:" "⊄"] ["⊄" "/<<:"] ["not_subset_strict"]
                => compare(NotStrictSubset, Sets);
            Less 100 COMPARISON ["<"] ["<"] ["less"] => compare(Less, Numbers);
            LessEqual 100 COMPARISON ["<=" "≤"] ["≤" "<="] ["less_equal"] => compare(LessEqual, Numbers);
            Greater 100 COMPARISON [">"] [">"] ["greater"] => compare(Greater, Numbers);
            GreaterEqual 100 COMPARISON [">=" "≥"] ["≥" ">="] ["greater_equal"] => compare(GreaterEqual, Numbers);
            OfType 120 TYPED ["⦂"] ["⦂"] ["typeof"] => of_type();
            Plus 180 SUM ["+"] ["+"] ["add"] => rule(Add, Numbers);
            SetMinus 180 SET ["\\" "∖"] ["∖" "\\"] ["set_subtraction"] => value(Difference: P(a), P(a) => P(a));
            Times 190 PRODUCT ["*" "∗"] ["∗" "*"] ["multiplication"] => rule(Multiply, Product);
            Cartesian 190 SET ["×" "⨯"] ["×" "**"] ["cartesian_product"] => value(Cartesian: P(a), P(b) => Rel(a, b));
            Divide 190 PRODUCT ["/" "÷"] ["÷" "/"] ["div"] partial => rule(Divide, Numbers);
            Mod 190 PRODUCT ["mod"] [] ["modulo"] partial => value(Mod: Int, Int => Int);
            Power 200 POWER ["**" "˄"] ["^"] ["power_of"] partial => rule(Power, Power);
            Interval 170 INTERVAL [".." "‥"] ["‥" ".."] ["interval"] => value(Interval: Int, Int => P(Int));
            Union 160 SET ["\\/" "∪"] ["∪" "\\/"] ["union"] => value(Union: P(a), P(a) => P(a));
            Intersection 160 SET ["/\\" "∩"] ["∩" "/\\"] ["intersection"] => value(Intersection: P(a), P(a) => P(a));
            Maplet 160 PAIR ["|->" "|−>" "↦"] ["↦" "|->" ",,"] [] => value(Maplet: a, b => Pair(a, b));
            DomainRestriction 160 SET ["<|" "◁"] ["◁" "<|"] ["domain_restriction"]
                => value(DomainRestriction: P(a), Rel(a, b) => Rel(a, b));
            DomainSubtraction 160 SET ["<<|" "⩤" "◀"] ["⩤" "<<|"] ["domain_subtraction"]
                => value(DomainSubtraction: P(a), Rel(a, b) => Rel(a, b));
            RangeRestriction 160 SET ["|>" "▷"] ["▷" "|>"] ["range_restriction"]
                => value(RangeRestriction: Rel(a, b), P(b) => Rel(a, b));
            RangeSubtraction 160 SET ["|>>" "⩥" "▶"] ["⩥" "|>>"] ["range_subtraction"]
                => value(RangeSubtraction: Rel(a, b), P(b) => Rel(a, b));
            Override 160 SET ["<+" "\u{E103}" "⋖"] ["\u{E103}" "<+"] ["overwrite"]
                => value(Override: Rel(a, b), Rel(a, b) => Rel(a, b));
            DirectProduct 160 SET ["><" "⊗"] ["⊗" "><"] ["direct_product"]
                => value(DirectProduct: Rel(a, b), Rel(a, c) => Rel(a, Pair(b, c)));
            BackwardComposition 160 SET ["∘"] ["∘"] ["ring"] => rule(Composition, Backward);
            Prepend 160 SET ["->" "−>" "⇾"] [] [] partial => value(Prepend: a, Seq(a) => Seq(a));
            Append 160 SET ["<-" "<−" "⇽"] [] [] partial => value(Append: Seq(a), a => Seq(a));
            Concat 160 SET ["^" "⌒"] [] [] partial => rule(Concat, Joined);
            Take 160 SET ["/|\\" "↑"] [] [] partial => value(Take: Seq(a), Int => Seq(a));
            Drop 160 SET ["\\|/" "↓"] [] [] partial => value(Drop: Seq(a), Int => Seq(a));
            Relation 125 ARROW ["<->" "<−>" "↔"] ["↔" "<->"] ["relations"]
                => value(Relation: P(a), P(b) => P(Rel(a, b)));
            TotalRelation 125 ARROW ["<<->" "<<−>" "\u{E100}"] ["\u{E100}" "<<->"] ["total_relation"]
                => value(TotalRelation: P(a), P(b) => P(Rel(a, b)));
            SurjectiveRelation 125 ARROW ["<->>" "<−>>" "\u{E101}"] ["\u{E101}" "<->>"] ["surjection_relation"]
                => value(SurjectiveRelation: P(a), P(b) => P(Rel(a, b)));
            TotalSurjectiveRelation 125 ARROW ["<<->>" "<<−>>" "\u{E102}"] ["\u{E102}" "<<->>"]
                ["total_surjection_relation"] => value(TotalSurjectiveRelation: P(a), P(b) => P(Rel(a, b)));
            PartialFunction 125 ARROW ["+->" "+−>" "⇸"] ["⇸" "+->"] ["partial_function"]
                => value(PartialFunction: P(a), P(b) => P(Rel(a, b)));
            TotalFunction 125 ARROW ["-->" "−−>" "→"] ["→" "-->"] ["total_function"]
                => value(TotalFunction: P(a), P(b) => P(Rel(a, b)));
            PartialInjection 125 ARROW [">+>" "⤔"] ["⤔" ">+>"] ["partial_injection"]
                => value(PartialInjection: P(a), P(b) => P(Rel(a, b)));
            TotalInjection 125 ARROW [">->" ">−>" "↣"] ["↣" ">->"] ["total_injection"]
                => value(TotalInjection: P(a), P(b) => P(Rel(a, b)));
            PartialSurjection 125 ARROW ["+->>" "+−>>" "⤀"] ["⤀" "+->>" "+>>"] ["partial_surjection"]
                => value(PartialSurjection: P(a), P(b) => P(Rel(a, b)));
            TotalSurjection 125 ARROW ["-->>" "−−>>" "↠"] ["↠" "-->>" "->>"] ["total_surjection"]
                => value(TotalSurjection: P(a), P(b) => P(Rel(a, b)));
            PartialBijection 125 ARROW [">+>>"] [] ["partial_bijection"]
                => value(PartialBijection: P(a), P(b) => P(Rel(a, b)));
            TotalBijection 125 ARROW [">->>" ">−>>" "⤖"] ["⤖" ">->>"] ["total_bijection"]
                => value(TotalBijection: P(a), P(b) => P(Rel(a, b)));
        }
        words {
            Pow ["POW" "ℙ"] ["ℙ"] ["pow_subset"] (1..=1) => unary(Pow: P(a) => P(P(a)));
            Pow1 ["POW1" "ℙ1" "ℙ₁"] ["ℙ1"] ["pow1_subset"] (1..=1) => unary(Pow1: P(a) => P(P(a)));
            Fin ["FIN"] [] [] (1..=1) => unary(Fin: P(a) => P(P(a)));
            Fin1 ["FIN1"] [] [] (1..=1) => unary(Fin1: P(a) => P(P(a)));
            GeneralUnion ["union"] ["union"] ["general_union"] (1..=1) => unary(GeneralUnion: P(P(a)) => P(a));
            GeneralInter ["inter"] ["inter"] ["general_intersection"] (1..=1) partial => unary(GeneralInter: P(P(a)) => P(a));
            Bool ["bool"] ["bool"] ["convert_bool"] (1..=1) => special();
            Card ["card"] ["card"] ["card"] (1..=1) partial => unary(Card: P(a) => Int);
            Max ["max"] ["max"] ["max"] (1..=1) partial => unary(Max: P(a) => a);
            Min ["min"] ["min"] ["min"] (1..=1) partial => unary(Min: P(a) => a);
            Succ ["succ"] ["succ"] [] (1..=1) => special();
            Pred ["pred"] ["pred"] [] (1..=1) => special();
            Id ["id"] ["id"] ["identity"] (1..=1) => unary(Id: P(a) => Rel(a, a));
            Dom ["dom"] ["dom"] ["domain"] (1..=1) => unary(Dom: Rel(a, b) => P(a));
            Ran ["ran"] ["ran"] ["range"] (1..=1) => unary(Ran: Rel(a, b) => P(b));
            Rel ["rel"] [] [] (1..=1) => unary(Rel: Rel(a, P(b)) => Rel(a, b));
            Fnc ["fnc"] [] [] (1..=1) => unary(Fnc: Rel(a, b) => Rel(a, P(b)));
            Closure ["closure"] [] [] (1..=1) => unary(Closure: Rel(a, a) => Rel(a, a));
            Closure1 ["closure1"] [] [] (1..=1) => unary(Closure1: Rel(a, a) => Rel(a, a));
            Iterate ["iterate"] [] [] (2..=2) partial => special();
            Prj1 ["prj1" "@prj1"] ["prj1"] [] (1..=2) => special();
            Prj2 ["prj2" "@prj2"] ["prj2"] [] (1..=2) => special();
            Seq ["seq"] [] [] (1..=1) => unary(Seq: P(a) => P(Seq(a)));
            Seq1 ["seq1"] [] [] (1..=1) => unary(Seq1: P(a) => P(Seq(a)));
            Iseq ["iseq"] [] [] (1..=1) => unary(Iseq: P(a) => P(Seq(a)));
            Iseq1 ["iseq1"] [] [] (1..=1) => unary(Iseq1: P(a) => P(Seq(a)));
            Perm ["perm"] [] [] (1..=1) partial => unary(Perm: P(a) => P(Seq(a)));
            Conc ["conc"] [] [] (1..=1) partial => unary(Conc: Seq(Seq(a)) => Seq(a));
            Front ["front"] [] [] (1..=1) partial => unary(Front: Seq(a) => Seq(a));
            Tail ["tail"] [] [] (1..=1) partial => unary(Tail: Seq(a) => Seq(a));
            First ["first"] [] [] (1..=1) partial => unary(First: Seq(a) => a);
            Last ["last"] [] [] (1..=1) partial => unary(Last: Seq(a) => a);
            Size ["size"] [] [] (1..=1) partial => unary(Size: Seq(a) => Int);
            Rev ["rev"] [] [] (1..=1) partial => unary(Rev: Seq(a) => Seq(a));
            Finite ["@finite"] ["finite"] ["finite"] (1..=1) => special();
            Partition ["@partition"] ["partition"] [] (1..=usize::MAX) => special();
        }
        soft {
            Floor ["floor"] [] [] (1..=1) => unary(Floor: Real => Int);
            Ceiling ["ceiling"] [] [] (1..=1) => unary(Ceiling: Real => Int);
            Real ["real"] [] [] (1..=1) => unary(ToReal: Int => Real);
            Tree ["tree"] [] [] (1..=1) => tree(Trees: P(a) => P(Tree(a)));
            Btree ["btree"] [] [] (1..=1) => tree(BinaryTrees: P(a) => P(Tree(a)));
            Const ["const"] [] [] (2..=2) partial => tree(Const: a, Seq(Tree(a)) => Tree(a));
            Top ["top"] [] [] (1..=1) partial => tree(Top: Tree(a) => a);
            Sons ["sons"] [] [] (1..=1) partial => tree(Sons: Tree(a) => Seq(Tree(a)));
            Prefix ["prefix"] [] [] (1..=1) partial => tree(Prefix: Tree(a) => Seq(a));
            Postfix ["postfix"] [] [] (1..=1) partial => tree(Postfix: Tree(a) => Seq(a));
            Sizet ["sizet"] [] [] (1..=1) partial => tree(Sizet: Tree(a) => Int);
            Mirror ["mirror"] [] [] (1..=1) partial => tree(Mirror: Tree(a) => Tree(a));
            Rank ["rank"] [] [] (2..=2) partial => tree(Rank: Tree(a), Seq(Int) => Int);
            Father ["father"] [] [] (2..=2) partial => tree(Father: Tree(a), Seq(Int) => Seq(Int));
            Son ["son"] [] [] (3..=3) partial => tree(Son: Tree(a), Seq(Int), Int => Seq(Int));
            Subtree ["subtree"] [] [] (2..=2) partial => tree(Subtree: Tree(a), Seq(Int) => Tree(a));
            Arity ["arity"] [] [] (2..=2) partial => tree(Arity: Tree(a), Seq(Int) => Int);
            // With one argument it is a tree of one node.
            Bin ["bin"] [] [] (1..=3) partial => tree(Bin: Tree(a), a, Tree(a) => Tree(a));
            Left ["left"] [] [] (1..=1) partial => tree(Left: Tree(a) => Tree(a));
            Right ["right"] [] [] (1..=1) partial => tree(Right: Tree(a) => Tree(a));
            Infix ["infix"] [] [] (1..=1) partial => tree(Infix: Tree(a) => Seq(a));
        }
    } };
}
pub(crate) use operators;

macro_rules! define {
    (apart { $($apart:tt)* } infix { $($infix:tt)* } words { $($word:tt)* } soft { $($soft:tt)* }) => { define! {
        infix { $($apart)* $($infix)* }
        words { $($word)* $($soft)* }
        hard { $($word)* }
    } };
    (
        infix { $($op:ident $level:tt $group:ident [$spelling:tt $($more:tt)*] [$($event_b:tt)*] [$($term:tt)*]
            $($partial:ident)? => $reading:ident $types:tt;)* }
        words { $($word:ident [$text:tt $($also:tt)*] [$($own:tt)*] [$($functor:tt)*] ($($count:tt)*)
            $($mark:ident)? => $kind:ident $signature:tt;)* }
        hard { $($hard:ident $a:tt $b:tt $c:tt $d:tt $($e:ident)? => $f:ident $g:tt;)* }
    ) => {
        /// Infix operators, named after their usual reading.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum BinaryOp { $(#[doc = concat!("`", $spelling, "`")] $op,)* }

        /// Word operators, written before parentheses.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum BuiltinFn { $(#[doc = concat!("`", $text, "`")] $word,)* }

        const INFIX: &[Row<BinaryOp>] = &[$(Row {
            op: BinaryOp::$op,
            spelling: $spelling,
            classical: &[$spelling $(, $more)*],
            event_b: &[$($event_b),*],
            terms: &[$($term),*],
            level: $level,
            arguments: 2..=2,
        }),*];
        const WORDS: &[Row<BuiltinFn>] = &[$(Row {
            op: BuiltinFn::$word,
            spelling: $text,
            classical: &[$text $(, $also)*],
            event_b: &[$($own),*],
            terms: &[$($functor),*],
            level: APPLIED,
            arguments: $($count)*,
        }),*];
        const HARD: &[BuiltinFn] = &[$(BuiltinFn::$hard),*];
    };
}
operators!(define);

/// A row of the table, for both notations.
struct Row<Op> {
    op: Op,
    spelling: &'static str,
    classical: &'static [&'static str],
    event_b: &'static [&'static str],
    terms: &'static [&'static str],
    level: u8,
    arguments: RangeInclusive<usize>,
}

impl BinaryOp {
    fn row(self) -> &'static Row<BinaryOp> {
        &INFIX[self as usize]
    }

    /// Returns its spelling in classical B.
    pub fn spelling(self) -> &'static str {
        self.row().spelling
    }

    /// Returns all ways to write it in classical B; the first is ASCII.
    pub fn spellings(self) -> &'static [&'static str] {
        self.row().classical
    }

    /// Returns Rodin's spelling, if Event-B has the operator.
    pub fn event_b(self) -> Option<&'static str> {
        self.row().event_b.first().copied()
    }

    /// Returns its precedence in classical B.
    pub fn level(self) -> u8 {
        self.row().level
    }

    /// Returns the operator that a functor of a package of ProB is.
    pub fn of_term(functor: &str) -> Option<BinaryOp> {
        INFIX.iter().find(|row| row.terms.contains(&functor)).map(|row| row.op)
    }

    /// Returns all operators with the symbols of Event-B for them.
    pub fn of_event_b() -> impl Iterator<Item = (&'static str, BinaryOp)> {
        INFIX.iter().flat_map(|row| row.event_b.iter().map(|spelling| (*spelling, row.op)))
    }
}

impl BuiltinFn {
    fn row(self) -> &'static Row<BuiltinFn> {
        &WORDS[self as usize]
    }

    /// Returns its spelling in classical B.
    pub fn spelling(self) -> &'static str {
        self.row().spelling
    }

    /// Returns all ways to write it in classical B; the first is ASCII.
    pub fn spellings(self) -> &'static [&'static str] {
        self.row().classical
    }

    /// Returns the numbers of arguments that it takes.
    pub fn arguments(self) -> RangeInclusive<usize> {
        self.row().arguments.clone()
    }

    /// Returns whether it is an operator only where no declaration takes the word.
    pub fn is_soft(self) -> bool {
        !HARD.contains(&self)
    }

    /// Returns the soft operator that a word denotes.
    pub fn of_soft_word(word: &str) -> Option<BuiltinFn> {
        WORDS[HARD.len()..].iter().find(|row| row.spelling == word).map(|row| row.op)
    }

    /// Returns the operator that a functor of a package of ProB is, with one argument.
    pub fn of_term(functor: &str) -> Option<BuiltinFn> {
        WORDS.iter().find(|row| row.terms.contains(&functor)).map(|row| row.op)
    }

    /// Returns all operators with the symbols and words of Event-B for them.
    pub fn of_event_b() -> impl Iterator<Item = (&'static str, BuiltinFn)> {
        WORDS.iter().flat_map(|row| row.event_b.iter().map(|spelling| (*spelling, row.op)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_found_by_its_operator() {
        assert!(INFIX.iter().enumerate().all(|(i, row)| row.op as usize == i));
        assert!(WORDS.iter().enumerate().all(|(i, row)| row.op as usize == i));
        assert_eq!((BinaryOp::Union.spelling(), BinaryOp::Union.level()), ("\\/", 160));
        assert_eq!(BuiltinFn::of_soft_word("rank"), Some(BuiltinFn::Rank));
        assert_eq!(BuiltinFn::of_soft_word("card"), None);
    }
}
