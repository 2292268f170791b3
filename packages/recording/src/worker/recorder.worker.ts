import { systemClock } from "@sealcast/time";
import type { FromRecorder, ToRecorder } from "../shared/messages.ts";
import { Recording } from "./recording.ts";

declare const self: DedicatedWorkerGlobalScope;

const post = (message: FromRecorder) => self.postMessage(message);

let recording: Recording | null = null;

self.addEventListener("message", ({ data }: MessageEvent<ToRecorder>) => {
  if (data.type === "open") recording = new Recording(data.shape, data.sound, systemClock, post);
  else if (recording !== null) hear(recording, data);
});

function hear(to: Recording, message: Exclude<ToRecorder, { type: "open" }>): void {
  switch (message.type) {
    case "start":
      return void to.start();
    case "show":
      return to.show(message.voices, message.added);
    case "pause":
      return to.pause();
    case "resume":
      return to.resume();
    case "appended":
      return to.appended(message.bytes);
    case "stop":
      return void to.stop();
    case "abandon":
      return void to.abandon();
  }
}
