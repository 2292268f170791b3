/** Each viewer has a connection of their own: what one home connection and one computer can carry. */
export const MOST_VIEWERS = 12;
/** Connections that are begun while their viewers still read the answer, and may never have read it. */
const MOST_UNPROVEN = 4;

/** `taken`: another viewer, who has proved nothing, gives theirs up. */
type Place = { is: "free" } | { is: "taken"; from: string };

/**
 * Whether a viewer may have a connection now. Those who have proved that they opened the host's answer come first.
 *
 * @param most connections that there are at most
 * @param holders who has one, the first first, and whether they have proved it
 * @returns null where there is no room
 */
export function placeFor(
  isProven: boolean,
  holders: ReadonlyMap<string, boolean>,
  most: number = MOST_VIEWERS,
): Place | null {
  const unproven = [...holders].flatMap(([viewer, hasProved]) => (hasProved ? [] : [viewer]));
  if (!isProven && unproven.length >= MOST_UNPROVEN) return null;
  if (holders.size < most) return { is: "free" };
  const [from] = unproven;
  return isProven && from !== undefined ? { is: "taken", from } : null;
}
