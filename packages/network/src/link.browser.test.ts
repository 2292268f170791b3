import { ManualClock, milli } from "@sealcast/time";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { DESCRIPTION_COUNTS, LINK_BUDGETS, MOST_WAITING } from "./budgets.ts";
import { End } from "./link.cases.ts";
import { LOOK_AGAIN_AFTER } from "./link.ts";
import type { LineSource, Signal } from "./signal.ts";

type Description = Extract<Signal, { type: "description" }>;

let ends: End[];
beforeEach(() => {
  ends = [];
});
afterEach(() => {
  for (const end of ends) end.link.close();
});

/** Two ends that have agreed, of which the first calls. */
async function linked(direction?: "sendonly"): Promise<[caller: End, callee: End]> {
  const [callee, caller] = [new End(false, direction && "recvonly"), new End(true, direction)];
  [caller.other, callee.other] = [callee, caller];
  ends.push(caller, callee);
  const states = () => ends.map(({ link: { connection } }) => [connection.connectionState, connection.signalingState]);
  const wanted = ends.map(() => ["connected", "stable"]);
  await vi.waitFor(() => expect(states()).toEqual(wanted), { timeout: 10_000 });
  return [caller, callee];
}

/** Videos that this end would encode if it had a picture: one for each encoding of each line. */
function outgoing({ link }: End): number {
  const videos = link.connection.getTransceivers().filter(({ receiver }) => receiver.track.kind === "video");
  return videos.flatMap(({ sender }) => sender.getParameters().encodings).length;
}

/** An end of its own that calls, and its first offer. */
async function offered(): Promise<Description> {
  const caller = new End(true);
  ends.push(caller);
  await vi.waitFor(() => expect(caller.descriptions.length).toBe(1));
  return caller.descriptions[0] as Description;
}

/** What a changed client could say: the description as an offer, with another video section, of that source. */
function multiplied(
  { description: { sdp }, lines }: Description,
  source: LineSource,
  old = (sdp: string) => sdp,
): Description {
  const camera = sdp.split(/(?=^m=)/m).find((section) => section.startsWith("m=video")) ?? "";
  const bundled = old(sdp).replace(/^(a=group:BUNDLE .*)$/m, "$1 9");
  const description = { type: "offer", sdp: bundled + camera.replace(/^a=mid:.*$/m, "a=mid:9") } as const;
  return { type: "description", description, lines: [...lines, { mid: "9", source }] };
}

test("two sections of a source, from the end that makes them, close the connection and make no encoder", async () => {
  const callee = new End(false);
  ends.push(callee);
  callee.link.receive(multiplied(await offered(), "camera"));
  await vi.waitFor(() => expect(callee.breaches).toEqual(["malformed"]));
  expect(callee.lines).toEqual([]);
});

test("a source in another section than before closes the connection: each time, its transforms would be made again", async () => {
  const [caller, callee] = await linked();
  const last = caller.descriptions.at(-1) as Description;
  const moved = multiplied(last, "camera", (sdp) => sdp.replace(/^m=video 9 /m, "m=video 0 "));
  const lines = moved.lines.filter(({ mid, source }) => mid === "9" || source !== "camera");
  callee.link.receive({ ...moved, lines });
  await vi.waitFor(() => expect(callee.breaches).toEqual(["malformed"]));
  expect(callee.lines).toEqual(["microphone", "camera"]);
});

test.each([undefined, "sendonly"] as const)(
  "a section that the callee makes closes the connection (%s)",
  async (direction) => {
    const [caller, callee] = await linked(direction);
    caller.link.receive(multiplied(callee.descriptions.at(-1) as Description, "screen-picture"));
    await vi.waitFor(() => expect(caller.breaches).toEqual(["malformed"]));
    expect(caller.lines).toEqual(["microphone", "camera"]);
  },
);

test.each([
  [
    "another source",
    (lines: Description["lines"]) => lines.map((line) => ({ ...line, source: "screen-picture" as const })).slice(0, 1),
  ],
  ["a source twice", (lines: Description["lines"]) => lines.map((line) => ({ ...line, source: "camera" as const }))],
  ["a section twice", (lines: Description["lines"]) => [...lines, ...lines]],
  ["nothing", () => []],
])("sections that are said to carry %s close the connection", async (_, change) => {
  const [caller, callee] = await linked();
  const last = caller.descriptions.at(-1) as Description;
  callee.link.receive({ ...last, lines: change(last.lines) });
  await vi.waitFor(() => expect(callee.breaches).toEqual(["malformed"]));
});

test("a section of another kind than its source closes the connection", async () => {
  const callee = new End(false);
  ends.push(callee);
  const offer = await offered();
  const swapped = offer.lines.map(
    ({ mid, source }) => ({ mid, source: source === "camera" ? "screen-sound" : "camera" }) as const,
  );
  callee.link.receive({ ...offer, lines: swapped });
  await vi.waitFor(() => expect(callee.breaches).toEqual(["malformed"]));
});

