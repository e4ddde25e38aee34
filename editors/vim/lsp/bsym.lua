-- Neovim 0.11 finds this file by its name: `vim.lsp.enable("bsym")`.
return {
  cmd = { "bsym", "lsp" },
  filetypes = { "b", "rodin", "eventb" },
  root_markers = { ".git", ".project" },
  init_options = { lens = { enabled = true, timeout = "10s" } },
}
