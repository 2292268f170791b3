import { Trans } from "@lingui/react/macro";
import { MAX_HOSTS } from "../../../session/call/call-view.ts";
import type { Person } from "../../../session/call/person.ts";
import button from "../../button.module.css";
import { useActions, useView } from "../call-context.ts";
import styles from "./people.module.css";

/** Beside a person's name. */
export function HostWord({ identity }: Pick<Person, "identity">) {
  const isHost = useView((view) => view.rules.hosts.includes(identity));
  return (
    isHost && (
      <span className={styles.host}>
        <Trans>Host</Trans>
      </span>
    )
  );
}

/** A host's: gives another person the same rights, unless they are being removed. */
export function MakeHost({ person: { id, identity } }: { person: Person }) {
  const actions = useActions();
  const { host, hosts } = useView((view) => view.rules);
  const isRemoved = useView((view) => view.removing.includes(identity));
  if (!host || isRemoved || hosts.includes(identity) || hosts.length >= MAX_HOSTS) return null;
  return (
    <button type="button" className={button.quiet} onClick={() => actions.makeHost(id)}>
      <Trans>Make host</Trans>
    </button>
  );
}

/** That this person is a host. Where another one is, they can stop being one. */
export function OwnHosting() {
  const actions = useActions();
  const { host, hosts } = useView((view) => view.rules);
  if (!host) return null;
  return (
    <div className={styles.hosting}>
      <p>
        <Trans>You are a host: you decide who can join, and can remove people.</Trans>
      </p>
      {hosts.length > 1 && (
        <button type="button" className={button.quiet} onClick={() => actions.stopHosting()}>
          <Trans>Stop being host</Trans>
        </button>
      )}
    </div>
  );
}
