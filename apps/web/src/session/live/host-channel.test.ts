import { expect, it, vi } from "vitest";

vi.mock("../peer/codecs.ts", () => ({ decodable: () => ["video/vp8"] }));

import { HostChannel } from "./host-channel.ts";
import type { FromViewer } from "./messages.ts";

/** What a page says to the host in whose session it is new. */
function greeting(connection: { way: { state: string } | null }): FromViewer["type"][] {
  const said: FromViewer["type"][] = [];
  const nothing = () => undefined;
  const channel = new HostChannel({
    post: ({ body }: { body: Uint8Array }) => said.push(JSON.parse(new TextDecoder().decode(body)).type),
    connection: { ...connection, listens: false, hangUp: nothing, tellRelayed: () => said.push("relayed") },
    recording: { stage: null, heard: nothing },
    asking: { greet: nothing, heard: nothing },
    ...{ show: nothing, changed: nothing },
  } as unknown as ConstructorParameters<typeof HostChannel>[0]);
  channel.answered("stream");
  return said;
}

it("who goes on watching over a relay says so to a host who knows them as someone else, as after a restart of the server", () => {
  expect(greeting({ way: { state: "connected" } })).toEqual(["hello", "relayed"]);
});

it("of relays whose picture was lost nothing is said", () => {
  expect(greeting({ way: { state: "reconnecting" } })).toEqual(["hello"]);
  expect(greeting({ way: null })).toEqual(["hello"]);
});
