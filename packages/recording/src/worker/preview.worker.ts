import type { FromPreview } from "../shared/messages.ts";
import { FilePreview } from "./preview.ts";

declare const self: DedicatedWorkerGlobalScope;

self.addEventListener("message", ({ data }: MessageEvent<Blob>) => void look(data));

async function look(file: Blob): Promise<void> {
  const preview = new FilePreview(file);
  const seconds = await preview.seconds().catch(() => null);
  tell({ type: "seconds", seconds });
  tell({ type: "thumbnail", thumbnail: await preview.thumbnail(seconds).catch(() => null) });
}

function tell(message: FromPreview): void {
  self.postMessage(message);
}
