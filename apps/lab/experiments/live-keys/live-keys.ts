/** What the command asks of the page for the experiment with a live stream's keys. */
export interface LiveKeysPage {
  /** Hosts a new live room on the server that the page came from. */
  hostLive(): Promise<{ room: string; fragment: string }>;
  /** Resolves once this many viewers have shown that they hold the keys. */
  allWatching(count: number): Promise<void>;
  /** Removes the viewer who came last: the others get another key. */
  removeLast(): Promise<void>;
  liveState(): Promise<LiveState>;
  forgetLongTasks(): Promise<void>;
}

export interface LiveState {
  /** Of the page's main thread, in ms. */
  longestTaskMs: number;
}
