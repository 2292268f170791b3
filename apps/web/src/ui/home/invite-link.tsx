import { Trans } from "@lingui/react/macro";
import { type SubmitEvent, useState } from "react";
import { useLocation } from "wouter";
import { type Invite, readInvite } from "../../session/invite.ts";
import button from "../button.module.css";
import fields from "../parts/fields.module.css";
import styles from "./home.module.css";

/** For who has a link as text, and no address bar, as in an installed app. */
export function InviteLink() {
  const [, navigate] = useLocation();
  const [text, setText] = useState("");
  const [invite, setInvite] = useState<Invite | null>(null);

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const read = await readInvite(text, location.href);
    if (read.ok) navigate(read.path);
    else setInvite(read);
  };

  return (
    <form className={styles.invite} onSubmit={submit}>
      <label className={fields.field}>
        <Trans>Have an invite link?</Trans>
        {/* Nobody but this page gets to read it: no list of what was typed, and no spelling checked elsewhere. */}
        <input
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setInvite(null);
          }}
          dir="ltr"
          inputMode="url"
          enterKeyHint="go"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          translate="no"
        />
      </label>
      <button type="submit" className={button.quiet} disabled={text.trim() === ""}>
        <Trans>Open link</Trans>
      </button>
      <p role="alert" className={styles.failed}>
        {invite !== null && !invite.ok && <Refusal invite={invite} />}
      </p>
    </form>
  );
}

function Refusal({ invite }: { invite: Exclude<Invite, { ok: true }> }) {
  if (invite.why === "elsewhere")
    return (
      <Trans>
        This link is for another site, <bdi>{invite.host}</bdi>. Open it in the browser’s address bar.
      </Trans>
    );
  if (invite.why === "damaged") return <Trans>This link is damaged or incomplete. Ask for it again.</Trans>;
  return <Trans>There is no invite link in this. Copy all of it and paste it here.</Trans>;
}
