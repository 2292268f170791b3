import { milli } from "@sealcast/time";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { toJson } from "../json.ts";
import { COUNTS_FOR, Consent, parseStatement } from "./consent.ts";

const ANN = { leafKeyId: "ann", identity: "aa" };
const ANN_AGAIN = { leafKeyId: "ann-again", identity: "aa" };
const BEN = { leafKeyId: "ben", identity: "bb" };
const EVE = { leafKeyId: "eve", identity: "ee" };
const [ID, OTHER_ID] = ["A".repeat(22), "B".repeat(22)];

const says = (statement: object) => toJson({ recording: null, answer: null, ...statement });
const records = (id = ID, stage = "on") => says({ recording: { id, stage } });

/** What `from` tells `to`, as it comes over the connection of the two. */
function tell(from: Consent, speaker: typeof ANN, to: Consent, listener: typeof ANN, now = milli(0)): void {
  to.heard(speaker, from.statementTo(listener).body, now);
}

let ann: Consent;
let ben: Consent;
beforeEach(() => {
  [ann, ben] = [new Consent(), new Consent()];
});

/** Ann begins a recording, and Ben is asked. */
function annAsks(now = milli(0)): void {
  ann.begin();
  tell(ann, ANN, ben, BEN, now);
}

/** Ben answers, and Ann hears it. */
function benSays(yes: boolean, now = milli(0)): void {
  ben.answer(ANN.identity, yes);
  tell(ben, BEN, ann, ANN, now);
}

describe("who records is in nobody's way but by a yes", () => {
  test("who has not answered is left out; who says yes is in until they take it back", () => {
    annAsks();
    expect(ben.of(ANN.leafKeyId)).toEqual({ stage: "asked", answer: null });
    expect([ann.includes(BEN.leafKeyId), ann.answerOf(BEN.leafKeyId)]).toEqual([false, null]);
    benSays(true);
    expect([ann.includes(BEN.leafKeyId), ann.answerOf(BEN.leafKeyId)]).toEqual([true, "yes"]);
    benSays(false);
    expect([ann.includes(BEN.leafKeyId), ann.answerOf(BEN.leafKeyId)]).toEqual([false, "no"]);
  });

  test("a yes is to one recording: the next one asks again", () => {
    annAsks();
    benSays(true);
    ann.end();
    expect(ann.includes(BEN.leafKeyId)).toBe(false);
    annAsks();
    expect(ann.includes(BEN.leafKeyId)).toBe(false);
    expect(ben.of(ANN.leafKeyId)?.answer).toBeNull();
    tell(ben, BEN, ann, ANN);
    expect(ann.includes(BEN.leafKeyId)).toBe(false);
  });

  test.each([
    ["nothing between", says({})],
    ["another one between", records(OTHER_ID)],
  ])("a yes ends with the recording, and stands for none that begins again under its id, with %s", (_, between) => {
    ben.heard(EVE, records(), milli(0));
    ben.answer(EVE.identity, true);
    expect(ben.of(EVE.leafKeyId)?.answer).toBe("yes");
    ben.heard(EVE, records(ID, "paused"), milli(0));
    expect(ben.of(EVE.leafKeyId)?.answer).toBe("yes");
    ben.heard(EVE, between, milli(0));
    ben.heard(EVE, records(), milli(0));
    expect(ben.of(EVE.leafKeyId)?.answer).toBeNull();
  });

  test("a no stays a no, whatever is asked again, until the person says yes", () => {
    annAsks();
    benSays(false);
    for (let times = 0; times < 5; times++) {
      ann.end();
      annAsks();
      expect(ben.of(ANN.leafKeyId)?.answer).toBe("no");
      tell(ben, BEN, ann, ANN);
      expect([ann.includes(BEN.leafKeyId), ann.answerOf(BEN.leafKeyId)]).toEqual([false, "no"]);
    }
    benSays(true);
    expect(ann.includes(BEN.leafKeyId)).toBe(true);
  });

  test("a no is to the person: in their other tabs too; a yes is to nobody else", () => {
    annAsks();
    benSays(false);
    ben.heard(ANN_AGAIN, records(OTHER_ID), milli(0));
    expect(ben.of(ANN_AGAIN.leafKeyId)?.answer).toBe("no");
    ben.answer(ANN.identity, true);
    ben.heard(EVE, ann.statementTo(EVE).body, milli(0));
    expect(ben.of(EVE.leafKeyId)?.answer).toBeNull();
  });

  test("a yes is to what that person records, and to nothing that bears the id of another's", () => {
    ben.heard(ANN, records(ID), milli(0));
    ben.heard(EVE, records(OTHER_ID), milli(0));
    ben.answer(ANN.identity, true);
    ben.heard(ANN, records(OTHER_ID), milli(0));
    expect(ben.of(ANN.leafKeyId)?.answer).toBeNull();
  });

  test("who has joined afresh is answered as before, and has not answered", () => {
    annAsks();
    benSays(true);
    tell(ann, ANN_AGAIN, ben, BEN);
    expect(ben.of(ANN_AGAIN.leafKeyId)?.answer).toBe("yes");
    ann.forget(BEN.leafKeyId);
    expect(ann.includes(BEN.leafKeyId)).toBe(false);
  });
});

