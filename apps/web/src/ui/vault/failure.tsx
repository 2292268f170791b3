import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import type { PlaybackFailure } from "../../session/vault/playback.ts";
import type { Import } from "../../session/vault/view.ts";
import styles from "./vault.module.css";

type AnyFailure = PlaybackFailure | NonNullable<Import["failure"]>;

const words: Record<AnyFailure, MessageDescriptor> = {
  "not-age": msg`This is no age file, or its beginning is damaged.`,
  "not-for-you": msg`This file was not sealed for your vault. Ask its owner to share it with your recipient.`,
  tampered: msg`This file was changed or damaged after it was sealed. It is not shown.`,
  "bad-signature": msg`The signature does not match: someone changed this file. It is not shown.`,
  "storage-full": msg`The storage is full. Delete something, here or elsewhere on this device, and try again.`,
  locked: msg`The vault is locked. Load the page again and type the passphrase.`,
  "wrong-passphrase": msg`That passphrase does not open this vault. Try again.`,
  mistyped: msg`This recovery key has a typo, or a part of it is missing. Compare it with the one you kept, sign by sign.`,
  "not-found": msg`This file is not in the vault any more.`,
  "too-large": msg`This file is too large for this browser to show. Export it to open it elsewhere.`,
  "unknown-kind": msg`This is not an image, a sound or a video that Sealcast knows, and not an age file.`,
  unsupported: msg`This browser cannot do that.`,
  busy: msg`This file is in use, in another tab or by something that is not done yet. Try again in a while.`,
  internal: msg`Something went wrong. Load the page again: what was written is kept.`,
  unplayable: msg`This browser cannot play this file. Export it to open it elsewhere.`,
  "lone-signature": msg`This is a signature only. Import it together with the file it belongs to.`,
};

/** Says what went wrong. `instead`: where a failure means something more special than elsewhere. */
export function Problem({
  failure,
  instead = {},
}: {
  failure: AnyFailure | null;
  instead?: Partial<Record<AnyFailure, MessageDescriptor>>;
}) {
  const { i18n } = useLingui();
  return (
    <p role="alert" className={styles.problem}>
      {failure !== null && i18n._(instead[failure] ?? words[failure])}
    </p>
  );
}
