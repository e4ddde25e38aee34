// A grammar of Event-B as text for editors: it reads what people write while they type, and checks nothing.
//
// Sections, events and labels have their nodes. A formula is a list of names, numbers, operators and brackets: where it ends follows
// from the next label or keyword, and what its operators mean is known to the language server.

/// <reference types="tree-sitter-cli/dsl" />

// Those of language/src/eventb/text/words.rs, but for the words that may be names in formulas.
const KEYWORDS = [
  ..."machine context refines sees extends sets constants axioms variables invariants theorem theorems variant events event".split(" "),
  ..."any where when with witness then begin end ordinary convergent anticipated".split(" "),
];

// A keyword is written in small or in capital letters.
const word = (name) => choice(name, alias(name.toUpperCase(), name));
const names = (rule) => repeat1(seq(rule, optional(",")));

export default grammar({
  name: "eventb",

  word: ($) => $.identifier,

  reserved: {
    global: () => KEYWORDS.flatMap((name) => [name, name.toUpperCase()]),
  },

  extras: ($) => [/[\s\uFEFF]/, $.block_comment, $.line_comment],

  supertypes: ($) => [$._machine_section, $._context_section, $._clause],

  rules: {
    source_file: ($) => repeat(choice($.machine, $.context)),

    block_comment: () => token(seq("/*", /[^*]*\*+([^/*][^*]*\*+)*/, "/")),
    line_comment: () => token(seq("//", /[^\r\n]*/)),

    machine: ($) => seq(word("machine"), field("name", $.name), repeat($._machine_section), word("end")),
    context: ($) => seq(word("context"), field("name", $.name), repeat($._context_section), word("end")),

    _machine_section: ($) =>
      choice(
        $.refines_section,
        $.sees_section,
        $.variables_section,
        $.invariants_section,
        $.theorems_section,
        $.variant_section,
        $.events_section,
      ),
    _context_section: ($) =>
      choice($.extends_section, $.sets_section, $.constants_section, $.axioms_section, $.theorems_section),

    refines_section: ($) => seq(word("refines"), names($.name)),
    sees_section: ($) => seq(word("sees"), names($.name)),
    extends_section: ($) => seq(word("extends"), names($.name)),
    sets_section: ($) => seq(word("sets"), names($.identifier)),
    constants_section: ($) => seq(word("constants"), names($.identifier)),
    variables_section: ($) => seq(word("variables"), names($.identifier)),
    axioms_section: ($) => seq(word("axioms"), repeat($.predicate)),
    invariants_section: ($) => seq(word("invariants"), repeat($.predicate)),
    theorems_section: ($) => seq(word("theorems"), repeat($.predicate)),
    variant_section: ($) => seq(word("variant"), repeat1($.predicate)),
    events_section: ($) => seq(word("events"), repeat($.event)),

    event: ($) =>
      seq(
        optional($._convergence),
        choice(seq(word("event"), field("name", $.name)), field("name", alias($.initialisation, $.name))),
        repeat($._clause),
        word("end"),
      ),
    initialisation: () => choice("INITIALISATION", "initialisation"),

    _clause: ($) =>
      choice(
        $.status,
        $.refines_clause,
        $.extends_clause,
        $.any_clause,
        $.where_clause,
        $.with_clause,
        $.then_clause,
      ),
    status: ($) => choice($._convergence, word("extended")),
    _convergence: () => seq(optional(word("status")), choice(word("ordinary"), word("convergent"), word("anticipated"))),
    refines_clause: ($) => seq(word("refines"), names($.name)),
    extends_clause: ($) => seq(word("extends"), names($.name)),
    any_clause: ($) => seq(word("any"), names($.identifier)),
    where_clause: ($) => seq(choice(word("where"), word("when")), repeat($.predicate)),
    with_clause: ($) => seq(choice(word("with"), word("witness")), repeat($.predicate)),
    then_clause: ($) => seq(choice(word("then"), word("begin")), repeat($.action)),

    predicate: ($) => seq(optional(word("theorem")), $._labelled),
    action: ($) => $._labelled,
    _labelled: ($) => prec.right(choice(seq($.label, optional($.formula)), $.formula)),
    label: () => token(seq("@", /[^\s:]*/, optional(":"))),

    formula: ($) => prec.right(repeat1($._part)),
    _part: ($) =>
      choice($.identifier, $.constant, $.number, $.quantifier, $.operator, $.parenthesized, $.set, $.image, ",", ";"),
    parenthesized: ($) => seq("(", repeat($._part), ")"),
    set: ($) => seq("{", repeat($._part), "}"),
    image: ($) => seq("[", repeat($._part), "]"),

    // The name of a component or an event may have any character but blanks and commas.
    name: ($) => seq($.identifier, repeat(token.immediate(/[^\s,@\p{L}\p{N}_$'′][^\s,@]*/))),
    identifier: () => /[\p{L}_][\p{L}\p{N}_$]*['′]?/,
    number: () => /[0-9]+/,
    constant: () => token(prec(1, choice("ℕ", "ℕ1", "ℤ", "ℙ", "ℙ1"))),
    quantifier: () => token(prec(1, choice("∀", "∃", "λ", "⋃", "⋂"))),
    operator: () =>
      token(choice(/[^\s\p{L}\p{N}_@(){}\[\],;\/∀∃⋃⋂]+/, "/", "/\\", "\\/", "/=", "/:", "/<:", "/<<:")),
  },
});
