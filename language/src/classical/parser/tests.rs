use super::*;
use crate::ast::*;
use crate::diagnostic::Code;
use crate::text::source::Source;

fn source(text: &str) -> (Sources, SourceId) {
    let mut sources = Sources::default();
    let id = sources.add(Source::new("m.mch", text));
    (sources, id)
}

/// A formula as an s-expression.
fn show(e: &Expr) -> String {
    let all = |items: &[Expr]| items.iter().map(show).collect::<Vec<_>>().join(" ");
    let names = |ids: &[Ident]| ids.iter().map(|i| i.name.as_str()).collect::<Vec<_>>().join(",");
    let fields = |fs: &[(Ident, Expr)]| {
        fs.iter().map(|(i, e)| format!("{}:{}", i.name, show(e))).collect::<Vec<_>>().join(" ")
    };
    match &e.kind {
        ExprKind::Ident(x) | ExprKind::Integer(x) | ExprKind::Real(x) => x.clone(),
        ExprKind::Old(x) => format!("{x}$0"),
        ExprKind::String(s) => format!("{s:?}"),
        ExprKind::Constant(c) => format!("{c:?}"),
        ExprKind::EmptySet => "{}".into(),
        ExprKind::EmptySeq => "[]".into(),
        ExprKind::Unary(op, a) => format!("({op:?} {})", show(a)),
        ExprKind::Binary(op, a, b) => format!("({op:?} {} {})", show(a), show(b)),
        ExprKind::Builtin(f, items) => format!("({f:?}! {})", all(items)),
        ExprKind::BuiltinValue(f) => format!("{f:?}!"),
        ExprKind::Apply(f, items) => format!("(@ {} {})", show(f), all(items)),
        ExprKind::Image(r, s) => format!("(image {} {})", show(r), show(s)),
        ExprKind::Field(r, a) => format!("(field {} {})", show(r), a.name),
        ExprKind::Tuple(items) => format!("(tuple {})", all(items)),
        ExprKind::Quantified(q, ids, p, None) => format!("({q:?} {} {})", names(ids), show(p)),
        ExprKind::Quantified(q, ids, p, Some(v)) => format!("({q:?} {} {} {})", names(ids), show(p), show(v)),
        ExprKind::Comprehension(ids, p, None) => format!("(compr {} {})", names(ids), show(p)),
        ExprKind::Comprehension(ids, p, Some(v)) => format!("(compr {} {} {})", names(ids), show(p), show(v)),
        ExprKind::SetExtension(items) => format!("{{{}}}", all(items)),
        ExprKind::SeqExtension(items) => format!("[{}]", all(items)),
        ExprKind::Record(fs) => format!("(rec {})", fields(fs)),
        ExprKind::Struct(fs) => format!("(struct {})", fields(fs)),
        ExprKind::If(branches, otherwise) => {
            let branches: Vec<_> = branches.iter().map(|(p, e)| format!("{} {}", show(p), show(e))).collect();
            let otherwise = otherwise.as_ref().map_or(String::new(), |e| format!(" {}", show(e)));
            format!("(if {}{otherwise})", branches.join(" "))
        }
        ExprKind::Let(ids, p, e) => format!("(let {} {} {})", names(ids), show(p), show(e)),
        ExprKind::Labelled(name, p) => format!("(label {name} {})", show(p)),
        ExprKind::Described(p, text) => format!("(desc {} {text:?})", show(p)),
        ExprKind::Operator(name, items) => {
            format!("({} {})", name.name, items.iter().map(show).collect::<Vec<_>>().join(" "))
        }
        ExprKind::Substituted(s, p) => format!("(subst {} {})", show_subst(s), show(p)),
        ExprKind::Error => "<error>".into(),
    }
}

