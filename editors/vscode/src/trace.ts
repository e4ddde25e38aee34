// The page of a result: the verdict, and the trace as a table with a row for each step. Nothing here depends on VS Code.

export interface Step {
  event: string;
  parameters: Record<string, string>;
  results: Record<string, string>;
  state: Record<string, string>;
}

export interface Violated {
  label: string | null;
  text: string;
  message: string | null;
}

/** The parts of the JSON result of `bsym check` that are shown. */
export interface Result {
  machine: string;
  verdict: string;
  engine: string | null;
  reason: string | null;
  violated: Violated[];
  constants: Record<string, string>;
  trace: Step[] | null;
  properties: { label: string | null; text: string; verdict: string }[];
}

export function escape(text: string): string {
  const names: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
  return text.replace(/[&<>"']/g, (character) => names[character]);
}

/** `op(x = 1) -> r = 2` */
export function title(step: Step): string {
  const list = (values: Record<string, string>) =>
    Object.entries(values ?? {}).map(([name, value]) => `${name} = ${value}`).join(", ");
  const parameters = list(step.parameters);
  const results = list(step.results);
  return step.event + (parameters && `(${parameters})`) + (results && ` → ${results}`);
}

const STYLE = `
  body { font-family: var(--vscode-font-family); color: var(--vscode-foreground); padding: 0 1em; }
  table { border-collapse: collapse; font-family: var(--vscode-editor-font-family); }
  th, td { border: 1px solid var(--vscode-panel-border, #8884); padding: 0.25em 0.6em; text-align: left; vertical-align: top; }
  th { background: var(--vscode-editorWidget-background); position: sticky; top: 0; }
  .changed { background: var(--vscode-diffEditor-insertedTextBackground, #9c35); }
  .violated { color: var(--vscode-errorForeground); }
  .holds { color: var(--vscode-testing-iconPassed, green); }
`;

/** The page. It has no scripts, and its policy allows none. */
export function page(result: Result): string {
  const parts = [`<h1>${escape(result.machine)}: <span class="${escape(result.verdict)}">${escape(result.verdict)}</span></h1>`];
  if (result.reason) {
    parts.push(`<p>${escape(result.reason)}</p>`);
  }
  for (const violated of result.violated ?? []) {
    const name = violated.label ? `${violated.label}: ` : "";
    parts.push(`<p class="violated">violated: <code>${escape(name + (violated.text ?? violated.message ?? ""))}</code></p>`);
  }
  const constants = Object.entries(result.constants ?? {});
  if (constants.length > 0) {
    const list = constants.map(([name, value]) => `<code>${escape(`${name} = ${value}`)}</code>`);
    parts.push(`<p>with ${list.join(", ")}</p>`);
  }
  parts.push(result.trace ? table(result.trace) : properties(result));
  const policy = `default-src 'none'; style-src 'unsafe-inline'`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${escape(result.machine)}</title>
<style>${STYLE}</style>
</head>
<body>
${parts.join("\n")}
</body>
</html>
`;
}

function table(trace: Step[]): string {
  const names = [...new Set(trace.flatMap((step) => Object.keys(step.state ?? {})))];
  const head = ["", "event", ...names].map((name) => `<th>${escape(name)}</th>`).join("");
  const rows = trace.map((step, number) => {
    const before = number > 0 ? trace[number - 1].state : {};
    const values = names.map((name) => {
      const value = step.state?.[name] ?? "";
      const changed = number > 0 && before[name] !== step.state?.[name] ? ' class="changed"' : "";
      return `<td${changed}>${escape(value)}</td>`;
    });
    return `<tr><td>${number}</td><td>${escape(title(step))}</td>${values.join("")}</tr>`;
  });
  return `<table>\n<tr>${head}</tr>\n${rows.join("\n")}\n</table>`;
}

function properties(result: Result): string {
  const rows = (result.properties ?? []).map(({ label, text, verdict }) => {
    const name = label ? `${label}: ${text}` : text;
    return `<tr><td><code>${escape(name)}</code></td><td class="${escape(verdict)}">${escape(verdict)}</td></tr>`;
  });
  return rows.length > 0 ? `<table>\n${rows.join("\n")}\n</table>` : "<p>There is no trace.</p>";
}
