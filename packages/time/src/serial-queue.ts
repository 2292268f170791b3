/** Runs tasks one after the other, in the order in which they come. One that fails does not stop the next. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /**
   * Runs `task` once all earlier ones have ended, and never before this call has returned.
   *
   * @returns what `task` gives; rejects with what it throws.
   */
  run<T>(task: () => Promise<T> | T): Promise<T> {
    const done = this.#last.then(task);
    this.#last = done.catch(() => undefined);
    return done;
  }
}
