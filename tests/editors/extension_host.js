// The extension as it is packaged, in as much of Visual Studio Code as it touches before there is a catalog:
// node extension_host.js OPCAT CATALOG EXTENSION
const assert = require('node:assert');
const Module = require('node:module');

const commands = {};
const contexts = {};
const listeners = [];
const listen = listener => { listeners.push(listener); return { dispose() {} }; };
// Classes of the library that the extension brings inherit from classes that are here.
const stand_in = new Proxy({
  window: { activeTextEditor: undefined, onDidChangeActiveTextEditor: listen, onDidChangeTextEditorSelection: listen },
  workspace: { onDidChangeTextDocument: listen },
  commands: {
    registerCommand: (name, action) => { commands[name] = action; return { dispose() {} }; },
    executeCommand: async (name, key, value) => { if (name === 'setContext') contexts[key] = value; },
  },
}, { get: (known, name) => name in known ? known[name] : class {} });
const load = Module._load;
Module._load = (name, ...rest) => name === 'vscode' ? stand_in : load(name, ...rest);

async function main([, , extension_file]) {
  const extension = require(extension_file);
  const context = { subscriptions: [] };
  await extension.activate(context);
  assert.deepStrictEqual(Object.keys(commands).sort(), ['opcat.graph', 'opcat.restart']);
  assert.strictEqual(contexts['opcat.isCatalog'], false);
  await listeners[0]({ document: { fileName: '/x/deployment.yaml', getText: () => 'kind: Deployment\n' } });
  assert.strictEqual(contexts['opcat.isCatalog'], false);
  assert.ok(context.subscriptions.length >= 5);
  await extension.deactivate();
  console.log('the extension passed');
}

main(process.argv.slice(2)).catch(reason => { console.error(reason); process.exit(1); });
