/** What a hostile guest's page can be made to do, by name. Each takes a number by which it varies. */
export const MISDEEDS = [
  "long descriptions",
  "more sections",
  "strange descriptions",
  "many candidates",
  "changing codecs",
  "changing policies",
  "garbage to members",
  "garbage over channels",
  "changing sizes",
  "channel flood",
  "commits over channels",
  "names",
  "host's orders",
  "socket flood",
  "garbage to the server",
] as const;
export type Misdeed = (typeof MISDEEDS)[number];

type Deeds = Record<Misdeed, (chance: number) => void>;

/** Runs in a guest's page before its own scripts. `misdeeds` is in the page's globals from then on. */
export function armGuest(): void {
  let keys: Worker | null = null;
  let socket: WebSocket | null = null;
  const channels: RTCDataChannel[] = [];
  const connections: RTCPeerConnection[] = [];

  const { postMessage } = Worker.prototype;
  Worker.prototype.postMessage = function (this: Worker, message: { type?: string }, given) {
    if (message.type === "introduce") keys = this;
    postMessage.call(this, message, given as StructuredSerializeOptions);
  };
  const { send } = WebSocket.prototype;
  WebSocket.prototype.send = function (this: WebSocket, data: string) {
    socket = this;
    send.call(this, data);
  };
  const { createDataChannel } = RTCPeerConnection.prototype;
  RTCPeerConnection.prototype.createDataChannel = function (this: RTCPeerConnection, ...parameters) {
    const channel = createDataChannel.apply(this, parameters);
    connections.push(this);
    channels.push(channel);
    return channel;
  };

  const order = (message: object) => keys?.postMessage(message);
  const say = (message: unknown) =>
    order({ type: "send", to: "all", body: new TextEncoder().encode(JSON.stringify(message)) });
  const times = (count: number, deed: (index: number) => void) => {
    for (let index = 0; index < count; index += 1) deed(index);
  };
  const noise = (length: number) => crypto.getRandomValues(new Uint8Array(length));
  const over = (kind: number, body: Uint8Array<ArrayBuffer>) => {
    for (const channel of channels) if (channel.readyState === "open") channel.send(new Uint8Array([kind, ...body]));
  };
  const describe = (sdp: string) => say({ type: "description", description: { type: "offer", sdp }, lines: [] });
  const lines = (line: (index: number) => string, most: number) =>
    Array.from({ length: most }, (_, index) => line(index)).join("\r\n");

  const misdeeds: Deeds = {
    "long descriptions": (chance) =>
      times(1 + chance * 11, () =>
        describe(`v=0\r\nm=video 9 UDP/TLS/RTP/SAVPF 96\r\n${lines((i) => `a=rtpmap:${i} VP8/90000`, 1200)}\r\n`),
      ),
    "more sections": (chance) => {
      for (const connection of connections)
        if (connection.signalingState !== "closed")
          times(1 + chance * 3, () => connection.addTransceiver(chance < 0.5 ? "video" : "audio"));
    },
    "strange descriptions": (chance) => {
      const { sdp = "" } =
        connections.find(({ localDescription }) => localDescription !== null)?.localDescription ?? {};
      const rows = sdp.split("\r\n");
      const at = Math.floor(chance * rows.length);
      describe([...rows.slice(0, at), ...rows.slice(at).reverse()].join("\r\n"));
    },
    "many candidates": (chance) => {
      const candidate = (index: number) => ({
        candidate: `candidate:${index} 1 udp 1 127.0.0.1 ${1024 + Math.floor(chance * 60_000)} typ host`,
        sdpMid: "0",
        sdpMLineIndex: 0,
        usernameFragment: null,
      });
      times(1 + chance * 20, () =>
        say({ type: "candidates", candidates: Array.from({ length: 64 }, (_, i) => candidate(i)) }),
      );
    },
    "changing codecs": (chance) =>
      times(1 + chance * 10, (index) => {
        const decodes = index % 2 === 0 ? ["video/vp8"] : ["video/vp9", "video/vp8"];
        say({
          type: "profile",
          version: 1_000_000 + (Date.now() % 1e9) + index,
          camera: true,
          microphone: true,
          screen: index % 3 === 0,
          screenSound: index % 4 === 0,
          decodes,
        });
      }),
    "changing policies": (chance) =>
      times(1 + chance * 20, (index) =>
        say({
          type: "policy",
          source: "camera",
          epoch: index,
          policy: { mode: "rate", percent: index, keyFrames: false },
        }),
      ),
    "garbage to members": (chance) =>
      times(1 + chance * 20, () => order({ type: "send", to: "all", body: noise(1 + Math.floor(chance * 40_000)) })),
    "garbage over channels": (chance) =>
      times(1 + chance * 50, (index) => over(index % 9, noise(1 + Math.floor(chance * 16_000)))),
    "changing sizes": (chance) =>
      times(1 + chance * 100, (index) =>
        over(
          4,
          new TextEncoder().encode(
            JSON.stringify({
              source: "camera",
              width: (index % 2) * 1920,
              height: (index % 2) * 1080,
              keepsRate: false,
            }),
          ),
        ),
      ),
    "channel flood": (chance) => times(20 + chance * 200, () => over(3, noise(16_000))),
    "commits over channels": (chance) =>
      times(1 + chance * 50, () =>
        over(6, new Uint8Array([1, ...noise(64), 0, 0, 64, 0, 0, 0, 0, 0, ...noise(16_000)])),
      ),
    names: (chance) => times(1 + chance * 10, (index) => order({ type: "introduce", name: `${"\u202e"}Ada${index}` })),
    "host's orders": () => {
      order({ type: "mode", mode: "locked" });
      order({ type: "rejoin" });
    },
    "socket flood": (chance) => times(1 + chance * 200, () => socket?.send(JSON.stringify({ type: "ping", nonce: 1 }))),
    "garbage to the server": (chance) =>
      times(1 + chance * 20, () => socket?.send(noise(1 + Math.floor(chance * 60_000)))),
  };
  Object.assign(globalThis, { misdeeds });
}

/** Runs in a guest's page. */
export function misbehave({ what, chance }: { what: Misdeed; chance: number }): string | null {
  try {
    (globalThis as unknown as { misdeeds: Deeds }).misdeeds[what](chance);
    return null;
  } catch (error) {
    // A channel that is full or closed: the guest has no way to do this now.
    return String(error);
  }
}
