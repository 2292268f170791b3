import { expect, it } from "vitest";
import { TestHost } from "./viewers.cases.ts";

it("who departed with the key stands on the list, and can be removed, as long as the stream goes over relays", () => {
  const host = new TestHost(0);
  for (const id of ["a", "b"]) {
    host.comes(id);
    host.relayed(id);
  }
  host.is("a", "departed");
  expect(host.standing).toEqual({ a: "away", b: "relayed" });
  host.viewers.actions.remove("a");
  expect(host.posted).toEqual([{ type: "remove" }]);
  host.is("b", "departed");
  expect(host.standing, "nothing is to be seen by the key any more").toEqual({});
  host.comes("c");
  expect(host.standing).toEqual({ a: "away", b: "away", c: "connecting" });
  for (const [id, is] of [
    ["a", "gone"],
    ["b", "left"],
  ] as const)
    host.is(id, is);
  expect(host.standing).toEqual({ c: "connecting" });
});

it("the server's word that someone departed ends no connection that works; when that is lost they give up their place", () => {
  const host = new TestHost(1, ["connection"]);
  host.comes("a");
  host.connected("a");
  host.comes("b");
  host.is("a", "departed");
  expect(host.standing).toEqual({ a: "watching", b: "full" });
  host.linked("a", "reconnecting");
  expect(host.standing).toEqual({ b: "connecting" });
  host.connected("b");
  expect(host.standing).toEqual({ b: "watching" });
});

it("who was let go is not on the list again, and whose connection this page closed is given no other", () => {
  const host = new TestHost(1);
  host.comes("a");
  host.is("a", "gone");
  expect(host.standing).toEqual({});
  host.comes("b");
  host.comes("c");
  host.relayed("c");
  host.viewers.breached("c", "flood");
  host.is("b", "gone");
  expect(host.standing).toEqual({ c: "flood" });
});
