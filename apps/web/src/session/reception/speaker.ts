/** Decibels below full scale, measured from sound that this browser has decoded: what is louder is taken for speech. */
const SPEECH = -50;
/** Steps, half a second each, that are looked at. */
const WINDOW = 4;
/** Of these, how many must hold speech before someone is taken for the speaker: a cough fills two at most. */
const ENOUGH = 3;
/** Someone who speaks is spoken over only by who is louder by as much, decibels, for the whole window. */
const LOUDER = 6;
/** Between two words there is silence. */
const PAUSE = 2;

/** Loudness of the last steps, decibels below full scale, the latest one last. */
export type VoiceLevels = readonly number[];

export function isSpeaking(levels: VoiceLevels): boolean {
  return levels.slice(-PAUSE).some((level) => level > SPEECH);
}

/** Adds a step to what is kept of one person. */
export function nextLevels(levels: VoiceLevels, level: number): VoiceLevels {
  return [...levels, level].slice(-WINDOW);
}

/**
 * Who speaks for the call now, of those who are heard. Silence changes nothing, and neither does a cough or a short yes: who
 * speaks keeps the floor until they have been silent for the whole window, or someone is clearly louder throughout.
 *
 * @param current who it was a step ago.
 * @returns null where nobody has spoken yet.
 */
export function dominantSpeaker(current: string | null, heard: ReadonlyMap<string, VoiceLevels>): string | null {
  const held = current === null ? undefined : heard.get(current);
  const others = [...heard].filter(([id, levels]) => id !== current && spoken(levels) >= ENOUGH);
  const [loudest] = others.sort(([, one], [, other]) => mean(other) - mean(one));
  if (loudest === undefined) return held === undefined ? null : current;
  const [id, levels] = loudest;
  if (held === undefined || spoken(held) === 0) return id;
  return spoken(levels) === WINDOW && mean(levels) > mean(held) + LOUDER ? id : current;
}

function spoken(levels: VoiceLevels): number {
  return levels.slice(-WINDOW).filter((level) => level > SPEECH).length;
}

function mean(levels: VoiceLevels): number {
  const last = levels.slice(-WINDOW);
  return last.reduce((sum, level) => sum + level, 0) / last.length;
}
