-- The language server of opcat in Neovim 0.7 and later: see docs/editors.md.
local M = {}

local defaults = {
  cmd = { 'opcat', 'lsp' },
  catalogs = nil, -- directories that are catalogs, relative to the root; nil: opcat finds them
}
local settings = defaults
local clients = {} -- by root

-- A text that names a schema of OLM, or that is next to catalogs.
local function is_wanted(buffer)
  local name = vim.api.nvim_buf_get_name(buffer)
  if name == '' or vim.bo[buffer].buftype ~= '' then return false end
  if vim.fn.fnamemodify(name, ':t') == '.opcat.yaml' then return true end
  if vim.fn.findfile('.opcat.yaml', vim.fn.fnamemodify(name, ':p:h') .. ';') ~= '' then return true end
  for _, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, 200, false)) do
    if line:match('schema"?%s*:%s*["\']?olm%.') then return true end
  end
  return false
end

local function root_of(buffer)
  local directory = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(buffer), ':p:h')
  local git = vim.fn.finddir('.git', directory .. ';')
  if git ~= '' then return vim.fn.fnamemodify(git, ':p:h:h') end
  return vim.fn.getcwd()
end

local function on_attach(client, buffer)
  local map = function(keys, action) vim.keymap.set('n', keys, action, { buffer = buffer }) end
  map('gd', vim.lsp.buf.definition)
  map('gr', vim.lsp.buf.references)
  map('K', vim.lsp.buf.hover)
  vim.bo[buffer].omnifunc = 'v:lua.vim.lsp.omnifunc'
  -- The graph in the browser follows these.
  vim.api.nvim_create_autocmd('CursorHold', { buffer = buffer, callback = function()
    client.request('textDocument/documentHighlight', vim.lsp.util.make_position_params(0, client.offset_encoding), function() end, buffer)
  end })
  vim.api.nvim_buf_create_user_command(buffer, 'OpcatGraph', function() M.show_graph(client, buffer) end, {})
end

-- Opens the page of the upgrade graph of the package at the cursor in a browser.
function M.show_graph(client, buffer)
  client.request('workspace/executeCommand', {
    command = 'opcat.showGraph',
    arguments = { vim.lsp.util.make_position_params(0, client.offset_encoding) },
  }, function(failed, result)
    if failed then return vim.notify(failed.message, vim.log.levels.WARN) end
    M.browse(result.uri)
  end, buffer)
end

function M.browse(uri)
  local program = vim.fn.has('mac') == 1 and 'open' or 'xdg-open'
  vim.fn.jobstart({ program, uri }, { detach = true })
end

function M.attach(buffer)
  if not is_wanted(buffer) then return end
  local root = root_of(buffer)
  local client = clients[root]
  if not client or not vim.lsp.get_client_by_id(client) then
    client = vim.lsp.start_client({
      name = 'opcat',
      cmd = settings.cmd,
      root_dir = root,
      workspace_folders = { { uri = vim.uri_from_fname(root), name = root } },
      init_options = { catalogs = settings.catalogs },
      on_attach = on_attach,
    })
    clients[root] = client
  end
  vim.lsp.buf_attach_client(buffer, client)
end

function M.setup(options)
  settings = vim.tbl_extend('force', defaults, options or {})
  vim.api.nvim_create_autocmd('FileType', {
    group = vim.api.nvim_create_augroup('opcat', { clear = true }),
    pattern = { 'yaml', 'json' },
    callback = function(event) M.attach(event.buf) end,
  })
end

return M
