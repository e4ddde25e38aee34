//! Files as people have them and mistakes as people make them: old encodings are read, every
//! mistake of a file is told with its place, and where there is a usual way out, with a hint.

use std::path::PathBuf;

use bsym_language::diagnostic::Severity;
use bsym_language::load::{Loaded, load_model};
use bsym_language::render::{render, render_line};

/// What loading a file of these bytes gives.
fn load(name: &str, bytes: &[u8]) -> Loaded {
    let path = path(name);
    std::fs::write(&path, bytes).expect("the folder for temporary files can be written");
    let loaded = load_model(&path);
    std::fs::remove_file(&path).expect("the file was written");
    let _ = std::fs::remove_dir(path.parent().expect("a folder"));
    loaded.expect("the file was written")
}

fn path(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("bsym-bad-input-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the folder for temporary files can be written");
    folder.join("Tank.mch")
}

/// The diagnostics without the folder: `line:column: error[B0012]: message`, and the hint below.
fn told(loaded: &Loaded) -> String {
    let mut lines = vec![];
    for d in &loaded.diagnostics {
        let line = render_line(&loaded.sources, d);
        let at = line.find("Tank.mch:").expect("it is about the file") + "Tank.mch:".len();
        lines.push(line[at..].to_owned());
        let shown = render(&loaded.sources, d, false);
        assert!(shown.contains(&d.message) && shown.contains("-->"), "{shown}");
        lines.extend(d.help.iter().map(|help| format!("  {help}")));
    }
    lines.join("\n")
}

#[track_caller]
fn check(name: &str, text: &str, expected: &str) {
    let loaded = load(name, text.as_bytes());
    assert_eq!(told(&loaded), expected.trim_matches('\n'), "{text}");
    let refused = loaded.diagnostics.iter().any(|d| d.severity == Severity::Error);
    assert_eq!(loaded.model.is_none(), refused);
}

const TANK: &str =
    "MACHINE Tank /* très petit */\nVARIABLES n\nINVARIANT n : 0..9\nINITIALISATION n := 0\nEND\n";

/// The text in an encoding where the `è` is this byte.
fn encoded(text: &str, byte: u8) -> Vec<u8> {
    text.chars().map(|c| if c == 'è' { byte } else { c as u8 }).collect()
}

#[test]
fn old_encodings_are_read_with_a_warning() {
    let latin = load("latin", &encoded(TANK, 0xE8));
    assert!(latin.model.is_some());
    assert_eq!(
        told(&latin),
        "1:19: warning[B0001]: this file is not UTF-8, it was read as Latin-1\n  store the file as UTF-8"
    );
    assert!(latin.sources.iter().all(|(_, s)| s.text.contains("très")));
    let mac = load("mac", &encoded(&TANK.replace('\n', "\r"), 0x8F));
    assert!(mac.model.is_some());
    assert_eq!(
        told(&mac),
        "1:19: warning[B0001]: this file is not UTF-8, it was read as MacRoman\n  store the file as UTF-8"
    );
    assert!(mac.sources.iter().all(|(_, s)| s.text.contains("très")));
}

#[test]
fn marks_and_line_ends_change_nothing() {
    let marked = [b"\xEF\xBB\xBF".as_slice(), TANK.as_bytes()].concat();
    let wide: Vec<u8> = TANK.encode_utf16().fold(vec![0xFF, 0xFE], |mut bytes, unit| {
        bytes.extend(unit.to_le_bytes());
        bytes
    });
    let texts = [marked, wide, TANK.replace('\n', "\r\n").into(), TANK.replace('\n', "\r").into()];
    for (i, bytes) in texts.iter().enumerate() {
        let loaded = load(&format!("line-ends-{i}"), bytes);
        assert_eq!(told(&loaded), "");
        let model = loaded.model.expect("nothing is wrong");
        assert_eq!(loaded.sources.position(model.invariant[0].span).line, 3);
    }
    // And mistakes are where they are.
    for (i, end) in ["\n", "\r\n", "\r"].into_iter().enumerate() {
        let text = TANK.replace(":= 0", ":= \u{e9} 0").replace('\n', end);
        let loaded = load(&format!("mistake-{i}"), text.as_bytes());
        assert!(told(&loaded).starts_with("4:"), "{}", told(&loaded));
    }
}

