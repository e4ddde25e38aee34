" Event-B as text.
if exists('b:current_syntax')
  finish
endif
syntax keyword eventbKeyword machine context refines sees extends extended sets constants axioms variables invariants
syntax keyword eventbKeyword theorem theorems variant events event any where when with witness then begin end status
syntax keyword eventbKeyword ordinary convergent anticipated
syntax keyword eventbKeyword MACHINE CONTEXT REFINES SEES EXTENDS EXTENDED SETS CONSTANTS AXIOMS VARIABLES INVARIANTS
syntax keyword eventbKeyword THEOREM THEOREMS VARIANT EVENTS EVENT ANY WHERE WHEN WITH WITNESS THEN BEGIN END STATUS
syntax keyword eventbKeyword ORDINARY CONVERGENT ANTICIPATED
syntax keyword eventbConstant BOOL TRUE FALSE NAT NAT1 INT
syntax keyword eventbFunction card dom ran min max union inter id prj1 prj2 finite partition bool mod or not
syntax match eventbLabel /@[^[:blank:]:]\+/
syntax match eventbNumber /\<\d\+\>/
syntax match eventbComment /\/\/.*$/ contains=@Spell
syntax region eventbComment start=/\/\*/ end=/\*\// contains=@Spell
highlight default link eventbKeyword Statement
highlight default link eventbConstant Constant
highlight default link eventbFunction Function
highlight default link eventbLabel Label
highlight default link eventbNumber Number
highlight default link eventbComment Comment
let b:current_syntax = 'eventb'