fn show_subst(s: &Subst) -> String {
    let exprs = |items: &[Expr]| items.iter().map(show).collect::<Vec<_>>().join(",");
    let substs = |items: &[Subst]| items.iter().map(show_subst).collect::<Vec<_>>().join(" ");
    let names = |ids: &[Ident]| ids.iter().map(|i| i.name.as_str()).collect::<Vec<_>>().join(",");
    let branches = |bs: &[(Expr, Subst)], o: &Option<Box<Subst>>| {
        let mut parts: Vec<_> = bs.iter().map(|(p, s)| format!("{} {}", show(p), show_subst(s))).collect();
        parts.extend(o.as_ref().map(|s| show_subst(s)));
        parts.join(" ")
    };
    match &s.kind {
        SubstKind::Skip => "skip".into(),
        SubstKind::Block(s) => format!("(begin {})", show_subst(s)),
        SubstKind::Assign(a, b) => format!("(:= {} {})", exprs(a), exprs(b)),
        SubstKind::BecomesIn(a, b) => format!("(:: {} {})", exprs(a), show(b)),
        SubstKind::BecomesSuch(a, b) => format!("(: {} {})", exprs(a), show(b)),
        SubstKind::Pre(p, s) => format!("(pre {} {})", show(p), show_subst(s)),
        SubstKind::Assert(p, s) => format!("(assert {} {})", show(p), show_subst(s)),
        SubstKind::Witness(p, s) => format!("(witness {} {})", show(p), show_subst(s)),
        SubstKind::Choice(items) => format!("(choice {})", substs(items)),
        SubstKind::If(bs, o) => format!("(if {})", branches(bs, o)),
        SubstKind::Select(bs, o) => format!("(select {})", branches(bs, o)),
        SubstKind::Case(e, bs, o) => {
            let mut parts: Vec<_> =
                bs.iter().map(|(es, s)| format!("{} {}", exprs(es), show_subst(s))).collect();
            parts.extend(o.as_ref().map(|s| show_subst(s)));
            format!("(case {} {})", show(e), parts.join(" "))
        }
        SubstKind::Any(ids, p, s) => format!("(any {} {} {})", names(ids), show(p), show_subst(s)),
        SubstKind::Let(ids, p, s) => format!("(let {} {} {})", names(ids), show(p), show_subst(s)),
        SubstKind::Var(ids, s) => format!("(var {} {})", names(ids), show_subst(s)),
        SubstKind::While { condition, body, invariant, variant } => {
            format!("(while {} {} {} {})", show(condition), show_subst(body), show(invariant), show(variant))
        }
        SubstKind::Sequence(items) => format!("(; {})", substs(items)),
        SubstKind::Parallel(items) => format!("(|| {})", substs(items)),
        SubstKind::Call { results, name, arguments } => {
            format!("(call {} {} {})", exprs(results), name.name, exprs(arguments)).replace("  ", " ")
        }
        SubstKind::Error => "<error>".into(),
    }
}

#[track_caller]
fn check(text: &str, expected: &str) {
    let (sources, id) = source(text);
    let (expr, diagnostics) = parse_formula(&sources, id);
    assert_eq!(diagnostics, [], "{text}");
    assert_eq!(show(&expr), expected, "{text}");
}

#[track_caller]
fn check_subst(text: &str, expected: &str) {
    let (sources, id) = source(&format!("MACHINE m INITIALISATION {text} END"));
    let (machine, diagnostics) = parse(&sources, id);
    assert_eq!(diagnostics, [], "{text}");
    let [Section { kind: SectionKind::Initialisation(s), .. }] = &machine.sections[..] else {
        panic!("{machine:?}")
    };
    assert_eq!(show_subst(s), expected, "{text}");
}

/// The codes of a file's diagnostics with their lines: `10@2 15@3`.
#[track_caller]
fn check_errors(text: &str, expected: &str) {
    let (sources, id) = source(text);
    let (_, diagnostics) = parse(&sources, id);
    let found: Vec<_> =
        diagnostics.iter().map(|d| format!("{}@{}", d.code.number, sources.position(d.span).line)).collect();
    assert_eq!(found.join(" "), expected, "{text}\n{diagnostics:#?}");
}

/// One mistake in an invariant, its code and a part of its message or help.
#[track_caller]
fn check_formula_error(text: &str, code: Code, part: &str) {
    let (sources, id) = source(&format!("MACHINE m INVARIANT {text} END"));
    let (_, diagnostics) = parse(&sources, id);
    check_one(text, &diagnostics, code, part);
}

#[track_caller]
fn check_subst_error(text: &str, code: Code, part: &str) {
    let (sources, id) = source(&format!("MACHINE m OPERATIONS op = {text} END"));
    let (_, diagnostics) = parse(&sources, id);
    check_one(text, &diagnostics, code, part);
}

