[
  (name_section)
  (sets_section)
  (predicate_section)
  (assertions_section)
  (values_section)
  (initialisation_section)
  (operations_section)
  (definitions_section)
  (block)
  (precondition)
  (assertion)
  (choice)
  (if_substitution)
  (select)
  (case)
  (any)
  (let_substitution)
  (var)
  (while)
  (parenthesized)
  (set)
  (comprehension)
  (list)
] @indent.begin

["END" "THEN" "ELSE" "ELSIF" "WHEN" "OR" "WHERE" "IN" "DO" ")" "}" "]"] @indent.branch
"END" @indent.end
