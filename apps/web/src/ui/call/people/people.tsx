import { Trans, useLingui } from "@lingui/react/macro";
import { useEffect, useRef, useState } from "react";
import type { SafetyCode } from "../../../session/call/known-peers.ts";
import type { Person } from "../../../session/call/person.ts";
import button from "../../button.module.css";
import { Confirmed, useFocusKept } from "../../parts/confirmed.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { PeopleIcon } from "../../parts/icons.tsx";
import { QrCode } from "../../parts/qr-code.tsx";
import toggle from "../../parts/toggle.module.css";
import { useActions, useView } from "../call-context.ts";
import { RecordWord } from "../consent.tsx";
import { Scan } from "../encryption/scan.tsx";
import { isAlarm, isNameNews, NameNews, TrustWord } from "../encryption/trust.tsx";
import { SYMBOLS } from "../symbols.ts";
import { AskToMute, HandMark, RaisedHands } from "../talk/hands.tsx";
import { AccessChoice } from "./access.tsx";
import { HostWord, MakeHost, OwnHosting } from "./hosts.tsx";
import { OwnName } from "./own-name.tsx";
import styles from "./people.module.css";

export function PeopleButton({ onOpen }: { onOpen: () => void }) {
  return (
    <button type="button" className={toggle.toggle} onClick={onOpen}>
      <PeopleIcon />
      <span>
        <Trans>People</Trans>
      </span>
    </button>
  );
}

export function PeopleDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLingui();
  return (
    <Dialog title={t`People`} onClose={onClose}>
      <div className={styles.panel}>
        <RaisedHands />
        <OwnName />
        <OwnHosting />
        <AccessChoice />
        <PeopleList />
      </div>
    </Dialog>
  );
}

function PeopleList() {
  const actions = useActions();
  const people = useView((view) => view.people);
  const count = people.length;
  const list = useFocusKept<HTMLDivElement>(count);
  // The codes take a while to compute: from when the list is open, and for those who come meanwhile.
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked again when a person has come
  useEffect(() => actions.compare(), [count]);
  return (
    <div ref={list} tabIndex={-1}>
      {count === 0 ? (
        <p className={styles.words}>
          <Trans>Nobody else is here yet.</Trans>
        </p>
      ) : (
        <>
          <WhyCompare />
          <ul className={styles.people}>
            {people.map((person) => (
              <PersonEntry key={person.id} person={person} />
            ))}
          </ul>
        </>
      )}
    </div>
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
            someone else uses their name.
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

/** How a removal stands; for a host also the button that begins one, once that was confirmed. */
function Removal({ person: { id, identity, name } }: { person: Person }) {
  const actions = useActions();
  const host = useView((view) => view.rules.host);
  const isUnderWay = useView((view) => view.removing.includes(identity));
  const [isOrdered, setOrdered] = useState(false);
  const word = useRef<HTMLOutputElement>(null);
  useEffect(() => {
    if (isUnderWay && isOrdered) word.current?.focus();
  }, [isUnderWay, isOrdered]);
  if (isUnderWay)
    return (
      <output ref={word} className={styles.words} tabIndex={-1}>
        <Trans>Removing… You send them nothing.</Trans>
      </output>
    );
  if (!host) return null;
  return (
    <Confirmed
      consequence={
        <Trans>
          <bdi>{name}</bdi> leaves immediately and the call gets a new link. You’ll have to approve anyone using the old
          one.
        </Trans>
      }
      confirm={
        <Trans>
          Remove <bdi>{name}</bdi>
        </Trans>
      }
      onConfirm={() => {
        setOrdered(true);
        actions.remove(id);
      }}
    >
      <Trans>Remove from call</Trans>
    </Confirmed>
  );
}

function PersonEntry({ person }: { person: Person }) {
  const { t } = useLingui();
  const actions = useActions();
  const [scanning, setScanning] = useState(false);
  const { id, identity, name, trust, isVerified, code, answering } = person;
  return (
    <li className={styles.person} aria-label={name}>
      <h3>
        <bdi>{name}</bdi> <TrustWord {...person} />
        <HostWord identity={identity} />
        <HandMark id={id} />
        <RecordWord {...person} />
        {!answering && (
          <span className={styles.unverified}>
            <Trans>not answering</Trans>
          </span>
        )}
      </h3>
      {isNameNews(trust) && (
        <p className={isAlarm(trust) ? styles.alarm : styles.caution}>
          <NameNews person={person} />
        </p>
      )}
      {scanning && code !== null ? <Scan person={person} /> : <Code code={code} name={name} />}
      <div className={styles.compare}>
        <button type="button" className={button.quiet} disabled={code === null} onClick={() => setScanning(!scanning)}>
          {scanning ? <Trans>Back to the code</Trans> : <Trans>Scan their code</Trans>}
        </button>
        {!scanning && (
          <button
            type="button"
            className={button.quiet}
            disabled={code === null}
            onClick={() => actions.verify(id, !isVerified)}
            aria-label={isVerified ? t`Remove verification of ${name}` : t`Mark as verified`}
          >
            {isVerified ? <Trans>Remove verification</Trans> : <Trans>Mark as verified</Trans>}
          </button>
        )}
        {trust.pinnedName !== null && !isAlarm(trust) && (
          <button type="button" className={button.quiet} onClick={() => actions.remember(id)}>
            <Trans>
              Remember as <bdi>{name}</bdi>
            </Trans>
          </button>
        )}
      </div>
      <AskToMute person={person} />
      <MakeHost person={person} />
      <Removal person={person} />
    </li>
  );
}

/** What takes a code's place while it is computed. */
const BLANK: SafetyCode = { digits: "0".repeat(30), qr: "", symbols: Array.from({ length: 12 }, () => 0) };

/** As large before it is computed as it then is, so that nothing moves under a pointer. */
function Code({ code, name }: { code: SafetyCode | null; name: string }) {
  const { t, i18n } = useLingui();
  const { digits, qr, symbols } = code ?? BLANK;
  const groups = digits.match(/.{5}/g) ?? [];
  return (
    <div className={styles.code} data-computed={code !== null}>
      {code === null && (
        <p className={styles.words}>
          <Trans>Computing the safety code…</Trans>
        </p>
      )}
      <dl>
        <dt>
          <Trans>
            Safety code of <bdi>{name}</bdi> and you
          </Trans>
        </dt>
        <dd className={styles.digits}>{groups.join(" ")}</dd>
      </dl>
      <div className={styles.qr}>
        {code !== null && <QrCode text={qr} label={t`The same digits as a QR code, for ${name} to scan`} />}
      </div>
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
