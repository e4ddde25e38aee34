autocmd BufNewFile,BufRead *.mch,*.ref,*.imp,*.sys,*.def setfiletype b
autocmd BufNewFile,BufRead *.bum,*.buc setfiletype rodin
