import type { MemberMessage } from "./message.ts";

/** What someone who is being removed could still read in the group. What is written in the chat waits there. */
const TALK: ReadonlySet<MemberMessage["type"]> = new Set(["reaction", "captioning", "caption", "file"]);
/** More than this person writes and says in some minutes. Past that the oldest is given up. */
const MOST = 500;

/** What is said to everybody waits while a host removes someone who is in the group still, as their media does. */
export class HeldTalk {
  #isHeld = false;
  #waiting: (() => void)[] = [];

  /** Has `send` called now, or once nobody is being removed; in order. */
  send(message: MemberMessage, send: () => void): void {
    if (!this.#isHeld || !TALK.has(message.type)) return send();
    this.#waiting = [...this.#waiting, send].slice(-MOST);
  }

  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    if (isHeld) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const send of waiting) send();
  }
}
