// The language server of opcat in Visual Studio Code.
import * as vscode from 'vscode';
import { LanguageClient, type LanguageClientOptions, type ServerOptions } from 'vscode-languageclient/node';
import { GraphPanel } from './graph_panel';
import { namesCatalog } from './documents';

let client: LanguageClient | undefined;
let graph: GraphPanel | undefined;

async function start(): Promise<void> {
  const settings = vscode.workspace.getConfiguration('opcat');
  const server: ServerOptions = { command: settings.get('path', 'opcat'), args: ['lsp'] };
  const catalogs = settings.get<string[]>('catalogs', []);
  const options: LanguageClientOptions = {
    documentSelector: [
      { scheme: 'file', language: 'yaml' },
      { scheme: 'file', language: 'json' },
    ],
    initializationOptions: catalogs.length > 0 ? { catalogs } : {},
  };
  client = new LanguageClient('opcat', 'opcat', server, options);
  await client.start();
  graph = new GraphPanel(client);
}

async function stop(): Promise<void> {
  graph?.dispose();
  graph = undefined;
  await client?.stop();
  client = undefined;
}

// The server is started for the first text of a catalog: others need no program.
async function consider(document: vscode.TextDocument | undefined): Promise<void> {
  const wanted = document !== undefined && namesCatalog(document.fileName, document.getText());
  await vscode.commands.executeCommand('setContext', 'opcat.isCatalog', wanted);
  if (wanted && client === undefined) await start();
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  context.subscriptions.push(
    vscode.window.onDidChangeActiveTextEditor(editor => consider(editor?.document)),
    vscode.window.onDidChangeTextEditorSelection(event => graph?.follow(event.textEditor)),
    vscode.workspace.onDidChangeTextDocument(event => graph?.changed(event.document)),
    vscode.commands.registerCommand('opcat.graph', () => graph?.show(vscode.window.activeTextEditor)),
    vscode.commands.registerCommand('opcat.restart', async () => {
      await stop();
      await start();
    }),
  );
  await consider(vscode.window.activeTextEditor?.document);
}

export async function deactivate(): Promise<void> {
  await stop();
}
