// What is started: the program with its arguments, from the settings. Nothing here depends on VS Code.

export interface Settings {
  path: string;
  arguments: string[];
  timeout: string;
  lens: { enabled: boolean; timeout: string };
}

export interface Command {
  program: string;
  arguments: string[];
}

/** The language server. */
export function server(settings: Settings): Command {
  return { program: settings.path, arguments: ["lsp"] };
}

/** What the server is told in `initialize`. */
export function initializationOptions(settings: Settings) {
  return { lens: settings.lens, arguments: settings.arguments, traceCommand: "bsym.showTrace" };
}

/** A check of a file; with `json` for a program instead of a person. */
export function check(settings: Settings, file: string, json = false): Command {
  const format = json ? ["--json"] : [];
  return {
    program: settings.path,
    arguments: ["check", ...format, "--timeout", settings.timeout, ...settings.arguments, file],
  };
}

/** A session that takes steps by hand. */
export function animate(settings: Settings, file: string): Command {
  return { program: settings.path, arguments: ["animate", file] };
}
