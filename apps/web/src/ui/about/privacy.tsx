import { Trans, useLingui } from "@lingui/react/macro";
import { About } from "./about.tsx";

export default function PrivacyPage() {
  const { t } = useLingui();
  return (
    <About title={t`Privacy`}>
      <p>
        <Trans>
          Sound, video, shared screens, names and messages are end-to-end encrypted: only the people in the call can
          open them. There are no accounts, no cookies and no trackers, and no other site is asked for anything.
        </Trans>
      </p>
      <h2>
        <Trans>What the server sees</Trans>
      </h2>
      <ul>
        <li>
          <Trans>The network address of each device, and when it comes and goes.</Trans>
        </li>
        <li>
          <Trans>How many are in a call, and how long sealed messages are.</Trans>
        </li>
        <li>
          <Trans>Never the link’s key, a name, a word, a sound or a picture. It writes nothing to its disk.</Trans>
        </li>
      </ul>
      <h2>
        <Trans>What people in the call see</Trans>
      </h2>
      <ul>
        <li>
          <Trans>The name you choose, and what you say, show and send.</Trans>
        </li>
        <li>
          <Trans>The network address of your device, since video goes straight from browser to browser.</Trans>
        </li>
        <li>
          <Trans>This browser’s key, which is the same in all your calls.</Trans>
        </li>
      </ul>
      <InBrowser />
      <h2>
        <Trans>What encryption cannot do</Trans>
      </h2>
      <ul>
        <li>
          <Trans>Anyone can film their screen.</Trans>
        </li>
        <li>
          <Trans>
            Who watches the network sees that you are in a call, with which addresses, and how much is sent.
          </Trans>
        </li>
        <li>
          <Trans>This page comes from the server: you trust who runs it to send the true one.</Trans>
        </li>
      </ul>
    </About>
  );
}

function InBrowser() {
  return (
    <>
      <h2>
        <Trans>What is kept in this browser</Trans>
      </h2>
      <ul>
        <li>
          <Trans>Your name and settings.</Trans>
        </li>
        <li>
          <Trans>Your key, and the keys of people you have met or verified.</Trans>
        </li>
        <li>
          <Trans>
            The link of a call, sealed, until you leave. The browser’s own history keeps links that were opened.
          </Trans>
        </li>
        <li>
          <Trans>Your recordings, sealed with your passphrase.</Trans>
        </li>
        <li>
          <Trans>The files of this page, to open it without a connection.</Trans>
        </li>
      </ul>
      <p>
        <Trans>To erase all of it, clear this site’s data in the browser’s settings.</Trans>
      </p>
    </>
  );
}
