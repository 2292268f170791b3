import { expect, it, vi } from "vitest";

const codecs = vi.hoisted(() => ({ playable: [] as string[] }));
vi.mock("../peer/codecs.ts", () => ({
  decodable: () => ["video/h264", "video/vp8"],
  playable: async () => codecs.playable,
}));

import { HostChannel } from "./host-channel.ts";
import type { FromViewer } from "./messages.ts";

/** What a page says to the host in whose session it is new. */
async function greeting(connection: { way: { state: string } | null }): Promise<FromViewer[]> {
  const said: FromViewer[] = [];
  const nothing = () => undefined;
  const channel = new HostChannel({
    post: ({ body }: { body: Uint8Array }) => said.push(JSON.parse(new TextDecoder().decode(body))),
    connection: {
      ...connection,
      listens: false,
      hangUp: nothing,
      tellRelayed: () => said.push({ type: "relayed", shown: true }),
    },
    recording: { stage: null, heard: nothing },
    asking: { greet: nothing, heard: nothing },
    ...{ show: nothing, changed: nothing },
  } as unknown as ConstructorParameters<typeof HostChannel>[0]);
  await Promise.resolve();
  channel.answered("stream");
  return said;
}

const typesOf = (said: FromViewer[]) => said.map(({ type }) => type);

it("who goes on watching over a relay says so to a host who knows them as someone else, as after a restart of the server", async () => {
  expect(typesOf(await greeting({ way: { state: "connected" } }))).toEqual(["hello", "relayed"]);
});

it("of relays whose picture was lost nothing is said", async () => {
  expect(typesOf(await greeting({ way: { state: "reconnecting" } }))).toEqual(["hello"]);
  expect(typesOf(await greeting({ way: null }))).toEqual(["hello"]);
});

it.each([
  [["video/vp8"], ["video/vp8"]],
  [[], ["video/h264", "video/vp8"]],
])(
  "of codecs those are named that play over relays, too, here %j, and all where none does",
  async (playable, named) => {
    codecs.playable = playable;
    expect(await greeting({ way: null })).toMatchObject([{ type: "hello", decodes: named }]);
  },
);
