import {
  type FromKeys,
  KeyAgreement,
  type LayerCount,
  laterFragment,
  leafName,
  PinStore,
  parseLink,
} from "@sealcast/keys";
import type { Devices } from "../devices/devices.ts";
import { lacking } from "../devices/support.ts";
import { KeptLink } from "../kept-link.ts";
import { callPath } from "../link.ts";
import type { MediaSession } from "../media-session.ts";
import { spawnKeys } from "../workers.ts";
import type { CallServer } from "./call-server.ts";
import type { CallView, Problem } from "./call-view.ts";
import { KnownPeers } from "./known-peers.ts";
import { takeSeat } from "./seat.ts";

interface LobbyOptions {
  room: string;
  /** Shown in a name's place where a member has none. */
  nameless: string;
  media: MediaSession;
  devices: Devices;
  server: CallServer;
  fromKeys(event: FromKeys): void;
  phase(): CallView["phase"];
  /** What this browser knows of members' keys changed. */
  knownChanged(): void;
  show(change: Partial<Pick<CallView, "phase" | "lacks" | "layers" | "name">>): void;
  refuse(problem: Problem): void;
}

/** How one comes into a call: the link is checked, and devices, keys worker and media workers start, so that joining finds them warm. */
export class Lobby {
  readonly #options: LobbyOptions;
  readonly #link: KeptLink;
  readonly #prepared = Promise.withResolvers<void>();
  #layers: LayerCount = 1;
  #keys: KeyAgreement | null = null;
  #known: KnownPeers | null = null;

  constructor(options: LobbyOptions) {
    this.#options = options;
    this.#link = new KeptLink(options.room);
  }

  /** Null in a lobby that is not ready yet. */
  get keys(): KeyAgreement | null {
    return this.#keys;
  }

  /** Null in a lobby that is not ready yet. */
  get known(): KnownPeers | null {
    return this.#known;
  }

  /** The full link, secret included: to be copied, never shown or logged. "" before it is checked. */
  get inviteLink(): string {
    return this.#link.address(callPath);
  }

  /** Nothing is sent anywhere. */
  async prepare(fragment: string): Promise<void> {
    const { room, nameless, media, knownChanged, show, refuse } = this.#options;
    const lacks = await lacking();
    if (media.life.isOver) return;
    if (lacks.length > 0) {
      show({ lacks });
      return refuse("browser-unsupported");
    }
    const secret = await this.#link.recall(fragment);
    const opening = KnownPeers.open({ store: new PinStore(), nameless, changed: knownChanged });
    const [link, known] = await Promise.all([parseLink(room, secret), opening]);
    if (media.life.isOver) return;
    if (!link.ok) return refuse("link-damaged");
    this.#known = known;
    this.#layers = link.layers;
    this.#link.set(secret);
    show({ layers: link.layers });
    await this.#start(link.secret);
    this.#prepared.resolve();
  }

  /** Joins as soon as all is prepared, however early it is asked. */
  join(name: string): void {
    const { nameless, phase, show } = this.#options;
    if (phase() !== "lobby") return;
    const shown = leafName(name) ?? nameless;
    show({ phase: "joining", name: shown });
    void this.#prepared.promise.then(() => this.#enter(shown));
  }

  /** The call has another link: its secret. */
  relinked(secret: Uint8Array): void {
    void this.#link.replace(laterFragment(this.#options.room, this.#layers, secret));
  }

  /** Nothing here is for another load of this page. */
  forgetLink(): void {
    this.#link.forget();
  }

  async #start(secret: Uint8Array): Promise<void> {
    const { room, media, devices, fromKeys } = this.#options;
    const keys = new KeyAgreement(spawnKeys, fromKeys);
    this.#keys = keys;
    media.life.bind(() => keys.close());
    media.start(this.#layers);
    void devices.open();
    const host = location.host.toLowerCase();
    keys.post({ type: "start", secret, room, layers: this.#layers, seat: await takeSeat(), host });
  }

  #enter(name: string): void {
    const { media, server, phase } = this.#options;
    if (media.life.isOver || !this.#link.isSet || phase() !== "joining") return;
    void this.#link.keep();
    this.#keys?.post({ type: "introduce", name });
    history.replaceState(history.state, "", location.pathname);
    server.open();
    media.audit();
  }
}
