import { Trans } from "@lingui/react/macro";
import type { ShownKnocker } from "../../../session/call/known-peers.ts";
import button from "../../button.module.css";
import { useActions, useView } from "../call-context.ts";
import styles from "../notices.module.css";

/** A host's: who waits to be let in, and what this device knows of them. */
export function KnockNotice() {
  const actions = useActions();
  const knockers = useView((view) => view.knockers);
  return (
    <div role="status" className={styles.stack}>
      {knockers.map((knocker) => (
        <p key={knocker.seat} className={styles.notice} data-tone={toneOf(knocker)}>
          <span>
            <Knock {...knocker} /> {knocker.oldLink && !knocker.removed && <Trans>They have an old link.</Trans>}
          </span>
          <button
            type="button"
            className={toneOf(knocker) === "bad" ? button.quiet : button.primary}
            onClick={() => actions.answer(knocker.seat, true)}
          >
            <Trans>Let in</Trans>
          </button>
          <button type="button" className={button.quiet} onClick={() => actions.answer(knocker.seat, false)}>
            <Trans>Turn away</Trans>
          </button>
        </p>
      ))}
    </div>
  );
}

function toneOf({ removed, trust: { namesake } }: ShownKnocker): "bad" | "caution" | undefined {
  if (namesake?.of === "verified") return "bad";
  return removed || namesake !== null ? "caution" : undefined;
}

function Knock({ name, removed, trust }: ShownKnocker) {
  return (
    <>
      {removed ? (
        <Trans>
          Someone you removed wants to rejoin as “<bdi>{name}</bdi>”.
        </Trans>
      ) : (
        <Trans>
          <bdi>{name}</bdi> wants to join.
        </Trans>
      )}{" "}
      <KnownAs name={name} trust={trust} />
    </>
  );
}

/** What this device knows of them, in a sentence. */
function KnownAs({ name, trust: { level, pinnedName, namesake } }: Pick<ShownKnocker, "name" | "trust">) {
  const theirs = namesake?.name;
  switch (namesake?.of) {
    case "verified":
      return (
        <Trans>
          This isn’t the <bdi>{theirs}</bdi> you verified. It may be their other device, or someone else.
        </Trans>
      );
    case "known":
      return <Trans>This isn’t the one you met before. It may be their other device, or someone else.</Trans>;
    case "here":
      return (
        <Trans>
          Someone else called <bdi>{theirs}</bdi> is in the call.
        </Trans>
      );
    case "own":
      return <Trans>They have your name.</Trans>;
  }
  if (level === "own") return <Trans>This is your own browser, in another tab.</Trans>;
  if (pinnedName !== null)
    return level === "verified" ? (
      <Trans>
        You verified them as <bdi>{pinnedName}</bdi>.
      </Trans>
    ) : (
      <Trans>
        You met them as <bdi>{pinnedName}</bdi>.
      </Trans>
    );
  if (level === "verified") return <Trans>You verified them.</Trans>;
  if (level === "known") return <Trans>You have met them before.</Trans>;
  return (
    <Trans>
      You have not met this <bdi>{name}</bdi> before.
    </Trans>
  );
}
