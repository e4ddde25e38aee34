//! Meanings of operators, binders, constants and keywords, in a sentence, with the source of the definition.
//!
//! These texts are for readers: the meaning that bsym computes with is in the semantics. Sources are the sections of
//! J.-R. Abrial, *The B-Book* (1996), and chapters of the *B Language Reference Manual* of Atelier B.

use super::{BinaryOp, BuiltinFn, Constant, Quantifier};

/// The meaning of a symbol or word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Meaning {
    /// One form of use and what it means; Markdown.
    pub text: &'static str,
    /// Where it is defined.
    pub source: &'static str,
}

const fn meaning(source: &'static str, text: &'static str) -> Meaning {
    Meaning { text, source }
}

const PROPOSITIONS: &str = "B-Book, 1.2";
const PREDICATES: &str = "B-Book, 1.3";
const SETS: &str = "B-Book, 2.1";
const DERIVED: &str = "B-Book, 2.3";
const RELATIONS: &str = "B-Book, 2.4";
const FUNCTIONS: &str = "B-Book, 2.5";
const GENERALIZED: &str = "B-Book, 3.1";
const FINITE: &str = "B-Book, 3.3";
const NATURALS: &str = "B-Book, 3.5";
const INTEGERS: &str = "B-Book, 3.6";
const SEQUENCES: &str = "B-Book, 3.7";
const LABELLED: &str = "B-Book, 3.9";
const BINARY: &str = "B-Book, 3.10";
const EXPRESSIONS: &str = "B Language Reference Manual, chapter 5";
const COMPONENTS: &str = "B Language Reference Manual, chapter 7";
const EVENT_B: &str = "Métayer and Voisin, The Event-B Mathematical Language, chapter 3";

