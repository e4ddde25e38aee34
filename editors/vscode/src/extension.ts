// The extension: starts `bsym lsp` for machines that are open, and has commands for a check, a session and a trace.

import { execFile } from "node:child_process";
import * as path from "node:path";
import * as vscode from "vscode";
import { LanguageClient, LanguageClientOptions } from "vscode-languageclient/node";

import * as command from "./command";
import * as trace from "./trace";

const LANGUAGES = ["b", "rodin", "eventb"];
const FILES = "**/*.{mch,ref,imp,sys,def,bum,buc}";

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<{ client: () => LanguageClient | undefined }> {
  const register = (name: string, run: (...values: never[]) => unknown) =>
    context.subscriptions.push(vscode.commands.registerCommand(name, run));
  register("bsym.check", (target?: vscode.Uri) => withFile(target, check));
  register("bsym.animate", (target?: vscode.Uri) => withFile(target, animate));
  register("bsym.showTrace", (target?: vscode.Uri | string) => withFile(target, showTrace));
  register("bsym.restart", restart);
  context.subscriptions.push(
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("bsym")) {
        void restart();
      }
    }),
  );
  await start();
  return { client: () => client };
}

export async function deactivate(): Promise<void> {
  await stop();
}

function settings(): command.Settings {
  const all = vscode.workspace.getConfiguration("bsym");
  return {
    path: all.get("path", "bsym"),
    arguments: all.get("arguments", []),
    timeout: all.get("timeout", "60s"),
    lens: { enabled: all.get("lens.enabled", true), timeout: all.get("lens.timeout", "10s") },
  };
}

async function start(): Promise<void> {
  const chosen = settings();
  const { program, arguments: args } = command.server(chosen);
  const options: LanguageClientOptions = {
    documentSelector: LANGUAGES.flatMap((language) => [
      { scheme: "file", language },
      { scheme: "untitled", language },
    ]),
    initializationOptions: command.initializationOptions(chosen),
    synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher(FILES) },
  };
  client = new LanguageClient("bsym", "bsym", { command: program, args }, options);
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    const settingsOf = "Open Settings";
    const message = `\`${program} lsp\` cannot be started: ${error instanceof Error ? error.message : error}`;
    void vscode.window.showErrorMessage(message, settingsOf).then((chosen) => {
      if (chosen === settingsOf) {
        void vscode.commands.executeCommand("workbench.action.openSettings", "bsym.path");
      }
    });
  }
}

async function stop(): Promise<void> {
  const running = client;
  client = undefined;
  await running?.dispose();
}

async function restart(): Promise<void> {
  await stop();
  await start();
}

// The file of a command: the one that it was given, or the one of the active editor; saved, because programs read the disk.
async function withFile(target: vscode.Uri | string | undefined, run: (file: vscode.Uri) => unknown): Promise<unknown> {
  const given = typeof target === "string" ? vscode.Uri.parse(target) : target;
  const uri = given ?? vscode.window.activeTextEditor?.document.uri;
  if (uri?.scheme !== "file") {
    return vscode.window.showWarningMessage("Open a machine that is stored in a file.");
  }
  const document = vscode.workspace.textDocuments.find((open) => open.uri.toString() === uri.toString());
  if (document?.isDirty && !(await document.save())) {
    return;
  }
  return run(uri);
}

async function check(uri: vscode.Uri): Promise<void> {
  const { program, arguments: args } = command.check(settings(), uri.fsPath);
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  const task = new vscode.Task(
    { type: "bsym" },
    folder ?? vscode.TaskScope.Workspace,
    `check ${path.basename(uri.fsPath)}`,
    "bsym",
    new vscode.ProcessExecution(program, args, { cwd: path.dirname(uri.fsPath) }),
  );
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, clear: true, showReuseMessage: false };
  await vscode.tasks.executeTask(task);
}

function animate(uri: vscode.Uri): void {
  const { program, arguments: args } = command.animate(settings(), uri.fsPath);
  const name = `animate ${path.basename(uri.fsPath)}`;
  vscode.window.createTerminal({ name, shellPath: program, shellArgs: args, cwd: path.dirname(uri.fsPath) }).show();
}

async function showTrace(uri: vscode.Uri): Promise<void> {
  const { program, arguments: args } = command.check(settings(), uri.fsPath, true);
  const where = { location: vscode.ProgressLocation.Notification, title: "bsym check", cancellable: true };
  const result = await vscode.window.withProgress(where, (_, token) => answer(program, args, token));
  if (result === undefined) {
    return;
  }
  const panel = vscode.window.createWebviewPanel("bsym.trace", `Trace of ${result.machine}`, vscode.ViewColumn.Beside, {
    enableScripts: false,
    localResourceRoots: [],
  });
  panel.webview.html = trace.page(result);
}

// The exit code tells the verdict: only an output that is no JSON is a failure.
function answer(program: string, args: string[], token: vscode.CancellationToken): Promise<trace.Result | undefined> {
  return new Promise((resolve) => {
    const child = execFile(program, args, { maxBuffer: 1 << 28 }, (error, output, notes) => {
      try {
        resolve(JSON.parse(output) as trace.Result);
      } catch {
        if (!token.isCancellationRequested) {
          void vscode.window.showErrorMessage(notes.trim() || error?.message || "bsym gave no answer");
        }
        resolve(undefined);
      }
    });
    token.onCancellationRequested(() => child.kill());
  });
}
