import { useStore } from "zustand";
import { createStore } from "zustand/vanilla";
import { recall, remember } from "../../stored.ts";

const SIZES = ["small", "medium", "large", "largest"] as const;
type CaptionSize = (typeof SIZES)[number];

interface CaptionSettings {
  size: CaptionSize;
  /** Each caption is announced to screen readers. */
  isAnnounced: boolean;
}

const sizeKey = "sealcast.caption-size";
const announcedKey = "sealcast.captions-announced";

const settings = createStore<CaptionSettings>(() => ({
  size: SIZES.find((size) => size === recall(sizeKey)) ?? "medium",
  isAnnounced: recall(announcedKey) === "yes",
}));

/** How captions look and are read, as this browser remembers. */
export const useCaptionSettings = (): CaptionSettings => useStore(settings);

export function setCaptionSize(value: string): void {
  const size = SIZES.find((one) => one === value);
  if (size === undefined) return;
  remember(sizeKey, size);
  settings.setState({ size });
}

export function announceCaptions(isAnnounced: boolean): void {
  remember(announcedKey, isAnnounced ? "yes" : "no");
  settings.setState({ isAnnounced });
}
