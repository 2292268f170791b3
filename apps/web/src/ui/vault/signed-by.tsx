import { Trans } from "@lingui/react/macro";
import type { ShownEntry } from "../../session/vault/view.ts";
import styles from "./entry.module.css";

/** Who vouches for a file: its signer's key, as this browser knows it. */
export function SignedBy({ entry }: { entry: ShownEntry }) {
  if (entry.signing === null) return null;
  return (
    <p className={styles.signing} data-unknown={entry.signing.by === "stranger" || entry.signing.by === "nobody"}>
      <SigningWords entry={entry} />
    </p>
  );
}

function SigningWords({ entry: { signing } }: { entry: ShownEntry }) {
  switch (signing?.by) {
    case undefined:
      return null;
    case "own":
      return <Trans>Signed by you</Trans>;
    case "known":
      return signing.isVerified ? (
        <Trans>
          Signed by <bdi>{signing.name}</bdi>, whom you verified
        </Trans>
      ) : (
        <Trans>
          Signed by <bdi>{signing.name}</bdi>, whom you have met and not verified
        </Trans>
      );
    case "stranger":
      return <Trans>Signed by someone you have not met</Trans>;
    case "nobody":
      return <Trans>Not signed: nobody vouches for who made it</Trans>;
  }
}
