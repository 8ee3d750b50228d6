-- Runs in Neovim: see nvim_test.py.
local function check(condition, what)
  if condition then return end
  print('failed: ' .. what .. '\n' .. vim.inspect(vim.diagnostic.get(0)) .. '\n')
  vim.cmd('cquit 1')
end

local function wait_for(condition, what) check(vim.wait(60000, condition, 20), what) end

local function rules()
  local all = {}
  for _, finding in ipairs(vim.diagnostic.get(0)) do all[finding.code or finding.user_data.lsp.code] = true end
  return all
end

local function request(method, more)
  local parameters = vim.tbl_extend('force', vim.lsp.util.make_position_params(), more or {})
  local answers = vim.lsp.buf_request_sync(0, method, parameters, 60000)
  for _, answer in pairs(answers or {}) do
    check(not answer.error, method .. ': ' .. vim.inspect(answer.error))
    return answer.result
  end
  check(false, method .. ' has no answer')
end

local browsed
require('opcat').browse = function(uri) browsed = uri end
require('opcat').setup({ cmd = { opcat_program, 'lsp' } })
vim.cmd('filetype on')

vim.cmd('edit other.yaml')
check(#vim.lsp.get_active_clients() == 0, 'no server for another file')

vim.cmd('edit catalog/index.yaml')
wait_for(function() return rules()['unknown-field'] end, 'a field that does not exist is found')
check(not rules()['channel-heads'], 'and not the two heads that are only its consequence')

local line = vim.fn.search('replces')
vim.api.nvim_buf_set_text(0, line - 1, 4, line - 1, 11, { 'replaces' })
wait_for(function() return not rules()['unknown-field'] and not rules()['channel-heads'] end, 'it is gone when the field is corrected')

vim.fn.cursor(line, vim.fn.col({ line, '$' }) - 2)
check(request('textDocument/hover').contents.value:find('version'), 'hover says the version')
check(#request('textDocument/definition') == 1, 'the bundle is found')
check(#request('textDocument/completion').items > 0, 'there is something to complete')
vim.cmd('OpcatGraph')
wait_for(function() return browsed end, 'the graph is opened')
check(vim.fn.filereadable(vim.uri_to_fname(browsed)) == 1, 'its page is there')

local client = vim.lsp.get_active_clients()[1]
client.stop()
wait_for(function() return client.is_stopped() end, 'the server ends')
print('passed\n')
vim.cmd('qall!')
