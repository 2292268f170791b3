import type { FilePlace } from "@sealcast/media";

/**
 * Where the person has the browser write a file, as it comes. To be called in the task of a click. Null: they chose no place.
 * "unsupported": this browser has pages write nowhere but in its own storage.
 */
export async function chosenPlace(suggestedName: string): Promise<FilePlace | null | "unsupported"> {
  const pick = (window as Picking).showSaveFilePicker;
  if (pick === undefined) return "unsupported";
  try {
    const handle = await pick.call(window, { suggestedName, id: "sealcast-files" });
    return { type: "chosen", handle };
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") return null;
    // It may be refused, as by the policy of an organisation.
    return "unsupported";
  }
}

interface Picking {
  /** Chromium alone has it. */
  showSaveFilePicker?: (options: { suggestedName: string; id: string }) => Promise<FileSystemFileHandle>;
}
