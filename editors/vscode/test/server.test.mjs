// The real server, driven through the protocol library that vscode-languageclient is made of, as the extension starts it.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { mkdtemp, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import { needed, program } from "./program.mjs";

const require = createRequire(import.meta.url);
const protocol = require("vscode-languageserver-protocol/node");
const command = require("../out/command.js");

const settings = { path: program, arguments: [], timeout: "20s", lens: { enabled: true, timeout: "20s" } };

const COUNTER = `MACHINE Counter
VARIABLES count
INVARIANT
  count : 0..3
INITIALISATION count := 0
OPERATIONS
  up = count := count + 1;
  down = PRE count > 0 THEN count := count - 1 END
END
`;

// The test ends the server, also where it fails.
async function editor(t, folder) {
  const { program, arguments: args } = command.server(settings);
  const process = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  t.after(() => process.kill());
  const connection = protocol.createProtocolConnection(
    new protocol.StreamMessageReader(process.stdout),
    new protocol.StreamMessageWriter(process.stdin),
  );
  const published = [];
  const refreshed = [];
  const wake = [];
  const noted = (list, value) => {
    list.push(value);
    wake.splice(0).forEach((resume) => resume());
  };
  connection.onNotification(protocol.PublishDiagnosticsNotification.type, (said) => noted(published, said));
  connection.onRequest(protocol.CodeLensRefreshRequest.type, () => noted(refreshed, true));
  connection.listen();
  const { capabilities } = await connection.sendRequest(protocol.InitializeRequest.type, {
    processId: null,
    rootUri: pathToFileURL(folder).href,
    workspaceFolders: [{ uri: pathToFileURL(folder).href, name: "test" }],
    capabilities: { workspace: { codeLens: { refreshSupport: true } } },
    initializationOptions: command.initializationOptions(settings),
  });
  await connection.sendNotification(protocol.InitializedNotification.type, {});
  const until = async (fits) => {
    for (;;) {
      const found = await fits();
      if (found) {
        return found;
      }
      await new Promise((resume) => wake.push(resume));
    }
  };
  return {
    connection,
    capabilities,
    refreshed,
    open: (uri, text) =>
      connection.sendNotification(protocol.DidOpenTextDocumentNotification.type, {
        textDocument: { uri, languageId: "b", version: 1, text },
      }),
    change: (uri, version, text) =>
      connection.sendNotification(protocol.DidChangeTextDocumentNotification.type, {
        textDocument: { uri, version },
        contentChanges: [{ text }],
      }),
    /** What is said of a version of a file. */
    diagnostics: (uri, version) =>
      until(() => published.find((said) => said.uri === uri && said.version === version)?.diagnostics),
    until,
    close: async () => {
      await connection.sendRequest(protocol.ShutdownRequest.type);
      await connection.sendNotification(protocol.ExitNotification.type);
      const code = await new Promise((resume) => process.once("exit", resume));
      connection.dispose();
      return code;
    },
  };
}

async function file(name, text) {
  const folder = await mkdtemp(join(tmpdir(), "bsym-vscode-"));
  const path = join(folder, name);
  await writeFile(path, text);
  return { folder, path, uri: pathToFileURL(path).href };
}

test("messages come and are corrected by a code action", needed, async (t) => {
  const { folder, uri } = await file("Counter.mch", COUNTER);
  const session = await editor(t, folder);
  const wrong = COUNTER.replace("count := count - 1", "cuont := count - 1");
  await session.open(uri, wrong);
  const [mistake] = await session.diagnostics(uri, 1);
  assert.equal(mistake.code, "B0301");
  const actions = await session.connection.sendRequest(protocol.CodeActionRequest.type, {
    textDocument: { uri },
    range: mistake.range,
    context: { diagnostics: [mistake] },
  });
  assert.deepEqual(actions.map((action) => action.edit.changes[uri][0].newText), ["count"]);
  await session.change(uri, 2, COUNTER);
  assert.deepEqual(await session.diagnostics(uri, 2), []);
  assert.equal(await session.close(), 0);
});

test("each capability that the client uses is offered", needed, async (t) => {
  const { folder } = await file("Counter.mch", COUNTER);
  const session = await editor(t, folder);
  const offered = Object.keys(session.capabilities);
  for (const capability of [
    "codeActionProvider",
    "codeLensProvider",
    "completionProvider",
    "definitionProvider",
    "documentFormattingProvider",
    "documentHighlightProvider",
    "documentSymbolProvider",
    "hoverProvider",
    "renameProvider",
    "semanticTokensProvider",
    "signatureHelpProvider",
    "workspaceSymbolProvider",
  ]) {
    assert.ok(offered.includes(capability), capability);
  }
  assert.equal(await session.close(), 0);
});

test("a lens has the verdict of the text that is shown", needed, async (t) => {
  const { folder, uri } = await file("Counter.mch", COUNTER);
  const session = await editor(t, folder);
  await session.open(uri, COUNTER);
  const lenses = async () => {
    const found = await session.connection.sendRequest(protocol.CodeLensRequest.type, { textDocument: { uri } });
    return found?.map((lens) => lens.command.title) ?? [];
  };
  const settled = () =>
    session.until(async () => {
      const titles = await lenses();
      return titles.length > 0 && !titles.some((title) => title.includes("checking")) && titles;
    });
  const [invariant, up] = await settled();
  assert.match(invariant, /violated after 4 events/);
  assert.match(up, /leads to a violation/);
  const found = await session.connection.sendRequest(protocol.CodeLensRequest.type, { textDocument: { uri } });
  assert.equal(found[0].command.command, "bsym.showTrace");
  assert.deepEqual(found[0].command.arguments, [uri]);
  await session.change(uri, 2, COUNTER.replace("up = count := count + 1", "up = PRE count < 3 THEN count := count + 1 END"));
  assert.ok((await lenses()).every((title) => title === "checking …"), "nothing is said of the text before");
  const held = await settled();
  assert.match(held[0], /holds/);
  assert.equal(await session.close(), 0);
});

test("the page of a trace shows the steps of the real program", needed, async () => {
  const { path } = await file("Counter.mch", COUNTER);
  const { program, arguments: args } = command.check(settings, path, true);
  const output = await new Promise((resume) => execFile(program, args, (_, output) => resume(output)));
  const { page } = require("../out/trace.js");
  const html = page(JSON.parse(output));
  assert.match(html, /violated: <code>count : 0\.\.3<\/code>/);
  assert.equal(html.match(/<tr><td>\d/g).length, 5, "the initialisation and four steps");
  assert.match(html, /<td class="changed">4<\/td>/);
  assert.ok(!html.includes("<script"));
});
