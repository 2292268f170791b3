import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Plugin, Rolldown } from "vite";

const KIB = 1024;
/** Of script in the page before someone can join a call, in gzip: some two seconds on a slow phone's network. */
const BUDGET_KIB = 180;
const WORDS = /\/src\/ui\/locales\/\w+\.po$/;

/** Fails the build where the join route's script has outgrown its budget: the first script, and the language with most words. */
export function scriptBudget(): Plugin {
  return {
    name: "sealcast-script-budget",
    apply: "build",
    async writeBundle(_, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
      const size = async (of: (chunk: Rolldown.OutputChunk) => boolean) => {
        const sizes = chunks.filter(of).map(async ({ code }) => (await promisify(gzip)(code, { level: 9 })).length);
        return Math.max(...(await Promise.all(sizes))) / KIB;
      };
      const first = await size(({ isEntry }) => isEntry);
      const words = await size(({ facadeModuleId }) => WORDS.test(facadeModuleId ?? ""));
      const said = `The join route's script is ${first.toFixed(1)} KiB, and ${words.toFixed(1)} KiB of words, gzipped`;
      if (first + words > BUDGET_KIB)
        this.error(`${said}: more than its ${BUDGET_KIB} KiB. Load what is new when it is used.`);
      this.info(`${said}, of ${BUDGET_KIB} KiB.`);
    },
  };
}
