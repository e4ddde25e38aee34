" Settings for classical B.
if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1
setlocal commentstring=//\ %s comments=s1:/*,mb:*,ex:*/,:// expandtab shiftwidth=2 softtabstop=2 suffixesadd=.mch,.ref,.imp,.def
let b:match_words = '\<\%(BEGIN\|PRE\|ASSERT\|IF\|CHOICE\|SELECT\|CASE\|ANY\|LET\|VAR\|WHILE\)\>:\<\%(THEN\|ELSIF\|ELSE\|WHEN\|OR\|WHERE\|BE\|IN\|DO\)\>:\<END\>'
let b:undo_ftplugin = 'setlocal commentstring< comments< expandtab< shiftwidth< softtabstop< suffixesadd< | unlet! b:match_words'
