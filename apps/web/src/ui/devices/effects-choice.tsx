import { useLingui } from "@lingui/react/macro";
import { lazy } from "react";
import { effectsWords } from "../effects/words-catalog.ts";
import { withWords } from "../language/language.ts";
import { DialogButton } from "../parts/dialog-button.tsx";
import { Loaded } from "../parts/loaded.tsx";

const Choices = lazy(() => withWords(effectsWords, import("../effects/effects.tsx")));

/** Background, noise suppression and push to talk, which are loaded when they are first shown. */
export function EffectsChoice() {
  return (
    <Loaded>
      <Choices />
    </Loaded>
  );
}

/** The same behind a button, where a person looks at their devices before a call or a stream. */
export function EffectsButton() {
  const { t } = useLingui();
  return (
    <DialogButton label={t`Background and noise`}>
      <EffectsChoice />
    </DialogButton>
  );
}
