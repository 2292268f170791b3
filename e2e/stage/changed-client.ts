import type { ChromiumPerson } from "./person.ts";

/** Runs in the page before its own scripts: what its client says of its devices is kept back. */
export function keepProfileBack(): void {
  const { postMessage } = Worker.prototype;
  const kept: (() => void)[] = [];
  Worker.prototype.postMessage = function (this: Worker, message: { type?: string; body?: Uint8Array }, given) {
    const post = () => postMessage.call(this, message, given as StructuredSerializeOptions);
    const isProfile = message.type === "send" && new TextDecoder().decode(message.body).includes('"type":"profile"');
    if (isProfile) kept.push(post);
    else post();
  };
  const sendKept = () => {
    for (const post of kept.splice(0)) post();
  };
  Object.assign(globalThis, { sendKept });
}

/** Sends what was kept back. */
export function sendKeptProfile({ page }: ChromiumPerson): Promise<void> {
  return page.evaluate(() => (globalThis as unknown as { sendKept: () => void }).sendKept());
}

/** The client puts this name into its leaf as it stands, whatever its page would make of it. */
export async function nameLeaf({ context }: ChromiumPerson, name: string): Promise<void> {
  await context.addInitScript((name) => {
    const { postMessage } = Worker.prototype;
    Worker.prototype.postMessage = function (this: Worker, message: { type?: string }, given) {
      const changed = message.type === "introduce" ? { ...message, name } : message;
      postMessage.call(this, changed, given as StructuredSerializeOptions);
    };
  }, name);
}

/** What a client said to one other inside the group, and the means to say more. */
interface Said {
  to: string;
  message: { type: string };
  say(message: object): void;
}

interface DescriptionSaid extends Said {
  message: {
    type: "description";
    description: { type: string; sdp: string };
    lines: { mid: string; source: string }[];
  };
}

/** Runs in the page before its own scripts: what its client says to single others is kept. */
export function keepSaid(): void {
  const { postMessage } = Worker.prototype;
  const said: Said[] = [];
  Worker.prototype.postMessage = function (
    this: Worker,
    message: { type?: string; to?: string; body?: Uint8Array },
    given,
  ) {
    postMessage.call(this, message, given as StructuredSerializeOptions);
    const { type, to, body } = message;
    if (type !== "send" || to === undefined || body === undefined) return;
    const say = (more: object) =>
      postMessage.call(this, { type, to, body: new TextEncoder().encode(JSON.stringify(more)) });
    said.push({ to, message: JSON.parse(new TextDecoder().decode(body)), say });
  };
  Object.assign(globalThis, { said });
}

/** Has the client offer its last description again and again, as large as one may be, this many times a second. */
export function flood({ page }: ChromiumPerson, perSecond: number): Promise<void> {
  return page.evaluate((perSecond) => {
    const { said } = globalThis as unknown as { said: Said[] };
    const last = said.findLast((one): one is DescriptionSaid => one.message.type === "description");
    if (last === undefined) throw new Error("nothing was described yet");
    const { description, lines } = last.message;
    const line = (at: number) => `a=x${at} ${"y".repeat(40)}\r\n`;
    const count = Math.min(480, Math.floor((32_000 - description.sdp.length) / line(100).length));
    const sdp = description.sdp + Array.from({ length: count }, (_, at) => line(at)).join("");
    const again = { type: "description", description: { type: "offer", sdp }, lines };
    setInterval(() => last.say(again), 1_000 / perSecond);
  }, perSecond);
}

/** Has the client offer more sections of its camera, all of which carry that source. */
export function multiplyCamera({ page }: ChromiumPerson): Promise<void> {
  return page.evaluate(() => {
    const { said } = globalThis as unknown as { said: Said[] };
    const last = said.findLast((one): one is DescriptionSaid => one.message.type === "description");
    if (last === undefined) throw new Error("nothing was described yet");
    const { description, lines } = last.message;
    const camera = description.sdp.split(/(?=^m=)/m).find((section) => section.startsWith("m=video")) ?? "";
    const mids = Array.from({ length: 6 }, (_, at) => `${90 + at}`);
    const more = mids.map((mid) => camera.replace(/^a=mid:.*$/m, `a=mid:${mid}`)).join("");
    const sdp = description.sdp.replace(/^(a=group:BUNDLE .*)$/m, `$1 ${mids.join(" ")}`) + more;
    const named = mids.map((mid) => ({ mid, source: "camera" }));
    last.say({ type: "description", description: { type: "offer", sdp }, lines: [...lines, ...named] });
  });
}

/** Runs in a viewer's page before its own scripts: what its client says to the host can be said again. */
export function keepHello(): void {
  const { postMessage } = Worker.prototype;
  Worker.prototype.postMessage = function (this: Worker, message: { type?: string; body?: Uint8Array }, given) {
    postMessage.call(this, message, given as StructuredSerializeOptions);
    const isHello = message.type === "send" && new TextDecoder().decode(message.body).includes('"type":"hello"');
    if (!isHello) return;
    const tell = (more: object) =>
      postMessage.call(this, { type: "send", body: new TextEncoder().encode(JSON.stringify(more)) });
    Object.assign(globalThis, { greet: () => postMessage.call(this, message), tell });
  };
}

/** Says these to the host, whatever they are, as one who has kept their hello. */
export function tellHost({ page }: ChromiumPerson, messages: object[]): Promise<void> {
  return page.evaluate((messages) => {
    const { tell } = globalThis as unknown as { tell: (message: object) => void };
    for (const message of messages) tell(message);
  }, messages);
}

/** Says these to the viewer whom the client spoke to last, whatever they are. */
export function tellViewer({ page }: ChromiumPerson, messages: object[]): Promise<void> {
  return page.evaluate((messages) => {
    const { said } = globalThis as unknown as { said: Said[] };
    for (const message of messages) said.at(-1)?.say(message);
  }, messages);
}

/** Asks the host for that many new connections. */
export function greet({ page }: ChromiumPerson, times: number): Promise<void> {
  return page.evaluate((times) => {
    const { greet } = globalThis as unknown as { greet: () => void };
    for (let asked = 0; asked < times; asked++) greet();
  }, times);
}

/** Runs in the page before its own scripts: the channels of its links can be written to. */
export function keepStatements(): void {
  const channels: RTCDataChannel[] = [];
  const { createDataChannel } = RTCPeerConnection.prototype;
  RTCPeerConnection.prototype.createDataChannel = function (...given) {
    const channel = createDataChannel.apply(this, given);
    channels.push(channel);
    return channel;
  };
  Object.assign(globalThis, { channels });
}

/**
 * Has the client say this many times to everybody that it records, each time something else; or that it says yes to some recording,
 * for itself and for someone else.
 */
export function repeatStatement({ page }: ChromiumPerson, what: { times: number; recording: boolean }): Promise<void> {
  return page.evaluate(({ times, recording }) => {
    const { channels } = globalThis as unknown as { channels: RTCDataChannel[] };
    const id = () => crypto.randomUUID().replaceAll("-", "").slice(0, 22);
    for (let said = 0; said < times; said++) {
      const statement = recording
        ? { recording: { id: id(), stage: "on" }, answer: null }
        : { recording: null, answer: { id: id(), yes: true } };
      const body = new TextEncoder().encode(JSON.stringify(statement));
      for (const channel of channels)
        if (channel.readyState === "open" && channel.label === "sealcast") channel.send(Uint8Array.of(8, ...body));
    }
  }, what);
}
