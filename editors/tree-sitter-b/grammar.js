// A grammar of classical B for editors: it reads what people write while they type, and checks nothing.
//
// Precedences are those of language/src/ast/operators.rs. Predicates and expressions are one, as in bsym itself. Word
// operators (`card`, `dom`, …) are applications of names: the queries colour them.

/// <reference types="tree-sitter-cli/dsl" />

const LEVEL = {
  composed: 20,
  implies: 30,
  logical: 40,
  iff: 60,
  comparison: 100,
  typed: 120,
  arrow: 125,
  set: 160,
  interval: 170,
  sum: 180,
  product: 190,
  power: 200,
  unary: 210,
  postfix: 230,
};

const OPERATORS = [
  [LEVEL.implies, ["=>", "⇒", "⟹"]],
  [LEVEL.logical, ["&", "∧", "or", "∨"]],
  [LEVEL.iff, ["<=>", "⇔", "⟺"]],
  [
    LEVEL.comparison,
    ["=", ":", "∈", "/=", "≠", "/:", "∉", "<:", "⊆", "/<:", "⊈", "<<:", "⊂", "⊊", "/<<:", "⊄", "<", "<=", "≤", ">", ">=", "≥"],
  ],
  [LEVEL.typed, ["⦂"]],
  [
    LEVEL.arrow,
    ["<->", "↔", "<<->", "<->>", "<<->>", "+->", "⇸", "-->", "→", ">+>", "⤔", ">->", "↣", "+->>", "⤀", "-->>", "↠", ">+>>", ">->>", "⤖", "<−>", "<<−>", "\u{E100}", "<−>>", "\u{E101}", "<<−>>", "\u{E102}", "+−>", "−−>", ">−>", "+−>>", "−−>>", ">−>>"],
  ],
  [
    LEVEL.set,
    ["\\/", "∪", "/\\", "∩", "|->", "↦", "<|", "◁", "<<|", "⩤", "|>", "▷", "|>>", "⩥", "<+", "><", "⊗", "∘", "->", "<-", "^", "⌒", "/|\\", "↑", "\\|/", "↓", "|−>", "◀", "▶", "\u{E103}", "⋖", "−>", "⇾", "<−", "⇽"],
  ],
  [LEVEL.interval, ["..", "‥"]],
  [LEVEL.sum, ["+", "-", "−", "\\", "∖"]],
  [LEVEL.product, ["*", "∗", "×", "⨯", "/", "÷", "mod"]],
];

const SECTIONS_OF_REFERENCES = ["SEES", "USES", "INCLUDES", "EXTENDS", "IMPORTS", "REFERENCES"];
const SECTIONS_OF_NAMES = [
  "PROMOTES",
  "CONSTANTS",
  "CONCRETE_CONSTANTS",
  "VISIBLE_CONSTANTS",
  "ABSTRACT_CONSTANTS",
  "HIDDEN_CONSTANTS",
  "VARIABLES",
  "ABSTRACT_VARIABLES",
  "HIDDEN_VARIABLES",
  "CONCRETE_VARIABLES",
  "VISIBLE_VARIABLES",
];

const WORDS = [
  ..."MACHINE MODEL SYSTEM REFINEMENT IMPLEMENTATION REFINES SETS CONSTRAINTS PROPERTIES INVARIANT VARIANT ASSERTIONS VALUES".split(" "),
  ..."INITIALISATION INITIALIZATION OPERATIONS EVENTS LOCAL_OPERATIONS DEFINITIONS EXPRESSIONS PREDICATES END BEGIN PRE".split(" "),
  ..."ASSERT WITNESS IF ELSIF ELSE THEN CHOICE OR SELECT WHEN CASE OF EITHER ANY WHERE LET BE IN VAR WHILE DO skip or mod not".split(" "),
];

const separated = (separator, rule) => seq(rule, repeat(seq(separator, rule)));
const list = (rule) => separated(",", rule);
// A `;` behind the last element is a mistake that is made often.
const sequence = (rule) => seq(separated(";", rule), optional(";"));

