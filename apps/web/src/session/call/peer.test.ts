import type { Breach, PeerLink } from "@sealcast/network";
import { ManualClock } from "@sealcast/time";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { PAGE_BUDGETS } from "../budgets.ts";
import type { ShownMember } from "./known-peers.ts";
import { Peer, type PeerOptions } from "./peer.ts";

type Events = ConstructorParameters<typeof PeerLink>[1];
const links = vi.hoisted((): Events[] => []);

vi.mock("@sealcast/network", async (original) => {
  class PeerLink {
    readonly connection = { signalingState: "stable" };
    constructor(_: unknown, events: Events) {
      links.push(events);
    }
    say(): void {}
    close(): void {}
  }
  return { ...(await original<object>()), PeerLink };
});

beforeEach(() => {
  vi.stubGlobal(
    "MediaStream",
    class {
      addTrack(): void {}
      getTracks = () => [];
    },
  );
  vi.stubGlobal("RTCRtpReceiver", { getCapabilities: () => null });
});
afterEach(() => vi.unstubAllGlobals());

/** A person to whom one line goes, and what is on it. */
async function meet(source: "microphone" | "camera") {
  const track = { kind: source } as unknown as MediaStreamTrack;
  const sender = {
    track: null as MediaStreamTrack | null,
    replaceTrack: async (next: MediaStreamTrack | null) => {
      sender.track = next;
    },
    getParameters: () => ({ codecs: [], encodings: [] }),
  };
  const carried = new Set<string>();
  const heard = { count: 0 };
  const breaches: Breach[] = [];
  const fanOut = {
    carry: (id: string) => carried.add(id),
    drop: (id: string) => carried.delete(id),
    shownAs: () => undefined,
  };
  const attachment = () => ({ id: "a", ready: Promise.resolve(), release: () => {} });
  const relayedTrack = { release: vi.fn() };
  const options = {
    parts: {
      clock: new ManualClock(),
      pool: {
        seal: attachment,
        open: attachment,
        openRelayed: () => relayedTrack,
        fanOuts: { camera: fanOut, "screen-picture": fanOut },
      },
    },
    local: { view: {}, track: (of: string) => (of === source ? track : null) },
    reachable: () => {},
    changed: () => {},
    closed: () => {},
    heard: () => heard.count++,
    breached: (breach: Breach) => breaches.push(breach),
  } as unknown as PeerOptions;
  const shown = { member: { leaf: 1, leafKeyId: "them" } } as ShownMember;
  const peer = new Peer(shown, { ...shown.member, leaf: 0 }, options);
  const events = links.at(-1) ?? expect.unreachable();
  const transceiver = { sender, receiver: { track }, currentDirection: "sendrecv", setCodecPreferences: () => {} };
  events.line(transceiver as unknown as RTCRtpTransceiver, source);
  events.state("connected");
  await peer.refresh();
  const say = (kind: "video" | "recording", word: object) =>
    events.heard(kind, new TextEncoder().encode(JSON.stringify(word)));
  return { peer, events, say, heard, breaches, relayedTrack, sends: () => carried.size > 0 || sender.track === track };
}

test.each(["microphone", "camera"] as const)("held, is sent no %s, nor after anything else changed", async (source) => {
  const { peer, sends } = await meet(source);
  expect(sends()).toBe(true);
  await peer.media.hold(true);
  expect(sends()).toBe(false);
  await peer.refresh();
  await peer.media.encodeOnce(true);
  expect(sends()).toBe(false);
  await peer.media.hold(false);
  expect(sends()).toBe(true);
  await peer.media.hold(true);
  expect(sends()).toBe(false);
});

test("who takes nothing over the relay any more is sent all directly as soon as they say so", async () => {
  const { peer, events, sends } = await meet("microphone");
  events.heard("relayed", Uint8Array.of(1));
  await peer.media.leave(peer.relayed.isTaken);
  expect(sends()).toBe(false);
  events.heard("relayed", Uint8Array.of(0));
  await vi.waitFor(() => expect(sends()).toBe(true));
});

test("of who is gone nobody is accused: what came over the relay and is not signed yet is let go with the connection", async () => {
  const { peer, relayedTrack } = await meet("microphone");
  const track = {} as MediaStreamTrack;
  peer.relayed.open({ track } as RTCRtpReceiver, "camera", new Uint8Array());
  peer.relayed.ended(track);
  expect(relayedTrack.release).not.toHaveBeenCalled();
  peer.close();
  expect(relayedTrack.release).toHaveBeenCalledOnce();
});

test("who says too much of recordings loses their connection, and nothing of it counts any more", async () => {
  const { peer, events, heard, breaches } = await meet("camera");
  const { burst } = PAGE_BUDGETS.statements;
  const say = (times: number) => {
    for (let said = 0; said < times; said++) events.heard("recording", new Uint8Array());
  };
  say(burst / 2);
  expect([heard.count, breaches]).toEqual([burst / 2, []]);
  say(2 * burst);
  expect(breaches[0]).toBe("flood");
  expect(heard.count).toBeLessThan(1.5 * burst);
  expect([peer.state, peer.voices]).toEqual(["closed", []]);
});

test("who says more inside the group than the keys worker takes loses their connection, once", async () => {
  const { peer, breaches } = await meet("camera");
  expect(peer.takesMessage()).toBe(true);
  for (let told = 0; told < 2; told++) peer.flooded();
  expect([breaches, peer.state, peer.view.breach]).toEqual([["flood"], "closed", "flood"]);
  expect(peer.takesMessage()).toBe(false);
});

test("who wants no video is sent none, and sound all the same", async () => {
  for (const source of ["camera", "microphone"] as const) {
    const { peer, say, sends } = await meet(source);
    say("video", { wants: false, paused: null });
    await peer.refresh();
    expect(sends()).toBe(source === "microphone");
  }
});

test("video gives way to sound on a computer that does not do for both, and is back after it", async () => {
  for (const source of ["camera", "microphone"] as const) {
    const { peer, sends } = await meet(source);
    peer.media.examine([], true);
    await peer.refresh();
    expect([sends(), peer.media.video.paused]).toEqual([source === "microphone", "computer"]);
    peer.media.examine([], false);
    await peer.refresh();
    expect(sends()).toBe(true);
  }
});

test("whose video is paused shows so, with the reason; where this page wants none it shows as off", async () => {
  const { peer, say } = await meet("camera");
  const on = { version: 1, camera: true, microphone: true, screen: false, screenSound: false, decodes: [] };
  peer.profiled({ type: "profile", ...on });
  expect(peer.view).toMatchObject({ camera: true, videoPaused: null });
  say("video", { wants: true, paused: "connection" });
  expect(peer.view).toMatchObject({ camera: false, videoPaused: "connection" });
  peer.media.video.wants = false;
  expect(peer.view).toMatchObject({ camera: false, videoPaused: null });
});
