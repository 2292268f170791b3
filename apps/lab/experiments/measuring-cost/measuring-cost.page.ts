import { CAMERA } from "../../src/shared/camera.ts";
import { Loopback } from "../frame-path/loopback.page.ts";
import type { MeasuringCost, MeasuringCostPage } from "./measuring-cost.ts";

export function measuringCost(): MeasuringCostPage {
  return {
    async measuringCost(ms) {
      const worker = new Worker(new URL("./measuring-cost.worker.ts", import.meta.url), { type: "module" });
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