impl BinaryOp {
    /// Returns the meaning of the operator.
    #[rustfmt::skip]
    pub fn meaning(self) -> Meaning {
        use BinaryOp::*;
        match self {
            Equal => meaning("B-Book, 1.4", "`E = F`: both have the same value"),
            NotEqual => meaning("B-Book, 1.4", "`E /= F`: the values differ"),
            Member => meaning(SETS, "`E : S`: E is an element of S"),
            NotMember => meaning(SETS, "`E /: S`: E is no element of S"),
            Minus => meaning(INTEGERS, "`m - n`: difference of numbers; `S - T`: the elements of S that are not in T"),
            ParallelProduct => meaning(RELATIONS, "`r || s`: relates `(a, b)` to `(c, d)` where r relates a to c and s relates b to d; between substitutions: both at the same time"),
            Composition => meaning(RELATIONS, "`r ; s`: first r, then s; between substitutions: one after the other"),
            Implies => meaning(PROPOSITIONS, "`P => Q`: Q holds where P does"),
            Iff => meaning(PROPOSITIONS, "`P <=> Q`: both hold or neither does"),
            And => meaning(PROPOSITIONS, "`P & Q`: both hold"),
            Or => meaning(PROPOSITIONS, "`P or Q`: at least one of them holds"),
            Subset => meaning(SETS, "`S <: T`: each element of S is in T"),
            NotSubset => meaning(SETS, "`S /<: T`: some element of S is not in T"),
            StrictSubset => meaning(SETS, "`S <<: T`: each element of S is in T, and S is not T"),
            NotStrictSubset => meaning(SETS, "`S /<<: T`: S is no strict subset of T"),
            Less => meaning(INTEGERS, "`m < n`: m is less than n"),
            LessEqual => meaning(INTEGERS, "`m <= n`: m is at most n"),
            Greater => meaning(INTEGERS, "`m > n`: m is greater than n"),
            GreaterEqual => meaning(INTEGERS, "`m >= n`: m is at least n"),
            OfType => meaning(EVENT_B, "`E ⦂ T`: E, which has the type T"),
            Plus => meaning(INTEGERS, "`m + n`: sum"),
            SetMinus => meaning(DERIVED, "`S \\ T`: the elements of S that are not in T"),
            Times => meaning(INTEGERS, "`m * n`: product of numbers; `S * T`: all pairs of an element of S and one of T"),
            Cartesian => meaning(SETS, "`S × T`: all pairs of an element of S and one of T"),
            Divide => meaning(INTEGERS, "`m / n`: quotient, rounded towards zero; well-defined where n is not 0"),
            Mod => meaning(INTEGERS, "`m mod n`: remainder; well-defined where m is not negative and n is positive"),
            Power => meaning(INTEGERS, "`m ** n`: power; well-defined where n is not negative"),
            Interval => meaning(NATURALS, "`m .. n`: the integers from m to n; empty where n is less than m"),
            Union => meaning(DERIVED, "`S \\/ T`: the elements that are in S or in T"),
            Intersection => meaning(DERIVED, "`S /\\ T`: the elements that are in both"),
            Maplet => meaning("B-Book, 1.5", "`E |-> F`: the pair of E and F"),
            DomainRestriction => meaning(RELATIONS, "`S <| r`: the pairs of r whose first part is in S"),
            DomainSubtraction => meaning(RELATIONS, "`S <<| r`: the pairs of r whose first part is not in S"),
            RangeRestriction => meaning(RELATIONS, "`r |> S`: the pairs of r whose second part is in S"),
            RangeSubtraction => meaning(RELATIONS, "`r |>> S`: the pairs of r whose second part is not in S"),
            Override => meaning(RELATIONS, "`r <+ s`: s, and r outside of the domain of s"),
            DirectProduct => meaning(RELATIONS, "`r >< s`: relates a to `(b, c)` where r relates a to b and s relates a to c"),
            BackwardComposition => meaning(EVENT_B, "`r ∘ s`: first s, then r"),
            Prepend => meaning(SEQUENCES, "`E -> s`: the sequence s with E in front"),
            Append => meaning(SEQUENCES, "`s <- E`: the sequence s with E at the end"),
            Concat => meaning(SEQUENCES, "`s ^ t`: the sequence s followed by t"),
            Take => meaning(SEQUENCES, "`s /|\\ n`: the first n elements of s; well-defined where n is in `0..size(s)`"),
            Drop => meaning(SEQUENCES, "`s \\|/ n`: s without its first n elements; well-defined where n is in `0..size(s)`"),
            Relation => meaning(RELATIONS, "`S <-> T`: all relations between S and T"),
            TotalRelation => meaning(EVENT_B, "`S <<-> T`: the relations whose domain is S"),
            SurjectiveRelation => meaning(EVENT_B, "`S <->> T`: the relations whose range is T"),
            TotalSurjectiveRelation => meaning(EVENT_B, "`S <<->> T`: the relations whose domain is S and whose range is T"),
            PartialFunction => meaning(FUNCTIONS, "`S +-> T`: the relations that give an element of S at most one of T"),
            TotalFunction => meaning(FUNCTIONS, "`S --> T`: the functions whose domain is S"),
            PartialInjection => meaning(FUNCTIONS, "`S >+> T`: the functions that give no two elements of S the same of T"),
            TotalInjection => meaning(FUNCTIONS, "`S >-> T`: the injective functions whose domain is S"),
            PartialSurjection => meaning(FUNCTIONS, "`S +->> T`: the functions whose range is T"),
            TotalSurjection => meaning(FUNCTIONS, "`S -->> T`: the functions whose domain is S and whose range is T"),
            PartialBijection => meaning(FUNCTIONS, "`S >+>> T`: the injective functions whose range is T"),
            TotalBijection => meaning(FUNCTIONS, "`S >->> T`: the injective functions whose domain is S and whose range is T"),
        }
    }
}