#[track_caller]
fn check_one(text: &str, diagnostics: &[Diagnostic], code: Code, part: &str) {
    let [d] = diagnostics else { panic!("{text}: {diagnostics:#?}") };
    assert_eq!(d.code, code, "{text}: {d:?}");
    let whole = format!("{} {} {:?}", d.message, d.help.as_deref().unwrap_or(""), d.labels);
    assert!(whole.contains(part), "{text}: no {part:?} in {whole}");
}

#[test]
fn conjunction_and_disjunction_share_a_level() {
    check("a & b or c", "(Or (And a b) c)");
    check("a or b & c", "(And (Or a b) c)");
    check("a & b => c", "(Implies (And a b) c)");
    check("a => b => c", "(Implies (Implies a b) c)");
    check("a & b <=> c & d", "(And (And a (Iff b c)) d)");
    check("a = b <=> c = d", "(Iff (Equal a b) (Equal c d))");
    check(
        "x : NAT & y = 3 or z < 2 => b = 1 <=> c = 1",
        "(Implies (Or (And (Member x Nat) (Equal y 3)) (Less z 2)) (Iff (Equal b 1) (Equal c 1)))",
    );
}

#[test]
fn set_operators_share_a_level() {
    check(
        "f : 1..n --> POW(S) \\/ T <+ U",
        "(Member f (TotalFunction (Interval 1 n) (Override (Union (Pow! S) T) U)))",
    );
    check("a |-> b |-> c", "(Maplet (Maplet a b) c)");
    check("x /= y \\/ z", "(NotEqual x (Union y z))");
    check("a <-> b +-> c", "(PartialFunction (Relation a b) c)");
    check("1..2 \\/ 3..4", "(Union (Interval 1 2) (Interval 3 4))");
    check("{} ⦂ POW(S) --> T", "(OfType {} (TotalFunction (Pow! S) T))");
}

#[test]
fn arithmetic() {
    check("-a**2 - b mod 2", "(Minus (Power (Minus a) 2) (Mod b 2))");
    check("2**3**4", "(Power 2 (Power 3 4))");
    check("2** -1", "(Power 2 (Minus 1))");
    check("a - b - c", "(Minus (Minus a b) c)");
    check("a \\ b - c + d", "(Plus (Minus (SetMinus a b) c) d)");
    check("a * b / c × d", "(Cartesian (Divide (Times a b) c) d)");
    check("1+1..2*3", "(Interval (Plus 1 1) (Times 2 3))");
    check("-x~", "(Minus (Inverse x))");
}

#[test]
fn postfix_forms_chain() {
    check("f~(x)", "(@ (Inverse f) x)");
    check("r'a(1)[S]'b", "(field (image (@ (field r a) 1) S) b)");
    check("f(a,b)(c)", "(@ (@ f a b) c)");
    check("p.x + x$0", "(Plus p.x x$0)");
    check("prj1(S,T)(c) + succ(1) + pred", "(Plus (Plus (@ (Prj1! S T) c) (Succ! 1)) Pred!)");
    check("@prj1(c)", "(Prj1! c)");
}

#[test]
fn symbols_of_several_meanings_depend_on_parentheses() {
    check("(r ; s)", "(Composition r s)");
    check("(r || s ; t)", "(Composition (ParallelProduct r s) t)");
    check("card(r;s)", "(Card! (Composition r s))");
    check("f[r;s]", "(image f (Composition r s))");
    check("{r;s}", "{(Composition r s)}");
    check("f((r;s))", "(@ f (Composition r s))");
    check("(a,b,c)", "(tuple a b c)");
    check("{(a,b)}", "{(tuple a b)}");
    check("{a,b}", "{a b}");
}

#[test]
fn binders() {
    check("!x.(x:S => x=1)", "(Forall x (Implies (Member x S) (Equal x 1)))");
    check("#(x,y).(x=y)", "(Exists x,y (Equal x y))");
    check("#x,y.(x=y)", "(Exists x,y (Equal x y))");
    check("∀x·(⊤)", "(Forall x Btrue)");
    check("%x.(x:S|x+1)(3)", "(@ (Lambda x (Member x S) (Plus x 1)) 3)");
    check("SIGMA(x).(x:S|x) + PI x.(x:S|x)", "(Plus (Sigma x (Member x S) x) (Pi x (Member x S) x))");
    check(
        "UNION(x).(x:S|{x}) = INTER(x).(x:S|T)",
        "(Equal (Union x (Member x S) {x}) (Inter x (Member x S) T))",
    );
    check("{x|x:S}", "(compr x (Member x S))");
    check("{x,y|x=y}", "(compr x,y (Equal x y))");
    check("{x · x:S | x+1}", "(compr x (Member x S) (Plus x 1))");
    check("{(x,y).x=y|x}", "(compr x,y (Equal x y) x)");
    check("{x|-1 = x}", "(compr x (Equal (Minus 1) x))");
}

