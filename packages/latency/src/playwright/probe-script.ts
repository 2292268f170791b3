import { build } from "vite";

/**
 * The probe as one plain script: what runs before a page's own scripts can import nothing. The packed package holds it
 * ready made, so that Vite is not needed there.
 */
export async function probeScript(): Promise<string> {
  const entry = `${import.meta.dirname}/../page/probe.ts`;
  const outputs = await build({
    configFile: false,
    root: import.meta.dirname,
    publicDir: false,
    logLevel: "error",
    build: { write: false, target: "chrome141", lib: { entry, formats: ["iife"], name: "probe" } },
  });
  const [output] = Array.isArray(outputs) ? outputs : [];
  const [script] = output?.output ?? [];
  if (script?.type !== "chunk") throw new Error(`${entry} gave no script`);
  return script.code;
}
