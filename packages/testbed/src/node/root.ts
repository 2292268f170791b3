import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The repository's folder, for sources as for what is bundled of them elsewhere in it. */
export const root = above(import.meta.dirname);

function above(folder: string): string {
  if (existsSync(join(folder, "package-lock.json"))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error("this is not in Sealcast's repository");
  return above(parent);
}
