" Classical B, for Vim; Neovim uses the tree-sitter grammar where it is built.
if exists('b:current_syntax')
  finish
endif
syntax case match
syntax iskeyword @,48-57,_,192-255

syntax keyword bSection MACHINE MODEL SYSTEM REFINEMENT IMPLEMENTATION REFINES SEES USES INCLUDES EXTENDS IMPORTS PROMOTES REFERENCES
syntax keyword bSection CONSTRAINTS SETS FREETYPES CONSTANTS CONCRETE_CONSTANTS VISIBLE_CONSTANTS ABSTRACT_CONSTANTS HIDDEN_CONSTANTS
syntax keyword bSection PROPERTIES VALUES VARIABLES ABSTRACT_VARIABLES HIDDEN_VARIABLES CONCRETE_VARIABLES VISIBLE_VARIABLES
syntax keyword bSection INVARIANT ASSERTIONS INITIALISATION INITIALIZATION OPERATIONS EVENTS LOCAL_OPERATIONS DEFINITIONS EXPRESSIONS PREDICATES
syntax keyword bStatement END BEGIN PRE ASSERT WITNESS IF ELSIF ELSE THEN CHOICE OR SELECT WHEN CASE OF EITHER ANY WHERE LET BE IN VAR WHILE DO VARIANT skip
syntax keyword bType INTEGER NATURAL NATURAL1 INT NAT NAT1 BOOL STRING REAL FLOAT
syntax keyword bConstant TRUE FALSE MAXINT MININT btrue bfalse
syntax keyword bFunction POW POW1 FIN FIN1 union inter bool card max min succ pred id dom ran rel fnc closure closure1 iterate prj1 prj2
syntax keyword bFunction seq seq1 iseq iseq1 perm conc front tail first last size rev struct rec
syntax keyword bOperator mod or not UNION INTER SIGMA PI
syntax match bOperator "[-+*/\\^~=<>:&|!#%.]\+"
syntax match bOperator "[∀∃λ∧∨¬⇒⇔∈∉⊆⊈⊂⊄≠≤≥∪∩∖×↦◁⩤▷⩥↔⇸→⤔↣⤀↠⤖‥≔]"
syntax match bNumber "\<\d\+\%(\.\d\+\)\?\>\|\<0x\x\+\>"
syntax match bMachine "\%(\<\%(MACHINE\|MODEL\|SYSTEM\|REFINEMENT\|IMPLEMENTATION\|REFINES\)\s\+\)\@<=\h\w*"
syntax match bDefinition "\<\h\w*\ze\s*\%(([^()]*)\s*\)\?=="
syntax region bString start=+"+ skip=+\\.+ end=+"\|$+
syntax region bString start=+'''+ end=+'''+
syntax match bComment "//.*$" contains=bTodo,@Spell
syntax region bComment start="/\*" end="\*/" contains=bTodo,bPragma,@Spell
syntax match bPragma "/\*@\s*\zs\l\+" contained
syntax keyword bTodo TODO FIXME XXX contained
syntax sync ccomment bComment

highlight default link bSection Structure
highlight default link bStatement Statement
highlight default link bType Type
highlight default link bConstant Constant
highlight default link bFunction Function
highlight default link bOperator Operator
highlight default link bNumber Number
highlight default link bMachine Identifier
highlight default link bDefinition Macro
highlight default link bString String
highlight default link bComment Comment
highlight default link bPragma SpecialComment
highlight default link bTodo Todo

let b:current_syntax = 'b'