impl BuiltinFn {
    /// Returns the meaning of the operator.
    #[rustfmt::skip]
    pub fn meaning(self) -> Meaning {
        use BuiltinFn::*;
        match self {
            Pow => meaning(SETS, "`POW(S)`: all subsets of S"),
            Pow1 => meaning(DERIVED, "`POW1(S)`: all subsets of S but the empty one"),
            Fin => meaning(FINITE, "`FIN(S)`: all finite subsets of S"),
            Fin1 => meaning(FINITE, "`FIN1(S)`: all finite subsets of S but the empty one"),
            GeneralUnion => meaning(GENERALIZED, "`union(U)`: the elements of the sets in U"),
            GeneralInter => meaning(GENERALIZED, "`inter(U)`: the elements that all sets in U have; well-defined where U is not empty"),
            Bool => meaning(EXPRESSIONS, "`bool(P)`: `TRUE` where P holds, `FALSE` otherwise"),
            Card => meaning(NATURALS, "`card(S)`: the number of elements; well-defined where S is finite"),
            Max => meaning(NATURALS, "`max(S)`: the greatest element; well-defined where S has one"),
            Min => meaning(NATURALS, "`min(S)`: the least element; well-defined where S has one"),
            Succ => meaning(NATURALS, "`succ(n)`: n + 1"),
            Pred => meaning(NATURALS, "`pred(n)`: n - 1"),
            Id => meaning(RELATIONS, "`id(S)`: relates each element of S to itself"),
            Dom => meaning(RELATIONS, "`dom(r)`: the first parts of the pairs of r"),
            Ran => meaning(RELATIONS, "`ran(r)`: the second parts of the pairs of r"),
            Rel => meaning(EXPRESSIONS, "`rel(f)`: relates a to each element of `f(a)`"),
            Fnc => meaning(EXPRESSIONS, "`fnc(r)`: the function from an element of the domain to all that r relates it to"),
            Closure => meaning(NATURALS, "`closure(r)`: the least reflexive and transitive relation that contains r"),
            Closure1 => meaning(NATURALS, "`closure1(r)`: the least transitive relation that contains r"),
            Iterate => meaning(NATURALS, "`iterate(r, n)`: r composed n times with itself; well-defined where n is not negative"),
            Prj1 => meaning(RELATIONS, "`prj1(S, T)`: the function from a pair to its first part"),
            Prj2 => meaning(RELATIONS, "`prj2(S, T)`: the function from a pair to its second part"),
            Seq => meaning(SEQUENCES, "`seq(S)`: all finite sequences of elements of S"),
            Seq1 => meaning(SEQUENCES, "`seq1(S)`: all finite sequences of elements of S but the empty one"),
            Iseq => meaning(SEQUENCES, "`iseq(S)`: all finite sequences of elements of S without repetition"),
            Iseq1 => meaning(SEQUENCES, "`iseq1(S)`: `iseq(S)` without the empty sequence"),
            Perm => meaning(SEQUENCES, "`perm(S)`: all sequences in which each element of S stands once; well-defined where S is finite"),
            Conc => meaning(SEQUENCES, "`conc(s)`: the sequences in s, one behind the other"),
            Front => meaning(SEQUENCES, "`front(s)`: s without its last element; well-defined where s is not empty"),
            Tail => meaning(SEQUENCES, "`tail(s)`: s without its first element; well-defined where s is not empty"),
            First => meaning(SEQUENCES, "`first(s)`: the first element; well-defined where s is not empty"),
            Last => meaning(SEQUENCES, "`last(s)`: the last element; well-defined where s is not empty"),
            Size => meaning(SEQUENCES, "`size(s)`: the length of the sequence"),
            Rev => meaning(SEQUENCES, "`rev(s)`: the sequence in reverse order"),
            Finite => meaning(EVENT_B, "`finite(S)`: S has finitely many elements"),
            Partition => meaning(EVENT_B, "`partition(S, A, B)`: S is the union of the others, which are pairwise disjoint"),
            Floor => meaning(EXPRESSIONS, "`floor(x)`: the greatest integer that is at most x"),
            Ceiling => meaning(EXPRESSIONS, "`ceiling(x)`: the least integer that is at least x"),
            Real => meaning(EXPRESSIONS, "`real(n)`: the integer n as a real number"),
            Tree => meaning(LABELLED, "`tree(S)`: all finite trees whose nodes carry elements of S"),
            Btree => meaning(BINARY, "`btree(S)`: all binary trees whose nodes carry elements of S"),
            Const => meaning(LABELLED, "`const(E, s)`: the tree with E at its root and the trees of the sequence s below it"),
            Top => meaning(LABELLED, "`top(t)`: what the root carries"),
            Sons => meaning(LABELLED, "`sons(t)`: the sequence of the trees below the root"),
            Prefix => meaning(LABELLED, "`prefix(t)`: what the nodes carry, each before those below it"),
            Postfix => meaning(LABELLED, "`postfix(t)`: what the nodes carry, each after those below it"),
            Sizet => meaning(LABELLED, "`sizet(t)`: the number of nodes"),
            Mirror => meaning(LABELLED, "`mirror(t)`: the tree with the order of all sons reversed"),
            Rank => meaning(LABELLED, "`rank(t, n)`: the place of the node n among its brothers; nodes are sequences of such places from the root"),
            Father => meaning(LABELLED, "`father(t, n)`: the node above the node n"),
            Son => meaning(LABELLED, "`son(t, n, i)`: the i-th node below the node n"),
            Subtree => meaning(LABELLED, "`subtree(t, n)`: the tree whose root is the node n"),
            Arity => meaning(LABELLED, "`arity(t, n)`: the number of nodes directly below the node n"),
            Bin => meaning(BINARY, "`bin(E)`: the binary tree of one node; `bin(l, E, r)`: E at the root, the trees l and r below it"),
            Left => meaning(BINARY, "`left(t)`: the left tree below the root"),
            Right => meaning(BINARY, "`right(t)`: the right tree below the root"),
            Infix => meaning(BINARY, "`infix(t)`: what the nodes carry, each between those at its left and at its right"),
        }
    }
}

