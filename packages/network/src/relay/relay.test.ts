import { type RemoteParticipant, RemoteTrackPublication, RoomEvent, Track, TrackEvent } from "livekit-client";
import { beforeEach, expect, test, vi } from "vitest";
import { RelayConnection } from "./relay.ts";

interface Published {
  readonly name: string;
  readonly track: unknown;
  take(): void;
  refuse(): void;
}

const { published, publications, withdrawn, closed, heard, remote } = vi.hoisted(() => ({
  published: [] as Published[],
  withdrawn: [] as unknown[],
  /** By source: what the relay has of this page. */
  publications: new Map<string, object>(),
  closed: [] as string[],
  /** What LiveKit's client says of the room, and who hears it. */
  heard: new Map<string, (...of: unknown[]) => void>(),
  remote: new Map<string, Pick<RemoteParticipant, "identity" | "trackPublications">>(),
}));

vi.mock("livekit-client", async (importOriginal) => {
  class Room {
    readonly localParticipant = {
      publishTrack: (track: unknown, { name }: { name: string }) =>
        new Promise<void>((resolve, reject) => {
          published.push({ name, track, take: resolve, refuse: () => reject(new Error("not taken")) });
        }),
      unpublishTrack: async (track: unknown) => void withdrawn.push(track),
      getTrackPublication: (source: string) => publications.get(source),
    };
    readonly remoteParticipants = remote;
    on(event: string, hear: (...of: unknown[]) => void): this {
      heard.set(event, hear);
      return this;
    }
    disconnect = async () => undefined;
  }
  return { ...(await importOriginal<typeof import("livekit-client")>()), Room };
});
vi.mock("./placeholder.ts", () => ({
  placeholder: (kind: string) => ({ track: {}, close: () => closed.push(kind) }),
}));

const SIZE = { width: 320, height: 180 };
const nothing = () => undefined;

beforeEach(() => {
  published.length = 0;
  closed.length = 0;
});

test("what the relay took is published once; what it did not take is published again when that is asked for, and is no more after the end", async () => {
  const connection = new RelayConnection({ seal: nothing, open: nothing, ended: nothing, state: nothing });
  const camera = () => connection.publish("camera", SIZE);
  const both = [camera(), camera()];
  published[0]?.refuse();
  for (const one of both) await expect(one).rejects.toThrow("not taken");
  expect([published.length, closed]).toEqual([1, ["video"]]);
  const taken = camera();
  published[1]?.take();
  await taken;
  await camera();
  expect([published.length, closed]).toEqual([2, ["video"]]);
  const late = connection.publish("microphone", SIZE);
  connection.close();
  expect(closed).toEqual(["video", "video", "audio"]);
  published[2]?.refuse();
  await expect(late).rejects.toThrow("not taken");
  expect(closed, "nothing is closed twice").toHaveLength(3);
});

test("what LiveKit's client does not get published again on another connection is published by who asks for that", async () => {
  let refresh = nothing;
  const state = (is: string) => is === "connected" && refresh();
  const connection = new RelayConnection({ seal: nothing, open: nothing, ended: nothing, state });
  for (const source of ["microphone", "camera"] as const) {
    const taken = connection.publish(source, SIZE);
    published.at(-1)?.take();
    await taken;
  }
  void connection.publish("screen-picture", SIZE);
  refresh = () => {
    for (const source of ["microphone", "camera", "screen-picture"] as const) void connection.publish(source, SIZE);
  };
  publications.set(Track.Source.Microphone, {});
  heard.get(RoomEvent.Reconnecting)?.();
  heard.get(RoomEvent.Reconnected)?.();
  expect(published.map(({ name }) => name)).toEqual(["microphone", "camera", "screen-picture", "camera"]);
  expect(closed).toEqual(["video"]);
});

