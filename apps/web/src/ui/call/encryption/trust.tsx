import { Trans } from "@lingui/react/macro";
import type { Trust } from "../../../session/call/known-peers.ts";
import type { Person } from "../../../session/call/person.ts";
import { VerifiedIcon } from "../../parts/icons.tsx";
import styles from "../people/people.module.css";

/** A name or key that asks for a look: of a verified person it is an alarm. */
export function isAlarm({ namesake }: Trust): boolean {
  return namesake?.of === "verified";
}

/** Whether there is something to say of a person's name: each time it is another one, there is again. */
export function isNameNews({ namesake, pinnedName }: Trust): boolean {
  return namesake !== null || pinnedName !== null;
}

/** Beside a name: what this device knows of the key behind it, in a word. */
export function TrustWord({
  trust: { level, pinnedName, namesake },
  isVerified,
}: Pick<Person, "trust" | "isVerified">) {
  if (level === "own")
    return (
      <span className={styles.unverified}>
        <Trans>you, in another tab</Trans>
      </span>
    );
  if (isVerified)
    return (
      <span className={styles.verified}>
        <VerifiedIcon />
        <Trans>verified</Trans>
      </span>
    );
  if (pinnedName !== null)
    return (
      <span className={styles.unverified}>
        {level === "verified" ? (
          <Trans>
            verified as <bdi>{pinnedName}</bdi>
          </Trans>
        ) : (
          <Trans>
            you know them as <bdi>{pinnedName}</bdi>
          </Trans>
        )}
      </span>
    );
  const isStrange = namesake?.of === "verified" || (namesake?.of === "known" && level === "stranger");
  return (
    <span className={styles.unverified} data-strange={isStrange}>
      {isStrange ? <Trans>not recognized</Trans> : <Trans>not verified</Trans>}
    </span>
  );
}

/** Whose name a person has, or had before, in a sentence each. */
export function NameNews({ person: { name, trust } }: { person: Pick<Person, "name" | "trust"> }) {
  const { namesake, pinnedName, level } = trust;
  return (
    <>
      {pinnedName !== null &&
        (level === "verified" ? (
          <Trans>
            The person you verified as <bdi>{pinnedName}</bdi> is now called <bdi>{name}</bdi>.
          </Trans>
        ) : (
          <Trans>
            The person you met as <bdi>{pinnedName}</bdi> is now called <bdi>{name}</bdi>.
          </Trans>
        ))}{" "}
      {namesake !== null && <NamesakeWords name={name} of={namesake.of} theirs={namesake.name} />}
    </>
  );
}

interface NamesakeProps {
  name: string;
  of: NonNullable<Trust["namesake"]>["of"];
  theirs: string;
}

function NamesakeWords({ name, of, theirs }: NamesakeProps) {
  switch (of) {
    case "verified":
      return (
        <Trans>
          This <bdi>{name}</bdi> isn’t the <bdi>{theirs}</bdi> you verified. It may be their other device, or someone
          else. Say nothing private before you have compared the safety code under “People”.
        </Trans>
      );
    case "known":
      return (
        <Trans>
          This <bdi>{name}</bdi> isn’t the one you met before. It may be their other device, or someone else.
        </Trans>
      );
    case "own":
      return (
        <Trans>
          <bdi>{name}</bdi> has your name. It is another person, or another device of yours.
        </Trans>
      );
    case "here":
      return (
        <Trans>
          Two people here are called <bdi>{theirs}</bdi>. This page calls this one <bdi>{name}</bdi>.
        </Trans>
      );
  }
}
