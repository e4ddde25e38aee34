-- Neovim: colours and folds by tree-sitter, where the parser of a language was built.
local M = {}

-- `grammar` is the folder of the grammar, with the library that `tree-sitter build` made and the queries.
function M.start(language, grammar)
  local library = vim.fs.joinpath(grammar, language .. ".so")
  if not vim.uv.fs_stat(library) or not pcall(vim.treesitter.language.add, language, { path = library }) then
    return
  end
  for _, query in ipairs({ "highlights", "folds", "indents" }) do
    local file = io.open(vim.fs.joinpath(grammar, "queries", query .. ".scm"))
    if file then
      vim.treesitter.query.set(language, query, file:read("*a"))
      file:close()
    end
  end
  vim.treesitter.start(0, language)
  vim.opt_local.foldmethod = "expr"
  vim.opt_local.foldexpr = "v:lua.vim.treesitter.foldexpr()"
  vim.opt_local.foldlevel = 99
end

-- The folder of a grammar in this checkout, from the path of a file in a folder of the plugin.
function M.folder(source, name)
  local plugin = vim.fs.dirname(vim.fs.dirname(source:sub(2)))
  return vim.fs.joinpath(vim.fs.dirname(plugin), name)
end

return M