impl Quantifier {
    /// Returns the meaning of the binder.
    pub fn meaning(self) -> Meaning {
        use Quantifier::*;
        match self {
            Forall => meaning(PREDICATES, "`!x.(P => Q)`: Q holds for each x for which P holds"),
            Exists => meaning(PREDICATES, "`#x.(P)`: P holds for some x"),
            Lambda => meaning(FUNCTIONS, "`%x.(P | E)`: the function from each x for which P holds to E"),
            Union => {
                meaning(GENERALIZED, "`UNION(x).(P | E)`: the union of the sets E of all x for which P holds")
            }
            Inter => meaning(
                GENERALIZED,
                "`INTER(x).(P | E)`: the intersection of the sets E of all x for which P holds",
            ),
            Sigma => meaning(EXPRESSIONS, "`SIGMA(x).(P | E)`: the sum of the E of all x for which P holds"),
            Pi => meaning(EXPRESSIONS, "`PI(x).(P | E)`: the product of the E of all x for which P holds"),
        }
    }
}

impl Constant {
    /// Returns the meaning of the constant.
    pub fn meaning(self) -> Meaning {
        use Constant::*;
        match self {
            Integer => meaning(INTEGERS, "`INTEGER`: all integers"),
            Natural => meaning(NATURALS, "`NATURAL`: the integers from 0 on"),
            Natural1 => meaning(NATURALS, "`NATURAL1`: the integers from 1 on"),
            Int => meaning(EXPRESSIONS, "`INT`: the integers from `MININT` to `MAXINT`"),
            Nat => meaning(EXPRESSIONS, "`NAT`: the integers from 0 to `MAXINT`"),
            Nat1 => meaning(EXPRESSIONS, "`NAT1`: the integers from 1 to `MAXINT`"),
            Bool => meaning(EXPRESSIONS, "`BOOL`: the set of `TRUE` and `FALSE`"),
            Str => meaning(EXPRESSIONS, "`STRING`: all character strings"),
            Real => meaning(EXPRESSIONS, "`REAL`: the real numbers"),
            Float => meaning(EXPRESSIONS, "`FLOAT`: the floating-point numbers"),
            True => meaning(EXPRESSIONS, "`TRUE`: an element of `BOOL`; as a predicate write `b = TRUE`"),
            False => meaning(EXPRESSIONS, "`FALSE`: an element of `BOOL`; as a predicate write `b = FALSE`"),
            MaxInt => meaning(EXPRESSIONS, "`MAXINT`: the largest integer of an implementation"),
            MinInt => meaning(EXPRESSIONS, "`MININT`: the smallest integer of an implementation"),
            Btrue => meaning(EVENT_B, "`btrue`: the predicate that always holds"),
            Bfalse => meaning(EVENT_B, "`bfalse`: the predicate that never holds"),
        }
    }
}

