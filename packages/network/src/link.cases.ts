import { type Clock, systemClock } from "@sealcast/time";
import { vi } from "vitest";
import type { Breach } from "./budgets.ts";
import type { ChannelKind } from "./channel.ts";
import type { SoundFormat } from "./description.ts";
import type { FileEvents } from "./file-channel.ts";
import type { FilePart } from "./file-messages.ts";
import { PeerLink } from "./link.ts";
import type { LineSource, Signal } from "./signal.ts";

/** One end of a link, with what it said to the other, what it heard over the channel and why it closed. */
export class End {
  readonly signals: Signal[] = [];
  readonly heard: [ChannelKind, Uint8Array][] = [];
  readonly breaches: Breach[] = [];
  /** For each line that was made, its source. */
  readonly lines: LineSource[] = [];
  refusedAddresses = 0;
  readonly words: Uint8Array[] = [];
  readonly parts: FilePart[] = [];
  /** Whether a part that comes was asked for. */
  takes = () => true;
  ready = () => {};
  /** For each line as it is made. */
  made = (_: RTCRtpTransceiver, __: LineSource): void => {};
  sound: (source: LineSource) => SoundFormat = () => ({ packetMs: 20, transmission: "discontinuous" });
  readonly link: PeerLink;
  other: End | null = null;

  /** `hasFiles`: it takes files, and sends some. */
  constructor(
    caller: boolean,
    direction: "sendrecv" | "sendonly" | "recvonly" = "sendrecv",
    hasFiles = false,
    clock: Clock = systemClock,
  ) {
    this.link = new PeerLink(
      {
        caller,
        ice: { servers: [], relayOnly: false },
        stream: new MediaStream(),
        direction,
        sound: (source) => this.sound(source),
      },
      {
        signal: (signal) => {
          this.signals.push(signal);
          this.other?.link.receive(reachable(signal));
        },
        line: (transceiver, source) => {
          this.lines.push(source);
          this.made(transceiver, source);
        },
        state: () => undefined,
        heard: (kind, body) => void this.heard.push([kind, body]),
        breached: (breach) => void this.breaches.push(breach),
        addressRefused: () => void this.refusedAddresses++,
        ...(hasFiles && { files: this.#files }),
      },
      clock,
    );
  }

  get #files(): FileEvents {
    return {
      opened: () => undefined,
      ready: () => this.ready(),
      word: (body) => void this.words.push(body),
      part: (part) => this.takes() && this.parts.push(part) > 0,
    };
  }

  get descriptions(): Extract<Signal, { type: "description" }>[] {
    return this.signals.filter((signal) => signal.type === "description");
  }
}

/** The channel that the page's next message goes over, whatever its kind: by it a test says what no client says. */
export function channelOf({ link }: End): RTCDataChannel {
  const sent = vi.spyOn(RTCDataChannel.prototype, "send");
  link.say("heartbeat", Uint8Array.of(5));
  const channel = sent.mock.contexts[0] as RTCDataChannel;
  sent.mockRestore();
  return channel;
}

/** A page without a camera hides its addresses behind names, which nothing resolves here. */
function reachable(signal: Signal): Signal {
  if (signal.type !== "candidates") return signal;
  const shown = (candidate: string) => candidate.replace(/\S+\.local/, "127.0.0.1");
  return { ...signal, candidates: signal.candidates.map((one) => ({ ...one, candidate: shown(one.candidate ?? "") })) };
}
