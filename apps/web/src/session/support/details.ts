import type { Encryption } from "../audit/encryption-audit.ts";
import type { CallView } from "../call/call-view.ts";
import type { Person } from "../call/person.ts";
import type { Measurable } from "../measuring/measurable.ts";
import type { Stats } from "../peer/link-stats.ts";

/** What the details say of a call: no part of the view that names someone, a room or a device. */
type Shown = Pick<
  CallView,
  | "phase"
  | "problem"
  | "lacks"
  | "signalling"
  | "answer"
  | "layers"
  | "me"
  | "devices"
  | "sharesSound"
  | "screenChoice"
  | "incomingVideo"
  | "hidesSpeech"
  | "speechShows"
  | "overloaded"
  | "overloadStep"
  | "alarms"
  | "people"
  | "encryption"
>;

interface Facts {
  view: Shown;
  /** Null before there is something to measure. */
  measurable: Pick<Measurable, "peers"> | null;
  /** What runs, and in what: sentences of the page's own. */
  page: Record<string, string>;
}

/** Of each link, what the browser counts, as far as it is a number or a word of the specification. */
const COUNTED = {
  "candidate-pair": ["currentRoundTripTime", "availableOutgoingBitrate", "bytesSent", "bytesReceived"],
  "inbound-rtp": [
    "packetsReceived",
    "packetsLost",
    "jitter",
    "framesDecoded",
    "framesDropped",
    "frameHeight",
    "freezeCount",
  ],
  "outbound-rtp": [
    "packetsSent",
    "framesEncoded",
    "frameHeight",
    "framesPerSecond",
    "qualityLimitationReason",
    "targetBitrate",
  ],
  "remote-inbound-rtp": ["fractionLost", "roundTripTime", "jitter"],
} as const;
const WORD = /^[a-z-]{1,20}$/;

/**
 * What helps to find a fault, as text that a person reads before they give it away. It is put together from what is listed
 * here and from nothing else: no name, link, address, key, message or label of a device is in it.
 */
export function supportDetails({ view, measurable, page }: Facts): string {
  const links = measurable?.peers() ?? [];
  return [
    section("Page", Object.entries(page)),
    section("Call", callOf(view)),
    section("Devices", devicesOf(view)),
    section("Encryption", encryptionOf(view.encryption)),
    ...view.people.map((person, at) => section(`Person ${at + 1}`, personOf(person))),
    ...links.map(({ stats }, at) => section(`Link ${at + 1}`, stats.latest.entries.flatMap(linkOf))),
  ].join("\n\n");
}

type Line = [what: string, is: string];

function section(title: string, lines: readonly Line[]): string {
  return [title, ...lines.map(([what, is]) => `  ${what}: ${is}`)].join("\n");
}

function callOf(view: Shown): Line[] {
  return [
    ["phase", view.phase],
    ["problem", view.problem ?? "none"],
    ["lacks", list(view.lacks)],
    ["answer", view.answer ?? "none"],
    ["server", view.signalling],
    ["people", `${view.people.length}`],
    ["layers", `${view.layers}`],
    ["alarms", list(view.alarms.map(({ what }) => what))],
    ["overloaded", `${view.overloaded}, step ${view.overloadStep}`],
    ["incoming video", `${view.incomingVideo}`],
  ];
}

function devicesOf({ me, devices, screenChoice, sharesSound, hidesSpeech, speechShows }: Shown): Line[] {
  const { content, lines, framesPerSecond } = screenChoice;
  const { cameras, microphones, speakers } = devices;
  return [
    ["camera", `${me.camera.on ? "on" : "off"}, ${me.camera.problem ?? "no problem"}`],
    ["microphone", `${me.microphone.on ? "on" : "off"}, ${me.microphone.problem ?? "no problem"}`],
    ["found", `${cameras.length} cameras, ${microphones.length} microphones, ${speakers.length} speakers`],
    ["screen", `${me.screen}, sound ${sharesSound}, ${content}, ${lines ?? "all"} lines, ${framesPerSecond} a second`],
    ["hides speech", `${hidesSpeech}, shows ${speechShows}`],
  ];
}

function encryptionOf({ state, epoch, causes, dropped, encoders, tracks }: Encryption): Line[] {
  return [
    ["state", state],
    ["epoch", `${epoch ?? "none"}`],
    ["causes", list(causes.map(({ track, why, count }) => `${track} ${why} ${count}`))],
    ["refused from the server", counts(dropped)],
    ["encoded once", list(encoders.map(({ source, lines, people }) => `${source} ${lines} for ${people}`))],
    ...tracks.map(({ direction, source, codec, frames, dropped, p95 }): Line => {
      const refused = `refused ${counts(dropped)}`;
      return [
        `${direction} ${source}`,
        `${codec ?? "no codec"}, ${frames} frames, ${refused}, p95 ${Math.round(p95)} us`,
      ];
    }),
  ];
}

function personOf(person: Person): Line[] {
  return [
    ["connection", person.connection],
    ["breach", person.breach ?? "none"],
    ["camera", `${person.camera}, paused ${person.videoPaused ?? "no"}`],
    ["microphone", `${person.microphone}`],
    ["screen", `${person.screen !== null}`],
    ["heard of", `${person.isHeardOf}, answering ${person.answering}`],
    ["missing", list(person.missing)],
  ];
}

function linkOf(entry: Stats): Line[] {
  const { type } = entry;
  if (type === "candidate-pair" && entry.nominated !== true) return [];
  if (!isCounted(type)) return [];
  const values = new Map(Object.entries(entry));
  const said = COUNTED[type].flatMap((name) => {
    const value: unknown = values.get(name);
    const isSafe = typeof value === "number" || (typeof value === "string" && WORD.test(value));
    return isSafe ? [`${name} ${typeof value === "number" ? Math.round(1e4 * value) / 1e4 : value}`] : [];
  });
  const kind = entry.kind === "audio" || entry.kind === "video" ? ` ${entry.kind}` : "";
  return said.length === 0 ? [] : [[`${type}${kind}`, said.join(", ")]];
}

function isCounted(type: string): type is keyof typeof COUNTED {
  return type in COUNTED;
}

function counts(of: Record<string, number>): string {
  return list(Object.entries(of).map(([why, count]) => `${why} ${count}`));
}

function list(words: readonly string[]): string {
  return words.length === 0 ? "none" : words.join(", ");
}
