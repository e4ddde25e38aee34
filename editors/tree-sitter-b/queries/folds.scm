[
  (sets_section)
  (name_section)
  (predicate_section)
  (assertions_section)
  (values_section)
  (initialisation_section)
  (operations_section)
  (definitions_section)
  (operation)
  (block_comment)
] @fold
