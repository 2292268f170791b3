import { bandwidth as inPage } from "../../src/shared/experiments/bandwidth.ts";
import type { Experiment } from "../experiment.ts";
import { OpensslProcess } from "../openssl.ts";

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
