// The protocol's own client library from npm against opcat: node mcp_client.mjs OPCAT CATALOG
import assert from 'node:assert';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const [opcat, catalog] = process.argv.slice(2);
const client = new Client({ name: 'test', version: '1' });
await client.connect(new StdioClientTransport({ command: opcat, args: ['mcp'] }));
assert.equal(client.getServerVersion().name, 'opcat');
await client.ping();

const { tools } = await client.listTools();
assert.ok(tools.length >= 9 && tools.every(tool => tool.annotations.readOnlyHint && tool.description));

const ask = async (name, args) => {
  const result = await client.callTool({ name, arguments: args });
  assert.ok(!result.isError, JSON.stringify(result));
  return result.content[0].text;
};
const { packages } = JSON.parse(await ask('list_packages', { catalog }));
assert.deepEqual(packages.map(one => one.name), ['gizmo-operator']);
const { rows } = JSON.parse(await ask('query', { catalogs: [catalog], sql: 'SELECT count(*) AS n FROM bundles' }));
assert.deepEqual(rows, [{ n: 5 }]);
assert.match(await ask('explain_rule', { rule: 'channel-heads' }), /more than one head/);

const wrong = await client.callTool({ name: 'list_packages', arguments: { catalog: 'absent' } });
assert.ok(wrong.isError);
await assert.rejects(client.callTool({ name: 'remove_everything', arguments: {} }), /there is no tool/);
await client.close();
console.log('done');