test("what LiveKit's client publishes again too late, once it is published afresh, is withdrawn", async () => {
  const connection = new RelayConnection({ seal: nothing, open: nothing, ended: nothing, state: nothing });
  const taken = connection.publish("camera", SIZE);
  published[0]?.take();
  await taken;
  heard.get(RoomEvent.Reconnecting)?.();
  heard.get(RoomEvent.Reconnected)?.();
  void connection.publish("camera", SIZE);
  const [late, fresh] = published.map(({ track }) => ({ mediaStreamTrack: track }));
  for (const track of [late, fresh]) heard.get(RoomEvent.LocalTrackPublished)?.({ track });
  expect(withdrawn).toEqual([late]);
});

interface Settings {
  readonly disabled: boolean;
  readonly width: number;
  readonly height: number;
}

/** Ada's camera as LiveKit's client has it; `settings`: what it last had the server send, since the last subscription. */
function camera() {
  const info = { sid: "TR", name: "camera", source: 1, muted: false };
  const publication = new RemoteTrackPublication(Track.Kind.Video, info as never, false);
  const ada = { identity: "ada", trackPublications: new Map([["TR", publication]]) };
  remote.set("ada", ada);
  const is = { settings: null as Settings | null };
  const mediaStreamTrack = { enabled: true };
  const muted: (() => void)[] = [];
  const on = (_: TrackEvent.Muted, hear: () => void) => void muted.push(hear);
  const track = { kind: "video", isLocal: false, receiver: {}, mediaStreamTrack, on };
  /** As LiveKit's client does at the server's word. */
  const mute = () => {
    mediaStreamTrack.enabled = false;
    for (const hear of muted) hear();
  };
  publication.on(TrackEvent.UpdateSettings, (settings) => {
    is.settings = settings;
  });
  const subscribe = () => {
    is.settings = null;
    publication.setSubscribed(true);
    publication.track = track as never;
    heard.get(RoomEvent.TrackSubscribed)?.(publication.track, publication, ada);
    return is.settings as Settings | null;
  };
  return { subscribe, mute, mediaStreamTrack };
}

test("what comes is shown, also where the server says that it is muted", () => {
  const connection = new RelayConnection({ seal: nothing, open: nothing, ended: nothing, state: nothing });
  const { subscribe, mute, mediaStreamTrack } = camera();
  connection.follow("ada", "all");
  mediaStreamTrack.enabled = false;
  subscribe();
  expect(mediaStreamTrack.enabled).toBe(true);
  mute();
  expect(mediaStreamTrack.enabled).toBe(true);
});

test("how large a picture comes is said on each subscription, the same as before too: the server has forgotten it", () => {
  const connection = new RelayConnection({ seal: nothing, open: nothing, ended: nothing, state: nothing });
  const { subscribe } = camera();
  connection.follow("ada", "all");
  for (const size of [SIZE, null, SIZE]) {
    connection.show("ada", "camera", size);
    for (let times = 0; times < 3; times++)
      expect(subscribe()).toMatchObject(size === null ? { disabled: true } : { disabled: false, ...size });
  }
});

test("of two tracks that are said to be one source one comes, and the other once that one is gone", () => {
  const connection = new RelayConnection({ seal: nothing, open: nothing, ended: nothing, state: nothing });
  const info = { sid: "TR", name: "camera", source: 1, muted: false };
  const [first, second] = ["first", "second"].map(
    (sid) => new RemoteTrackPublication(Track.Kind.Video, { ...info, sid } as never, false),
  ) as [RemoteTrackPublication, RemoteTrackPublication];
  const ada = { identity: "ada", trackPublications: new Map(Object.entries({ first, second })) };
  remote.set("ada", ada);
  connection.follow("ada", "all");
  for (const publication of [first, second]) heard.get(RoomEvent.TrackPublished)?.(publication, ada);
  expect([first.isDesired, second.isDesired]).toEqual([true, false]);
  ada.trackPublications.delete("first");
  heard.get(RoomEvent.TrackUnpublished)?.(first, ada);
  expect(second.isDesired).toBe(true);
});
