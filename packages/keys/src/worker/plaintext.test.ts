import fc from "fast-check";
import { expect, test } from "vitest";
import { encodePlaintext, MAX_BODY, type MessageContent, parsePlaintext } from "./plaintext.ts";

const number = fc.integer({ min: 0, max: 0xffff_ffff });
const content: fc.Arbitrary<MessageContent> = fc.oneof(
  fc.record({ type: fc.constant("hello" as const), member: fc.stringMatching(/^[A-Za-z0-9_-]{22}$/) }),
  fc.record({ type: fc.constant("bye" as const) }),
  fc.record({
    type: fc.constant("data" as const),
    number: fc.integer({ min: 0, max: 0xffff_fffe }),
    epoch: number,
    previous: number,
    body: fc.uint8Array({ maxLength: 50 }),
  }),
  fc.record({ type: fc.constant("ack" as const), direct: number, all: number }),
);

test("what is encoded is parsed back", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 255 }), content, (to, said) => {
      expect(parsePlaintext(encodePlaintext(to, said))).toEqual({ to, content: said });
    }),
  );
});

test("any bytes are parsed or refused without a throw, and what is parsed is encoded back", () => {
  const bytes = fc.tuple(fc.integer({ min: 0, max: 6 }), fc.uint8Array({ maxLength: 40 }));
  fc.assert(
    fc.property(bytes, ([type, rest]) => {
      const input = Uint8Array.of(type, ...rest);
      const parsed = parsePlaintext(input);
      if (parsed !== null) expect(encodePlaintext(parsed.to, parsed.content)).toEqual(input);
    }),
  );
});

test("a body over the limit is refused", () => {
  const data = (length: number): MessageContent => ({
    type: "data",
    number: 0,
    epoch: 0,
    previous: 0,
    body: new Uint8Array(length),
  });
  expect(parsePlaintext(encodePlaintext(1, data(MAX_BODY)))).not.toBeNull();
  expect(parsePlaintext(encodePlaintext(1, data(MAX_BODY + 1)))).toBeNull();
});

test("a message has no number that nothing could follow", () => {
  const data = (number: number): MessageContent => ({
    type: "data",
    number,
    epoch: 1,
    previous: 0,
    body: new Uint8Array(),
  });
  expect(parsePlaintext(encodePlaintext(1, data(0xffff_fffe)))).not.toBeNull();
  expect(parsePlaintext(encodePlaintext(1, data(0xffff_ffff)))).toBeNull();
});

test("each has the bytes that PROTOCOL.md gives it", () => {
  const member = "AAAAAAAAAAAAAAAAAAAAA-";
  const cases: [MessageContent, number[]][] = [
    [{ type: "hello", member }, [1, 9, ...Buffer.from(member)]],
    [{ type: "bye" }, [2, 9]],
    [
      { type: "data", number: 1, epoch: 2, previous: 3, body: Uint8Array.of(4) },
      [3, 9, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 4],
    ],
    [{ type: "ack", direct: 1, all: 2 }, [4, 9, 0, 0, 0, 1, 0, 0, 0, 2]],
  ];
  for (const [said, bytes] of cases) expect([...encodePlaintext(9, said)]).toEqual(bytes);
});

test("one of another length or with another letter is refused", () => {
  const refused: number[][] = [
    [],
    [2],
    [2, 9, 0],
    [1, 9, ...Buffer.from("A".repeat(21))],
    [1, 9, ...Buffer.from("A".repeat(23))],
    [1, 9, ...Buffer.from(`${"A".repeat(21)}+`)],
    [1, 9, ...Buffer.from(`+${"A".repeat(21)}`)],
    [3, 9, ...Buffer.alloc(11)],
    [4, 9, ...Buffer.alloc(7)],
    [4, 9, ...Buffer.alloc(9)],
    [0, 9],
    [5, 9],
  ];
  for (const bytes of refused) expect(parsePlaintext(Uint8Array.from(bytes))).toBeNull();
});

test("a body is a copy of its own", () => {
  const bytes = encodePlaintext(9, { type: "data", number: 0, epoch: 0, previous: 0, body: Uint8Array.of(1, 2) });
  const parsed = parsePlaintext(bytes);
  bytes.fill(0);
  expect(parsed).toMatchObject({ content: { body: Uint8Array.of(1, 2) } });
});
