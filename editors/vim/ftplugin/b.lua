-- Neovim: colours and folds by tree-sitter, where the parser was built (editors/tree-sitter-b), and the language server.
local folder = vim.fs.dirname(vim.fs.dirname(debug.getinfo(1, "S").source:sub(2)))
local grammar = vim.g.bsym_grammar or vim.fs.joinpath(vim.fs.dirname(folder), "tree-sitter-b")
local library = vim.fs.joinpath(grammar, "b.so")

if vim.uv.fs_stat(library) and pcall(vim.treesitter.language.add, "b", { path = library }) then
  for _, query in ipairs({ "highlights", "folds", "indents" }) do
    local file = io.open(vim.fs.joinpath(grammar, "queries", query .. ".scm"))
    if file then
      vim.treesitter.query.set("b", query, file:read("*a"))
      file:close()
    end
  end
  vim.treesitter.start(0, "b")
  vim.opt_local.foldmethod = "expr"
  vim.opt_local.foldexpr = "v:lua.vim.treesitter.foldexpr()"
  vim.opt_local.foldlevel = 99
end
