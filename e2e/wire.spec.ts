import { Relay } from "@sealcast/testbed";
import type { ChromiumPerson } from "./stage/person.ts";
import { test as base, expect } from "./stage/test.ts";
import { throughPort } from "./stage/through-relay.ts";

interface Call {
  /** Carries every packet between the two. */
  relay: Relay;
  ada: ChromiumPerson;
  ben: ChromiumPerson;
  link: string;
}

/** The fingerprint of no certificate. */
const NOBODYS = Array.from({ length: 32 }, () => "00").join(":");

/** Of two people whose packets all go through one relay. */
const test = base.extend<{ call: Call }>({
  call: async ({ server, person }, use) => {
    const relay = await Relay.open({ delayMs: 0, lossPercent: 0 });
    const ada = await person("Adelheid-Zwicknagl", { before: throughPort(relay.portFor("near")) });
    const ben = await person("Benvenuto-Quetzal", { before: throughPort(relay.portFor("far")) });
    const link = await ada.startCall(server.url);
    await use({ relay, ada, ben, link });
    relay.close();
  },
});

test("what goes over the network tells no name, secret, address or loudness; DTLS and SRTP of today; sound asks for no feedback", {
  tag: "@journey",
}, async ({ call: { relay, ada, ben, link } }) => {
  const packets: Buffer[] = [];
  relay.watch = (packet) => packets.push(Buffer.from(packet));
  await ben.open(link);
  await Promise.all([ada.seesMoving(ben.name), ben.seesMoving(ada.name), ada.hears(), ben.hears()]);
  const media = () => packets.filter((packet) => extensions(packet).length > 0).length;
  await expect.poll(media, { message: "packets of media" }).toBeGreaterThan(100);
  let said = "";
  for (const one of [ada, ben]) {
    const { transport, sdp } = await one.page.evaluate(agreed);
    expect(transport.dtlsState).toBe("connected");
    // Of DTLS 1.3 every suite has its keys from a fresh Diffie-Hellman exchange, of 1.2 those that say so.
    const { tlsVersion = "", dtlsCipher = "" } = transport;
    expect(["FEFD", "FEFC"], "DTLS 1.2 or 1.3").toContain(tlsVersion);
    if (tlsVersion === "FEFD") expect(dtlsCipher).toMatch(/^TLS_ECDHE_.*_(GCM|POLY1305)_/);
    expect(transport.srtpCipher).toMatch(/^(AEAD_AES_(128|256)_GCM|SRTP_AES128_CM_HMAC_SHA1_80)$/);
    const [, user = ""] = /a=ice-ufrag:(\S+)/.exec(sdp) ?? [];
    expect(containing(packets, user), "what does stand in packets is found").toBeGreaterThan(0);
    said += sdp;
  }
  // In the offer, as its browser made it.
  const [, loudness = "0"] = /a=extmap:(\d+) \S+ssrc-audio-level/.exec(said) ?? [];
  expect(Number(loudness), "the browser can tell how loud it is").toBeGreaterThan(0);
  expect(packets.filter((packet) => extensions(packet).includes(Number(loudness))).length, "loudness").toBe(0);
  const secret = new URL(link).hash.slice(1);
  for (const word of [ada.name, ben.name, secret, "candidate:", "a=fingerprint", "v=0\r\n", "microphone"])
    expect(containing(packets, word), word).toBe(0);
  expect(packets.filter((packet) => packet.includes(Buffer.from(secret, "base64url"))).length).toBe(0);

  const { sdp } = await ada.page.evaluate(agreed);
  const [, number = "0"] = /a=extmap:(\d+) \S+transport-wide-cc/.exec(sdp) ?? [];
  const numbered = (kind: string) => {
    const [, formats = ""] = new RegExp(`^m=${kind} \\d+ \\S+ ([\\d ]+)`, "m").exec(sdp) ?? [];
    const ofKind = packets.filter((packet) => isMedia(packet) && formats.split(" ").includes(String(format(packet))));
    return {
      all: ofKind.length,
      numbered: ofKind.filter((packet) => extensions(packet).includes(Number(number))).length,
    };
  };
  await expect.poll(() => numbered("audio").all, { message: "packets of sound" }).toBeGreaterThan(20);
  await expect.poll(() => numbered("video").all, { message: "packets of pictures" }).toBeGreaterThan(20);
  const [sound, pictures] = [numbered("audio"), numbered("video")];
  expect(sound.numbered, "packets of sound with a number").toBe(0);
  expect(pictures.numbered, "packets of pictures with a number").toBeGreaterThan(20);
});

