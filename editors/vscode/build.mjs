// Bundles the extension with the language client into one file, and what the tests need of it into another.
import { build } from "esbuild";

const common = { bundle: true, platform: "node", target: "node18", format: "cjs", sourcemap: false, logLevel: "warning" };
await build({ ...common, entryPoints: ["src/extension.ts"], outfile: "out/extension.js", external: ["vscode"], minify: true });
await build({ ...common, entryPoints: ["src/trace.ts", "src/command.ts"], outdir: "out" });
