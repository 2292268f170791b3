import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import type { Plugin } from "vite";

/** What is text, or packs like it. */
const PACKS = /\.(html|js|css|json|svg|tflite|txt|wasm|onnx|webmanifest)$/;
/** Of larger files brotli would take longer than all the rest of the build, to save few bytes. */
const MOST_BROTLI_BYTES = 4_000_000;

/** Beside each file of the build that packs well: the same as `.br`, where it is not large, and `.gz`, for servers to send. */
export function compressed(): Plugin {
  let out: string | undefined;
  return {
    name: "sealcast-compressed",
    apply: "build",
    writeBundle({ dir }) {
      out = dir;
    },
    // After all that is written has been.
    async closeBundle() {
      if (out === undefined) return;
      const entries = await readdir(out, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile() && PACKS.test(entry.name));
      await Promise.all(files.map(({ parentPath, name }) => compress(join(parentPath, name))));
    },
  };
}

async function compress(file: string): Promise<void> {
  const plain = await readFile(file);
  if (plain.length <= MOST_BROTLI_BYTES) await writeFile(`${file}.br`, await promisify(brotliCompress)(plain));
  await writeFile(`${file}.gz`, await promisify(gzip)(plain, { level: 9 }));
}
