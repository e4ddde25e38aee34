; Sections and substitutions.
[
  "MACHINE" "MODEL" "SYSTEM" "REFINEMENT" "IMPLEMENTATION" "REFINES"
  "SEES" "USES" "INCLUDES" "EXTENDS" "IMPORTS" "REFERENCES" "PROMOTES"
  "SETS" "FREETYPES" "CONSTANTS" "CONCRETE_CONSTANTS" "VISIBLE_CONSTANTS" "ABSTRACT_CONSTANTS" "HIDDEN_CONSTANTS"
  "VARIABLES" "ABSTRACT_VARIABLES" "HIDDEN_VARIABLES" "CONCRETE_VARIABLES" "VISIBLE_VARIABLES"
  "CONSTRAINTS" "PROPERTIES" "INVARIANT" "VARIANT" "ASSERTIONS" "VALUES"
  "INITIALISATION" "INITIALIZATION" "OPERATIONS" "EVENTS" "LOCAL_OPERATIONS"
  "DEFINITIONS" "EXPRESSIONS" "PREDICATES" "END" "ref"
] @keyword

[
  "BEGIN" "PRE" "ASSERT" "WITNESS" "IF" "ELSIF" "ELSE" "THEN" "CHOICE" "OR" "SELECT" "WHEN"
  "CASE" "OF" "EITHER" "ANY" "WHERE" "LET" "BE" "IN" "VAR" "WHILE" "DO"
] @keyword.control

(skip) @keyword.control

(block_comment) @comment
(line_comment) @comment
(shebang) @comment
(string) @string
(number) @number
(constant) @constant.builtin

(identifier) @variable

(header name: (identifier) @module)
(refines_section name: (identifier) @module)
(reference name: (identifier) @module)
(set_declaration name: (identifier) @type)
(set_declaration element: (identifier) @constant)
(free_type name: (identifier) @type)
(free_type constructor: (identifier) @constructor)
(parameters (identifier) @variable.parameter)
(operation name: (identifier) @function)
(operation result: (identifier) @variable.parameter)
(operation refines: (identifier) @function)
(definition name: (identifier) @function.macro)
(call (identifier) @function)
(call (application function: (identifier) @function))
(any name: (identifier) @variable.parameter)
(let_substitution name: (identifier) @variable.parameter)
(var name: (identifier) @variable.parameter)
(let_expression name: (identifier) @variable.parameter)
(quantified name: (identifier) @variable.parameter)
(field_access (identifier) @property)

((application function: (identifier) @function.builtin)
  (#match? @function.builtin "^(POW1?|FIN1?|union|inter|bool|card|max|min|succ|pred|id|dom|ran|rel|fnc|closure1?|iterate|prj1|prj2|seq1?|iseq1?|perm|conc|front|tail|first|last|size|rev|struct|rec)$"))

(binary operator: _ @operator)
(composed operator: _ @operator)
(quantified quantifier: _ @operator)
(unary ["-" "−" "not" "¬"] @operator)
(inverse ["~" "∼" "⁻¹"] @operator)
[":=" "≔" "::" ":∈" "<--" "←" "⟵" "==" "≜"] @operator

["(" ")" "{" "}" "[" "]"] @punctuation.bracket
["," ";" "." "|" "∣"] @punctuation.delimiter
