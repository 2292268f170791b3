import type { Composing } from "../../shared/composition.ts";
import { compose } from "./composer.ts";

declare const self: DedicatedWorkerGlobalScope;

self.addEventListener("message", ({ data }: MessageEvent<Composing>) => compose(data));
