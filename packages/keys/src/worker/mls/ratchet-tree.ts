import { toHex } from "@sealcast/bytes";
import type { LeafNode, RatchetTree } from "ts-mls";
import { leafToNodeIndex, toLeafIndex } from "ts-mls/treemath.js";

export function leafAt(tree: RatchetTree, leaf: number): LeafNode | undefined {
  const node = tree[leafToNodeIndex(toLeafIndex(leaf))];
  return node?.nodeType === "leaf" ? node.leaf : undefined;
}

/** The HPKE key of a leaf or parent; undefined: the node is blank. */
export function encryptionKeyAt(tree: RatchetTree, index: number): Uint8Array | undefined {
  const node = tree[index];
  return node?.nodeType === "leaf" ? node.leaf.hpkePublicKey : node?.parent.hpkePublicKey;
}

/** RFC 9420 sections 7.3 and 12.4.3.1: no HPKE key of a leaf or parent and no signature key of a leaf is there twice. */
export function hasUniqueKeys(tree: RatchetTree): boolean {
  const keys = tree.flatMap((node, index) => {
    const signatureKey = node?.nodeType === "leaf" ? node.leaf.signaturePublicKey : undefined;
    return [encryptionKeyAt(tree, index), signatureKey].filter((key) => key !== undefined).map(toHex);
  });
  return new Set(keys).size === keys.length;
}

/** The HPKE keys of `after`, of leaves and parents, that `before` does not have. */
export function keysSince(before: RatchetTree, after: RatchetTree): Uint8Array[] {
  const keysOf = (tree: RatchetTree) => tree.flatMap((_, index) => encryptionKeyAt(tree, index) ?? []);
  const known = new Set(keysOf(before).map(toHex));
  return keysOf(after).filter((key) => !known.has(toHex(key)));
}
