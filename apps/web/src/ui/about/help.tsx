import { Trans, useLingui } from "@lingui/react/macro";
import { About } from "./about.tsx";

export default function HelpPage() {
  const { t } = useLingui();
  return (
    <About title={t`Help`}>
      <h2>
        <Trans>Start a call</Trans>
      </h2>
      <p>
        <Trans>
          Press “Start a call”, then send the invite link to the people you want there. Nobody needs an account. To be
          asked before anyone comes in, choose “People you approve” in the call.
        </Trans>
      </p>
      <h2>
        <Trans>A link does not work</Trans>
      </h2>
      <p>
        <Trans>
          Copy all of it: the part behind the # sign is its key. A link is replaced when the host removes someone. Ask
          for the current one.
        </Trans>
      </p>
      <h2>
        <Trans>Camera or microphone does not work</Trans>
      </h2>
      <ul>
        <li>
          <Trans>Allow it beside the page’s address. The browser asks only once.</Trans>
        </li>
        <li>
          <Trans>Close other programs that use it.</Trans>
        </li>
        <li>
          <Trans>Choose another one under “Devices”.</Trans>
        </li>
      </ul>
      <h2>
        <Trans>Someone is not connected</Trans>
      </h2>
      <p>
        <Trans>
          Video goes straight from browser to browser, which some company networks block. Try another network, such as
          that of a phone.
        </Trans>
      </p>
      <h2>
        <Trans>Is it really them?</Trans>
      </h2>
      <p>
        <Trans>
          Open “People” in the call and compare the safety code with them, aloud or by scanning it. If it is the same,
          nobody sits between you.
        </Trans>
      </p>
      <Badge />
      <h2>
        <Trans>Keyboard</Trans>
      </h2>
      <p>
        <Trans>
          Everything can be reached with the Tab key. Press <kbd>?</kbd> in a call for a list of its keys.
        </Trans>
      </p>
      <h2>
        <Trans>Recordings</Trans>
      </h2>
      <p>
        <Trans>
          They are kept in this browser, sealed with your passphrase. Keep the recovery key somewhere else: if this
          browser’s data is lost, it takes both to open what you exported.
        </Trans>
      </p>
    </About>
  );
}

/** What the word in the corner of a call says. */
function Badge() {
  return (
    <>
      <h2>
        <Trans>What the word beside the lock says</Trans>
      </h2>
      <ul>
        <li>
          <Trans>
            <strong>encrypted:</strong> everything that goes and comes is end-to-end encrypted.
          </Trans>
        </li>
        <li>
          <Trans>
            <strong>verified:</strong> besides, you have compared safety codes with everyone who is here.
          </Trans>
        </li>
        <li>
          <Trans>
            <strong>encrypted in part:</strong> someone chose to leave a part of their picture readable.
          </Trans>
        </li>
        <li>
          <Trans>
            <strong>failing:</strong> something is wrong. Press it to see what, and say nothing private meanwhile.
          </Trans>
        </li>
      </ul>
    </>
  );
}
