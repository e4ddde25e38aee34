;;; b-ts-mode.el --- Machines of classical B, by tree-sitter  -*- lexical-binding: t; -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "29.1"))
;; SPDX-License-Identifier: MIT OR Apache-2.0

;;; Commentary:

;; Colours, indentation and an index of names by the grammar in editors/tree-sitter-b, and the language server by eglot.  The grammar is
;; built once:
;;
;;     cd editors/tree-sitter-b
;;     tree-sitter generate --abi 14
;;     tree-sitter build -o ~/.emacs.d/tree-sitter/libtree-sitter-b.so
;;
;; (With Emacs 30 and a tree-sitter library of 0.25 or newer `--abi 14' is not needed.)

;;; Code:

(require 'treesit)

(defgroup b nil
  "Machines of classical B."
  :group 'languages)

(defcustom b-ts-mode-indent-offset 2
  "Columns of a level of indentation."
  :type 'natnum
  :safe #'natnump)

(defcustom b-bsym-program "bsym"
  "The program whose command `lsp' is the language server."
  :type 'string)

(defvar b-ts-mode--sections
  '("MACHINE" "MODEL" "SYSTEM" "REFINEMENT" "IMPLEMENTATION" "REFINES" "SEES" "USES" "INCLUDES" "EXTENDS" "IMPORTS"
    "REFERENCES" "PROMOTES" "SETS" "FREETYPES" "CONSTANTS" "CONCRETE_CONSTANTS" "VISIBLE_CONSTANTS" "ABSTRACT_CONSTANTS"
    "HIDDEN_CONSTANTS" "VARIABLES" "ABSTRACT_VARIABLES" "HIDDEN_VARIABLES" "CONCRETE_VARIABLES" "VISIBLE_VARIABLES"
    "CONSTRAINTS" "PROPERTIES" "INVARIANT" "VARIANT" "ASSERTIONS" "VALUES" "INITIALISATION" "INITIALIZATION" "OPERATIONS"
    "EVENTS" "LOCAL_OPERATIONS" "DEFINITIONS" "EXPRESSIONS" "PREDICATES" "END" "ref"))

(defvar b-ts-mode--statements
  '("BEGIN" "PRE" "ASSERT" "WITNESS" "IF" "ELSIF" "ELSE" "THEN" "CHOICE" "OR" "SELECT" "WHEN" "CASE" "OF" "EITHER" "ANY"
    "WHERE" "LET" "BE" "IN" "VAR" "WHILE" "DO"))

(defvar b-ts-mode--font-lock
  (when (treesit-available-p)
    (treesit-font-lock-rules
     :language 'b :feature 'comment
     '([(block_comment) (line_comment) (shebang)] @font-lock-comment-face)
     :language 'b :feature 'string
     '((string) @font-lock-string-face)
     :language 'b :feature 'keyword
     `([,@b-ts-mode--sections ,@b-ts-mode--statements] @font-lock-keyword-face
       (skip) @font-lock-keyword-face)
     :language 'b :feature 'definition
     '((header name: (identifier) @font-lock-type-face)
       (operation name: (identifier) @font-lock-function-name-face)
       (definition name: (identifier) @font-lock-function-name-face)
       (set_declaration name: (identifier) @font-lock-type-face)
       (set_declaration element: (identifier) @font-lock-constant-face)
       (name_section (identifier) @font-lock-variable-name-face)
       (quantified name: (identifier) @font-lock-variable-name-face)
       (any name: (identifier) @font-lock-variable-name-face)
       (var name: (identifier) @font-lock-variable-name-face)
       (parameters (identifier) @font-lock-variable-name-face))
     :language 'b :feature 'constant
     '((constant) @font-lock-constant-face)
     :language 'b :feature 'number
     '((number) @font-lock-number-face)
     :language 'b :feature 'operator
     '((binary operator: _ @font-lock-operator-face)
       (composed operator: _ @font-lock-operator-face)
       (quantified quantifier: _ @font-lock-operator-face)
       ([":=" "::" "<--" "=="] @font-lock-operator-face))
     :language 'b :feature 'call
     '((call (identifier) @font-lock-function-call-face)
       (call (application function: (identifier) @font-lock-function-call-face)))))
  "Colours by the nodes of the tree.")

(defvar b-ts-mode--blocks
  (regexp-opt '("block" "precondition" "assertion" "witness" "choice" "if_substitution" "select" "case" "any"
                "let_substitution" "var" "while" "if_expression" "let_expression")
              'symbols)
  "Nodes from a word to its END.")

(defvar b-ts-mode--indent
  `((b
     ((parent-is "source_file") column-0 0)
     ((node-is ,(regexp-opt '("END" "THEN" "ELSE" "ELSIF" "WHEN" "OR" "WHERE" "IN" "DO" "OF") 'symbols)) parent-bol 0)
     ((node-is ")") parent-bol 0)
     ((node-is "}") parent-bol 0)
     ((node-is "_section") column-0 0)
     ((parent-is "machine") column-0 0)
     ((parent-is ,b-ts-mode--blocks) parent-bol b-ts-mode-indent-offset)
     ((parent-is "_section") parent-bol b-ts-mode-indent-offset)
     ((parent-is "operation") parent-bol b-ts-mode-indent-offset)
     ((parent-is "definition") parent-bol b-ts-mode-indent-offset)
     ((parent-is ,(regexp-opt '("parenthesized" "set" "comprehension" "list" "arguments"))) parent-bol b-ts-mode-indent-offset)
     (no-node parent-bol 0)
     (catch-all prev-line 0)))
  "Indentation by the nodes of the tree.")

(defun b-ts-mode--name (node)
  "The name that NODE declares."
  (treesit-node-text (treesit-node-child-by-field-name node "name") t))

;;;###autoload
(define-derived-mode b-ts-mode prog-mode "B"
  "Major mode for machines of classical B."
  (modify-syntax-entry ?/ ". 124b" b-ts-mode-syntax-table)
  (modify-syntax-entry ?* ". 23" b-ts-mode-syntax-table)
  (modify-syntax-entry ?\n "> b" b-ts-mode-syntax-table)
  (modify-syntax-entry ?_ "_" b-ts-mode-syntax-table)
  (setq-local comment-start "// " comment-end "" comment-start-skip "\\(?://+\\|/\\*+\\)\\s *")
  (when (treesit-ready-p 'b)
    (treesit-parser-create 'b)
    (setq-local treesit-font-lock-settings b-ts-mode--font-lock
                treesit-font-lock-feature-list '((comment definition) (keyword string) (constant number call) (operator))
                treesit-simple-indent-rules b-ts-mode--indent
                treesit-defun-type-regexp "\\`operation\\'"
                treesit-defun-name-function #'b-ts-mode--name
                treesit-simple-imenu-settings '(("Operation" "\\`operation\\'" nil nil) ("Definition" "\\`definition\\'" nil nil)))
    (treesit-major-mode-setup)))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.\\(?:mch\\|ref\\|imp\\|sys\\|def\\)\\'" . b-ts-mode))

(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs `(b-ts-mode . (,b-bsym-program "lsp"))))

(provide 'b-ts-mode)
;;; b-ts-mode.el ends here
