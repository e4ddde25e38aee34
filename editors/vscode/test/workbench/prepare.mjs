// Installs a workbench (the one of code-server) and a browser without running their scripts. What the workbench does without is
// left out: authentication by Kerberos and what belongs to Windows. Native modules are not built, so there is no terminal in it.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const workbench = `${here}node_modules/code-server/lib/vscode`;
const install = (folder) =>
  execFileSync("npm", ["install", "--ignore-scripts", "--omit=dev", "--no-audit", "--no-fund", "--no-package-lock"], {
    cwd: folder,
    stdio: "inherit",
  });

if (!existsSync(`${workbench}/node_modules`)) {
  install(here);
  rmSync(`${workbench}/npm-shrinkwrap.json`, { force: true });
  const described = JSON.parse(readFileSync(`${workbench}/package.json`, "utf8"));
  for (const name of ["kerberos", "@vscode/windows-process-tree", "@vscode/windows-registry"]) {
    delete described.dependencies[name];
  }
  delete described.devDependencies;
  delete described.overrides;
  writeFileSync(`${workbench}/package.json`, JSON.stringify(described));
  install(workbench);
}
