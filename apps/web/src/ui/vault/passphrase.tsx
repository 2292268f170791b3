import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { type ReactNode, type Ref, useId } from "react";
import { LEAST_PASSPHRASE, type Strength, strengthOf } from "../../session/vault/passphrase.ts";
import fields from "../parts/fields.module.css";
import styles from "./vault.module.css";

const strengths: Record<Strength, MessageDescriptor> = {
  short: msg`Too short: at least ${LEAST_PASSPHRASE} characters.`,
  weak: msg`Weak: easy to guess. More words make it better.`,
  fair: msg`Fair: another word or two make it strong.`,
  strong: msg`Strong, if nobody else uses it and you use it nowhere else.`,
};

interface PassphraseProps {
  label: ReactNode;
  value: string;
  onChange: (value: string) => void;
  /** Is it made here, so that its strength is said; or typed a second time? */
  of?: "new" | "repeated" | "known";
  ref?: Ref<HTMLInputElement>;
}

/** A field for a passphrase. Managers may fill and keep it. */
export function Passphrase({ label, value, onChange, of = "known", ref }: PassphraseProps) {
  const { i18n } = useLingui();
  const id = useId();
  return (
    <div className={styles.passphrase}>
      <label className={fields.field}>
        {label}
        <input
          ref={ref}
          type="password"
          name="passphrase"
          value={value}
          onChange={(event) => onChange(event.target.value)}
          autoComplete={of === "known" ? "current-password" : "new-password"}
          aria-describedby={of === "new" ? id : undefined}
          maxLength={1000}
          required
        />
      </label>
      {of === "new" && (
        <output id={id} className={styles.strength}>
          {value !== "" && i18n._(strengths[strengthOf(value)])}
        </output>
      )}
    </div>
  );
}
