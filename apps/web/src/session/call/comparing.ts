import type { GroupMember, Scanned } from "@sealcast/keys";
import type { PostToKeys } from "./keys.ts";
import type { KnownPeers } from "./known-peers.ts";
import { MeetingCode, type MeetingCodeView } from "./meeting-code.ts";
import type { People } from "./people.ts";

export interface ComparingView {
  meetingCode: MeetingCodeView;
}

export interface ComparingActions {
  /** Has the safety code of everybody here computed. */
  compare(): void;
  /** Whether someone looks at the meeting code, which is kept current meanwhile. */
  showMeetingCode(on: boolean): void;
  /** The code of this person (by id) was compared and found equal; or that is taken back. */
  verify(id: string, verified: boolean): void;
  /** From now on this device knows this person (by id) by the name that they have now. */
  remember(id: string): void;
  /** A QR code was read from the screen of this person (by id). The same code as here: they are verified. */
  scanned(id: string, text: string): Scanned;
}

interface ComparingOptions {
  room: string;
  people: People;
  known(): KnownPeers | null;
  post: PostToKeys;
}

/** Codes that people compare, and what comes of it. */
export class Comparing {
  readonly meetingCode: MeetingCode;
  readonly actions: ComparingActions = {
    compare: () => this.#compare(),
    showMeetingCode: (on) => this.meetingCode.show(on),
    verify: (id, verified) => this.#with(id, (known, member) => known.verify(member, verified)),
    remember: (id) => this.#with(id, (known, member) => known.remember(member)),
    scanned: (id, text) => this.#with(id, (known, member) => known.scanned(member, text)) ?? "foreign",
  };
  readonly #options: ComparingOptions;

  constructor(options: ComparingOptions) {
    const { room, post } = options;
    this.#options = options;
    this.meetingCode = new MeetingCode((identities) => post({ type: "compare-meeting", identities, room }));
  }

  #compare(): void {
    const { known, people, post } = this.#options;
    const identities = [...people.peers.values()].map(({ member }) => member.identity);
    for (const identity of known()?.unasked(identities) ?? []) post({ type: "compare", identity });
  }

  #with<T>(id: string, act: (known: KnownPeers, member: GroupMember) => T): T | undefined {
    const known = this.#options.known();
    const member = this.#options.people.member(id);
    return known === null || member === undefined ? undefined : act(known, member);
  }
}