export default grammar({
  name: "b",

  word: ($) => $.identifier,

  // No name: so a word of a section ends a formula that is half typed. `ref` and `FREETYPES` are words only where they are expected.
  reserved: {
    global: () => [...SECTIONS_OF_REFERENCES, ...SECTIONS_OF_NAMES, ...WORDS],
  },

  extras: ($) => [/[\s\u00A0\u2028\u2029\uFEFF]/, $.block_comment, $.line_comment],

  supertypes: ($) => [$._expression, $._substitution, $._section],

  conflicts: ($) => [
    // The body of a definition may be a formula or a substitution.
    [$._expression, $._assigned],
    [$._expression, $.call],
  ],

  rules: {
    source_file: ($) => seq(optional($.shebang), repeat(choice($.machine, $.definitions_section))),
    shebang: () => token(prec(1, /#![^\r\n]*/)),

    block_comment: () => token(seq("/*", /[^*]*\*+([^/*][^*]*\*+)*/, "/")),
    line_comment: () => token(seq("//", /[^\r\n\u2028\u2029]*/)),

    machine: ($) => seq($.header, repeat($._section), "END"),

    header: ($) =>
      seq(
        field("kind", choice("MACHINE", "MODEL", "SYSTEM", "REFINEMENT", "IMPLEMENTATION")),
        field("name", $.identifier),
        optional($.parameters),
      ),

    parameters: ($) => seq("(", list($.identifier), ")"),

    _section: ($) =>
      choice(
        $.refines_section,
        $.reference_section,
        $.name_section,
        $.sets_section,
        $.free_types_section,
        $.predicate_section,
        $.assertions_section,
        $.values_section,
        $.initialisation_section,
        $.operations_section,
        $.definitions_section,
      ),

    refines_section: ($) => seq("REFINES", field("name", $.identifier)),

    reference_section: ($) => seq(field("section", choice(...SECTIONS_OF_REFERENCES)), list($.reference)),
    reference: ($) => seq(field("name", $.identifier), optional($.arguments)),

    name_section: ($) => seq(field("section", choice(...SECTIONS_OF_NAMES)), list($.identifier)),

    sets_section: ($) => seq("SETS", sequence($.set_declaration)),
    set_declaration: ($) =>
      seq(
        field("name", $.identifier),
        optional(seq("=", choice(seq("{", list(field("element", $.identifier)), "}"), $.identifier))),
      ),

    free_types_section: ($) => seq("FREETYPES", sequence($.free_type)),
    free_type: ($) =>
      seq(
        field("name", $.identifier),
        optional($.parameters),
        "=",
        list(seq(field("constructor", $.identifier), optional($.arguments))),
      ),

    predicate_section: ($) => seq(field("section", choice("CONSTRAINTS", "PROPERTIES", "INVARIANT", "VARIANT")), $._expression),

    assertions_section: ($) => seq("ASSERTIONS", sequence($._expression)),

    values_section: ($) => seq("VALUES", sequence($.value)),
    value: ($) => seq(field("name", $.identifier), "=", $._expression),

    initialisation_section: ($) => seq(choice("INITIALISATION", "INITIALIZATION"), $._body),

    operations_section: ($) => seq(choice("OPERATIONS", "EVENTS", "LOCAL_OPERATIONS"), optional(sequence($.operation))),
    operation: ($) =>
      seq(
        optional(seq(field("result", list($.identifier)), choice("<--", "←", "⟵"))),
        field("name", $.identifier),
        optional($.parameters),
        optional(seq("ref", field("refines", $.identifier))),
        "=",
        field("body", $._simultaneous),
      ),

    definitions_section: ($) =>
      seq(choice("DEFINITIONS", "EXPRESSIONS", "PREDICATES"), optional(sequence(choice($.definition, $.definition_file)))),
    definition: ($) =>
      seq(
        field("name", $.identifier),
        optional($.parameters),
        choice("==", "≜"),
        field("body", choice($._expression, $._simultaneous)),
      ),
    definition_file: ($) => $.string,

    // Substitutions.

    _body: ($) => choice($.sequence, $._simultaneous),
    sequence: ($) => prec.right(seq($._simultaneous, repeat1(seq(";", $._simultaneous)), optional(";"))),
    _simultaneous: ($) => choice($.simultaneous, $._substitution),
    simultaneous: ($) => prec.right(seq($._substitution, repeat1(seq(choice("||", "∥", "‖"), $._substitution)))),

    _substitution: ($) =>
      choice(
        $.skip,
        $.block,
        $.group,
        $.assignment,
        $.call,
        $.precondition,
        $.assertion,
        $.witness,
        $.choice,
        $.if_substitution,
        $.select,
        $.case,
        $.any,
        $.let_substitution,
        $.var,
        $.while,
      ),

    skip: () => "skip",
    block: ($) => seq("BEGIN", $._body, "END"),
    group: ($) => seq("(", $._body, ")"),

    assignment: ($) =>
      seq(
        field("left", list($._assigned)),
        choice(
          seq(choice(":=", "≔"), list($._expression)),
          seq(choice("::", ":∈"), $._expression),
          seq(":", "(", $._expression, ")"),
          seq(choice("<--", "←", "⟵"), field("operation", choice($.identifier, $.application))),
        ),
      ),
    _assigned: ($) => choice($.identifier, $.application, $.field_access),
    call: ($) => choice($.identifier, $.application),

    precondition: ($) => seq("PRE", $._expression, "THEN", $._body, "END"),
    assertion: ($) => seq("ASSERT", $._expression, "THEN", $._body, "END"),
    witness: ($) => seq("WITNESS", $._expression, "THEN", $._body, "END"),
    choice: ($) => seq("CHOICE", separated("OR", $._body), "END"),
    if_substitution: ($) =>
      seq(
        "IF",
        $._expression,
        "THEN",
        $._body,
        repeat(seq("ELSIF", $._expression, "THEN", $._body)),
        optional(seq("ELSE", $._body)),
        "END",
      ),
    select: ($) =>
      seq(
        "SELECT",
        separated("WHEN", seq($._expression, "THEN", $._body)),
        optional(seq("ELSE", $._body)),
        "END",
      ),
    case: ($) =>
      seq(
        "CASE",
        $._expression,
        "OF",
        "EITHER",
        separated("OR", seq(list($._expression), "THEN", $._body)),
        optional(seq("ELSE", $._body)),
        "END",
        "END",
      ),
    any: ($) => seq("ANY", field("name", list($.identifier)), "WHERE", $._expression, "THEN", $._body, "END"),
    let_substitution: ($) => seq("LET", field("name", list($.identifier)), "BE", $._expression, "IN", $._body, "END"),
    var: ($) => seq("VAR", field("name", list($.identifier)), "IN", $._body, "END"),
    while: ($) =>
      seq("WHILE", $._expression, "DO", $._body, "INVARIANT", $._expression, "VARIANT", $._expression, "END"),

    // Formulas.

    _expression: ($) =>
      choice(
        $.identifier,
        $.number,
        $.string,
        $.constant,
        $.binary,
        $.unary,
        $.inverse,
        $.application,
        $.image,
        $.field_access,
        $.parenthesized,
        $.quantified,
        $.set,
        $.comprehension,
        $.list,
        $.if_expression,
        $.let_expression,
      ),

    binary: ($) =>
      choice(
        ...OPERATORS.map(([level, symbols]) =>
          prec.left(
            level,
            seq(field("left", $._expression), field("operator", symbols.length > 1 ? choice(...symbols) : symbols[0]), field("right", $._expression)),
          ),
        ),
        prec.right(
          LEVEL.power,
          seq(field("left", $._expression), field("operator", choice("**", "˄")), field("right", $._expression)),
        ),
      ),

    unary: ($) => prec(LEVEL.unary, choice(seq(choice("-", "−"), $._expression), seq(choice("not", "¬"), $._expression))),
    inverse: ($) => prec.left(LEVEL.postfix, seq($._expression, choice("~", "∼", "⁻¹"))),

    application: ($) =>
      prec.left(LEVEL.postfix, seq(field("function", $._expression), $.arguments)),
    arguments: ($) => seq("(", list($._composed), ")"),
    image: ($) => prec.left(LEVEL.postfix, seq($._expression, "[", $._expression, "]")),
    field_access: ($) => prec.left(LEVEL.postfix, seq($._expression, "'", $.identifier)),

    // `;` and `||` join relations inside of parentheses alone.
    _composed: ($) => choice($._expression, $.composed),
    composed: ($) =>
      prec.left(LEVEL.composed, seq($._composed, field("operator", choice(";", "||", "∥", "‖")), $._expression)),
    parenthesized: ($) => seq("(", list($._composed), ")"),

    quantified: ($) =>
      prec(
        LEVEL.postfix,
        seq(
          field("quantifier", choice("!", "∀", "#", "∃", "%", "λ", "UNION", "⋃", "INTER", "⋂", "SIGMA", "∑", "PI", "∏")),
          choice(list(field("name", $.identifier)), seq("(", list(field("name", $.identifier)), ")")),
          choice(".", "·"),
          "(",
          $._composed,
          optional(seq(choice("|", "∣"), list($._composed))),
          ")",
        ),
      ),

    set: ($) => seq("{", optional(list($._expression)), "}"),
    comprehension: ($) =>
      seq(
        "{",
        list($._expression),
        optional(seq(choice(".", "·"), $._expression)),
        choice("|", "∣"),
        $._expression,
        "}",
      ),
    list: ($) => choice("<>", seq("[", optional(list($._composed)), "]")),

    if_expression: ($) =>
      seq(
        "IF",
        $._expression,
        "THEN",
        $._expression,
        repeat(seq("ELSIF", $._expression, "THEN", $._expression)),
        "ELSE",
        $._expression,
        "END",
      ),
    let_expression: ($) =>
      seq("LET", field("name", list($.identifier)), "BE", $._expression, "IN", $._expression, "END"),

    constant: () =>
      choice(
        "INTEGER",
        "NATURAL",
        "NATURAL1",
        "INT",
        "NAT",
        "NAT1",
        "BOOL",
        "STRING",
        "REAL",
        "FLOAT",
        "TRUE",
        "FALSE",
        "MAXINT",
        "MININT",
        "btrue",
        "bfalse",
        "∅",
        "ℤ",
        "ℕ",
        "⊤",
        "⊥",
      ),

    // With the dots of renamed machines, and `x$0`.
    identifier: () =>
      token(
        choice(
          /[\p{L}][\p{L}0-9_]*[\u2080-\u2089]*[\u2032\u2018\u2019]*(\.[\p{L}][\p{L}0-9_]*)*(\$0)?/u,
          /`[^`\r\n]*`/,
        ),
      ),

    number: () => token(choice(/[0-9]+/, /0x[0-9a-fA-F]+/, /[0-9]+\.[0-9]+([eE][+-]?[0-9]+)?/)),

    string: () =>
      token(choice(/"([^"\\\r\n]|\\.)*"/, /'''([^'\\]|\\[\s\S]|'[^']|''[^'])*'''/, /```[^`]*```/)),
  },
});
