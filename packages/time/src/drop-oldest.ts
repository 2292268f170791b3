/**
 * Leaves the `most` entries that were added last.
 *
 * @returns the names of those that went, the oldest first.
 */
export function dropOldest<Name>(of: Map<Name, unknown> | Set<Name>, most: number): Name[] {
  if (of.size <= most) return [];
  const dropped = [...of.keys()].slice(0, of.size - most);
  for (const name of dropped) of.delete(name);
  return dropped;
}
