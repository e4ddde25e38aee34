-- Neovim: colours and folds by tree-sitter, where the parser was built (editors/tree-sitter-b).
local tree = require("bsym_tree")
tree.start("b", vim.g.bsym_grammar or tree.folder(debug.getinfo(1, "S").source, "tree-sitter-b"))
