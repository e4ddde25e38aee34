[
  (refines_section)
  (sees_section)
  (extends_section)
  (sets_section)
  (constants_section)
  (axioms_section)
  (variables_section)
  (invariants_section)
  (theorems_section)
  (variant_section)
  (events_section)
  (any_clause)
  (where_clause)
  (with_clause)
  (then_clause)
  (parenthesized)
  (set)
  (image)
] @indent.begin

[")" "}" "]"] @indent.branch
"end" @indent.end