test("an end that asks for several encodings of a source gets one", async () => {
  const callee = new End(false);
  ends.push(callee);
  const offer = await offered();
  const several = "a=rid:1 recv\r\na=rid:2 recv\r\na=rid:3 recv\r\na=simulcast:recv 1;2;3\r\n";
  const sdp = offer.description.sdp.replace(/m=video[\s\S]*?a=mid:\S+\r\n/, `$&${several}`);
  expect(sdp).toContain("a=simulcast");
  callee.link.receive({ ...offer, description: { type: "offer", sdp } });
  await vi.waitFor(() => expect(callee.descriptions.length).toBe(1));
  expect(outgoing(callee)).toBe(1);
});

test("lines for a screen and its sound are agreed on by both ends", async () => {
  const [caller, callee] = await linked();
  caller.link.openScreen("screen-picture");
  await vi.waitFor(() => expect(callee.descriptions.at(-1)?.lines.length).toBe(3));
  caller.link.openScreen("screen-sound");
  await vi.waitFor(() => expect(callee.descriptions.at(-1)?.lines.length).toBe(4));
  const kinds = callee.link.connection.getTransceivers().map(({ receiver }) => receiver.track.kind);
  expect([callee.lines, kinds]).toEqual([
    ["microphone", "camera", "screen-picture", "screen-sound"],
    ["audio", "video", "video", "audio"],
  ]);
  expect([...caller.breaches, ...callee.breaches]).toEqual([]);
});

const offersOf = ({ descriptions }: End) => descriptions.filter(({ description }) => description.type === "offer");
/** RFC 8839 section 5.4: another one is an ICE restart. */
const fragmentOf = ({ descriptions }: Pick<End, "descriptions">) =>
  /^a=ice-ufrag:(.*)$/m.exec(descriptions.at(-1)?.description.sdp ?? "")?.[1];

test("the callee that wants an offer asks for it, and the caller offers", async () => {
  const [caller, callee] = await linked();
  const before = fragmentOf(caller);
  callee.link.renegotiate();
  await vi.waitFor(() => expect(callee.descriptions.length).toBe(2));
  expect(fragmentOf(caller), "no new way is looked for").toBe(before);
  callee.link.restart();
  await vi.waitFor(() => expect(callee.descriptions.length).toBe(3));
  expect(fragmentOf(caller)).not.toBe(before);
  expect([offersOf(caller).length, offersOf(callee).length]).toEqual([3, 0]);
  expect([...caller.breaches, ...callee.breaches]).toEqual([]);
});

const askedBy = ({ signals }: End) =>
  signals.flatMap((signal) => (signal.type === "renegotiate" ? [signal.iceRestart] : []));

test("a callee asks once until something is offered, however long its network is lost: all that it asks comes in the end", async () => {
  const [caller, callee] = await linked();
  callee.other = null;
  for (let times = 0; times < 20; times++) callee.link.renegotiate();
  await vi.waitFor(() => expect(askedBy(callee)).toEqual([false]));
  for (let times = 0; times < 20; times++) callee.link.restart();
  callee.link.renegotiate();
  await vi.waitFor(() => expect(askedBy(callee)).toEqual([false, true]));
  caller.link.renegotiate();
  await vi.waitFor(() => expect(callee.descriptions.length).toBe(2));
  callee.link.restart();
  await vi.waitFor(() => expect(askedBy(callee)).toEqual([false, true, true]));
});

test.each(["renegotiate", "restart"] as const)(
  "what a callee asks for while it answers (%s) goes out behind the answer, and is followed",
  async (what) => {
    const [caller, callee] = await linked();
    const { connection } = callee.link;
    const apply = connection.setRemoteDescription.bind(connection);
    vi.spyOn(connection, "setRemoteDescription").mockImplementationOnce((offer) => {
      callee.sound = () => ({ packetMs: 20, transmission: "constant" });
      callee.link[what]();
      return apply(offer);
    });
    caller.link[what]();
    await vi.waitFor(() => expect(callee.descriptions.length).toBe(3));
    expect(callee.signals.filter(({ type }) => type !== "candidates").map(({ type }) => type)).toEqual([
      "description",
      "description",
      "renegotiate",
      "description",
    ]);
    expect(connection.remoteDescription?.sdp, "its sound is as it wants it then").toContain("cbr=1");
    const fragments = offersOf(caller).map((offer) => fragmentOf({ descriptions: [offer] }));
    expect(new Set(fragments).size).toBe(what === "restart" ? 3 : 1);
  },
);