#[test]
fn comments_and_strings_without_an_end() {
    check(
        "comment",
        "MACHINE Tank\nVARIABLES n /* the level\nINVARIANT n : NAT\nEND",
        r"
2:13: error[B0004]: this comment has no end
  close it with `*/`
",
    );
    check(
        "string",
        "MACHINE Tank\nCONSTANTS a, b\nPROPERTIES a = \"x\n & b = 1 + TRUE\nEND",
        r#"
3:16: error[B0005]: this string has no end
  close it with `"`
4:12: error[B0203]: both sides of `+` must have the same type: INTEGER on the left, BOOL on the right
"#,
    );
    check(
        "quotes",
        "MACHINE Tank\nCONSTANTS a\nPROPERTIES a = '''x\nEND",
        r"
3:16: error[B0005]: this string has no end
  close it with `'''`
",
    );
    check(
        "binary",
        "MACHINE Tank\nCONSTANTS a\nPROPERTIES a = \u{1}\nEND",
        r"
3:16: error[B0002]: unexpected control character U+0001
",
    );
}

#[test]
fn unknown_names() {
    check(
        "names",
        "MACHINE Tank\nSETS STATE = {empty, full}\nVARIABLES level, state\n\
         INVARIANT level : NAT & state : STATES & levl > 0\nINITIALISATION level := max || state := emtpy\n\
         OPERATIONS fill(d) = PRE d : NAT & e > d THEN levle := level + d END;\n drain = brake END",
        r"
4:33: error[B0301]: `STATES` is not declared
  did you mean `STATE`?
4:42: error[B0301]: `levl` is not declared
  did you mean `level`?
5:29: error[B0021]: expected `(` behind `max`, found `||`
  parentheses are part of the syntax: `max(…)`
5:41: error[B0301]: `emtpy` is not declared
  did you mean `empty`?
6:36: error[B0301]: `e` is not declared
6:47: error[B0301]: `levle` is not declared
  did you mean `level`?
7:10: error[B0301]: `brake` is not declared
",
    );
}

#[test]
fn wrong_types() {
    check(
        "types",
        "MACHINE Tank\nVARIABLES level, on, seen\nINVARIANT level : NAT & on : BOOL & seen : seq(NAT)\n & level = TRUE & on\n\
         INITIALISATION level := {} || on := level || seen := 3\n\
         OPERATIONS r <-- read = r := level(1);\n swap = level, on := on, level;\n off = IF on THEN skip END END",
        r"
4:12: error[B0203]: both sides of `=` must have the same type: INTEGER on the left, BOOL on the right
4:19: error[B0205]: a predicate is expected, this is an expression of type BOOL
  write `… = TRUE`
5:25: error[B0203]: `level` holds INTEGER, this is POW(_)
5:37: error[B0203]: `on` holds BOOL, this is INTEGER
  the values of BOOL are `TRUE` and `FALSE`
5:54: error[B0203]: `seen` holds POW(INTEGER * INTEGER), this is INTEGER
6:30: error[B0203]: only a function can be applied, this is INTEGER
7:22: error[B0203]: `level` holds INTEGER, this is BOOL
7:26: error[B0203]: `on` holds BOOL, this is INTEGER
  the values of BOOL are `TRUE` and `FALSE`
8:11: error[B0205]: a predicate is expected, this is an expression of type BOOL
  write `… = TRUE`
",
    );
}

#[test]
fn mistakes_of_all_kinds_in_one_file() {
    check(
        "all",
        "MACHINE Tank\nVARIABLES level, , on\nINVARIANT level : NAT && on = = TRUE & leevl > 1\n\
         INITIALISATION level = 0; on := 1\nOPERATIONS\n fill = BEGIN level := level + END;\n drain = PRE level > TRUE THEN x := 1 END",
        r"
2:18: error[B0013]: expected a name, found `,`
3:23: error[B0019]: `&&` is no operator here
  conjunction is `&`
3:31: error[B0011]: expected an expression or predicate, found `=`
  equality is `=`
3:40: error[B0301]: `leevl` is not declared
  did you mean `level`?
4:22: error[B0031]: `=` compares, it does not assign
  assignment is `:=`
6:32: error[B0011]: expected an expression or predicate, found `END`
7:22: error[B0203]: both sides of `>` must have the same type: INTEGER on the left, BOOL on the right
7:32: error[B0301]: `x` is not declared
7:42: error[B0016]: expected `END`, found the end of the file
  the machine itself ends with `END`
",
    );
}

