import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { build, type Plugin, type Rolldown } from "vite";

const ENTRY = fileURLToPath(new URL("../src/service-worker/shell.worker.ts", import.meta.url));
/** The words of all screens, in whatever language is chosen. */
const WORDS = /\/src\/ui\/locales\/\w+\.po$/;
/** What the page's head names beside scripts and styles. */
const FIXED = ["/favicon.svg", "/manifest.webmanifest"];

/** Writes /service-worker.js, which keeps what the page's first screen is made of. */
export function shell(): Plugin {
  return {
    name: "sealcast-shell",
    apply: "build",
    enforce: "post",
    async generateBundle(_, bundle) {
      const names = Object.keys(bundle).sort();
      const files = [...names.filter((name) => isShell(bundle[name])).map((name) => `/${name}`), ...FIXED];
      const source = await script({ files, hash: sha256(names.join("\n")) });
      this.emitFile({ type: "asset", fileName: "service-worker.js", source });
    },
  };
}

function isShell(file: Rolldown.OutputAsset | Rolldown.OutputChunk | undefined): boolean {
  if (file?.type === "chunk") return file.isEntry || WORDS.test(file.facadeModuleId ?? "");
  return file?.names.includes("index.css") ?? false;
}

async function script({ files, hash }: { files: readonly string[]; hash: string }): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: "silent",
    publicDir: false,
    define: { SHELL_FILES: JSON.stringify(files), SHELL_HASH: JSON.stringify(hash) },
    build: { write: false, rolldownOptions: { input: ENTRY, output: { format: "iife" } } },
  });
  if (Array.isArray(built) || !("output" in built)) throw new Error("one build makes one script");
  return built.output[0].code;
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
