import { SerialQueue } from "@sealcast/time";
import type { Lifetime } from "../lifetime.ts";
import type { DeviceKind, LocalMedia, LocalSource } from "./local.ts";

/** What happened to a device without the person's doing, and is settled. */
export interface DeviceNews {
  kind: DeviceKind;
  /** `replaced`: it went, another took its place; `returned`: it is back; `followed`: the system chose another one. */
  is: "replaced" | "returned" | "followed";
  /** The browser's name for the device that is in use now; "" where it has none. */
  label: string;
}

interface DeviceWatchOptions {
  local: LocalMedia;
  news(news: DeviceNews): void;
  /** The devices that there are now. */
  list(): Promise<MediaDeviceInfo[]>;
}

const SOURCES: readonly LocalSource[] = ["camera", "microphone"];

/** Brings devices back that went away, were blocked or were taken, and goes on with others where sound would stop. */
export class DeviceWatch {
  readonly #options: DeviceWatchOptions;
  /** Chosen by the person and gone: another is in use until it is back. */
  readonly #missed = new Map<DeviceKind, string>();
  /** The microphone and loudspeaker behind the system's choice, as its group. */
  #usual = "";
  /** One device after the other: what is found out of one may be news of another. */
  readonly #steps = new SerialQueue();
  #isDue = false;

  constructor(life: Lifetime, options: DeviceWatchOptions) {
    this.#options = options;
    life.on(navigator.mediaDevices, "devicechange", () => void this.look());
    for (const source of SOURCES) void this.#watchPermission(life, source);
  }

  /** A device ended while it was on. Where the microphone went, another one goes on at once. */
  lost(source: LocalSource): Promise<void> {
    return this.#steps.run(() => this.#lost(source));
  }

  async #lost(source: LocalSource): Promise<void> {
    const { local } = this.#options;
    if ((await permission(source))?.state === "denied") return local.blame(source, "denied");
    // What the person chose meanwhile goes before any that is found for them.
    await local.settled(source);
    const waiting = local.waiting.get(source);
    if (source === "camera" || waiting === undefined) return;
    const { chosen } = local.view;
    if (chosen.microphone !== "") this.#missed.set("microphone", chosen.microphone);
    await this.#use("microphone", "", "replaced");
  }

  /** Has another device go on, and says so, unless the person chose one while that opened. */
  async #use(source: LocalSource, deviceId: string, is: DeviceNews["is"]): Promise<void> {
    const { local } = this.#options;
    await local.resume(source, deviceId);
    if (local.view.chosen[source] === deviceId) this.#tell(source, is);
  }

  /** The person chose another device of that kind: the one that went is not to take its place. */
  forget(kind: DeviceKind): void {
    this.#missed.delete(kind);
  }

  /** Devices came or went. */
  async look(): Promise<void> {
    if (this.#isDue) return;
    this.#isDue = true;
    await this.#steps.run(async () => {
      this.#isDue = false;
      await this.#settle(await this.#options.list());
    });
  }

  async #settle(found: readonly MediaDeviceInfo[]): Promise<void> {
    this.#settleSpeaker(found);
    await this.#settleMicrophone(found);
    await this.#settleCamera(found);
  }

  async #settleCamera(found: readonly MediaDeviceInfo[]): Promise<void> {
    const { local } = this.#options;
    await local.settled("camera");
    const camera = local.waiting.get("camera");
    const wanted = local.view.chosen.camera || (camera?.deviceId ?? "");
    const isThere = found.some(({ kind, deviceId }) => kind === "videoinput" && (wanted === "" || deviceId === wanted));
    if (camera !== undefined && local.view.camera.problem !== "denied" && isThere)
      await this.#use("camera", wanted, "returned");
  }

  #settleSpeaker(found: readonly MediaDeviceInfo[]): void {
    const { local } = this.#options;
    const { speaker } = local.view.chosen;
    const labelOf = (id: string) =>
      found.find(({ kind, deviceId }) => kind === "audiooutput" && deviceId === id)?.label;
    const missed = this.#missed.get("speaker") ?? "";
    if (speaker !== "" && labelOf(speaker) === undefined) {
      this.#missed.set("speaker", speaker);
      void local.choose("speaker", "");
      this.#options.news({ kind: "speaker", is: "replaced", label: "" });
    } else if (missed !== "" && labelOf(missed) !== undefined) {
      this.#missed.delete("speaker");
      if (speaker !== "") return;
      void local.choose("speaker", missed);
      this.#options.news({ kind: "speaker", is: "returned", label: labelOf(missed) ?? "" });
    }
  }

  async #settleMicrophone(found: readonly MediaDeviceInfo[]): Promise<void> {
    const { local } = this.#options;
    await local.settled("microphone");
    const inputs = found.filter(({ kind }) => kind === "audioinput");
    const usual = inputs.find(({ deviceId }) => deviceId === "default")?.groupId ?? "";
    const isOther = this.#usual !== "" && usual !== "" && usual !== this.#usual;
    this.#usual = usual;
    const missed = this.#missed.get("microphone") ?? "";
    const { chosen, sound, microphone } = local.view;
    if (missed !== "" && inputs.some(({ deviceId }) => deviceId === missed)) {
      this.#missed.delete("microphone");
      // Who has turned it off meanwhile has it chosen, and not open.
      await local.choose("microphone", missed);
      if (local.view.chosen.microphone === missed) this.#tell("microphone", "returned");
    } else if (
      sound === null &&
      local.waiting.has("microphone") &&
      microphone.problem !== "denied" &&
      inputs.length > 0
    ) {
      if (chosen.microphone !== "") this.#missed.set("microphone", chosen.microphone);
      await this.#use("microphone", "", "returned");
    } else if (isOther && sound !== null && (chosen.microphone === "" || chosen.microphone === "default")) {
      await this.#use("microphone", "", "followed");
    }
  }

  /** Allowed again: what was blocked is tried again. Not allowed any more: the browser ends the track. */
  async #watchPermission(life: Lifetime, source: LocalSource): Promise<void> {
    const status = await permission(source);
    if (status === null) return;
    const { local } = this.#options;
    life.on(status, "change", () => {
      const isBlocked = local.view[source].problem === "denied" && local.waiting.has(source);
      if (status.state === "granted" && isBlocked) void local.resume(source, local.view.chosen[source]);
      if (status.state === "denied" && local.waiting.has(source)) local.blame(source, "denied");
    });
  }

  #tell(kind: LocalSource, is: DeviceNews["is"]): void {
    const { local } = this.#options;
    const label = local.labelOf(kind);
    if (label !== null) this.#options.news({ kind, is, label });
  }
}

/** Null where the browser does not say. */
async function permission(name: LocalSource): Promise<PermissionStatus | null> {
  // Rejects where the browser knows no such permission.
  return (await navigator.permissions?.query({ name }).catch(() => null)) ?? null;
}
