import type { MeasuringCost, MeasuringCostPage } from "../shared/measuring-cost.ts";
import { Loopback } from "./loopback.ts";

const CAMERA = { width: 1280, height: 720 };

export function measuringCost(): MeasuringCostPage {
  return {
    async measuringCost(ms) {
      const worker = new Worker(new URL("../worker/measuring-cost.worker.ts", import.meta.url), { type: "module" });
      const connection = new Loopback(() => new RTCRtpScriptTransform(worker, {}));
      const media = await navigator.mediaDevices.getUserMedia({ video: CAMERA, audio: true });
      try {
        await connection.start(media, "vp8");
        await new Promise((resolve) => setTimeout(resolve, ms));
        return await new Promise<MeasuringCost>((resolve) => {
          worker.onmessage = ({ data }: MessageEvent<MeasuringCost>) => resolve(data);
          worker.postMessage(null);
        });
      } finally {
        connection.close();
        worker.terminate();
        for (const track of media.getTracks()) track.stop();
      }
    },
  };
}
