; Sections and events.
[
  "machine" "context" "refines" "sees" "extends" "sets" "constants" "axioms" "variables" "invariants" "theorems" "variant"
  "events" "end"
] @keyword

[
  "event" "any" "where" "when" "with" "witness" "then" "begin" "theorem" "status" "ordinary" "convergent" "anticipated" "extended"
] @keyword.control

(block_comment) @comment
(line_comment) @comment
(label) @label
(number) @number
(constant) @constant.builtin
(quantifier) @operator
(operator) @operator

(identifier) @variable

((identifier) @constant.builtin
  (#match? @constant.builtin "^(BOOL|TRUE|FALSE|NAT1?|INT|POW1?)$"))

((identifier) @function.builtin
  (#match? @function.builtin "^(card|dom|ran|min|max|union|inter|id|prj1|prj2|finite|partition|bool)$"))

((identifier) @keyword.operator
  (#match? @keyword.operator "^(mod|or|not|circ|oftype|UNION|INTER)$"))

(machine name: (name) @module)
(context name: (name) @module)
(refines_section (name) @module)
(sees_section (name) @module)
(extends_section (name) @module)
(sets_section (identifier) @type)
(constants_section (identifier) @constant)
(variables_section (identifier) @variable.member)
(event name: (name) @function)
(refines_clause (name) @function)
(extends_clause (name) @function)
(any_clause (identifier) @variable.parameter)

["(" ")" "{" "}" "[" "]"] @punctuation.bracket
["," ";"] @punctuation.delimiter
