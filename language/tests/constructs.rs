//! Free types, trees and external functions: what is typed, what is refused, what reads back.

use bsym_language::load::{check_expression, load_text};
use bsym_language::model::Model;
use bsym_language::print;
use bsym_language::walk::normalised;

const MACHINE: &str = "MACHINE M SETS S; C = {red, green}
FREETYPES List(p) = nil, cons(p * List(p)); Even = zero, after(Odd); Odd = next(Even); Shape = dot(C), line((1..9) * S)
VARIABLES n, s, w INVARIANT n : INTEGER & s : S & w : tree(C) INITIALISATION n := 0 || s :: S || w := bin(red) END";

fn model() -> Model {
    load_text("M.mch", MACHINE).model.expect("the machine is right")
}

fn types(text: &str, expected: &str) {
    let mut m = model();
    let found = match check_expression(&mut m, text) {
        Ok(e) => {
            assert_eq!(print::expr(&m, &e), text);
            print::type_text(&m, &e.ty)
        }
        Err(d) => d[0].message.clone(),
    };
    assert_eq!(found, expected, "{text}");
}

fn refuses(text: &str, expected: &str) {
    let loaded = load_text("M.mch", text);
    let messages: Vec<&str> = loaded.diagnostics.iter().map(|d| d.message.as_str()).collect();
    assert_eq!(messages, [expected], "{text}");
    assert!(loaded.model.is_none());
}

#[test]
fn free_types_are_instantiated_at_every_use() {
    types("nil", "List(INTEGER)");
    types("cons(1 |-> nil)", "List(INTEGER)");
    types("cons(TRUE |-> cons(FALSE |-> nil))", "List(BOOL)");
    types("cons({nil} |-> nil)", "List(POW(List(INTEGER)))");
    types("cons~(cons(s |-> nil))", "S * List(S)");
    types("List(1 .. 3)", "POW(List(INTEGER))");
    types("List(C * BOOL)", "POW(List(C * BOOL))");
    types("after(next(zero))", "Even");
    types("Odd", "POW(Odd)");
    types("line(1 |-> s)", "Shape");
    types("dom(dot)", "POW(C)");
    types("cons(1 |-> cons(TRUE |-> nil))", "expected INTEGER * List(INTEGER), this is INTEGER * List(BOOL)");
    types("List(1, 2)", "the free type `List` has 1 parameters, 2 are given");
    types("next(1)", "expected Even, this is INTEGER");
}

#[test]
fn wrong_free_types() {
    refuses("MACHINE M FREETYPES T = a, b(T), a END", "`a` is declared twice");
    refuses(
        "MACHINE M FREETYPES T = b(T) END",
        "the free type `T` has no values: every constructor needs one first",
    );
    let circle = load_text("M.mch", "MACHINE M FREETYPES T = a(U); U = b(T * U) END");
    assert_eq!(circle.diagnostics.len(), 2);
    refuses(
        "MACHINE M CONSTANTS k PROPERTIES k <: NAT FREETYPES T = a(k) END",
        "only sets and types may be used in FREETYPES, where nothing has a value yet",
    );
    refuses("MACHINE M FREETYPES T = a(1) END", "expected POW(_), this is INTEGER");
    refuses(
        "MACHINE M FREETYPES T = a VARIABLES x INVARIANT x : T INITIALISATION x := a OPERATIONS o = a := x END",
        "`a` is a constructor and cannot be assigned to",
    );
}

#[test]
fn trees_are_functions_of_paths() {
    let tree = "POW(POW(INTEGER * INTEGER) * C)";
    for text in ["bin(red)", "bin(w, green, w)", "mirror(w)", "left(w)", "subtree(w, [1])", "const(red, [w])"]
    {
        types(text, tree);
    }
    types("tree(BOOL)", "POW(POW(POW(INTEGER * INTEGER) * BOOL))");
    types("btree(BOOL)", "POW(POW(POW(INTEGER * INTEGER) * BOOL))");
    types("top(w)", "C");
    types("sons(w)", "POW(INTEGER * POW(POW(INTEGER * INTEGER) * C))");
    types("infix(w)", "POW(INTEGER * C)");
    types("father(w, [1])", "POW(INTEGER * INTEGER)");
    types("son(w, [1], 2)", "POW(INTEGER * INTEGER)");
    types("rank(w, [1]) + arity(w, []) + sizet(w)", "INTEGER");
    types("top(n)", "expected POW(POW(INTEGER * INTEGER) * _), this is INTEGER");
}