/// Returns the meaning of a keyword, or of a symbol of substitutions.
#[rustfmt::skip]
pub fn of_keyword(word: &str) -> Option<Meaning> {
    let (source, text) = match word {
        ":=" => ("B Language Reference Manual, 6.3", "`x := E`: x becomes the value that E has before"),
        "::" => ("B Language Reference Manual, 6.12", "`x :: S`: x becomes any element of S"),
        "<--" => ("B Language Reference Manual, 6.16", "`r <-- op(E)`: calls an operation and stores its result"),
        "==" => (COMPONENTS, "`name(a) == text`: a definition"),
        "not" => (PROPOSITIONS, "`not(P)`: P does not hold"),
        "~" => (RELATIONS, "`r~`: the pairs of r in reverse order"),
        "skip" => ("B Language Reference Manual, 6.2", "`skip`: changes nothing"),
        "BEGIN" => ("B Language Reference Manual, 6.1", "`BEGIN S END`: S, as in parentheses"),
        "PRE" => ("B Language Reference Manual, 6.4", "`PRE P THEN S END`: S, which may be called only where P holds"),
        "ASSERT" => ("B Language Reference Manual, 6.5", "`ASSERT P THEN S END`: S, where P has to hold"),
        "CHOICE" => ("B Language Reference Manual, 6.6", "`CHOICE S OR T END`: one of the branches, whichever"),
        "IF" | "ELSIF" => ("B Language Reference Manual, 6.7", "`IF P THEN S ELSIF Q THEN T ELSE U END`: the first branch whose condition holds"),
        "SELECT" | "WHEN" => ("B Language Reference Manual, 6.8", "`SELECT P THEN S WHEN Q THEN T END`: a branch whose condition holds; disabled where none does"),
        "CASE" | "EITHER" => ("B Language Reference Manual, 6.9", "`CASE E OF EITHER a THEN S OR b THEN T ELSE U END END`: the branch of the value of E"),
        "ANY" => ("B Language Reference Manual, 6.10", "`ANY x WHERE P THEN S END`: S for some x for which P holds; disabled where there is none"),
        "LET" => ("B Language Reference Manual, 6.11", "`LET x BE x = E IN S END`: S, where x stands for the value of E"),
        "VAR" => ("B Language Reference Manual, 6.14", "`VAR x IN S END`: S with a local variable x"),
        "WHILE" | "DO" => ("B Language Reference Manual, 6.17", "`WHILE P DO S INVARIANT I VARIANT V END`: S as long as P holds; I holds before each round, and V decreases"),
        "VARIANT" => ("B Language Reference Manual, 6.17", "`VARIANT V`: a natural number that each round of the loop decreases"),
        "MACHINE" => (COMPONENTS, "`MACHINE M`: an abstract machine"),
        "REFINEMENT" => (COMPONENTS, "`REFINEMENT R REFINES M`: a refinement of a machine or refinement"),
        "IMPLEMENTATION" => (COMPONENTS, "`IMPLEMENTATION I REFINES M`: the last refinement, which can be translated to code"),
        "SYSTEM" => ("Abrial and Mussat, Event-B in Atelier B", "`SYSTEM M`: a machine whose operations are events, which happen by themselves"),
        "REFINES" => (COMPONENTS, "`REFINES M`: the machine or refinement that this one refines"),
        "SEES" => (COMPONENTS, "`SEES M`: reads the sets, constants and variables of another machine"),
        "USES" => (COMPONENTS, "`USES M`: reads another machine that is included together with this one"),
        "INCLUDES" => (COMPONENTS, "`INCLUDES M`: has a copy of another machine, which changes by its operations alone"),
        "EXTENDS" => (COMPONENTS, "`EXTENDS M`: includes another machine and promotes all of its operations"),
        "IMPORTS" => (COMPONENTS, "`IMPORTS M`: the machine that an implementation is built on"),
        "PROMOTES" => (COMPONENTS, "`PROMOTES op`: makes an operation of an included machine one of this machine"),
        "CONSTRAINTS" => (COMPONENTS, "`CONSTRAINTS P`: what holds of the parameters of the machine"),
        "SETS" => (COMPONENTS, "`SETS S; T = {a, b}`: deferred and enumerated sets"),
        "CONSTANTS" | "CONCRETE_CONSTANTS" | "ABSTRACT_CONSTANTS" => (COMPONENTS, "`CONSTANTS c`: names whose values never change"),
        "PROPERTIES" => (COMPONENTS, "`PROPERTIES P`: what holds of sets and constants"),
        "VALUES" => (COMPONENTS, "`VALUES c = E`: the values of sets and constants in an implementation"),
        "VARIABLES" | "ABSTRACT_VARIABLES" | "CONCRETE_VARIABLES" => (COMPONENTS, "`VARIABLES v`: the state of the machine"),
        "INVARIANT" => (COMPONENTS, "`INVARIANT P`: what holds in each reachable state"),
        "ASSERTIONS" => (COMPONENTS, "`ASSERTIONS P`: what follows from the invariant"),
        "INITIALISATION" => (COMPONENTS, "`INITIALISATION S`: makes the first states"),
        "OPERATIONS" | "EVENTS" => (COMPONENTS, "`OPERATIONS r <-- op(x) = S`: the steps of the machine"),
        "LOCAL_OPERATIONS" => (COMPONENTS, "`LOCAL_OPERATIONS`: operations that the implementation itself calls"),
        "DEFINITIONS" => (COMPONENTS, "`DEFINITIONS name(a) == text`: names for formulas and substitutions, replaced before anything else"),
        _ => return None,
    };
    Some(meaning(source, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classical::lexer::KEYWORDS;

    #[test]
    fn nearly_every_keyword_has_a_meaning() {
        let without: Vec<&str> = KEYWORDS.into_iter().filter(|word| of_keyword(word).is_none()).collect();
        assert_eq!(without, ["END", "ELSE", "THEN", "WHERE"], "these belong to other keywords");
    }

    #[test]
    fn a_meaning_begins_with_a_use() {
        assert!(BuiltinFn::of_event_b().all(|(_, word)| word.meaning().text.starts_with('`')));
        assert!(BinaryOp::of_event_b().all(|(_, op)| op.meaning().text.contains("`: ")));
    }
}
