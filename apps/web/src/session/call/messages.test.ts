import { expect, it } from "vitest";
import { parseMessage } from "./message.ts";
import { Messages } from "./messages.ts";

type Options = ConstructorParameters<typeof Messages>[0];

/** What the page gives to the keys worker. */
function scene() {
  const sent: { to: string; body: Uint8Array; receipt?: number }[] = [];
  const post: Options["post"] = (message) => {
    if (message.type === "send") sent.push(message);
  };
  const held: boolean[] = [];
  const talk = { hold: (isHeld: boolean) => held.push(isHeld) };
  return { sent, held, messages: new Messages({ post, talk } as unknown as Options) };
}

it("a message has one length whatever it is, and a long one the next in steps of 1,024 bytes", () => {
  const { sent, messages } = scene();
  const say = (text: string) => messages.tell("all", { type: "chat", number: 0, text, reply: null, again: null });
  say("a");
  say("x".repeat(900));
  messages.tell("all", { type: "reaction", reaction: "heart" });
  messages.tell("all", { type: "hand", version: 3, place: 12 });
  messages.tell("someone", { type: "mute-request" });
  say("x".repeat(1_000));
  expect(sent.map(({ body }) => body.length)).toEqual([1_024, 1_024, 1_024, 1_024, 1_024, 2_048]);
  expect(parseMessage(sent[0]?.body ?? new Uint8Array())).toEqual({
    type: "chat",
    number: 0,
    text: "a",
    reply: null,
    again: null,
  });
});

it("the sender hears once that everybody has a message, and of no other", () => {
  const { sent, messages } = scene();
  const heard: string[] = [];
  messages.tell("all", { type: "mute-request" });
  messages.tell("all", { type: "reaction", reaction: "heart" }, () => heard.push("heart"));
  messages.tell("all", { type: "reaction", reaction: "laughing" }, () => heard.push("laughing"));
  const [none, heart, laughing] = sent.map(({ receipt }) => receipt);
  expect(none).toBeUndefined();
  for (const receipt of [laughing, laughing, 77, heart]) messages.delivered({ receipt: receipt ?? 0, missed: [] });
  expect(heard).toEqual(["laughing", "heart"]);
});

it("what people say waits while someone is being removed, in order, and nothing else does", () => {
  const { sent, held, messages } = scene();
  const types = () => sent.splice(0).map(({ body }) => parseMessage(body)?.type);
  messages.holdTalk(true);
  messages.tell("all", { type: "caption", text: "said" });
  messages.tell("all", { type: "captioning", on: false });
  messages.tell("all", { type: "file", id: "i".repeat(22), secret: "s".repeat(43) });
  messages.tell("all", { type: "reaction", reaction: "heart" });
  expect(types()).toEqual([]);
  messages.tell("all", { type: "hand", version: 1, place: 1 });
  messages.tell("someone", { type: "candidates", candidates: [] });
  expect(types()).toEqual(["hand", "candidates"]);
  messages.holdTalk(true);
  expect(types()).toEqual([]);
  messages.holdTalk(false);
  expect(types()).toEqual(["caption", "captioning", "file", "reaction"]);
  messages.holdTalk(false);
  messages.tell("all", { type: "reaction", reaction: "heart" });
  expect(types()).toEqual(["reaction"]);
  expect(held, "what the chat does, which holds back by itself").toEqual([true, true, false, false]);
});

it("of what waits, the latest 500 are kept", () => {
  const { sent, messages } = scene();
  messages.holdTalk(true);
  for (let number = 0; number < 600; number++) messages.tell("all", { type: "caption", text: `${number}` });
  messages.holdTalk(false);
  expect(sent).toHaveLength(500);
  expect(parseMessage(sent[0]?.body ?? new Uint8Array())).toMatchObject({ text: "100" });
});
