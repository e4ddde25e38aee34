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
5:54: error[B0203]: `seen` holds POW(INTEGER * INTEGER), this is INTEGER
6:30: error[B0203]: only a function can be applied, this is INTEGER
7:22: error[B0203]: `level` holds INTEGER, this is BOOL
7:26: error[B0203]: `on` holds BOOL, this is INTEGER
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
",
    );
}
