/** Held apart from the objects: a developer console shows private fields, and what lies in a map it does not. */
const held = new WeakMap<Secret, Uint8Array>();
const REDACTED = "<redacted>";

/** Key bytes that no log, error, JSON or string shows. Takes ownership of the array it is given. */
export class Secret {
  constructor(bytes: Uint8Array) {
    held.set(this, bytes);
  }

  /** The bytes themselves, not a copy. Throws after erase(). */
  reveal(): Uint8Array {
    const bytes = held.get(this);
    if (bytes === undefined) throw new Error("this secret was erased");
    return bytes;
  }

  /** Overwrites the bytes with zeros. Safe to call again. */
  erase(): void {
    held.get(this)?.fill(0);
    held.delete(this);
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return REDACTED;
  }
}
