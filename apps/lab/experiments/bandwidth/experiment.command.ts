import type { Experiment } from "../../command/experiment.ts";
import { bandwidth as inPage } from "./experiment.ts";
import { OpensslProcess } from "./openssl.command.ts";

export const bandwidth: Experiment = {
  async run(bench) {
    const openssl = new OpensslProcess();
    try {
      return await inPage(bench, openssl);
    } finally {
      openssl.close();
    }
  },
};
