import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import fields from "../parts/fields.module.css";
import { LanguageIcon } from "../parts/icons.tsx";
import { language } from "./language.ts";
import styles from "./language-choice.module.css";
import { isLocale, LOCALES, OWN_NAMES } from "./locale.ts";

/** For who does not read the present language: a sign beside its name, and each language by its own. */
export function LanguageChoice() {
  const { i18n } = useLingui();
  const [hasFailed, setFailed] = useState(false);
  const choose = (locale: string) => {
    if (!isLocale(locale)) return;
    setFailed(false);
    language.choose(locale).catch(() => setFailed(true));
  };
  return (
    <div className={styles.choice}>
      <label className={fields.field}>
        <span className={styles.name}>
          <LanguageIcon />
          <Trans>Language</Trans>
        </span>
        <select value={i18n.locale} onChange={(event) => choose(event.target.value)}>
          {LOCALES.map((locale) => (
            <option key={locale} value={locale} lang={locale}>
              {OWN_NAMES[locale]}
            </option>
          ))}
        </select>
      </label>
      <output className={styles.failed}>
        {hasFailed && <Trans>This language did not load. Check your connection, then choose it again.</Trans>}
      </output>
    </div>
  );
}
