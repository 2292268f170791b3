import { configurationOf, type Ice, type TurnCredentials } from "@sealcast/network";
import { type Cancel, type Milli, milli } from "@sealcast/time";
import type { Lifetime } from "./lifetime.ts";
import { stunServers } from "./server.ts";

/** An answer that has not come by then was lost with the socket, or the server does not know yet that this page is inside. */
const ASK_AGAIN = milli(5_000);
/** Of the time for which credentials hold, how much goes by before there are new ones. */
const RENEW_AT = 0.75;
/** Whatever the server says of them. */
const SHORTEST = milli(60_000);
const LONGEST = milli(24 * 3_600_000);

/** How connections are made. */
export interface AddressView {
  /** They go through the TURN server, so that nobody in the call or stream learns this person's address. */
  hidesAddress: boolean;
  /** There is a TURN server. */
  hasTurn: boolean;
}

export interface AddressActions {
  /** Also of connections that there are now. Others may know the address by then. */
  hideAddress(on: boolean): void;
}

interface IceAccessOptions {
  /** At first. */
  view: AddressView;
  show(change: AddressView): void;
  /** Connections are made in another way from now on. */
  changed(ice: Ice): void;
  /** Those there are may go directly: others are to take their place. */
  hidden(): void;
  /** The server gave what no browser takes. */
  refused(): void;
}

/** What the server said as it let this page in. */
interface Reach {
  /** Null: it answers no STUN. */
  stunPort: number | null;
  /** It gives credentials of a TURN server. */
  turn: boolean;
}

/** Where connections ask for their addresses: the server's own STUN, and the TURN server that it has credentials for. */
export class IceAccess {
  readonly actions: AddressActions = { hideAddress: (on) => this.#hide(on) };
  readonly #life: Lifetime;
  readonly #options: IceAccessOptions;
  #view: AddressView;
  #ice: Ice;
  #stun: RTCIceServer[] = [];
  #turn: RTCIceServer[] = [];
  #renewAt: Milli = milli(Number.NEGATIVE_INFINITY);
  #ask = () => {};
  #isAdmitted = false;
  #isAsked = false;
  #stopTimer: Cancel = () => {};

  constructor(life: Lifetime, options: IceAccessOptions) {
    this.#life = life;
    this.#options = options;
    this.#view = options.view;
    this.#ice = { servers: [], relayOnly: options.view.hidesAddress };
    life.bind(() => this.#stopTimer());
  }

  get view(): AddressView {
    return this.#view;
  }

  /** What a new connection takes: another object where that is something else. */
  get ice(): Ice {
    return this.#ice;
  }

  /** The server let this page in. `ask` sends it `turn`. */
  reached({ stunPort, turn }: Reach, ask: () => void): void {
    this.#ask = ask;
    this.#stun = stunPort === null ? [] : stunServers(stunPort);
    this.#ice = this.#now;
    this.#show({ hasTurn: turn });
    // What was asked over the last socket is lost with it.
    if (this.#isAdmitted) this.admitted();
  }

  /** The server has seen that this page may have credentials. */
  admitted(): void {
    this.#isAdmitted = true;
    if (this.#life.clock.now() >= this.#renewAt) this.#askNow();
  }

  given({ urls, username, credential, validFor }: TurnCredentials): void {
    if (!this.#isAsked) return;
    this.#isAsked = false;
    const turn = [{ urls, username, credential }];
    if (!isTaken(turn)) return this.#options.refused();
    this.#turn = turn;
    const life = Math.min(Math.max(1_000 * RENEW_AT * validFor, SHORTEST), LONGEST);
    this.#renewAt = milli(this.#life.clock.now() + life);
    this.#wait(milli(life));
    this.#changed();
  }

  #askNow(): void {
    if (!this.#view.hasTurn) return;
    this.#isAsked = true;
    this.#ask();
    this.#wait(ASK_AGAIN);
  }

  #wait(delay: Milli): void {
    this.#stopTimer();
    this.#stopTimer = this.#life.clock.after(delay, () => this.#askNow());
  }

  #hide(on: boolean): void {
    if (on === this.#view.hidesAddress) return;
    this.#show({ hidesAddress: on });
    this.#changed();
    if (on) this.#options.hidden();
  }

  #changed(): void {
    this.#ice = this.#now;
    this.#options.changed(this.#ice);
  }

  get #now(): Ice {
    return { servers: [...this.#stun, ...this.#turn], relayOnly: this.#view.hidesAddress };
  }

  #show(change: Partial<AddressView>): void {
    this.#view = { ...this.#view, ...change };
    this.#options.show(this.#view);
  }
}

/** A connection with an address that the browser does not take would throw, wherever it is made. */
function isTaken(servers: RTCIceServer[]): boolean {
  try {
    new RTCPeerConnection(configurationOf({ servers, relayOnly: true })).close();
    return true;
  } catch {
    return false;
  }
}