#[test]
fn what_is_no_machine() {
    check(
        "nothing",
        "",
        r"
1:1: error[B0017]: expected `MACHINE`, `REFINEMENT`, `IMPLEMENTATION` or `DEFINITIONS`, found the end of the file
",
    );
    check(
        "blank",
        " \r\n\t\u{FEFF}\n",
        r"
3:1: error[B0017]: expected `MACHINE`, `REFINEMENT`, `IMPLEMENTATION` or `DEFINITIONS`, found the end of the file
",
    );
    check(
        "prose",
        "Dear reader,\nthis is no machine.",
        r"
1:1: error[B0017]: expected `MACHINE`, `REFINEMENT`, `IMPLEMENTATION` or `DEFINITIONS`, found `Dear`
",
    );
    check(
        "name",
        "MACHINE Pump END",
        r"
1:9: warning[B0409]: machine `Pump` stands in a file named `Tank`
  other machines look for it in `Pump.mch`: rename one of the two
",
    );
}

/// A machine with these sections after its variables; columns count from its second line.
#[track_caller]
fn sections(name: &str, text: &str, expected: &str) {
    check(name, &format!("MACHINE Tank VARIABLES x, y\n{text}\nEND"), expected);
}

const TYPED: &str = "INVARIANT x : NAT & y : NAT INITIALISATION x, y := 0, 1";

#[test]
fn substitutions_in_formulas_and_formulas_in_substitutions() {
    sections(
        "assignment-in-invariant",
        "INVARIANT x := 1 & y == 2\nINITIALISATION x, y := 1, 2",
        r"
2:13: error[B0019]: `:=` is no operator here
  equality is `=`; `:=` only stands in substitutions
2:22: error[B0019]: `==` is no operator here
  equality is `=`; `==` only stands in DEFINITIONS
",
    );
    sections(
        "joined-by-and",
        "INVARIANT x : NAT & y : NAT\nINITIALISATION x := 1 & y := 2\nOPERATIONS a = BEGIN x :: NAT || y := 2 & x := 3 END;\n\
         b = x == 3; c = BEGIN x = 1; y++; x += 1; y := 2 END",
        r"
3:23: error[B0019]: `&` joins predicates, not substitutions
  assignments at the same time are joined by `||`, one after the other by `;`
4:41: error[B0019]: `&` joins predicates, not substitutions
  assignments at the same time are joined by `||`, one after the other by `;`
5:7: error[B0031]: `==` defines, it does not assign
  assignment is `:=`
5:25: error[B0031]: `=` compares, it does not assign
  assignment is `:=`
5:31: error[B0019]: `++` is no assignment
  write the whole assignment: `x := x + 1`
5:37: error[B0019]: `+=` is no assignment
  write the whole assignment: `x := x + 1`
",
    );
}

#[test]
fn words_and_signs_of_other_languages() {
    sections(
        "words",
        "INVARIANT x : NAT and y : NAT & x != 3 & y <> 4 && x in NAT\n\
         & (x = 1 || x = 2) & (x = 1 | x = 2) & forall z . (z : NAT => z > 0) & 0 <= x < 9 & !z.z : NAT\n\
         & x % 2 = 1 & x =< 2\nINITIALISATION x, y := 0, 1",
        r"
2:19: error[B0019]: `and` is no operator here
  conjunction is `&`
2:35: error[B0019]: `!=` is no operator here
  inequality is `/=`
2:44: error[B0019]: `<>` is no operator here
  inequality is `/=`
2:54: error[B0019]: `in` is no operator here
  membership is `:`
3:4: error[B0019]: `||` joins substitutions or relations, this is a predicate
  disjunction is `or`
3:29: error[B0015]: expected `)`, found `|`
  disjunction is `or`
3:40: error[B0301]: `forall` is not declared
3:47: error[B0010]: expected an operator, a section or `END`, found `z`
  `for all` is written `!x.(x : S => P)`
3:79: error[B0020]: comparisons cannot be chained
  write two comparisons joined by `&`, or put parentheses
3:88: error[B0021]: expected `(` behind `.`, found `z`
  parentheses are part of the syntax: `!x.(P)`
4:5: error[B0019]: `%` is no operator here
  the remainder is `mod`
4:17: error[B0019]: `=<` is no operator here
  less or equal is `<=`
",
    );
    sections(
        "symbols",
        "INVARIANT x ∈ ℕ ∧ y ∈ ℕ ⋀ x > 1 ∧ ∄ y ⊢ x ⇐ 3\nINITIALISATION x ≔ 1 ∥ y ≔ 2\nOPERATIONS a = x :∣ x' > x; b = x : x > 2",
        r"
2:25: error[B0003]: `⋀` is not a symbol of classical B
  write `&`, or a `∀`
2:35: error[B0003]: `∄` is not a symbol of classical B
  write `not(#x.(P))`
2:39: error[B0003]: `⊢` is not a symbol of classical B
  write `=>` for the implication
2:43: error[B0003]: `⇐` is not a symbol of classical B
  write the implication from left to right, with `=>`
4:19: error[B0021]: expected `(` and a predicate, found `∣`
  `x : (P)` chooses a value with the property P, `x :: S` an element of S
4:37: error[B0021]: expected `(` and a predicate, found `x`
  `x : (P)` chooses a value with the property P, `x :: S` an element of S
",
    );
    check(
        "small-letters",
        "MACHINE Tank\nvariables x\ninvariant x : NAT\ninitialisation x := 1\nEND",
        r"
2:1: error[B0010]: expected a section or `END`, found `variables`
  keywords are written in capitals: `VARIABLES`
",
    );
}

