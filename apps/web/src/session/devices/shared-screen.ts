import { openScreen, resizeScreen, type Screen, type ScreenShape } from "@sealcast/media";

/** What of a screen matters, where not all of it gets through: that it can be read, or that it moves. */
export type ScreenContent = "text" | "motion";

/** How a screen is shared. */
export interface ScreenChoice extends ScreenShape {
  content: ScreenContent;
}

/** Frames in a second, of each kind: what is read on a screen is to be sharp, and moves little. */
export const USUAL_RATE: Record<ScreenContent, number> = { text: 15, motion: 30 };

const FIRST_CHOICE: ScreenChoice = { content: "text", lines: 1080, framesPerSecond: USUAL_RATE.text };

/** A screen, window or tab that this person shares, with its sound where the browser gives it. Owns the tracks. */
export class SharedScreen {
  readonly #changed: () => void;
  #screen: Screen | null = null;
  #choice = FIRST_CHOICE;
  /** The latest; a screen that is chosen after it has changed is let go again. */
  #wish = 0;

  /** `changed` is called after every change of track or choice. */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  get picture(): MediaStreamTrack | null {
    return this.#screen?.picture ?? null;
  }

  get sound(): MediaStreamTrack | null {
    return this.#screen?.sound ?? null;
  }

  get choice(): ScreenChoice {
    return this.#choice;
  }

  /** Has the person choose a screen, window or tab, or stops sharing it. To be called in the task of a click. */
  async share(on: boolean): Promise<void> {
    const wish = ++this.#wish;
    const screen = on ? await openScreen(this.#choice, { sound: true }) : null;
    if (wish !== this.#wish) return stop(screen);
    // Who closes the browser's window of choice goes on sharing what they share.
    if (on && screen === null) return;
    stop(this.#screen);
    this.#screen = screen;
    if (screen !== null) this.#follow(screen);
    this.#changed();
  }

  /** Also of a screen that is shared now. */
  async choose(choice: ScreenChoice): Promise<void> {
    this.#choice = choice;
    const { picture } = this;
    if (picture !== null) picture.contentHint = choice.content;
    // What was chosen shows at once: the browser takes its time to resize.
    this.#changed();
    if (picture !== null) await resizeScreen(picture, choice);
  }

  close(): void {
    this.#wish++;
    stop(this.#screen);
    this.#screen = null;
  }

  #follow({ picture, sound }: Screen): void {
    picture.contentHint = this.#choice.content;
    // The browser's own "Stop sharing".
    picture.addEventListener("ended", () => picture === this.picture && this.share(false));
    // The tab goes on without it.
    sound?.addEventListener("ended", () => {
      if (this.#screen?.sound !== sound) return;
      this.#screen = { picture, sound: null };
      this.#changed();
    });
  }
}

function stop(screen: Screen | null): void {
  screen?.picture.stop();
  screen?.sound?.stop();
}
