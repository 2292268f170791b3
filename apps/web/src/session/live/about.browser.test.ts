import { SealedStore } from "@sealcast/keys";
import { expect, test } from "vitest";
import { About, type AboutView } from "./about.ts";

function opened(room: string) {
  const shown: Partial<AboutView> = {};
  const changes: number[] = [];
  const about = new About({ room, show: (change) => Object.assign(shown, change), changed: () => changes.push(1) });
  return { about, shown, changes };
}

test("what was said of a stream, and that it was on, is there after a load; what was only typed in the lobby is not", async () => {
  const room = crypto.randomUUID();
  const first = opened(room);
  first.about.actions.describe({ title: " Tide\n tables ", host: "" });
  expect(first.about.message).toEqual({ type: "about", title: "Tide tables", host: "" });
  expect(first.changes, "nobody is told before it begins").toEqual([]);
  const typed = opened(room);
  await typed.about.recall();
  expect(typed.shown).toEqual({});
  first.about.live(true);
  first.about.actions.describe({ title: "Tides", host: "Ann" });
  expect(first.changes).toEqual([1]);
  await expect.poll(() => recalled(room)).toEqual({ about: { title: "Tides", host: "Ann" }, wasLive: true });
  first.about.live(false);
  await expect.poll(() => recalled(room)).toEqual({ about: { title: "Tides", host: "Ann" }, wasLive: false });
  expect(await recalled(crypto.randomUUID()), "another stream's").toEqual({});
});

test("what the person has typed by then stays; what is kept and damaged is nothing", async () => {
  const room = crypto.randomUUID();
  const before = opened(room);
  before.about.actions.describe({ title: "Tides", host: "" });
  before.about.live(true);
  await expect.poll(() => recalled(room)).not.toEqual({});
  const { about, shown } = opened(room);
  about.actions.describe({ title: "Moons", host: "" });
  await about.recall();
  expect(shown).toEqual({ about: { title: "Moons", host: "" }, wasLive: true });
  await new SealedStore("sealcast-live-about").keep(room, Uint8Array.of(1, 2, 3), Date.now() + 60_000);
  expect(await recalled(room)).toEqual({});
});

async function recalled(room: string): Promise<Partial<AboutView>> {
  const { about, shown } = opened(room);
  await about.recall();
  return shown;
}
