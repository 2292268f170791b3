import { readFileSync } from "node:fs";
import { LEAF_MESSAGES } from "@sealcast/keys";
import { KEY_FRAMES } from "@sealcast/media";
import {
  DESCRIPTION,
  DESCRIPTION_COUNTS,
  LINK_BUDGETS,
  MAX_BODY,
  MAX_WORD,
  MOST_WAITING,
  Signal,
} from "@sealcast/network";
import type { Rate } from "@sealcast/time";
import * as v from "valibot";
import { expect, it } from "vitest";
import { PAGE_BUDGETS, SHOWN_GAP, TIMINGS_OF_ALL, VIDEO_WORD_GAP } from "./budgets.ts";
import { parseMessage } from "./call/message.ts";
import { MOST_RUNS } from "./files/sending.ts";
import { MAX_FILE_BYTES, MOST_OPEN_FILES } from "./files/view.ts";
import { MOST_AHEAD } from "./files/words.ts";
import { toJson } from "./json.ts";
import { parseFromHost, parseFromViewer } from "./live/messages.ts";
import { CHANGE_GAP, MOST_OWN_LINKS } from "./peer/codec-choice.ts";
import { parseShown } from "./peer/shown.ts";
import { parseStatement } from "./recording/consent.ts";

const PROTOCOL = readFileSync(new URL("../../../../PROTOCOL.md", import.meta.url), "utf8");

/** A row of the table: NaN where it says nothing. */
interface Row {
  readonly burst: number;
  readonly perSecond: number;
  readonly largest: number;
}

/** The table's rows, by how the first cell begins. */
function rows(): Map<string, Row> {
  const [, section = ""] = PROTOCOL.split("### Between members, and between viewers and host\n");
  const lines =
    section
      .split("\n#")[0]
      ?.split("\n")
      .filter((line) => line.startsWith("| ")) ?? [];
  const cells = lines.slice(1).map((line) => line.split("|").map((cell) => cell.trim()));
  const number = (cell = "") => Number.parseFloat(cell.replaceAll(",", ""));
  return new Map(
    cells.map(([, what = "", burst, perSecond, largest]) => [
      what,
      { burst: number(burst), perSecond: number(perSecond), largest: number(largest) },
    ]),
  );
}

const TABLE = rows();
function row(what: string): Row {
  const found = TABLE.get(what);
  if (found === undefined) throw new Error(`PROTOCOL.md has no budget of ${what}`);
  return found;
}

const every = (gap: number): Rate => ({ burst: 1, perSecond: 1_000 / gap });
const atOnce = (count: number) => ({ burst: count, perSecond: Number.NaN });

const RUNNING: [string, Rate][] = [
  ["messages of a page (5, 8.8)", PAGE_BUDGETS.messages],
  ["messages inside the group (4.7) of one leaf, of any type, to this leaf or to all", LEAF_MESSAGES],
  ["`description`, `renegotiate`", LINK_BUDGETS.descriptions],
  [
    `signals that wait, of a link: one of these counts as ${DESCRIPTION_COUNTS}, \`candidates\` as 1`,
    atOnce(MOST_WAITING),
  ],
  ["sections of a description", atOnce(DESCRIPTION.sections)],
  ["lines of a section", atOnce(DESCRIPTION.lines)],
  ["formats of a section", atOnce(DESCRIPTION.formats)],
  ["`a=rtcp-fb` of a format, or of all", atOnce(DESCRIPTION.feedback)],
  ["candidates of a section", atOnce(DESCRIPTION.candidates)],
  [
    "candidates taken, each once however often it is said in the same words, of the last 1,024",
    LINK_BUDGETS.candidates,
  ],
  ["messages over the channel (5.1)", LINK_BUDGETS.channelMessages],
  ["bytes over the channel", LINK_BUDGETS.channelBytes],
  ["sizes shown that are followed (5.3), of a picture", every(SHOWN_GAP)],
  ["words about video that are followed (5.9)", every(VIDEO_WORD_GAP)],
  ["key frames that a link has made of a picture that goes to several", KEY_FRAMES],
  ["changes of the codec for everybody", every(CHANGE_GAP)],
  ["encoders for who lacks that codec", atOnce(MOST_OWN_LINKS)],
  [
    "connections of a stream: a viewer's `hello` with `fresh`, a host's higher `link`, its `relay`",
    PAGE_BUDGETS.connections,
  ],
  ["a viewer's `hello`, as far as it is answered with how the stream stands", PAGE_BUDGETS.states],
  ["a viewer's `question`", PAGE_BUDGETS.questions],
  ["a viewer's `name`", PAGE_BUDGETS.names],
  ["a viewer's `upvote`", PAGE_BUDGETS.upvotes],
  ["a viewer's `timing` (5.2)", PAGE_BUDGETS.timings],
  ["`timing` of all viewers", TIMINGS_OF_ALL],
  ["answers of a host that a viewer has not had", PAGE_BUDGETS.answers],
  ["words about files (5.7)", LINK_BUDGETS.fileWords],
  ["parts of files that were not asked for, or `arrived` that no part fits", atOnce(0)],
  ["files on offer or on their way, of one identity", atOnce(MOST_OPEN_FILES)],
  ["chunks of a file that a receiver asks for at a time", atOnce(MOST_AHEAD)],
  ["runs of a file, each of which begins somewhere", atOnce(MOST_RUNS)],
  ["statements about recordings (5.5)", PAGE_BUDGETS.statements],
  ["`chat` (5.6)", PAGE_BUDGETS.chat],
  ["`reaction`", PAGE_BUDGETS.reactions],
  ["`hand`", PAGE_BUDGETS.hands],
  ["`mute-request`", PAGE_BUDGETS.muteRequests],
  ["a member's `captioning` and `caption` (5.8)", PAGE_BUDGETS.captions],
];