describe("what counts", () => {
  test("is said again in time: a yes that is kept back, and a recording that is not spoken of, end after 15 s", () => {
    annAsks(milli(1_000));
    benSays(true, milli(1_000));
    expect([ann.expire(milli(15_999)), ann.includes(BEN.leafKeyId), ben.expire(milli(15_999))]).toEqual([
      false,
      true,
      false,
    ]);
    tell(ben, BEN, ann, ANN, milli(15_999));
    expect([ann.expire(milli(16_000)), ben.expire(milli(16_000))]).toEqual([false, true]);
    expect(ben.of(ANN.leafKeyId)).toBeNull();
    expect([ann.expire(milli(15_999 + COUNTS_FOR)), ann.includes(BEN.leafKeyId)]).toEqual([true, false]);
  });

  test("is the speaker's own: an answer speaks for whose connection it came over, to this page's recording", () => {
    ann.begin();
    ann.heard(EVE, says({ answer: { id: ID, yes: true } }), milli(0));
    expect([ann.includes(EVE.leafKeyId), ann.includes(BEN.leafKeyId)]).toEqual([false, false]);
    ann.heard(EVE, says({ answer: { id: ownId(ann), yes: true } }), milli(0));
    expect([ann.includes(EVE.leafKeyId), ann.includes(BEN.leafKeyId)]).toEqual([true, false]);
  });

  test("is nothing that is malformed or large: what was said before stands", () => {
    ben.heard(ANN, records(), milli(0));
    for (const odd of [
      says({ recording: { id: "A".repeat(23), stage: "on" } }),
      says({ recording: { id: "A".repeat(10_000), stage: "on" } }),
      says({ recording: { id: ID, stage: "secret" } }),
      says({ answer: { id: ID, yes: 1 } }),
      says({ answer: { id: ID, yes: true, for: BEN.leafKeyId } }),
      toJson({ recording: null }),
      says({ recording: null, answer: null, more: 1 }),
      says({ recording: { id: ID, stage: "on", more: 1 } }),
      new TextEncoder().encode(new TextDecoder().decode(says({})).padEnd(257)),
      new Uint8Array(),
    ]) {
      expect(parseStatement(odd)).toBeNull();
      ben.heard(ANN, odd, milli(1));
      expect(ben.of(ANN.leafKeyId)).toEqual({ stage: "on", answer: null });
    }
    ben.heard(ANN, says({}), milli(1));
    expect(ben.of(ANN.leafKeyId)).toBeNull();
  });

  test("there is nothing to repeat where nobody records", () => {
    expect(ben.statementTo(ANN).isNothing).toBe(true);
    annAsks();
    expect([ann.statementTo(BEN).isNothing, ben.statementTo(ANN).isNothing]).toEqual([false, true]);
    ben.answer(ANN.identity, true);
    expect(ben.statementTo(ANN).isNothing).toBe(false);
    expect(ben.statementTo(EVE).body).toEqual(says({}));
  });
});