test("who looks for a new way while an offer for one is out, by other servers than it names, does so again after that", async () => {
  const [caller, callee] = await linked();
  caller.other = null;
  caller.link.restart();
  await vi.waitFor(() => expect(offersOf(caller).length).toBe(2));
  caller.link.restart();
  caller.other = callee;
  callee.link.receive(caller.descriptions.at(-1) as Description);
  await vi.waitFor(() => expect(callee.descriptions.length).toBe(3));
  const [, second, third] = offersOf(caller).map((offer) => fragmentOf({ descriptions: [offer] }));
  expect(third).not.toBe(second);
});

test("who looks for a new way for a lost connection goes on until there is one", async () => {
  const clock = new ManualClock();
  const [callee, caller] = [new End(false, "sendrecv", false, clock), new End(true, "sendrecv", false, clock)];
  ends.push(caller, callee);
  [caller.other, callee.other] = [callee, caller];
  const { connection } = caller.link;
  await vi.waitFor(() => expect(connection.currentRemoteDescription).not.toBeNull());
  Object.defineProperty(connection, "connectionState", { value: "failed" });
  caller.link.restart();
  for (let restarts = 1; restarts <= 3; restarts++) {
    await vi.waitFor(() =>
      expect([callee.descriptions.length, connection.signalingState]).toEqual([1 + restarts, "stable"]),
    );
    clock.advance(milli(5_000));
  }
});

test("both ends that look for a new way at once agree on one, and no end takes an offer back", async () => {
  const [caller, callee] = await linked();
  const states: RTCSignalingState[] = [];
  const { connection } = callee.link;
  connection.addEventListener("signalingstatechange", () => states.push(connection.signalingState));
  for (const { link } of [callee, caller]) link.restart();
  await vi.waitFor(() => expect(callee.descriptions.length).toBe(2));
  await vi.waitFor(() => expect(caller.link.connection.signalingState).toBe("stable"));
  expect(states).toEqual(["have-remote-offer", "stable"]);
  expect(offersOf(caller).length, "one restart serves both").toBe(2);
  expect([...caller.breaches, ...callee.breaches]).toEqual([]);
});

test.each(["offer", "answer", "renegotiate"] as const)(
  "an end that says what only the other may (%s) is cut off",
  async (what) => {
    const [caller, callee] = await linked();
    const [hurt, { descriptions }] = what === "offer" ? [caller, callee] : [callee, caller];
    const { description, ...last } = descriptions.at(-1) as Description;
    if (what === "renegotiate") hurt.link.receive({ type: what, iceRestart: true });
    else hurt.link.receive({ ...last, description: { ...description, type: what } });
    await vi.waitFor(() => expect(hurt.breaches).toEqual(["malformed"]));
  },
);

test("a callee that asks for offers without end gets none before it has answered the last, and is cut off once too many wait", async () => {
  const [caller, callee] = await linked();
  callee.other = null;
  caller.other = null;
  const most = MOST_WAITING / DESCRIPTION_COUNTS;
  const ask = (times: number) => {
    for (let asked = 0; asked < times; asked++)
      caller.link.receive({ type: "renegotiate", iceRestart: asked % 2 === 0 });
  };
  ask(most - 2);
  await vi.waitFor(() => expect(offersOf(caller).length).toBe(2));
  ask(most + 1);
  expect(caller.breaches).toEqual(["flood"]);
  expect(offersOf(caller).length).toBe(2);
});

test("two ends none of whose addresses came to the other name them again after a while, and find a way", async () => {
  const clock = new ManualClock();
  const [callee, caller] = [new End(false, "sendrecv", false, clock), new End(true, "sendrecv", false, clock)];
  ends.push(caller, callee);
  [caller.other, callee.other] = [callee, caller];
  const connections = [caller.link.connection, callee.link.connection];
  await vi.waitFor(() => expect(connections.map(gathered)).toEqual([true, true]));
  [caller.other, callee.other] = [null, null];
  clock.advance(milli(1_000));
  [caller.other, callee.other] = [callee, caller];
  clock.advance(milli(LOOK_AGAIN_AFTER - 1_001));
  expect(caller.descriptions.length + callee.descriptions.length).toBe(2);
  clock.advance(milli(1));
  const states = () => connections.map(({ connectionState }) => connectionState);
  await vi.waitFor(
    () => {
      clock.advance(milli(10));
      expect(states()).toEqual(["connected", "connected"]);
    },
    { timeout: 10_000 },
  );
});

function gathered({ signalingState, iceGatheringState }: RTCPeerConnection): boolean {
  return signalingState === "stable" && iceGatheringState === "complete";
}

