import type { GroupMember } from "@sealcast/keys";
import { ManualClock } from "@sealcast/time";
import { expect, it } from "vitest";
import type { KnownPeers } from "./known-peers.ts";
import { People } from "./people.ts";

const member = (identity: string, name: string): GroupMember => ({
  ...{ leaf: 0, identity, seat: "", leafKeyId: identity, name, me: identity === "me" },
});

/** Those that are given are in the group now, under these names. */
function scene() {
  const shown = (members: readonly GroupMember[]) =>
    members.flatMap((who) => (who.me ? [] : [{ member: who, name: who.name }]));
  const people = new People({
    clock: new ManualClock(),
    known: () => ({ show: shown }) as unknown as KnownPeers,
    meet: () => null,
    met: () => undefined,
    left: () => undefined,
    sending: () => null,
    consentOf: () => ({}) as never,
    show: () => undefined,
    changed: () => undefined,
  });
  return (...others: GroupMember[]) => {
    const me = member("me", "Ada");
    people.entered(me, [me, ...others]);
    people.showRoster();
    return people;
  };
}

it("an identity has the name that it shows now, and once it has gone the one that it showed last", () => {
  const now = scene();
  expect(now(member("eve", "Ben")).nameOf("eve")).toBe("Ben");
  expect(now(member("eve", "Eve")).nameOf("eve")).toBe("Eve");
  expect(now().nameOf("eve")).toBe("Eve");
  expect(now().nameOf("nobody")).toBe("");
});
