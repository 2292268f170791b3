import { build } from "vite";

/** One plain script of a module and all that it imports: what runs before a page's own scripts can import nothing. */
export async function bundled(entry: string): Promise<string> {
  const outputs = await build({
    configFile: false,
    root: import.meta.dirname,
    publicDir: false,
    logLevel: "error",
    build: { write: false, target: "chrome141", lib: { entry, formats: ["iife"], name: "bundled" } },
  });
  const [output] = Array.isArray(outputs) ? outputs : [];
  const [script] = output?.output ?? [];
  if (script?.type !== "chunk") throw new Error(`${entry} gave no script`);
  return script.code;
}