test("descriptions wait when they come too fast; too many that wait close the connection", async () => {
  const [caller, callee] = await linked();
  const apply = vi.spyOn(callee.link.connection, "setRemoteDescription");
  const offer = caller.descriptions[0] as Description;
  const { burst, perSecond } = LINK_BUDGETS.descriptions;
  callee.other = null;
  const begun = performance.now();
  const most = MOST_WAITING / DESCRIPTION_COUNTS;
  // Of what was said before, some may still be in the inbox.
  const some = most - 2;
  for (let count = some; count <= 2 * some; count += some) {
    for (let sent = 0; sent < some; sent++) callee.link.receive(offer);
    await vi.waitFor(() => expect(apply.mock.calls.length).toBeGreaterThanOrEqual(count), { timeout: 10_000 });
  }
  expect(2 * some - burst).toBeGreaterThanOrEqual(2);
  expect(performance.now() - begun).toBeGreaterThan(900 / perSecond);
  expect(callee.breaches).toEqual([]);
  for (let sent = 0; sent <= most; sent++) callee.link.receive(offer);
  expect(callee.breaches).toEqual(["flood"]);
  expect(callee.link.connection.connectionState).toBe("closed");
});

test("a description past its limits closes the connection, and the browser does not see it", async () => {
  const [caller, callee] = await linked();
  const apply = vi.spyOn(callee.link.connection, "setRemoteDescription");
  const offer = caller.descriptions[0] as Description;
  const feedback = Array.from({ length: 500 }, (_, at) => `a=rtcp-fb:* nack x${at}\r\n`).join("");
  callee.link.receive({ ...offer, description: { type: "offer", sdp: offer.description.sdp + feedback } });
  await vi.waitFor(() => expect(callee.breaches).toEqual(["malformed"]));
  expect(apply).not.toHaveBeenCalled();
});

test("of candidates, those that are reachable are taken, as many as the budget has; the others are counted", async () => {
  const callee = new End(false);
  ends.push(callee);
  callee.link.receive(await offered());
  const add = vi.spyOn(callee.link.connection, "addIceCandidate");
  const { burst } = LINK_BUDGETS.candidates;
  const candidate = (address: string) => ({
    candidate: `candidate:1 1 udp 2122063615 ${address} 50000 typ host`,
    sdpMid: "0",
    sdpMLineIndex: 0,
    usernameFragment: null,
  });
  callee.link.receive({
    type: "candidates",
    candidates: [candidate("169.254.169.254"), candidate("router.example.com")],
  });
  await vi.waitFor(() => expect(callee.refusedAddresses).toBe(2));
  expect(add).not.toHaveBeenCalled();
  const many = Array.from({ length: 2 * burst }, (_, at) => candidate(`192.168.${at >> 8}.${(at % 250) + 1}`));
  for (let at = 0; at < many.length; at += 64)
    callee.link.receive({ type: "candidates", candidates: many.slice(at, at + 64) });
  await vi.waitFor(() => expect(callee.refusedAddresses + add.mock.calls.length).toBe(2 + many.length));
  expect(add.mock.calls.length).toBeGreaterThan(burst / 2);
  expect(add.mock.calls.length).toBeLessThan(1.2 * burst);
  expect(callee.breaches).toEqual([]);
  const [again] = add.mock.calls.map(([taken]) => taken as ReturnType<typeof candidate>).slice(-1);
  const [refused, taken] = [callee.refusedAddresses, add.mock.calls.length];
  if (again === undefined) throw new Error("none was taken");
  const said = (each: (at: number) => string) =>
    Array.from({ length: 64 }, (_, at) => ({ ...again, candidate: each(at) }));
  callee.link.receive({ type: "candidates", candidates: said(() => again.candidate) });
  await vi.waitFor(() => expect(add.mock.calls.length, "known ones take nothing").toBe(taken + 64));
  expect(callee.refusedAddresses).toBe(refused);
  // Chromium keeps each of these beside the others, and looks through all of them for each that comes.
  callee.link.receive({ type: "candidates", candidates: said((at) => `${again.candidate} generation ${at}`) });
  await vi.waitFor(() =>
    expect(callee.refusedAddresses, "an address in other words is another one").toBeGreaterThan(refused + 50),
  );
});

test("no end names an address that the other refuses", async () => {
  const caller = new End(true);
  ends.push(caller);
  const { connection } = caller.link;
  const found: string[] = [];
  connection.addEventListener("icecandidate", ({ candidate }) => found.push(candidate?.candidate ?? ""));
  await vi.waitFor(() => expect(connection.iceGatheringState).toBe("complete"), { timeout: 10_000 });
  expect(found.filter((candidate) => / tcp /.test(candidate)).length).toBeGreaterThan(0);
  const batches = caller.signals.filter((signal) => signal.type === "candidates");
  const named = batches.flatMap(({ candidates }) => candidates.map(({ candidate }) => candidate));
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((candidate) => / tcp /.test(candidate))).toEqual([]);
});
