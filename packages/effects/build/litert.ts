import type { Plugin } from "vite";

/** LiteRT's own script that starts its WebAssembly; of its four the one that Chromium takes. */
const STARTER = /\/@litertjs\/core\/wasm\/litert_wasm_internal\.js$/;
const DECLARATION = "var ModuleFactory = ";

/**
 * Makes a module of LiteRT's starter, which is a script that leaves a global. LiteRT loads it by importScripts, which module
 * workers do not have: they import it, and hand it over (`segmenter.ts`).
 */
export function litert(): Plugin {
  return {
    name: "sealcast-litert",
    enforce: "pre",
    transform(code, id) {
      if (!STARTER.test(id.replaceAll("\\", "/"))) return null;
      if (!code.includes(DECLARATION))
        return this.error("LiteRT's starter is not what it was: see packages/effects/build");
      return { code: `${code}\nexport default ModuleFactory;\n`, map: null };
    },
  };
}
