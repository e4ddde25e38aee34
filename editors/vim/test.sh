#!/bin/sh
# Opens a machine in Vim with this folder alone and compares the colours of some words.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
command -v vim >/dev/null || { echo "SKIPPED: there is no vim" >&2; exit 0; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat > "$folder/M.mch" <<'MACHINE'
MACHINE M /* TODO a
 second line */ SETS S
DEFINITIONS twice(x) == 2 * x // end
INVARIANT card(S) <= 3 & x : INTEGER
OPERATIONS op = PRE TRUE = b THEN skip END
END
MACHINE
cat > "$folder/T.eventb" <<'TEXT'
machine T sees C // end
INVARIANTS @inv1 card(x) ∈ ℕ ∧ 12 = y
end
TEXT
cat > "$folder/check.vim" <<CHECK
set nocompatible encoding=utf-8
set runtimepath^=$here
filetype plugin on
syntax on
edit $folder/M.mch
let wrong = []
function! Group(line, word)
  return synIDattr(synID(a:line, match(getline(a:line), a:word) + 1, 1), 'name')
endfunction
for [line, word, group] in [
    \\ [1, 'MACHINE', 'bSection'], [1, 'M ', 'bMachine'], [1, 'TODO', 'bTodo'], [2, 'second', 'bComment'], [2, 'SETS', 'bSection'],
    \\ [3, 'twice', 'bDefinition'], [3, '==', 'bOperator'], [3, '// end', 'bComment'], [4, 'card', 'bFunction'], [4, '<=', 'bOperator'],
    \\ [4, '3', 'bNumber'], [4, 'INTEGER', 'bType'], [5, 'PRE', 'bStatement'], [5, 'TRUE', 'bConstant'], [5, 'skip', 'bStatement']]
  if Group(line, word) !=# group
    call add(wrong, word . ': ' . Group(line, word) . ', not ' . group)
  endif
endfor
if &filetype !=# 'b' || &shiftwidth != 2
  call add(wrong, 'the file type is ' . &filetype)
endif
edit $folder/T.eventb
for [line, word, group] in [
    \\ [1, 'machine', 'eventbKeyword'], [1, '// end', 'eventbComment'], [2, 'INVARIANTS', 'eventbKeyword'], [2, '@inv1', 'eventbLabel'],
    \\ [2, 'card', 'eventbFunction'], [2, '12', 'eventbNumber'], [3, 'end', 'eventbKeyword']]
  if Group(line, word) !=# group
    call add(wrong, word . ': ' . Group(line, word) . ', not ' . group)
  endif
endfor
if &filetype !=# 'eventb' || &commentstring !=# '// %s'
  call add(wrong, 'the file type is ' . &filetype)
endif
call writefile(wrong, '$folder/wrong')
qall!
CHECK
vim -Nu NONE -i NONE -n -es -S "$folder/check.vim" </dev/null
if [ -s "$folder/wrong" ]; then cat "$folder/wrong"; exit 1; fi
echo "the colours of vim are right"
