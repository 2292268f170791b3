import { expect, test, vi } from "vitest";
import { RelayConnection } from "./relay.ts";

interface Published {
  readonly name: string;
  take(): void;
  refuse(): void;
}

const { published, closed } = vi.hoisted(() => ({ published: [] as Published[], closed: [] as string[] }));

vi.mock("livekit-client", () => {
  class Room {
    readonly localParticipant = {
      publishTrack: (_track: unknown, { name }: { name: string }) =>
        new Promise<void>((resolve, reject) => {
          published.push({ name, take: resolve, refuse: () => reject(new Error("not taken")) });
        }),
    };
    on(): this {
      return this;
    }
    disconnect = async () => undefined;
  }
  const Track = { Source: {} };
  return { Room, Track, RoomEvent: {}, LogLevel: {}, setLogLevel: () => undefined, ParticipantEvent: {} };
});
vi.mock("./placeholder.ts", () => ({
  placeholder: (kind: string) => ({ track: {}, close: () => closed.push(kind) }),
}));

const SIZE = { width: 320, height: 180 };
const nothing = () => undefined;

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
