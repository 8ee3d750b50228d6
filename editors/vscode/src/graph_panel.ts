// The upgrade graph of a package next to its text. It follows the cursor, and the text when that rests.
import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';

interface Graph {
  package: string;
  bundle: string;
  html: string;
}

const restMilliseconds = 400;

// The page itself has no way to hear from us: this listens, and moves the address, which the page follows.
const listener = `<script>
addEventListener('message', event => { if (typeof event.data.place === 'string') location.hash = event.data.place; });
</script>`;

export function placeOf(graph: { package: string; bundle: string }): string {
  return `#${encodeURIComponent(graph.package)}/${encodeURIComponent(graph.bundle)}`;
}

export class GraphPanel {
  private panel: vscode.WebviewPanel | undefined;
  private shown: Graph | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly client: LanguageClient) {}

  async show(editor: vscode.TextEditor | undefined): Promise<void> {
    if (editor === undefined) return;
    let graph: Graph;
    try {
      graph = await this.ask(editor);
    } catch (reason) {
      void vscode.window.showInformationMessage(reason instanceof Error ? reason.message : String(reason));
      return;
    }
    if (this.panel === undefined) {
      this.panel = vscode.window.createWebviewPanel('opcat.graph', '', { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
        { enableScripts: true, localResourceRoots: [], retainContextWhenHidden: true });
      this.panel.onDidDispose(() => { this.panel = undefined; });
    }
    this.panel.title = `Upgrades of ${graph.package}`;
    this.panel.webview.html = graph.html.replace('</body>', () => `${listener}</body>`);
    this.shown = graph;
    this.panel.reveal(undefined, true);
    void this.panel.webview.postMessage({ place: placeOf(graph) });
  }

  follow(editor: vscode.TextEditor): void {
    this.whenAtRest(async () => {
      const graph = await this.ask(editor);
      if (this.panel === undefined || graph.bundle === '' || graph.package !== this.shown?.package) return;
      if (graph.html !== this.shown.html) await this.show(editor);
      else if (graph.bundle !== this.shown.bundle) void this.panel.webview.postMessage({ place: placeOf(graph) });
      this.shown = graph;
    });
  }

  changed(document: vscode.TextDocument): void {
    const editor = vscode.window.activeTextEditor;
    if (editor?.document === document) this.follow(editor);
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.panel?.dispose();
  }

  private ask(editor: vscode.TextEditor): Promise<Graph> {
    return this.client.sendRequest('opcat/graph', {
      textDocument: { uri: editor.document.uri.toString() },
      position: { line: editor.selection.active.line, character: editor.selection.active.character },
    });
  }

  // What the cursor is on may be nothing: then the graph stays as it is.
  private whenAtRest(action: () => Promise<void>): void {
    if (this.panel === undefined) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => { action().catch(() => undefined); }, restMilliseconds);
  }
}