describe("the dialog", () => {
  test("asks once for each person, until it is answered or put off, however often they ask", () => {
    ben.heard(EVE, records(ID, "asked"), milli(0));
    expect(ben.isToAsk(EVE.leafKeyId)).toBe(true);
    for (const id of [ID, OTHER_ID]) {
      ben.heard(EVE, records(id), milli(0));
      expect(ben.isToAsk(EVE.leafKeyId)).toBe(true);
    }
    ben.putOff();
    expect([ben.isToAsk(EVE.leafKeyId), ben.of(EVE.leafKeyId)?.answer]).toEqual([false, null]);
    ben.heard(EVE, says({}), milli(0));
    ben.heard(EVE, records(OTHER_ID), milli(0));
    expect(ben.isToAsk(EVE.leafKeyId)).toBe(false);
    ben.heard(ANN, records(), milli(0));
    expect(ben.isToAsk(ANN.leafKeyId)).toBe(true);
    ben.answer(ANN.identity, true);
    expect(ben.isToAsk(ANN.leafKeyId)).toBe(false);
  });

  test("opens for the next recording of who was answered, when another one was put off meanwhile", () => {
    ben.heard(ANN, records(), milli(0));
    ben.answer(ANN.identity, true);
    ben.heard(EVE, records(), milli(0));
    ben.putOff();
    ben.heard(ANN, records(OTHER_ID), milli(0));
    expect([ben.isToAsk(ANN.leafKeyId), ben.isToAsk(EVE.leafKeyId)]).toEqual([true, false]);
  });

  test.each([
    ["takes it back", () => ben.heard(EVE, says({}), milli(0))],
    ["falls silent", () => ben.expire(COUNTS_FOR)],
    ["goes", () => ben.forget(EVE.leafKeyId)],
  ])("does not come and go with who %s before the answer", (_, does) => {
    ben.heard(EVE, records(ID), milli(0));
    does();
    ben.heard(EVE, records(ID), milli(0));
    expect(ben.isToAsk(EVE.leafKeyId)).toBe(false);
  });
});

/** What can happen to a recorder's page, and what any member can send to it. */
const who = fc.constantFrom(ANN, BEN, EVE);
const step = fc.oneof(
  fc.record({
    does: fc.constant("answers" as const),
    who,
    to: fc.constantFrom("current", "earlier", "made up"),
    yes: fc.boolean(),
  }),
  fc.record({ does: fc.constant("sends garbage" as const), who, bytes: fc.uint8Array() }),
  fc.record({ does: fc.constant("records" as const), who }),
  fc.record({ does: fc.constant("goes" as const), who }),
  fc.record({ does: fc.constant("waits" as const), ms: fc.integer({ min: 0, max: 20_000 }) }),
  fc.record({ does: fc.constant("begins" as const) }),
  fc.record({ does: fc.constant("ends" as const) }),
);

test("nobody without a yes at present, to this recording, said within 15 s by themself, is ever in it", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const consent = new Consent();
      const said = new Map<string, { id: string; until: number }>();
      let now = milli(0);
      let earlier = OTHER_ID;
      for (const one of steps) {
        const current = ownId(consent);
        if (one.does === "waits") now = milli(now + one.ms);
        else if (one.does === "begins" || one.does === "ends") {
          earlier = current ?? earlier;
          if (one.does === "begins") consent.begin();
          else consent.end();
        } else if (one.does === "sends garbage") consent.heard(one.who, one.bytes, now);
        else {
          const { leafKeyId } = one.who;
          said.delete(leafKeyId);
          if (one.does === "goes") consent.forget(leafKeyId);
          else if (one.does === "records") consent.heard(one.who, records(), now);
          else {
            const id = one.to === "made up" ? ID : one.to === "earlier" ? earlier : (current ?? earlier);
            consent.heard(one.who, says({ answer: { id, yes: one.yes } }), now);
            if (one.yes) said.set(leafKeyId, { id, until: now + COUNTS_FOR });
          }
        }
        consent.expire(now);
        const mayBeIn = (leafKeyId: string) => {
          const { id = null, until = 0 } = said.get(leafKeyId) ?? {};
          return id !== null && id === ownId(consent) && now < until;
        };
        for (const { leafKeyId } of [ANN, BEN, EVE]) expect(consent.includes(leafKeyId)).toBe(mayBeIn(leafKeyId));
      }
    }),
  );
});

test("whatever someone sends after a no, they are told no", () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.uint8Array(), fc.constantFrom(records(), records(OTHER_ID), says({})))),
      (sent) => {
        const consent = new Consent();
        consent.heard(EVE, records(), milli(0));
        consent.answer(EVE.identity, false);
        for (const body of sent) {
          consent.heard(EVE, body, milli(0));
          expect(parseStatement(consent.statementTo(EVE).body)?.answer?.yes ?? false).toBe(false);
        }
      },
    ),
  );
});

function ownId(consent: Consent): string | null {
  return parseStatement(consent.statementTo(EVE).body)?.recording?.id ?? null;
}
