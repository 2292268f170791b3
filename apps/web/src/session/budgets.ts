import { milli, type Rate } from "@sealcast/time";

/** What another's page may send to this one, PROTOCOL.md section 9. What comes beyond costs that page its own connection. */
export const PAGE_BUDGETS = {
  /**
   * Of a member, a viewer or a host, of any type: more than one of our pages says, also where what was held up comes all at once
   * (see [Note: Pace of messages]), and less in a second than the server takes.
   */
  messages: { burst: 320, perSecond: 12 },
  /** Of a member, about recordings (PROTOCOL.md section 5.5). */
  statements: { burst: 32, perSecond: 8 },
  /** New connections that a viewer asks for, or a host makes. */
  connections: { burst: 6, perSecond: 0.5 },
  /** Of a viewer, how often it hears how the stream stands; more are not answered. */
  states: { burst: 6, perSecond: 0.2 },
  /** Of a viewer; more are left out. */
  questions: { burst: 5, perSecond: 0.1 },
  /** Of a viewer, of what they are called; more are left out. */
  names: { burst: 5, perSecond: 0.2 },
  /** Of a viewer, of others' questions; more are left out. */
  upvotes: { burst: 20, perSecond: 1 },
  /** Of a host, to questions; more are left out. */
  answers: { burst: 32, perSecond: 1 },
  /** Of a member, in the chat (PROTOCOL.md section 5.6), also after minutes without a connection; more are left out, with a word. */
  chat: { burst: 120, perSecond: 1 },
  /** Of a member, from here on; more are left out. */
  reactions: { burst: 10, perSecond: 2 },
  hands: { burst: 10, perSecond: 1 },
  muteRequests: { burst: 2, perSecond: 0.1 },
  /** Of a member, about captions of their speech (PROTOCOL.md section 5.8); more are left out. */
  captions: { burst: 12, perSecond: 2 },
  /** Of a viewer over relays, of what the host measured; more are not answered. */
  timings: { burst: 2, perSecond: 1 },
} satisfies Record<string, Rate>;

/** The same of all viewers together. */
export const TIMINGS_OF_ALL: Rate = { burst: 8, perSecond: 4 };

/** What this page says of the same: less than others take, since what was held up comes all at once. */
export const OWN_BUDGETS = {
  chat: { burst: 10, perSecond: 0.5 },
  reactions: { burst: 5, perSecond: 1 },
} satisfies Record<string, Rate>;
/** Between two changes of this page's hand. */
export const HAND_GAP = milli(1_000);

/** One viewer's questions that the host's page keeps: those of others stay. */
export const MOST_QUESTIONS_OF_ONE = 10;
/** Between two sizes that one end shows a picture in, as far as they are followed: each may take a key frame. */
export const SHOWN_GAP = milli(1_000);
/** Between two words of the other end on video that are followed: each may take a key frame, or draw the page. */
export const VIDEO_WORD_GAP = milli(1_000);
/** Between two changes of what this page says of recordings: half as often as others take. */
export const STATEMENT_GAP = milli(250);
