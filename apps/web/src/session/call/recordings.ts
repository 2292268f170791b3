import type { Voice } from "@sealcast/recording";
import { atMostEvery, type Clock } from "@sealcast/time";
import { PROOF_EVERY } from "../audit/encryption-audit.ts";
import { STATEMENT_GAP } from "../budgets.ts";
import type { Devices } from "../devices/devices.ts";
import type { Lifetime } from "../lifetime.ts";
import { Consent, type ConsentView, type RecordingStage } from "../recording/consent.ts";
import { ownRecording, type RecordingActions } from "../recording/own-recording.ts";
import type { OwnRecording, RecordingView } from "../recording/recording.ts";
import type { Peer } from "./peer.ts";
import type { People } from "./people.ts";

export interface RecordingsView {
  /** This person's own. */
  recording: RecordingView;
}

/** In a call, those who say yes are recorded, and this person. */
export interface RecordingsActions extends RecordingActions {
  /** Whether this person is to be in what another (by id) records now. A no also stands for what they record later. */
  answerRecording(id: string, yes: boolean): void;
  /** Without an answer this person is left out. */
  putOffRecordings(): void;
}

interface RecordingsOptions {
  people: People;
  devices: Devices;
  /** This person's name. */
  name(): string;
  /** One may begin. */
  isAllowed(): boolean;
  show(change: RecordingsView): void;
}

/** Recordings of a call, this person's and others': who may be recorded, what each says of that, and this page's own one. */
export class Recordings {
  readonly own: OwnRecording;
  readonly actions: RecordingsActions;
  readonly #options: RecordingsOptions;
  readonly #clock: Clock;
  readonly #consent = new Consent();
  /** What this page says of recordings has changed. */
  readonly #speak: () => void;

  constructor(life: Lifetime, options: RecordingsOptions) {
    this.#options = options;
    this.#clock = life.clock;
    this.#speak = atMostEvery(life.clock, STATEMENT_GAP, () => {
      for (const peer of options.people.peers.values()) this.say(peer);
    });
    const scene = {
      voices: () => this.#voices(),
      stage: (stage: RecordingStage | null) => this.#staged(stage),
      changed: (recording: RecordingView) => options.show({ recording }),
    };
    const { own, actions } = ownRecording(scene, options.isAllowed);
    this.own = own;
    this.actions = {
      ...actions,
      answerRecording: (id, yes) => this.#answer(id, yes),
      putOffRecordings: () => {
        this.#consent.putOff();
        options.people.show();
      },
    };
    life.every(PROOF_EVERY, () => this.#expire());
  }

  /** How that member stands to recordings. */
  viewOf(leafKeyId: string): ConsentView {
    return {
      records: this.#consent.of(leafKeyId),
      isToAsk: this.#consent.isToAsk(leafKeyId),
      answer: this.#consent.answerOf(leafKeyId),
    };
  }

  say({ member, link }: Peer): void {
    link.say("recording", this.#consent.statementTo(member).body);
  }

  /** What is said counts for a while, and what was lost is made good. To be called with each heartbeat. */
  repeat(): void {
    for (const peer of this.#options.people.peers.values())
      if (!this.#consent.statementTo(peer.member).isNothing) this.say(peer);
  }

  heard({ member }: Peer, body: Uint8Array): void {
    this.#consent.heard(member, body, this.#clock.now());
    this.#options.people.show();
  }

  /** That member has gone. */
  forget(leafKeyId: string): void {
    this.#consent.forget(leafKeyId);
  }

  #expire(): void {
    if (this.#consent.expire(this.#clock.now())) this.#options.people.show();
  }

  /** Everybody is told before a stage begins. */
  #staged(stage: RecordingStage | null): void {
    if (stage === "asked") this.#consent.begin();
    else if (stage === null) this.#consent.end();
    else this.#consent.proceed(stage);
    this.#speak();
    this.#options.people.show();
  }

  #answer(id: string, yes: boolean): void {
    const peer = this.#options.people.peers.get(id);
    if (peer === undefined) return;
    this.#consent.answer(peer.member.identity, yes);
    this.#speak();
    this.#options.people.show();
  }

  /** This person, and of the others those who say yes at present. */
  #voices(): Voice[] {
    const name = this.#options.name();
    const { local } = this.#options.devices;
    const own = { id: "me", name, video: local.track("camera"), audio: local.track("microphone") };
    const screen = local.track("screen-picture");
    const shared =
      screen === null ? [] : [{ id: "me screen", name, video: screen, audio: local.track("screen-sound") }];
    const others = [...this.#options.people.peers.values()].filter(({ member }) =>
      this.#consent.includes(member.leafKeyId),
    );
    return [own, ...shared, ...others.flatMap(({ voices }) => voices)];
  }
}