#[test]
fn libraries_are_known_without_their_files() {
    types("STRING_LENGTH(\"a\")", "INTEGER");
    types("STRING_SPLIT(\"a\", \",\")", "POW(INTEGER * STRING)");
    types("CHOOSE({red})", "C");
    types("SORT({s})", "POW(INTEGER * S)");
    types("vprintf(\"~w\", 1 |-> TRUE)", "INTEGER * BOOL");
    types("STRING_LENGTH(n)", "expected STRING, this is INTEGER");
    types("STRING_APPEND(\"a\")", "`STRING_APPEND` takes 2 arguments, 1 is given");
    let with = |definitions: &str, body: &str| {
        let text = format!("MACHINE M DEFINITIONS {definitions} ASSERTIONS {body} END");
        load_text("M.mch", text)
    };
    assert!(
        with("\"LibraryStrings.def\"", "STRING_IS_INT(\"1\") & STRING_REV(\"a\") = \"a\"").model.is_some()
    );
    // Without the library the name is free, and what the machine defines comes first.
    assert!(with("GOAL == 1 = 1", "STRING_IS_INT(\"1\")").model.is_none());
    assert!(with("\"LibraryStrings.def\"; STRING_REV(x) == x + 1", "STRING_REV(1) = 2").model.is_some());
}

#[test]
fn declared_external_functions() {
    let text = |body: &str| {
        format!(
            "MACHINE M DEFINITIONS EXTERNAL_FUNCTION_CHOOSE(T) == POW(T) --> T; CHOOSE(x) == \"none\";
             EXTERNAL_FUNCTION_TWICE == INTEGER --> INTEGER; TWICE(x) == 2 * x;
             EXTERNAL_PREDICATE_observe(T) == T; observe(x) == (1 = 1) ASSERTIONS {body} END"
        )
    };
    let m = load_text("M.mch", text("CHOOSE({1}) = 1 & observe(TRUE)")).model.expect("both are known");
    let assertions: Vec<String> = m.assertions.iter().map(|c| print::pred(&m, &c.pred)).collect();
    assert_eq!(assertions, ["CHOOSE({1}) = 1", "observe(TRUE)"]);
    let loaded = load_text("M.mch", text("TWICE(2) = 4"));
    let expected = "the external function `TWICE` is not known, its definition is used in its place";
    assert!(loaded.diagnostics.iter().any(|d| d.message == expected), "{:?}", loaded.diagnostics);
    let m = loaded.model.expect("it is a warning");
    assert_eq!(print::pred(&m, &m.assertions[0].pred), "2 * 2 = 4");
}

