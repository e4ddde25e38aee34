autocmd BufNewFile,BufRead *.mch,*.ref,*.imp,*.sys,*.def setfiletype b
autocmd BufNewFile,BufRead *.bum,*.buc setfiletype rodin
autocmd BufNewFile,BufRead *.eventb,*.bumx,*.bucx setfiletype eventb
