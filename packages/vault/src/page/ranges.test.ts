import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { RangeAnswer } from "../shared/ranges.ts";
import { Ranges } from "./ranges.ts";

/** This page's service worker, which has been active all along. */
const active = Object.assign(new EventTarget(), { state: "activated" }) as unknown as ServiceWorker;
const container = Object.assign(new EventTarget(), { controller: active });
const register = async () => ({ active, installing: null, waiting: null }) as unknown as ServiceWorkerRegistration;

let ranges: Ranges;
beforeEach(() => {
  vi.stubGlobal("navigator", { serviceWorker: container, userAgentData: {} });
  ranges = new Ranges(register);
});
afterEach(() => {
  ranges.end();
  vi.unstubAllGlobals();
});

class Source {
  readonly entry = { kind: "video/mp4" };
  readonly bytes = Uint8Array.from({ length: 100 }, (_, i) => i);
  refusal: Error | null = null;
  size = async () => this.bytes.length;
  read = async (at: number, length: number) => {
    if (this.refusal !== null) throw this.refusal;
    return this.bytes.slice(at, at + length);
  };
}

/** What the service worker hears when it asks for an element. */
function asked(url: string, range: string | null): Promise<RangeAnswer> {
  const { port1, port2 } = new MessageChannel();
  const answer = new Promise<RangeAnswer>((resolve) => {
    port1.onmessage = ({ data }: MessageEvent<RangeAnswer>) => {
      port1.close();
      resolve(data);
    };
  });
  const token = url.split("/").at(-1);
  const event = Object.assign(new Event("message"), { data: { token, range }, ports: [port2] });
  container.dispatchEvent(event);
  return answer;
}

test("gives the part of a file that is asked for at its address, which nobody can guess", async () => {
  const file = new Source();
  const served = (await ranges.serve(file, () => expect.unreachable())) ?? expect.unreachable();
  expect(served.url).toMatch(/^\/vault\/opened\/[\w-]{22}$/);
  expect(await asked(served.url, "bytes=10-12")).toEqual({
    ...{ type: "part", at: 10, size: 100, kind: "video/mp4" },
    bytes: Uint8Array.of(10, 11, 12),
  });
  expect(await asked(served.url, "bytes=100-")).toEqual({ type: "not-in-range", size: 100 });
  expect((await ranges.serve(file, () => undefined))?.url).not.toBe(served.url);
});

test("gives nothing at another address, or once it is closed, be it while the part is read", async () => {
  const file = new Source();
  const served = (await ranges.serve(file, () => expect.unreachable())) ?? expect.unreachable();
  expect(await asked(`${served.url}x`, "bytes=0-")).toEqual({ type: "gone" });
  const answer = asked(served.url, "bytes=0-");
  served.close();
  expect(await answer).toEqual({ type: "gone" });
  expect(await asked(served.url, "bytes=0-")).toEqual({ type: "gone" });
});

test("answers that there is nothing before it serves anything, as in another tab", async () => {
  expect(await asked("/vault/opened/AAAAAAAAAAAAAAAAAAAAAA", "bytes=0-")).toEqual({ type: "gone" });
});

test("at a part that cannot be read, says so once, and gives nothing any more", async () => {
  const file = new Source();
  const errors: unknown[] = [];
  const served = (await ranges.serve(file, (error) => errors.push(error))) ?? expect.unreachable();
  file.refusal = new Error("altered");
  const answers = [asked(served.url, "bytes=0-"), asked(served.url, "bytes=50-")];
  expect(await Promise.all(answers)).toEqual([{ type: "gone" }, { type: "gone" }]);
  file.refusal = null;
  expect(await asked(served.url, "bytes=0-")).toEqual({ type: "gone" });
  expect(errors).toEqual([new Error("altered")]);
});

test.each([
  ["has no service workers", { register: async () => Promise.reject(new Error("none")) }],
  ["ends it before it is active", { state: "redundant" }],
  ["does not let it answer this page", { claimed: false }],
])("gives no address where the browser %s", async (_, { register: refused, state, claimed }: Refusal) => {
  const worker = Object.assign(new EventTarget(), {
    state: state ?? "activated",
    postMessage: (_: unknown, [port]: MessagePort[]) => port?.postMessage(claimed),
  }) as unknown as ServiceWorker;
  const registration = { active: worker, installing: null, waiting: null } as unknown as ServiceWorkerRegistration;
  const without = new Ranges(refused ?? (async () => registration));
  expect(await without.serve(new Source(), () => undefined)).toBeNull();
});

test("gives no address where media elements may write what they read to the disk", async () => {
  vi.stubGlobal("navigator", { serviceWorker: container });
  expect(await ranges.serve(new Source(), () => undefined)).toBeNull();
});

interface Refusal {
  register?: () => Promise<ServiceWorkerRegistration>;
  state?: string;
  claimed?: boolean;
}