#[test]
fn substitutions_that_print_change_nothing() {
    let text = "MACHINE M DEFINITIONS \"LibraryIO.def\" VARIABLES x INVARIANT x : NAT INITIALISATION x := 0
        OPERATIONS o = BEGIN PRINTF(\"x = ~w\", [x]); x := x + 1 END END";
    let m = load_text("M.mch", text).model.expect("it is right");
    assert_eq!(
        print::event(&m, &m.events[0]).split_whitespace().collect::<String>(),
        "o=BEGINskip;x:=x+1END"
    );
}

#[test]
fn what_is_printed_reads_back() {
    let text = "MACHINE M SETS S DEFINITIONS \"LibraryStrings.def\"; \"SORT.def\"
        FREETYPES L(p) = nil, cons(p * L(p)); E = z, a(O); O = b(E)
        VARIABLES l, t, e INVARIANT l : L(S) & t : btree(S) & e : E & STRING_LENGTH(TO_STRING(e)) > 0
        INITIALISATION l, e := nil, z || ANY x WHERE x : S THEN t := bin(x) END
        OPERATIONS o(x) = PRE x : S THEN l := cons(x |-> l) || t := bin(t, x, left(t)) END; u = SELECT SORT({1}) = [1] THEN e := a(b(e)) END END";
    let first = load_text("M.mch", text).model.expect("it is right");
    let printed = print::machine(&first);
    let loaded = load_text("M.mch", printed.clone());
    let second = loaded.model.unwrap_or_else(|| panic!("{printed}\n{:#?}", loaded.diagnostics));
    assert_eq!(normalised(&first), normalised(&second), "{printed}");
    assert_eq!(printed, print::machine(&second));
}

fn holds_text(text: &str) -> String {
    let mut m = model();
    match bsym_language::load::check_predicate(&mut m, text) {
        Ok(p) => print::pred(&m, &p),
        Err(d) => d[0].message.clone(),
    }
}

#[test]
fn a_substitution_in_a_predicate_is_its_weakest_precondition() {
    let check = |text: &str, expected: &str| assert_eq!(holds_text(text), expected, "{text}");
    check("[n := n + 1](n > 0)", "n + 1 > 0");
    check("[n := n + 1; n := n * 2](n > 0)", "(n + 1) * 2 > 0");
    check("[n := 1 || s := s](n > 0 & s = s)", "1 > 0 & s = s");
    check("[PRE n > 1 THEN n := 2 END](n > 0)", "n > 1 & 2 > 0");
    check("[CHOICE n := 1 OR skip END](n > 0)", "1 > 0 & n > 0");
    check("[IF n = 1 THEN n := 2 END](n > 0)", "IF n = 1 THEN 2 > 0 ELSE n > 0 END");
    check("[SELECT n = 1 THEN n := 2 END](n > 0)", "n = 1 => 2 > 0");
    check("[ANY x WHERE x : NAT THEN n := x END](n > 0)", "!x.(x : NAT => x > 0)");
    check("[n :: NAT](n > 0)", "!n_1.(n_1 : NAT => n_1 > 0)");
    check("[BEGIN n : (n > n$0) END](n > 0)", "!n_1.(n_1 > n => n_1 > 0)");
    check("[VAR x IN x := 1; n := x END](n > 0)", "1 > 0");
    check("[LET x BE x = 3 IN n := x END](n > 0)", "LET x BE x = 3 IN x > 0 END");
    check(
        "[WHILE n > 0 DO n := n - 1 INVARIANT 1 = 1 VARIANT n END](n = 0)",
        "a loop in a predicate is not supported yet",
    );
}

#[test]
fn further_notation() {
    let text = "SYSTEM M SETS S = Names DEFINITIONS Names == {a, b}; \"LibraryStrings.def\"
        EXPRESSIONS twice(x) == 2 * x PREDICATES small(x) == x < 10
        VARIABLES n, r INVARIANT n : INTEGER & r : struct(`END` : S, x1 : REAL) & small(twice(n))
        INITIALISATION n := 0 || r := rec(`END` : a, x1 : 1.5e0)
        EVENTS up = WITNESS n = n THEN n := twice(n) END;
        deep = n := LET x BE x = IF n > 0 THEN 1 ELSIF n = 0 THEN 2 ELSE 3 END IN x + n END;
        text = SELECT '''two
lines''' /= \"a\\\"b\\n\" ∧ {x·x ∈ 1‥3 ∣ x × x} ≠ ∅ THEN r'x1 := real(floor(r'x1)) END END";
    let text = text.replace('‥', "..").replace("x × x", "x * x");
    let loaded = load_text("M.mch", text);
    let m = loaded.model.unwrap_or_else(|| panic!("{:#?}", loaded.diagnostics));
    assert_eq!(m.events.len(), 3);
    assert_eq!(print::pred(&m, &m.invariant[2].pred), "2 * n < 10");
    let printed = print::machine(&m);
    let again = load_text("M.mch", printed.clone()).model.unwrap_or_else(|| panic!("{printed}"));
    assert_eq!(normalised(&m), normalised(&again), "{printed}");
}

#[test]
fn templates_are_concatenations() {
    let check = |text: &str, expected: &str| {
        let mut m = model();
        let found = match check_expression(&mut m, text) {
            Ok(e) => print::expr(&m, &e),
            Err(d) => format!("{}: {}", d[0].span.start, d[0].message),
        };
        assert_eq!(found, expected, "{text}");
    };
    check("```plain \\n text```", "\"plain \\n text\"");
    check("``````", "\"\"");
    check("```n = ${n + 1}!```", "STRING_CONC([\"n = \", TO_STRING(n + 1), \"!\"])");
    check("```$«{n}» costs $5```", "STRING_CONC([TO_STRING({n}), \" costs $\", \"5\"])");
    check("```${rec(a : {n})'a}```", "STRING_CONC([TO_STRING(rec(a: {n})'a)])");
    check("```a ${n +} b```", "10: expected an expression or predicate, found the end of the file");
    check("```a ${nn}```", "7: `nn` is not declared");
    check("```a ${n n}```", "9: expected the end of the expression, found `n`");
    check("```a ${n = n}```", "7: this is a predicate, an expression is expected");
}

#[test]
fn a_word_in_an_equation_with_if_is_no_header_of_an_operation() {
    let machine = |operations: &str| {
        format!(
            "MACHINE M VARIABLES w INVARIANT w : tree(INTEGER) INITIALISATION w := bin(1) OPERATIONS {operations} END"
        )
    };
    let read = |operations: &str| load_text("M.mch", machine(operations)).model.is_some();
    assert!(read("a = PRE top(w) = IF 1 = 1 THEN 1 ELSE 2 END THEN skip END"));
    // Declared as the name of an operation it is none of the operators.
    assert!(read("a = skip; top(n) = IF n = 1 THEN skip END"));
    assert!(!read("a = PRE top(w) = 1 THEN skip END; top(n) = IF n = 1 THEN skip END"));
}