#[test]
fn blocks_without_their_end() {
    sections(
        "end",
        &format!(
            "{TYPED}\nOPERATIONS a = PRE x > 1 THEN x := 2;\n b = IF x = 1 THEN x := 2 ELSE IF x = 3 THEN x := 4 END;\n c = BEGIN x := 3 END"
        ),
        r"
3:37: error[B0016]: expected `END`, found `;`
  every `PRE` is closed by an `END` of its own
4:56: error[B0016]: expected `END`, found `;`
  write `ELSIF` for `ELSE IF`
",
    );
    check(
        "else-if",
        "MACHINE Tank\nOPERATIONS a = IF 1 = 1 THEN skip ELSE IF 2 = 2 THEN skip END\nEND",
        r"
3:4: error[B0016]: expected `END`, found the end of the file
  write `ELSIF` for `ELSE IF`
",
    );
    sections(
        "separators",
        &format!(
            "{TYPED}\nOPERATIONS a = BEGIN x := 2 END\n b = SELECT x = 1 x := 2 END; c = PRE x > 1 & THEN x := 3 END;"
        ),
        r"
4:2: error[B0010]: expected `;` between operations, found `b`
  operations are separated by `;`
4:19: error[B0010]: expected an operator or `THEN`, found `x`
  `THEN` (in a loop `DO`) stands between a condition and its substitution
4:47: error[B0011]: expected an expression or predicate, found `THEN`
4:62: error[B0032]: trailing `;` before `END`
  leave out the `;`
",
    );
}

#[test]
fn what_cannot_be_assigned() {
    check(
        "assigned",
        "MACHINE Tank(T, n) CONSTRAINTS n : NAT\nSETS S = {aa}\nCONSTANTS k PROPERTIES k : NAT\nVARIABLES x, f\n\
         INVARIANT x : NAT & f : NAT +-> NAT\nINITIALISATION x, x := 1, 2 || f := {}\nOPERATIONS\n\
         a(p) = PRE p : NAT THEN p := 1 || k := 2 || aa := 3 || S := {} || T := {} || n := 4 || x := 1 || x := 2 END;\n\
         b = ANY z WHERE z : NAT THEN z := 2; f(1), f(2) := 1, 2 END;\n\
         c = BEGIN f(1) := 1 || f(2) := 2 END;\n\
         d = BEGIN LET l BE l = 3 IN l := 4 END; x : (x > 1) || x :: NAT; x, x : (x = 2); x + 1 := 2 END;\n\
         e = IF x = 1 THEN x := 2 || IF x = 2 THEN x := 3 END END END",
        r"
6:19: error[B0404]: `x` is assigned twice at the same time
  assignments joined by `||` or `,` happen together: write one value for it
8:25: error[B0304]: `p` cannot be assigned to
  assign to a variable, or to a name of `VAR`
8:35: error[B0304]: `k` is a constant and cannot be assigned to
  what changes is declared in `VARIABLES`
8:45: error[B0304]: `aa` is an element of a set and cannot be assigned to
  assign to a variable, declared in `VARIABLES`
8:56: error[B0304]: `S` is a set and cannot be assigned to
  assign to a variable, declared in `VARIABLES`
8:67: error[B0304]: `T` is a set and cannot be assigned to
  assign to a variable, declared in `VARIABLES`
8:78: error[B0304]: `n` is a constant and cannot be assigned to
  what changes is declared in `VARIABLES`
8:98: error[B0404]: `x` is assigned twice at the same time
  assignments joined by `||` or `,` happen together: write one value for it
9:30: error[B0304]: `z` cannot be assigned to
  assign to a variable, or to a name of `VAR`
9:44: error[B0404]: `f` is assigned twice at the same time
  assignments joined by `||` or `,` happen together: write one value for it
10:24: error[B0404]: `f` is assigned twice at the same time
  assignments joined by `||` or `,` happen together: write one value for it
11:29: error[B0304]: `l` cannot be assigned to
  assign to a variable, or to a name of `VAR`
11:56: error[B0404]: `x` is assigned twice at the same time
  assignments joined by `||` or `,` happen together: write one value for it
11:69: error[B0404]: `x` is assigned twice at the same time
  assignments joined by `||` or `,` happen together: write one value for it
11:84: error[B0010]: expected `:=`, `::`, `: (…)` or `<--`, found `+`
12:29: error[B0404]: `x` is assigned twice at the same time
  assignments joined by `||` or `,` happen together: write one value for it
",
    );
}