#[test]
fn other_forms() {
    check("rec(a:1, b:x)'a", "(field (rec a:1 b:x) a)");
    check("struct(a:INTEGER, b:S)", "(struct a:Integer b:S)");
    check("struct((a:INTEGER), (b:S))", "(struct a:Integer b:S)");
    check("[] ^ <> ^ [a,b] <- c", "(Append (Concat (Concat [] []) [a b]) c)");
    check("IF a THEN b ELSIF c THEN d ELSE e END + 1", "(Plus (if a b c d e) 1)");
    check("LET x BE x = 1 IN x + 1 END", "(let x (Equal x 1) (Plus x 1))");
    check("[x := 1] x = 2", "(subst (:= x 1) (Equal x 2))");
    check("not(a) & ¬(b)", "(And (Not a) (Not b))");
    check("bool(a = b) = TRUE", "(Equal (Bool! (Equal a b)) True)");
    check("@finite(S) & @partition(S, A, B)", "(And (Finite! S) (Partition! S A B))");
    check("1.5e3 + 0x1F + 12", "(Plus (Plus 1.5e3 0x1F) 12)");
    check(r#""a\"b\n\q""#, r#""a\"b\n\\q""#);
    check("'''a\n'b' \\''' c'''", r#""a\n'b' ''' c""#);
    check("`END` + `a b`", "(Plus END a b)");
}

#[test]
fn soft_words_are_names_unless_called() {
    check("floor(1.5) = ceiling(x)", "(Equal (Floor! 1.5) (Ceiling! x))");
    check("floor = 1", "(Equal floor 1)");
    check("floor : S & floor(1) = 2", "(And (Member floor S) (Equal (@ floor 1) 2))");
    check("left(t)", "(Left! t)");
    check("top(t) = IF 1 = 1 THEN 2 ELSE 3 END", "(Equal (Top! t) (if (Equal 1 1) 2 3))");
    check("(r ; top(t)) = LET x BE x = 1 IN x END", "(Equal (Composition r (Top! t)) (let x (Equal x 1) x))");
    check_errors("MACHINE m DEFINITIONS left(a) == a INVARIANT left(1, 2) = 3 END", "");
}

#[test]
fn pragmas_name_and_describe_conjuncts() {
    check(
        "/*@ label a */ x = 1 & /*@ label \"b c\" */ (y = 2)",
        "(And (label a (Equal x 1)) (label b c (Equal y 2)))",
    );
    check(
        "x = 1 /*@ desc one */ & y = 2 /*@ desc two words */",
        "(And (desc (Equal x 1) \"one\") (desc (Equal y 2) \"two words\"))",
    );
    check("/*@ label l */ x = 1 /*@ desc d */", "(desc (label l (Equal x 1)) \"d\")");
    check("/*@ symbolic */ {x|x:S} /*@ unit m */", "(compr x (Member x S))");
    check("/* @label a */ x = 1 // c", "(Equal x 1)");
}

#[test]
fn unicode_spellings() {
    check("x ∈ ℕ ∧ S ⊆ ℙ(T) ∨ y ≠ ∅", "(Or (And (Member x Natural) (Subset S (Pow! T))) (NotEqual y {}))");
    check("S ∋ x ∧ T ⊇ S", "(And (Member x S) (Subset S T))");
    check("f⁻¹ ∘ g", "(BackwardComposition (Inverse f) g)");
    check("λx.(x∈ℤ∣x) = ℕ1 × ℕ₁", "(Equal (Lambda x (Member x Integer) x) (Cartesian Natural1 Natural1))");
    check("x₁ + x′", "(Plus x₁ x′)");
    check("f ∈ S −−> T", "(Member f (TotalFunction S T))");
}

#[test]
fn spans_leave_out_parentheses_but_operators_cover_them() {
    let (sources, id) = source("(a) & (b)");
    let (expr, _) = parse_formula(&sources, id);
    assert_eq!(sources.text(expr.span), "(a) & (b)");
    let ExprKind::Binary(_, a, _) = &expr.kind else { panic!() };
    assert_eq!(sources.text(a.span), "a");
}

#[test]
fn substitutions() {
    check_subst("skip", "skip");
    check_subst("x, f(1), r'a := 1, 2, 3", "(:= x,(@ f 1),(field r a) 1,2,3)");
    check_subst("a := 1 || b := 2 ; c := 3", "(; (|| (:= a 1) (:= b 2)) (:= c 3))");
    check_subst("x :: S || y,z : (y = z$0)", "(|| (:: x S) (: y,z (Equal y z$0)))");
    check_subst(
        "BEGIN op; op(1); r,s <-- p.op(2) END",
        "(begin (; (call op ) (call op 1) (call r,s p.op 2)))",
    );
    check_subst("PRE a THEN skip END; ASSERT b THEN skip END", "(; (pre a skip) (assert b skip))");
    check_subst("IF a THEN skip ELSIF b THEN skip ELSE x := 1 END", "(if a skip b skip (:= x 1))");
    check_subst("SELECT a THEN skip WHEN b THEN skip ELSE skip END", "(select a skip b skip skip)");
    check_subst("CHOICE skip OR x := 1 END", "(choice skip (:= x 1))");
    check_subst(
        "CASE e OF EITHER 1,2 THEN skip OR 3 THEN x := 1 ELSE skip END END",
        "(case e 1,2 skip 3 (:= x 1) skip)",
    );
    check_subst("ANY x,y WHERE x < y THEN skip END", "(any x,y (Less x y) skip)");
    check_subst("LET x BE x = 1 IN skip END", "(let x (Equal x 1) skip)");
    check_subst("VAR x IN x := 1; skip END", "(var x (; (:= x 1) skip))");
    check_subst("WHILE a DO skip INVARIANT b VARIANT c END", "(while a skip b c)");
    check_subst("WITNESS a THEN skip END", "(witness a skip)");
    check_subst("left(1)", "(call left 1)");
}

#[track_caller]
fn definitions(text: &str) -> String {
    let (sources, id) = source(text);
    let (machine, diagnostics) = parse(&sources, id);
    assert_eq!(diagnostics, [], "{text}");
    let [Section { kind: SectionKind::Definitions(definitions), .. }, ..] = &machine.sections[..] else {
        panic!("{machine:?}")
    };
    let show = |d: &Definition| match d {
        Definition::File(path, _) => format!("{path:?}"),
        Definition::Macro { name, parameters, body, .. } => {
            let body = match body {
                DefinitionBody::Expr(e) => format!("E{}", show(e)),
                DefinitionBody::Subst(s) => format!("S{}", show_subst(s)),
                DefinitionBody::Either(e, s) => format!("E{} S{}", show(e), show_subst(s)),
            };
            format!("{}/{}={body}", name.name, parameters.len())
        }
    };
    definitions.iter().map(show).collect::<Vec<_>>().join("; ")
}

#[test]
fn the_kind_of_a_definition_is_found_by_trying() {
    assert_eq!(definitions("DEFINITIONS a == 1; b(x,y) == x = y;"), "a/0=E1; b/2=E(Equal x y)");
    assert_eq!(definitions("DEFINITIONS \"f.def\"; a == x := 1"), "\"f.def\"; a/0=S(:= x 1)");
    assert_eq!(definitions("DEFINITIONS a == f(1); b == f"), "a/0=E(@ f 1) S(call f 1); b/0=Ef S(call f )");
    assert_eq!(
        definitions("DEFINITIONS a == x : (x > 1); b == x : (S)"),
        "a/0=S(: x (Greater x 1)); b/0=E(Member x S)"
    );
    assert_eq!(
        definitions("DEFINITIONS a == x, y; b == BEGIN skip; skip END"),
        "a/0=E(tuple x y); b/0=S(begin (; skip skip))"
    );
    assert_eq!(definitions("MACHINE m DEFINITIONS a == IF p THEN x := 1 END END"), "a/0=S(if p (:= x 1))");
}

#[test]
fn a_whole_refinement() {
    let text = "REFINEMENT r REFINES m SEES c, p.d DEFINITIONS near(a) == a - 1 : S; \"L.def\";
        SETS A; B = {x, y}; C = dd
        FREETYPES T(p) = nil, cons(INTEGER * T)
        VARIABLES v, w INVARIANT v : A & w = B INITIALISATION v := 1 ; w :: B
        OPERATIONS a, b <-- op(x, y) = PRE x = y THEN skip END; q ref op = skip; p.r = BEGIN skip END END";
    check_errors(text, "");
    let (sources, id) = source(text);
    let (machine, _) = parse(&sources, id);
    assert_eq!(machine.kind, MachineKind::Refinement);
    assert_eq!(machine.refines.as_ref().map(|i| i.name.as_str()), Some("m"));
    let kinds: Vec<_> = machine
        .sections
        .iter()
        .map(|s| match &s.kind {
            SectionKind::Sees(r) => format!("sees {} {:?}", r.len(), r[1].prefix.as_ref().map(|p| &p.name)),
            SectionKind::Definitions(d) => format!("definitions {}", d.len()),
            SectionKind::Sets(s) => format!("sets {}", s.len()),
            SectionKind::FreeTypes(t) => {
                format!("free {} {}", t[0].parameters.len(), t[0].constructors.len())
            }
            SectionKind::Operations(o) => {
                format!("operations {} {:?}", o.len(), o[1].refines.as_ref().map(|r| &r.name))
            }
            _ => String::new(),
        })
        .filter(|s| !s.is_empty())
        .collect();
    assert_eq!(
        kinds,
        ["sees 2 Some(\"p\")", "definitions 2", "sets 3", "free 1 2", "operations 3 Some(\"op\")"]
    );
}

#[test]
fn headers_and_references() {
    check_errors("MODEL m(S, n) CONSTRAINTS n : NAT INCLUDES p.k(S, 1) , l PROMOTES p.op END", "");
    check_errors("SYSTEM s EVENTS e = skip END", "");
    check_errors("IMPLEMENTATION i REFINES m IMPORTS k /*@ file \"k.mch\" */ VALUES S = 1..2; n = 3 END", "");
    check_errors("#! /usr/bin/env x\n/*@ generated */ MACHINE m END", "");
    let (sources, id) = source("MACHINE m SEES k /*@ file \"x/k.mch\" */ END");
    let (machine, _) = parse(&sources, id);
    let SectionKind::Sees(references) = &machine.sections[0].kind else { panic!() };
    assert_eq!(references[0].file.as_deref(), Some("x/k.mch"));
}

#[test]
fn operators_of_other_languages_get_a_hint() {
    use crate::diagnostic::codes::*;
    check_formula_error("a = 1 && b = 2", FOREIGN_OPERATOR, "`&`");
    check_formula_error("a != 1 & b = 2", FOREIGN_OPERATOR, "`/=`");
    check_formula_error("a == 1", FOREIGN_OPERATOR, "equality is `=`");
    check_formula_error("a := 1", FOREIGN_OPERATOR, "equality is `=`");
    check_formula_error("a = 1 || b = 2", FOREIGN_OPERATOR, "`or`");
    check_formula_error("a =< 1", FOREIGN_OPERATOR, "`<=`");
    check_formula_error("a <> 1", FOREIGN_OPERATOR, "`/=`");
    check_formula_error("a \\= 1", FOREIGN_OPERATOR, "`/=`");
    check_formula_error("a % 2 = 1", FOREIGN_OPERATOR, "`mod`");
    check_formula_error("a = 1 and b = 2", FOREIGN_OPERATOR, "`&`");
    check_formula_error("(a = 1 && b = 2) & c = 3", FOREIGN_OPERATOR, "`&`");
    check_subst_error("x = 1", EQUAL_AS_ASSIGNMENT, "`:=`");
}

#[test]
fn mistakes_in_formulas() {
    use crate::diagnostic::codes::*;
    check_formula_error("a < b < c", CHAINED_COMPARISON, "two comparisons");
    check_formula_error("!x.x : S", MISSING_PARENTHESES, "`!x.(P)`");
    check_formula_error("not a = b", MISSING_PARENTHESES, "`not(P)`");
    check_formula_error("card = 1", MISSING_PARENTHESES, "card");
    check_formula_error("card(a, b) = 1", WORD_ARGUMENTS, "1 argument, found 2");
    check_formula_error("(a = 1 & b = 2", UNCLOSED_BRACKET, "is open");
    check_formula_error("f(a = 1", UNCLOSED_BRACKET, "`)`");
    check_formula_error("{a = 1", UNCLOSED_BRACKET, "`}`");
    check_formula_error("f[a = 1", UNCLOSED_BRACKET, "`]`");
    check_formula_error("a = ", EXPECTED_EXPRESSION, "found `END`");
    check_formula_error("--x = 1", EXPECTED_EXPRESSION, "");
    check_formula_error("- -x = 1", EXPECTED_EXPRESSION, "-(-x)");
    check_formula_error("a ⊎ b = 1", REJECTED_SYMBOL, "union");
    check_formula_error("a ? b = 1", UNEXPECTED_CHARACTER, "`?`");
    check_formula_error("_a = 1", MALFORMED_NAME, "`_`");
    check_formula_error("x$1 = 1", MALFORMED_OLD_VALUE, "$0");
    check_formula_error("12ab = 1", MALFORMED_NUMBER, "ab");
    check_formula_error("rec(1,2) = x", EXPECTED_LABEL, "label");
    check_formula_error("{x+1 | x : S} = T", EXPECTED_BOUND_NAME, "name");
    check_formula_error("x = ```a ${1```", TEMPLATE_STRING, "`}` is missing");
    check_formula_error("#dom.(dom = 1)", KEYWORD_AS_NAME, "keyword");
    check_formula_error("a = 1 b = 2", UNEXPECTED_TOKEN, "found `b`");
    check_formula_error("x'1 = 2", EXPECTED_NAME, "label");
}

#[test]
fn mistakes_in_substitutions() {
    use crate::diagnostic::codes::*;
    check_errors("MACHINE m OPERATIONS op = BEGIN x := 1\nEND", "16@2");
    check_subst_error("x := 1;", TRAILING_SEMICOLON, "`;`");
    check_subst_error("BEGIN x := 1; END", TRAILING_SEMICOLON, "`;`");
    check_subst_error("x + 1 := 2", UNEXPECTED_TOKEN, "`:=`");
    check_subst_error("f[S] := 2", UNASSIGNABLE_FORM, "assign");
    check_subst_error("x : S", MISSING_PARENTHESES, "`x :: S`");
    check_subst_error("IF a THEN END", EXPECTED_SUBSTITUTION, "skip");
    check_subst_error("IF a x := 1 END", UNEXPECTED_TOKEN, "`THEN`");
    check_subst_error("BEGIN x := 1 y := 2 END", MISSING_END, "`||`");
    check_subst_error("SELECT a && b THEN skip END", FOREIGN_OPERATOR, "`&`");
}

#[test]
fn mistakes_in_structure() {
    check_errors("", "17@1");
    check_errors("hello", "17@1");
    check_errors("MACHINE m\nVARIABLES x", "16@2");
    check_errors("MACHINE m END\nx", "18@2");
    check_errors("MACHINE m SETS A\nSETS B END", "40@2");
    check_errors("REFINEMENT r\nVARIABLES x END", "41@2");
    check_errors("MACHINE m\nREFINES n VARIABLES x END", "42@2");
    check_errors("MACHINE m\nIMPORTS n END", "43@2");
    check_errors("MACHINE END", "14@1");
    check_errors("MACHINE m\n/* END", "4@2");
    check_errors("MACHINE m DEFINITIONS\nx == \"a\nEND", "5@2");
    check_errors("MACHINE m DEFINITIONS a == 1, 2 END", "33@1");
    check_errors("MACHINE m DEFINITIONS a = 1;\n b == 2 END", "10@1");
    check_errors("MACHINE m\nVARIABLES MACHINE END", "14@2");
    check_errors("MACHINE m VARIABLES first INVARIANT first : NAT\nINITIALISATION first := 1 END", "14@1");
}

#[test]
fn every_mistake_is_reported_once() {
    let text = "MACHINE m
VARIABLES x, , y
INVARIANT x : NAT & y = = 1
  & z != 2 & ok = 3 & (a = & b) & c + = 1
INITIALISATION x := ; y := 2 || z = 3
OPERATIONS
  one = PRE a b THEN x := 1 END;
  two(x = skip;
  three = BEGIN x := 1 ;
  four = BEGIN x ::= 2; y := 3 END;
  five = SELECT THEN skip WHEN x = THEN skip END
DEFINITIONS
  d == 1 +;
  e(x, == 3;
  f == 2
END";
    check_errors(text, "13@2 11@3 19@4 11@4 11@4 11@5 31@5 10@7 15@8 16@9 11@10 11@11 11@11 11@13 13@14");
}

#[test]
fn nesting_is_bounded_and_chains_are_not() {
    let deep = |n: usize| format!("{}x{} = 1", "(".repeat(n), ")".repeat(n));
    check(&deep(100), "(Equal x 1)");
    check_formula_error(&deep(10_000), codes::NESTED_TOO_DEEPLY, "deeply");
    check_formula_error(&format!("x = {}1", "-(".repeat(10_000)), codes::NESTED_TOO_DEEPLY, "deeply");
    check_formula_error(&format!("x = {}", "f(".repeat(10_000)), codes::NESTED_TOO_DEEPLY, "deeply");
    check_formula_error(&format!("x = {}1", "2**".repeat(10_000)), codes::NESTED_TOO_DEEPLY, "deeply");
    check_subst_error(&"BEGIN ".repeat(10_000), codes::NESTED_TOO_DEEPLY, "deeply");
    check_formula_error(&format!("x = 1{}", " - 1".repeat(50_000)), codes::NESTED_TOO_DEEPLY, "1000 levels");
    check_formula_error(&format!("x = y{}", "'a".repeat(50_000)), codes::NESTED_TOO_DEEPLY, "1000 levels");
    for operator in [" & ", " or "] {
        check_errors(&format!("MACHINE m INVARIANT {} END", vec!["x = 1"; 50_000].join(operator)), "");
    }
    check_errors(&format!("MACHINE m INVARIANT x = {} END", vec!["1"; 50_000].join(" + ")), "");
    check_errors(&format!("MACHINE m INITIALISATION {} END", vec!["x := 1"; 50_000].join(" ; ")), "");
    check_errors(&format!("MACHINE m INVARIANT x = {{{}}} END", vec!["1"; 50_000].join(",")), "");
}

#[test]
fn a_source_may_hold_one_formula() {
    let (sources, id) = source("x = 1 &");
    assert_eq!(parse_predicate(&sources, id).1.len(), 1);
    let (sources, id) = source("x = 1");
    assert_eq!(parse_predicate(&sources, id).1, []);
    assert_eq!(parse_expression(&sources, id).1[0].code, codes::EXPECTED_EXPRESSION);
    let (sources, id) = source("x + 1 END");
    assert_eq!(parse_expression(&sources, id).1[0].code, codes::UNEXPECTED_TOKEN);
}

mod fuzz {
    use proptest::prelude::*;

    use super::*;

    /// Pieces of text that the parser knows, so that random rows of them get far.
    const PIECES: &str = "MACHINE m REFINEMENT REFINES END SETS CONSTANTS PROPERTIES VARIABLES INVARIANT \
        INITIALISATION OPERATIONS DEFINITIONS ASSERTIONS SEES INCLUDES VALUES FREETYPES PREDICATES x y floor left \
        op := :: <-- == = : ( ) [ ] { } , ; || | . · & or => <=> not ! # % UNION card succ rec struct IF THEN \
        ELSIF ELSE BEGIN PRE SELECT WHEN CASE OF EITHER OR ANY WHERE LET BE IN VAR WHILE DO VARIANT CHOICE \
        skip 1 1.5 \"a\" ' ~ - * ** .. |-> $0 {} <> TRUE /*@label_l*/ /* \" ` _ λ";

    fn parse_all(text: &str) {
        let (sources, id) = source(text);
        let (_, diagnostics) = parse(&sources, id);
        for d in &diagnostics {
            assert!(d.span.start <= d.span.end && d.span.end as usize <= text.len(), "{text}: {d:?}");
            crate::diagnostic::render::render(&sources, d, false);
        }
        parse_formula(&sources, id);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_text_is_survived(text in ".{0,200}") {
            parse_all(&text);
        }

        #[test]
        fn any_row_of_tokens_is_survived(
            header in prop::bool::ANY,
            picks in prop::collection::vec(prop::sample::select(PIECES.split_whitespace().collect::<Vec<_>>()), 0..120),
        ) {
            let text = picks.join(" ").replace("label_l", " label l ");
            parse_all(&if header { format!("MACHINE m {text}") } else { text });
        }
    }
}
