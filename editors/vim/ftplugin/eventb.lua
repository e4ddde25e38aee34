-- Neovim: colours and folds by tree-sitter, where the parser was built (editors/tree-sitter-eventb).
local tree = require("bsym_tree")
tree.start("eventb", vim.g.bsym_eventb_grammar or tree.folder(debug.getinfo(1, "S").source, "tree-sitter-eventb"))
