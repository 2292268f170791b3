import type { LineSource, LinkState } from "@sealcast/network";
import type { LinkStats } from "../peer/link-stats.ts";
import { type NetworkPath, networkPathOf } from "../peer/network-path.ts";
import { LinkFigureMeter } from "./link-figures.ts";
import { loudnessBetween, type SoundTotal, soundHeard, soundMade } from "./loudness.ts";
import { GOOD, type LinkFigures, type LinkQuality, qualitiesOf } from "./quality.ts";
import { dominantSpeaker, isSpeaking, nextLevels, type VoiceLevels } from "./speaker.ts";

export interface ReceptionView {
  /** Ids of those who speak now. */
  speaking: readonly string[];
  /** This person speaks now. */
  speaksHere: boolean;
  /** Id of who speaks for the call, of the others; null as long as nobody has spoken. */
  speaker: string | null;
  /** How good the connection to each person is, by id. */
  quality: Readonly<Record<string, LinkQuality>>;
  /** Which path the connection to each person takes, by id. */
  paths: Readonly<Record<string, NetworkPath>>;
}

export const NOTHING_RECEIVED: ReceptionView = {
  speaking: [],
  speaksHere: false,
  speaker: null,
  quality: {},
  paths: {},
};

/** A connection, as far as it is looked at here. */
export interface Received {
  readonly state: LinkState;
  readonly lines: readonly { source: LineSource; transceiver: Pick<RTCRtpTransceiver, "mid"> }[];
  readonly stats: Pick<LinkStats, "latest">;
  /** What comes of them comes over the media relay. */
  readonly isRelayed?: boolean;
}

type Connections = ReadonlyMap<string, { readonly reception: Received }>;

/** What one person's sound was like in the last steps. */
class Voice {
  levels: VoiceLevels = [];
  #total: SoundTotal | null = null;

  hear(total: SoundTotal | null): void {
    this.levels = nextLevels(this.levels, loudnessBetween(this.#total, total));
    this.#total = total;
  }
}

/** What is kept of one connection. */
class Connection {
  readonly voice = new Voice();
  readonly #meter = new LinkFigureMeter();
  #last: LinkQuality = GOOD;
  #shown: LinkQuality = GOOD;

  read(media: Received): LinkFigures {
    const { entries } = media.stats.latest;
    this.voice.hear(soundHeard(entries, microphoneOf(media)));
    return this.#meter.read(entries);
  }

  /** One that two steps in a row gave: it does not flicker. */
  settle(quality: LinkQuality): LinkQuality {
    if (isSame(quality, this.#last)) this.#shown = quality;
    this.#last = quality;
    return this.#shown;
  }
}

/** What comes over each connection as people notice it: who speaks, and how good the connection is. All of it is measured here. */
export class Reception {
  readonly #connections: () => Connections;
  readonly #sending: () => Received | null;
  readonly #show: (change: ReceptionView) => void;
  readonly #kept = new Map<string, Connection>();
  readonly #own = new Voice();
  #view = NOTHING_RECEIVED;

  /**
   * `connections`: those there are now, by id. `show` is called when something of it changed. `sending`: where this page's own
   * sound goes besides.
   */
  constructor(
    connections: () => Connections,
    show: (change: ReceptionView) => void,
    sending = (): Received | null => null,
  ) {
    this.#connections = connections;
    this.#show = show;
    this.#sending = sending;
  }

  /** Twice a second, after the browser's counters were read. `overloaded`: this computer does not keep up. */
  examine(overloaded: boolean): void {
    const connected = [...this.#connections()].filter(([, { reception }]) => reception.state === "connected");
    this.#keep(connected.map(([id]) => id));
    const sending = [...connected.map(([, { reception }]) => reception), this.#sending()].filter((one) => one !== null);
    const made = sending.map((one) => soundMade(one.stats.latest.entries, microphoneOf(one)));
    this.#own.hear(made.find(Boolean) ?? null);
    const figures = connected.map(([id, { reception }]) => [id, this.#of(id).read(reception)] as const);
    const levels = new Map(connected.map(([id]) => [id, this.#of(id).voice.levels]));
    const qualities = [...qualitiesOf(new Map(figures), overloaded)];
    this.#changed({
      speaking: [...levels].flatMap(([id, levels]) => (isSpeaking(levels) ? [id] : [])),
      speaksHere: isSpeaking(this.#own.levels),
      speaker: dominantSpeaker(this.#view.speaker, levels),
      quality: Object.fromEntries(qualities.map(([id, quality]) => [id, this.#of(id).settle(quality)])),
      paths: Object.fromEntries(connected.flatMap(([id, { reception }]) => pathEntry(id, pathOf(reception)))),
    });
  }

  #of(id: string): Connection {
    const known = this.#kept.get(id) ?? new Connection();
    this.#kept.set(id, known);
    return known;
  }

  #keep(ids: readonly string[]): void {
    for (const id of this.#kept.keys()) if (!ids.includes(id)) this.#kept.delete(id);
  }

  #changed(view: ReceptionView): void {
    if (isSame(view, this.#view)) return;
    this.#view = view;
    this.#show(view);
  }
}

/** The mid of the line that carries voices: a screen's sound is nobody's. */
function microphoneOf({ lines }: Received): string | null {
  return lines.find(({ source }) => source === "microphone")?.transceiver.mid ?? null;
}
const pathOf = ({ isRelayed, stats }: Received): NetworkPath | null =>
  isRelayed ? "media-relay" : networkPathOf(stats.latest.entries);
const pathEntry = (id: string, path: NetworkPath | null): [string, NetworkPath][] =>
  path === null ? [] : [[id, path]];

function isSame(one: object, other: object): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