test("10, 30 and 50 % of packets lost: the call goes on, and is well again afterwards", async ({
  call: { relay, ada, ben, link },
}) => {
  await ben.open(link);
  await Promise.all([ada.seesMoving(ben.name), ben.seesMoving(ada.name)]);
  for (const lossPercent of [10, 30, 50]) {
    let packets = 0;
    relay.watch = () => packets++;
    relay.trouble = { delayMs: 0, lossPercent };
    await expect.poll(() => packets, { timeout: 20_000 }).toBeGreaterThan(500);
    relay.trouble = { delayMs: 0, lossPercent: 0 };
    const before = await decoded(ada, ben);
    const more = async () => Math.min(...(await decoded(ada, ben)).map((now, at) => now - (before[at] ?? 0)));
    await expect
      .poll(more, { timeout: 20_000, message: `pictures after ${lossPercent} % were lost` })
      .toBeGreaterThan(10);
    for (const one of [ada, ben]) await expect(one.badge).toHaveText("encrypted");
  }
  for (const one of [ada, ben]) expect(await one.configurations(), "connections made").toHaveLength(1);
  await Promise.all([ada.seesMoving(ben.name), ben.seesMoving(ada.name), ada.hears(), ben.hears()]);
});

test("a description with another fingerprint than the other end's, or with none, makes no connection", {
  tag: "@journey",
}, async ({ server, person }) => {
  const ada = await person("Ada", { before: inDescriptions("^nothing$", "") });
  const ben = await person("Ben", {
    before: inDescriptions("^a=fingerprint:sha-256 .*$", `a=fingerprint:sha-256 ${NOBODYS}`),
  });
  const cleo = await person("Cleo", { before: inDescriptions("^a=fingerprint:.*\\r\\n", "") });
  const link = await ada.startCall(server.url);
  await ben.open(link);
  await expect.poll(async () => (await states(ben)).includes("failed"), { timeout: 30_000 }).toBe(true);
  await cleo.open(link);
  await expect.poll(() => cleo.page.evaluate(refusedDescriptions), { timeout: 20_000 }).toBeGreaterThan(0);
  for (const one of [ada, ben, cleo]) {
    expect(await states(one), `${one.name}'s connections`).not.toContain("connected");
    expect((await one.counted()).packetsReceived, `packets of media that came to ${one.name}`).toBe(0);
  }
});

/** Pictures that each has decoded so far. */
async function decoded(...people: ChromiumPerson[]): Promise<number[]> {
  return (await Promise.all(people.map((one) => one.counted()))).map(({ framesDecoded }) => framesDecoded);
}

function containing(packets: Buffer[], text: string): number {
  return packets.filter((packet) => packet.includes(text)).length;
}

/** By RFC 7983 and RFC 5761: SRTP, not SRTCP. */
function isMedia([first = 0, second = 0]: Buffer): boolean {
  return first >> 6 === 2 && (second < 192 || second > 223);
}

/** The payload type of a packet of media (RFC 3550 section 5.1). */
function format([, second = 0]: Buffer): number {
  return second & 127;
}

/** The numbers of the header extensions of a packet of media (RFC 3550 section 5.3.1, RFC 8285); none of any other packet. */
function extensions(packet: Buffer): number[] {
  const [first = 0] = packet;
  const start = 12 + 4 * (first & 15);
  if (!isMedia(packet) || (first & 16) === 0 || packet.length < start + 4 || packet.readUInt16BE(start) !== 0xbede)
    return [];
  const end = start + 4 + 4 * packet.readUInt16BE(start + 2);
  const found: number[] = [];
  for (let at = start + 4; at < end; ) {
    const element = packet[at] ?? 0;
    if (element > 0) found.push(element >> 4);
    at += element === 0 ? 1 : 2 + (element & 15);
  }
  return found;
}

function states(person: ChromiumPerson): Promise<string[]> {
  return person.page.evaluate(() => (globalThis as unknown as { states: string[] }).states);
}

/** A page to which descriptions of the other end come changed, and that keeps the states of its connections. */
function inDescriptions(what: string, become: string): () => void {
  return new Function(`(${change})(${JSON.stringify(what)}, ${JSON.stringify(become)})`) as () => void;
}

// What follows runs in pages.

/** What its one connection agreed on. */
async function agreed() {
  const [connection] = (globalThis as unknown as { connections: RTCPeerConnection[] }).connections;
  if (connection === undefined) throw new Error("There is no connection.");
  const reports: RTCTransportStats[] = [...(await connection.getStats()).values()];
  const transport = reports.find(({ type }) => type === "transport");
  return { transport: { ...transport }, sdp: connection.localDescription?.sdp ?? "" };
}

function change(what: string, become: string): void {
  const states: string[] = [];
  const refused: unknown[] = [];
  Object.assign(globalThis, { states, refused });
  globalThis.RTCPeerConnection = class extends RTCPeerConnection {
    constructor(configuration?: RTCConfiguration) {
      super(configuration);
      this.addEventListener("connectionstatechange", () => states.push(this.connectionState));
    }

    override async setRemoteDescription({ type, sdp = "" }: RTCSessionDescriptionInit): Promise<void> {
      const changed = sdp.replace(new RegExp(what, "gm"), become);
      await super.setRemoteDescription({ type, sdp: changed }).catch((error) => {
        refused.push(error);
        throw error;
      });
    }
  };
}

function refusedDescriptions(): number {
  return (globalThis as unknown as { refused: unknown[] }).refused.length;
}
