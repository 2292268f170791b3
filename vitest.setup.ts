import "@sealcast/testbed/with-resolvers";
import fc from "fast-check";
import { vi } from "vitest";

// Without this fast-check makes arrays and texts of about ten elements, however long they are said to be.
fc.configureGlobal({ defaultSizeToMaxWhenMaxSpecified: true });

/** Vitest's own second is not enough on a busy machine; what does not come to hold in this does not at all. */
const PATIENCE_MS = 15_000;
const { waitFor } = vi;
const patientWaitFor: typeof waitFor = (holds, options) =>
  waitFor(holds, typeof options === "number" ? options : { timeout: PATIENCE_MS, ...options });
// Files that share a process run this once each.
if (waitFor.name !== patientWaitFor.name) vi.waitFor = patientWaitFor;
