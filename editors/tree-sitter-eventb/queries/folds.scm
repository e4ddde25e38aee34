[
  (sets_section)
  (constants_section)
  (axioms_section)
  (variables_section)
  (invariants_section)
  (theorems_section)
  (variant_section)
  (events_section)
  (event)
  (block_comment)
] @fold
