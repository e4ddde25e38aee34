;;; eventb-ts-mode.el --- Event-B as text, by tree-sitter  -*- lexical-binding: t; -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "29.1"))
;; SPDX-License-Identifier: MIT OR Apache-2.0

;;; Commentary:

;; Colours, indentation and an index of names by the grammar in editors/tree-sitter-eventb, and the language server by eglot.  The
;; grammar is built once:
;;
;;     cd editors/tree-sitter-eventb
;;     tree-sitter generate --abi 14
;;     tree-sitter build -o ~/.emacs.d/tree-sitter/libtree-sitter-eventb.so
;;
;; (With Emacs 30 and a tree-sitter library of 0.25 or newer `--abi 14' is not needed.)

;;; Code:

(require 'treesit)

(defgroup eventb nil
  "Event-B as text."
  :group 'languages)

(defcustom eventb-ts-mode-indent-offset 2
  "Columns of a level of indentation."
  :type 'natnum
  :safe #'natnump)

(defcustom eventb-bsym-program "bsym"
  "The program whose command `lsp' is the language server."
  :type 'string)

(defvar eventb-ts-mode--keywords
  '("machine" "context" "refines" "sees" "extends" "extended" "sets" "constants" "axioms" "variables" "invariants" "theorem"
    "theorems" "variant" "events" "event" "any" "where" "when" "with" "witness" "then" "begin" "end" "status" "ordinary"
    "convergent" "anticipated"))

(defvar eventb-ts-mode--font-lock
  (when (treesit-available-p)
    (treesit-font-lock-rules
     :language 'eventb :feature 'comment
     '([(block_comment) (line_comment)] @font-lock-comment-face)
     :language 'eventb :feature 'keyword
     `([,@eventb-ts-mode--keywords] @font-lock-keyword-face)
     :language 'eventb :feature 'definition
     '((machine name: (name) @font-lock-type-face)
       (context name: (name) @font-lock-type-face)
       (event name: (name) @font-lock-function-name-face)
       (sets_section (identifier) @font-lock-type-face)
       (constants_section (identifier) @font-lock-variable-name-face)
       (variables_section (identifier) @font-lock-variable-name-face)
       (any_clause (identifier) @font-lock-variable-name-face))
     :language 'eventb :feature 'label
     '((label) @font-lock-constant-face)
     :language 'eventb :feature 'constant
     '((constant) @font-lock-constant-face)
     :language 'eventb :feature 'number
     '((number) @font-lock-number-face)
     :language 'eventb :feature 'operator
     '([(operator) (quantifier)] @font-lock-operator-face)))
  "Colours by the nodes of the tree.")

(defvar eventb-ts-mode--indent
  `((eventb
     ((parent-is "source_file") column-0 0)
     ((node-is "\\`end\\'") parent-bol 0)
     ((node-is ")") parent-bol 0)
     ((node-is "}") parent-bol 0)
     ((node-is "]") parent-bol 0)
     ((node-is "_section") column-0 0)
     ((node-is "_clause") parent-bol 0)
     ((node-is "\\`status\\'") parent-bol 0)
     ((parent-is "_section") parent-bol eventb-ts-mode-indent-offset)
     ((parent-is "_clause") parent-bol eventb-ts-mode-indent-offset)
     ((parent-is ,(regexp-opt '("parenthesized" "set" "image") 'symbols)) parent-bol eventb-ts-mode-indent-offset)
     ((parent-is ,(regexp-opt '("predicate" "action" "formula") 'symbols)) parent-bol eventb-ts-mode-indent-offset)
     (no-node parent-bol 0)
     (catch-all prev-line 0)))
  "Indentation by the nodes of the tree.")

(defun eventb-ts-mode--name (node)
  "The name that NODE declares."
  (treesit-node-text (treesit-node-child-by-field-name node "name") t))

;;;###autoload
(define-derived-mode eventb-ts-mode prog-mode "Event-B"
  "Major mode for Event-B as text."
  (modify-syntax-entry ?/ ". 124b" eventb-ts-mode-syntax-table)
  (modify-syntax-entry ?* ". 23" eventb-ts-mode-syntax-table)
  (modify-syntax-entry ?\n "> b" eventb-ts-mode-syntax-table)
  (modify-syntax-entry ?_ "_" eventb-ts-mode-syntax-table)
  (setq-local comment-start "// " comment-end "" comment-start-skip "\\(?://+\\|/\\*+\\)\\s *")
  (when (treesit-ready-p 'eventb)
    (treesit-parser-create 'eventb)
    (setq-local treesit-font-lock-settings eventb-ts-mode--font-lock
                treesit-font-lock-feature-list '((comment definition) (keyword label) (constant number) (operator))
                treesit-simple-indent-rules eventb-ts-mode--indent
                treesit-defun-type-regexp "\\`event\\'"
                treesit-defun-name-function #'eventb-ts-mode--name
                treesit-simple-imenu-settings '(("Event" "\\`event\\'" nil nil)
                                                ("Component" "\\`\\(?:machine\\|context\\)\\'" nil nil)))
    (treesit-major-mode-setup)))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.\\(?:eventb\\|bumx\\|bucx\\)\\'" . eventb-ts-mode))

(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs `(eventb-ts-mode . (,eventb-bsym-program "lsp"))))

(provide 'eventb-ts-mode)
;;; eventb-ts-mode.el ends here
