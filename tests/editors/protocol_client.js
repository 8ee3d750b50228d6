// The protocol's own client library from npm against opcat: node protocol_client.js OPCAT CATALOG
const assert = require('node:assert');
const { spawn } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { createRequire } = require('node:module');
const protocol = createRequire(require.resolve('vscode-languageclient/node'))('vscode-languageserver-protocol/node');

async function main([opcat, catalog]) {
  const server = spawn(opcat, ['lsp', '--stdio']);
  const connection = protocol.createProtocolConnection(
    new protocol.StreamMessageReader(server.stdout), new protocol.StreamMessageWriter(server.stdin));
  const waiting = [];
  connection.onNotification(protocol.PublishDiagnosticsNotification.type, found => {
    for (const wait of [...waiting]) if (wait(found)) waiting.splice(waiting.indexOf(wait), 1);
  });
  const findings = (uri, version) => new Promise(resolve =>
    waiting.push(found => found.uri === uri && found.version === version && (resolve(found.diagnostics), true)));
  connection.listen();

  const file = path.join(catalog, 'index.yaml');
  const uri = pathToFileURL(file).toString();
  const text = fs.readFileSync(file, 'utf8');
  const answer = await connection.sendRequest(protocol.InitializeRequest.type, {
    processId: process.pid, rootUri: pathToFileURL(catalog).toString(), workspaceFolders: null,
    capabilities: { textDocument: { publishDiagnostics: { relatedInformation: true } } },
  });
  assert.strictEqual(answer.capabilities.positionEncoding, 'utf-16');
  await connection.sendNotification(protocol.InitializedNotification.type, {});

  let published = findings(uri, 1);
  await connection.sendNotification(protocol.DidOpenTextDocumentNotification.type, {
    textDocument: { uri, languageId: 'yaml', version: 1, text } });
  const rules = list => list.map(one => one.code).sort();
  assert.ok(rules(await published).includes('unknown-field'));

  const lines = text.split('\n');
  const line = lines.findIndex(one => one.includes('replces'));
  const character = lines[line].indexOf('replces');
  const at = { textDocument: { uri }, position: { line, character: character + 10 } };
  const actions = await connection.sendRequest(protocol.CodeActionRequest.type, {
    textDocument: { uri }, range: { start: { line, character }, end: { line, character } }, context: { diagnostics: [] } });
  const fix = actions.find(one => one.title === 'write replaces');
  assert.ok(protocol.CodeAction.is(fix));
  published = findings(uri, 2);
  await connection.sendNotification(protocol.DidChangeTextDocumentNotification.type, {
    textDocument: { uri, version: 2 },
    contentChanges: fix.edit.changes[uri].map(edit => ({ range: edit.range, text: edit.newText })) });
  assert.ok(!rules(await published).includes('unknown-field'));

  const completion = await connection.sendRequest(protocol.CompletionRequest.type, at);
  assert.ok(completion.items.length > 0 && completion.items.every(item => protocol.TextEdit.is(item.textEdit)));
  const hover = await connection.sendRequest(protocol.HoverRequest.type, { ...at, position: { line, character: character + 12 } });
  assert.ok(protocol.Hover.is(hover));
  const symbols = await connection.sendRequest(protocol.DocumentSymbolRequest.type, { textDocument: { uri } });
  assert.ok(symbols.length > 0 && symbols.every(symbol => protocol.DocumentSymbol.is(symbol)));

  // What is cancelled is answered with that, or was answered before.
  const source = new protocol.CancellationTokenSource();
  const cancelled = connection.sendRequest(protocol.DocumentFormattingRequest.type, {
    textDocument: { uri }, options: { tabSize: 2, insertSpaces: true } }, source.token);
  source.cancel();
  await cancelled.catch(reason => assert.ok([protocol.LSPErrorCodes.RequestCancelled, protocol.LSPErrorCodes.RequestFailed].includes(reason.code), reason));

  await connection.sendRequest(protocol.ShutdownRequest.type);
  const ended = new Promise(resolve => server.on('exit', resolve));
  await connection.sendNotification(protocol.ExitNotification.type);
  assert.strictEqual(await ended, 0);
  console.log('the protocol client passed');
}

main(process.argv.slice(2)).catch(reason => { console.error(reason); process.exit(1); });
