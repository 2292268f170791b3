import { type Browser, chromium as engine } from "@playwright/test";
import { camera, chromium, readingAloud } from "./browser.ts";

export interface ReaderScene {
  /** Its microphone hears someone read aloud. */
  reader: Browser;
}

/** For `test.extend`: a browser of its own, until the test ends. */
export const reading = {
  reader: async ({}, use: (reader: Browser) => Promise<void>): Promise<void> => {
    const browser = await engine.launch(chromium([...camera(360), ...readingAloud()]).launchOptions);
    await use(browser);
    await browser.close();
  },
};