it("every budget that PROTOCOL.md names is one here, and the other way round", () => {
  expect(RUNNING.map(([what]) => what)).toEqual([...TABLE.keys()]);
  expect(RUNNING.map(([, rate]) => rate)).toEqual(
    [...TABLE.values()].map(({ burst, perSecond }) => ({ burst, perSecond })),
  );
});

it("what is larger than PROTOCOL.md says is not taken", () => {
  const description = (length: number) => ({
    type: "description",
    description: { type: "offer", sdp: "x".repeat(length) },
    lines: [],
  });
  const candidates = (length: number) => ({
    type: "candidates",
    candidates: [{ candidate: "x".repeat(length), sdpMid: null, sdpMLineIndex: null, usernameFragment: null }],
  });
  const isSignal = (value: unknown) => v.is(Signal, value);
  expectLargest("`description`, `renegotiate`", (length) => isSignal(description(length)));
  expectLargest("candidates taken, each once however often it is said in the same words, of the last 1,024", (length) =>
    isSignal(candidates(length)),
  );
  expectLargest(
    "messages of a page (5, 8.8)",
    (bytes) => parseMessage(padded({ type: "candidates", candidates: [] }, bytes)) !== null,
  );
  expectLargest(
    "`chat` (5.6)",
    (length) =>
      parseMessage(toJson({ type: "chat", number: 0, text: "x".repeat(length), reply: null, again: null })) !== null,
  );
  const shown = { source: "camera", width: 1, height: 1, keepsRate: false };
  expectLargest(
    "sizes shown that are followed (5.3), of a picture",
    (bytes) => parseShown(padded(shown, bytes)) !== null,
  );
  expectLargest(
    "statements about recordings (5.5)",
    (bytes) => parseStatement(padded({ recording: null, answer: null }, bytes)) !== null,
  );
  expectLargest(
    "a viewer's `question`",
    (length) => parseFromViewer(toJson({ type: "question", text: "x".repeat(length) })) !== null,
  );
  expectLargest(
    "a member's `captioning` and `caption` (5.8)",
    (length) => parseMessage(toJson({ type: "caption", text: "x".repeat(length) })) !== null,
  );
  expectLargest(
    "a viewer's `name`",
    (length) => parseFromViewer(toJson({ type: "name", name: "x".repeat(length) })) !== null,
  );
  const answer = (length: number) => ({ id: "x".repeat(22), question: "why", answer: "x".repeat(length) });
  expectLargest(
    "answers of a host that a viewer has not had",
    (length) => parseFromHost(toJson({ type: "answer", answer: answer(length) })) !== null,
  );
  expect(row("messages over the channel (5.1)").largest).toBe(1 + MAX_BODY);
  expect(row("words about files (5.7)").largest).toBe(MAX_WORD);
  expect(row("files on offer or on their way, of one identity").largest).toBe(MAX_FILE_BYTES);
  expect(row("lines of a section").largest).toBe(DESCRIPTION.lineCharacters);
});

function expectLargest(what: string, isTaken: (size: number) => boolean): void {
  const { largest } = row(what);
  expect([largest, largest + 1].map(isTaken), `${what}: ${largest}, and one more`).toEqual([true, false]);
}

/** The message in this many bytes of JSON. */
function padded(message: object, bytes: number): Uint8Array {
  const json = toJson(message);
  const all = new Uint8Array(bytes).fill(32);
  all.set(json);
  return all;
}
