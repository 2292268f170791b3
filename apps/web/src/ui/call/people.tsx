import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useEffect, useState } from "react";
import type { Person, RoomMode, SafetyCode } from "../../session/view.ts";
import button from "../button.module.css";
import { Dialog } from "../dialog.tsx";
import { PeopleIcon, VerifiedIcon } from "../icons.tsx";
import option from "../option.module.css";
import { QrCode } from "../qr-code.tsx";
import { useActions, useView } from "./call-context.ts";
import styles from "./people.module.css";
import { Scan } from "./scan.tsx";
import { SYMBOLS } from "./symbols.ts";
import toggle from "./toggle.module.css";

export function People() {
  const { t } = useLingui();
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" className={toggle.toggle} onClick={() => setOpen(true)}>
        <PeopleIcon />
        <span>
          <Trans>People</Trans>
        </span>
      </button>
      {open && (
        <Dialog title={t`People`} onClose={() => setOpen(false)}>
          <div className={styles.panel}>
            <Door />
            <PeopleList />
          </div>
        </Dialog>
      )}
    </>
  );
}

function PeopleList() {
  const actions = useActions();
  const people = useView((view) => view.people);
  const count = people.length;
  // The codes take a while to compute: from when somebody looks, and for whoever comes meanwhile.
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked again when somebody has come
  useEffect(() => actions.compare(), [count]);
  if (count === 0)
    return (
      <p className={styles.words}>
        <Trans>Nobody else is here yet.</Trans>
      </p>
    );
  return (
    <>
      <WhyCompare />
      <ul className={styles.people}>
        {people.map((person) => (
          <PersonEntry key={person.id} person={person} />
        ))}
      </ul>
    </>
  );
}

function WhyCompare() {
  return (
    <div className={styles.why}>
      <h3>
        <Trans>Is it really them?</Trans>
      </h3>
      <p>
        <Trans>
          A name can be made up. A safety code cannot: you both see the same one only if nobody sits between you and
          listens in.
        </Trans>
      </p>
      <ul>
        <li>
          <Trans>
            <strong>Compare it</strong> when you meet, or on the phone: read it aloud to each other, or scan it from
            their screen.
          </Trans>
        </li>
        <li>
          <Trans>
            <strong>All of it is the same:</strong> mark them as verified. This device remembers them, and warns you if
            somebody else comes under their name.
          </Trans>
        </li>
        <li>
          <Trans>
            <strong>Anything differs:</strong> say nothing private, leave the call, and tell them in another way.
          </Trans>
        </li>
      </ul>
    </div>
  );
}

const modes: readonly { is: RoomMode; words: MessageDescriptor }[] = [
  { is: "open", words: msg`Everybody who has the link` },
  { is: "waiting", words: msg`Only whom you let in` },
  { is: "locked", words: msg`Nobody` },
];

/** A host's: who may come in. */
function Door() {
  const { i18n } = useLingui();
  const actions = useActions();
  const { host, mode } = useView((view) => view.rules);
  if (!host) return null;
  return (
    <fieldset className={styles.door}>
      <legend>
        <Trans>Who may come in</Trans>
      </legend>
      {modes.map(({ is, words }) => (
        <label key={is} className={option.option}>
          <input type="radio" name="mode" checked={is === mode} onChange={() => actions.setMode(is)} />
          {i18n._(words)}
        </label>
      ))}
    </fieldset>
  );
}

/** A host's: takes somebody out of the call, once that was confirmed. */
function Removal({ id, name }: { id: string; name: string }) {
  const actions = useActions();
  const host = useView((view) => view.rules.host);
  const [asked, setAsked] = useState(false);
  if (!host) return null;
  if (!asked)
    return (
      <button type="button" className={button.quiet} onClick={() => setAsked(true)}>
        <Trans>Remove from call</Trans>
      </button>
    );
  return (
    <div className={styles.removal}>
      <p>
        <Trans>
          {name} will be out at once, and the call gets a new link. Who comes with the one so far has to be let in by
          you.
        </Trans>
      </p>
      <button type="button" className={button.danger} onClick={() => actions.remove(id)}>
        <Trans>Remove {name}</Trans>
      </button>
      <button type="button" className={button.quiet} onClick={() => setAsked(false)}>
        <Trans>Cancel</Trans>
      </button>
    </div>
  );
}

function PersonEntry({ person }: { person: Person }) {
  const { t } = useLingui();
  const actions = useActions();
  const [scanning, setScanning] = useState(false);
  const { id, name, standing, code, answering } = person;
  const verified = standing === "verified";
  return (
    <li className={styles.person} aria-label={name}>
      <h3>
        {name} <Standing standing={standing} />
        {!answering && (
          <span className={styles.unverified}>
            <Trans>not answering</Trans>
          </span>
        )}
      </h3>
      {(standing === "changed" || standing === "other") && (
        <p className={styles.alarm}>
          <NewKey person={person} />
        </p>
      )}
      {code === null ? (
        <p className={styles.words}>
          <Trans>Computing the safety code…</Trans>
        </p>
      ) : scanning ? (
        <Scan person={person} />
      ) : (
        <Code code={code} name={name} />
      )}
      <div className={styles.compare}>
        <button type="button" className={button.quiet} disabled={code === null} onClick={() => setScanning(!scanning)}>
          {scanning ? <Trans>Back to the code</Trans> : <Trans>Scan their code</Trans>}
        </button>
        {!scanning && (
          <button
            type="button"
            className={button.quiet}
            disabled={code === null}
            onClick={() => actions.verify(id, !verified)}
            aria-label={verified ? t`Take back that ${name} is verified` : t`Mark as verified`}
          >
            {verified ? <Trans>Not verified any more</Trans> : <Trans>Mark as verified</Trans>}
          </button>
        )}
      </div>
      <Removal id={id} name={name} />
    </li>
  );
}

/** Why somebody's key is an alarm, in a sentence. */
export function NewKey({ person: { name, standing } }: { person: Person }) {
  return standing === "changed" ? (
    <Trans>
      This is not the {name} whom you verified: it is another device of theirs, or somebody else. Say nothing private
      before you have compared the safety code under “People”.
    </Trans>
  ) : (
    <Trans>
      You have met a {name} before, but this is another device of theirs, or somebody else. To be sure, compare the
      safety code under “People”.
    </Trans>
  );
}

function Standing({ standing }: { standing: Person["standing"] }) {
  if (standing === "verified")
    return (
      <span className={styles.verified}>
        <VerifiedIcon />
        <Trans>verified</Trans>
      </span>
    );
  return (
    <span className={styles.unverified} data-strange={standing !== "known"}>
      {standing === "known" ? <Trans>not verified</Trans> : <Trans>not recognised</Trans>}
    </span>
  );
}

function Code({ code: { digits, qr, symbols }, name }: { code: SafetyCode; name: string }) {
  const { t, i18n } = useLingui();
  const groups = digits.match(/.{5}/g) ?? [];
  return (
    <div className={styles.code}>
      <dl>
        <dt>
          <Trans>Safety code of {name} and you</Trans>
        </dt>
        <dd className={styles.digits}>{groups.join(" ")}</dd>
      </dl>
      <QrCode text={qr} label={t`The same digits as a QR code, for ${name} to scan`} />
      <ol className={styles.symbols} aria-label={t`The safety code in pictures`}>
        {symbols.map((number, at) => {
          const symbol = SYMBOLS[number];
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: the places are what tells them apart
            <li key={at}>
              <span aria-hidden="true">{symbol?.picture}</span>
              {symbol && i18n._(symbol.word)}
            </li>
          );
        })}
      </ol>
    </div>
  );
}
