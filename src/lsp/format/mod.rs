//! Formatting: indentation, blanks at the ends of lines, and empty lines. Nothing else of a text changes.
//!
//! The indentation of a line follows from the sections, blocks and brackets that are open where it begins. Comments and
//! everything inside a line stay as they are, and the lines of a long comment move with its first one. A text
//! whose comments or strings are not closed is left alone.

mod classical;
mod eventb;
mod lines;

use lsp_types::{FormattingOptions, Range, TextEdit};

use super::position::Lines;

/// The notation of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Notation {
    Classical,
    EventB,
}

/// The changes that format a text, or the lines of a range.
pub fn edits(
    text: &str,
    notation: Notation,
    options: &FormattingOptions,
    within: Option<Range>,
) -> Vec<TextEdit> {
    let unit = if options.insert_spaces {
        " ".repeat(options.tab_size.clamp(1, 16) as usize)
    } else {
        "\t".to_string()
    };
    let lines = Lines::new(text);
    let is_wanted = |range: &Range| {
        within.is_none_or(|w| w.start.line <= range.start.line && range.start.line <= w.end.line)
    };
    let edits = changes(text, notation, &unit).into_iter();
    let edits = edits.map(|(start, end, new)| TextEdit::new(lines.range(start..end), new));
    edits.filter(|edit| is_wanted(&edit.range)).collect()
}

