import { useEffect } from "react";
import { usesShortcuts } from "../stored.ts";
import { useTalking } from "./talking.ts";

/** The space bar, held: the person talks. Loaded where they have chosen that. */
export default function SpaceKey() {
  const hold = useTalking();

  useEffect(() => {
    let isHeld = false;
    // A key press makes the focus visible wherever it is: what counts is how it came there.
    let isByKeyboard = document.activeElement?.matches(":focus-visible") === true;
    const focus = ({ target }: FocusEvent) => {
      isByKeyboard = target instanceof Element && target.matches(":focus-visible");
    };
    const point = () => {
      isByKeyboard = false;
    };
    const press = (event: KeyboardEvent) => {
      if (event.key !== " " || !usesShortcuts() || hasUseFor(event, isByKeyboard)) return;
      // A button that was clicked still has the focus, and would be pressed; a page would scroll.
      event.preventDefault();
      isHeld = true;
      if (!event.repeat) hold(true);
    };
    const letGo = (event: KeyboardEvent) => {
      if (event.key !== " ") return;
      // Some browsers press a button when the key goes up.
      if (isHeld) event.preventDefault();
      isHeld = false;
      hold(false);
    };
    addEventListener("focusin", focus);
    addEventListener("pointerdown", point);
    addEventListener("keydown", press);
    addEventListener("keyup", letGo);
    return () => {
      removeEventListener("focusin", focus);
      removeEventListener("pointerdown", point);
      removeEventListener("keydown", press);
      removeEventListener("keyup", letGo);
    };
  }, [hold]);
  return null;
}

const TYPED_INTO = "input:not([type=checkbox], [type=radio], [type=file]), textarea, select, [contenteditable]";
const PRESSED = "button, a, summary, label, input, [role], [tabindex]:not([tabindex='-1']), audio, video";

/** Whether the space bar means something else there: text, or a control that the keyboard has reached. */
function hasUseFor({ target, ctrlKey, metaKey, altKey }: KeyboardEvent, isByKeyboard: boolean): boolean {
  if (ctrlKey || metaKey || altKey || !(target instanceof Element)) return true;
  if (target.closest(TYPED_INTO) !== null) return true;
  return isByKeyboard && target.matches(PRESSED) && target.closest("[data-talk]") === null;
}
