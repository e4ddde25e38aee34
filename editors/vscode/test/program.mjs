// The program that the tests drive: BSYM, or the one that cargo built last.
import { existsSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const built = ["debug", "release"].map((profile) => fileURLToPath(new URL(`../../../target/${profile}/bsym`, import.meta.url)));
const newest = built.filter(existsSync).sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)[0];

export const program = process.env.BSYM ?? newest;

/** The option of a test that needs the program. */
export const needed = { skip: program === undefined && "SKIPPED: bsym is not built (cargo build, or BSYM=…)", timeout: 120_000 };