// The bytes to replace, with what comes in their place.
fn changes(text: &str, notation: Notation, unit: &str) -> Vec<(usize, usize, String)> {
    let found = match notation {
        Notation::Classical => {
            classical::pieces(text).map(|p| lines::changes(text, &p, classical::Nesting::default(), unit))
        }
        Notation::EventB => {
            eventb::pieces(text).map(|p| lines::changes(text, &p, eventb::Nesting::default(), unit))
        }
    };
    found.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formatted_as(text: &str, notation: Notation) -> String {
        let mut out = text.to_string();
        for (start, end, new) in changes(text, notation, "  ").into_iter().rev() {
            assert!(text[start..end].trim().is_empty(), "{:?}", &text[start..end]);
            out.replace_range(start..end, &new);
        }
        out
    }

    fn formatted(text: &str) -> String {
        formatted_as(text, Notation::Classical)
    }

    fn check(text: &str, expected: &str) {
        assert_eq!(formatted(text), expected);
        assert_eq!(formatted(expected), expected, "a second time");
    }

    #[test]
    fn lines_are_indented_by_what_is_open() {
        check(
            "\n\nMACHINE M\n VARIABLES\nx,   y  \n\n\n\nINVARIANT x : 0..9 &\n  (y = 1 or\ny = 2\n)\nINITIALISATION\nx := 0\n||  y := 1\n\
             OPERATIONS\nr <-- op(a) =\nPRE a : {1,\n2} // why\nTHEN\nIF x = 1 THEN x := 2\nELSE\nskip\nEND\nEND;\n\
             p = SELECT x = 1 THEN\n x := 2\nEND\nEND\n\n\n",
            "MACHINE M\nVARIABLES\n  x,   y\n\nINVARIANT x : 0..9 &\n  (y = 1 or\n    y = 2\n  )\nINITIALISATION\n  x := 0\n  ||  y := 1\n\
             OPERATIONS\n  r <-- op(a) =\n    PRE a : {1,\n      2} // why\n    THEN\n      IF x = 1 THEN x := 2\n      ELSE\n        skip\n      END\n    END;\n  \
             p = SELECT x = 1 THEN\n    x := 2\n  END\nEND\n",
        );
    }

    #[test]
    fn loops_have_their_own_invariant() {
        check(
            "IMPLEMENTATION I REFINES M\nOPERATIONS\no = BEGIN\nWHILE x < 3 DO\nx := x + 1\nINVARIANT x : NAT\nVARIANT 3 - x\nEND\nEND\nINVARIANT x : NAT\nEND",
            "IMPLEMENTATION I REFINES M\nOPERATIONS\n  o = BEGIN\n    WHILE x < 3 DO\n      x := x + 1\n    INVARIANT x : NAT\n    VARIANT 3 - x\n    END\n  END\nINVARIANT x : NAT\nEND",
        );
    }

    #[test]
    fn comments_move_with_their_first_line_and_strings_stay() {
        check(
            "MACHINE M\n/* a\n   b */\nINVARIANT\n/* c\n   d */\nx = '''\n  y  \nz'''\nEND\n",
            "MACHINE M\n/* a\n   b */\nINVARIANT\n  /* c\n     d */\n  x = '''\n  y  \nz'''\nEND\n",
        );
    }

    #[test]
    fn any_text_keeps_its_tokens() {
        let texts =
            ["", "\n", " \t\r\n x \r\n\r\n\r\n", "END END ) ; == (", "/* a */ /* b\n*/ x", "MACHINE\n\n\n\n"];
        for text in texts {
            for notation in [Notation::Classical, Notation::EventB] {
                let once = formatted_as(text, notation);
                let words = |text: &str| text.split_whitespace().map(str::to_string).collect::<Vec<_>>();
                assert_eq!(words(text), words(&once), "{text:?}");
                assert_eq!(formatted_as(&once, notation), once, "{text:?}");
            }
        }
    }

    fn check_event_b(text: &str, expected: &str) {
        assert_eq!(formatted_as(text, Notation::EventB), expected);
        assert_eq!(formatted_as(expected, Notation::EventB), expected, "a second time");
    }

    #[test]
    fn sections_events_and_clauses_of_event_b_are_indented() {
        check_event_b(
            "context C\n  sets S\nconstants\na,  b\naxioms\n@axm1 a ∈ 1‥9 ∧\n(b = 1 ∨\nb = 2\n)\ntheorem @t b ≤ 2\nend\n\n\n\n\
             MACHINE M\n  REFINES L\nSEES C  \nINVARIANTS\nx : NAT\ny : NAT\nVARIANT\nx\nEVENTS\nINITIALISATION\nTHEN\n@a x := 0\nEND\n\n\n\
             convergent event up\nrefines up\nany d\nwhere\n// what is left\n@g d : 1..9 &\nd < x\nthen\n@a f :=\n{1 |-> 2,\n3 |-> 4}\nend\n\
             event down extends down end\nEND\n\n",
            "context C\nsets S\nconstants\n  a,  b\naxioms\n  @axm1 a ∈ 1‥9 ∧\n    (b = 1 ∨\n      b = 2\n    )\n  theorem @t b ≤ 2\nend\n\n\
             MACHINE M\nREFINES L\nSEES C\nINVARIANTS\n  x : NAT\n  y : NAT\nVARIANT\n  x\nEVENTS\n  INITIALISATION\n  THEN\n    @a x := 0\n  END\n\n  \
             convergent event up\n  refines up\n  any d\n  where\n    // what is left\n    @g d : 1..9 &\n      d < x\n  then\n    @a f :=\n      {1 |-> 2,\n        3 |-> 4}\n  end\n  \
             event down extends down end\nEND\n",
        );
    }

    #[test]
    fn comments_of_event_b_stand_where_what_they_are_about_does() {
        check_event_b(
            "// all\nmachine M\n    // what there is\nvariables\n/* a\n   b */\nx\nevents\n// first\nevent e\nthen\n@a x ≔ 1 // end\nend\n// last\nend\n",
            "// all\nmachine M\n// what there is\nvariables\n  /* a\n     b */\n  x\nevents\n  // first\n  event e\n  then\n    @a x ≔ 1 // end\n  end\n  // last\nend\n",
        );
        check_event_b("machine M\n  /* x\nend\n", "machine M\n  /* x\nend\n");
    }

    #[test]
    fn lines_of_a_formula_stay_aligned() {
        check_event_b(
            "machine M\ninvariants\n      @inv1 x = 1 ∨\n            y = 2 ∨\n    z = 3\nend\n",
            "machine M\ninvariants\n  @inv1 x = 1 ∨\n        y = 2 ∨\n    z = 3\nend\n",
        );
    }
}
