import { areNamesakes } from "./namesakes.ts";
import type { Pin } from "./pins.ts";

/** A key and the name, as it is shown, that its owner has now. */
export interface Present {
  /** Long-term Ed25519 public key, hex. */
  identity: string;
  name: string;
}

/** How far this browser knows a key: its own; verified by this person; met before; neither. */
type TrustLevel = "own" | "verified" | "known" | "stranger";

/** Another key's owner whose name someone's can be taken for. Only of a verified person is it an alarm. */
interface Namesake {
  of: "verified" | "known" | "here" | "own";
  /** The other's name. */
  name: string;
}

export interface Trust {
  level: TrustLevel;
  /** The name that this browser remembers the key under, where its owner has another one now. */
  pinnedName: string | null;
  namesake: Namesake | null;
}

/** Who is in the call: this person, and the others. */
export interface Company {
  me: Present;
  others: readonly Present[];
}

/** What this browser knows of a person who is in the call, or asks to come into it. */
export function trustOf(person: Present, pins: readonly Pin[], company: Company): Trust {
  if (person.identity === company.me.identity) return { level: "own", pinnedName: null, namesake: null };
  const pin = pins.find(({ identity }) => identity === person.identity);
  const isSameName = pin !== undefined && areNamesakes(pin.name, person.name);
  const level = pin === undefined ? "stranger" : pin.verified ? "verified" : "known";
  return {
    level,
    pinnedName: pin === undefined || isSameName ? null : pin.name,
    namesake: isSameName && pin.verified ? null : namesakeOf(person, pins, company, isSameName),
  };
}

/** Whether this person verified the key, and under the name that its owner has now. */
export function isVerified({ level, pinnedName }: Trust): boolean {
  return level === "own" || (level === "verified" && pinnedName === null);
}

/** The first that counts, the worst first. `isKnownSo`: the key was met under this very name. */
function namesakeOf(
  person: Present,
  pins: readonly Pin[],
  { me, others }: Company,
  isKnownSo: boolean,
): Namesake | null {
  const isLike = ({ identity, name }: Present) => identity !== person.identity && areNamesakes(name, person.name);
  const namesOf = (pin: Pin): Present[] => [pin, ...others.filter(({ identity }) => identity === pin.identity)];
  const verified = pins.find((pin) => pin.verified && namesOf(pin).some(isLike));
  if (verified !== undefined) return { of: "verified", name: verified.name };
  if (isLike(me)) return { of: "own", name: me.name };
  const here = others.find(isLike);
  if (here !== undefined) return { of: "here", name: here.name };
  const known = isKnownSo ? undefined : pins.find(isLike);
  return known === undefined ? null : { of: "known", name: known.name };
}
