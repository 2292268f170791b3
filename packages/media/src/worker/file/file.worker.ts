import type { FromFileWorker, ToFileWorker } from "../../shared/file.ts";
import { FileTasks } from "./file-tasks.ts";

declare const self: DedicatedWorkerGlobalScope;

const tasks = new FileTasks((message: FromFileWorker, transfer) => self.postMessage(message, transfer));

// The page hears of errors, but not of rejected promises.
self.addEventListener("message", ({ data }: MessageEvent<ToFileWorker>) => void tasks.hear(data).catch(reportError));