#[test]
fn structures_that_do_not_fit() {
    check(
        "structure",
        "MACHINE Tank DEFINITIONS d == 1; d2(a) == a + 1\nVARIABLES x, r\nINVARIANT x : NAT & r : struct(a : NAT) & !d.(d : NAT => d > 0)\n\
         & d2 = 1 & true & (LET a, b BE a = 1 & b = a IN a = b END)\n\
         INITIALISATION x := d2(1, 2) || r := rec(a : 1, a : 2) || x := 3 END",
        r"
3:44: warning[B0315]: `d` is also a definition
4:3: error[B0307]: definition `d2` has 1 parameters, 0 arguments are given
4:12: error[B0205]: a predicate is expected, `true` is an undeclared name
  write `btrue`
4:44: error[B0406]: `a` is a name of this LET and cannot be used in its equations
  an equation that needs another one stands in a LET inside the first
5:21: error[B0307]: definition `d2` has 1 parameters, 2 arguments are given
5:49: error[B0211]: field `a` occurs twice
5:59: error[B0404]: `x` is assigned twice at the same time
  assignments joined by `||` or `,` happen together: write one value for it
",
    );
}

#[test]
fn words_that_are_misspelt_and_other_languages() {
    check(
        "misspelt",
        "MACHINE Tank\nCONSTANTS c PROPERTIES c = 1; c < 2\nOPERATIONS a = skip\nEND",
        r"
2:29: error[B0010]: expected an operator, a section or `END`, found `;`
  predicates are joined by `&`; `;` stands between substitutions and operations
",
    );
    check(
        "section",
        "MACHINE Tank\nOPERATION a = skip\nEND",
        r"
2:1: error[B0010]: expected a section or `END`, found `OPERATION`
  did you mean `OPERATIONS`?
",
    );
    check(
        "then",
        "MACHINE Tank\nOPERATIONS a = IF 1 = 1 THAN skip END\nEND",
        r"
2:25: error[B0010]: expected an operator or `THEN`, found `THAN`
  did you mean `THEN`?
",
    );
    check(
        "tla",
        "---- MODULE Tank ----\nVARIABLE x\nInit == x = 0\n====\n",
        r"
1:1: error[B0017]: this is TLA+, not a machine of classical B
  bsym reads B and Event-B, ProB translates from TLA+
",
    );
}

#[test]
fn a_machine_is_found_by_its_extension() {
    let folder = path("text").parent().expect("a folder").to_owned();
    let told = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).expect("the folder can be written");
        let loaded = load_model(&path).expect("the file was written");
        let first = loaded.diagnostics.first().expect("a message").clone();
        first.help.unwrap_or_default()
    };
    for (name, text, file) in [
        ("s15.txt", "MACHINE Library END", "Library.mch"),
        ("s15.ref", "REFINEMENT Library REFINES C0 END", "Library.ref"),
    ] {
        let help = told(name, text);
        assert!(help.contains(&format!("`{file}`")), "{name}: {help}");
    }
    std::fs::remove_dir_all(&folder).expect("the folder was made");
}
