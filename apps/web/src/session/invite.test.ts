import { newLink } from "@sealcast/keys";
import { describe, expect, it } from "vitest";
import { readInvite } from "./invite.ts";

const HERE = "https://call.example/";
const { room, secret } = await newLink(1);
const path = `/call/${room}#${secret}`;
const link = `https://call.example${path}`;
const other = await newLink(2);

describe("an invite link that is pasted", () => {
  it.each([
    ["alone", link],
    ["with space around it", `\n ${link}\t`],
    ["in a message", `Ada invites you: ${link}. See you at 10/11!`],
    ["in brackets", `<${link}>`],
    ["in quotes", `„${link}“`],
    ["between marks of direction", `\u200f\u2068${link}\u2069`],
    ["in an Arabic sentence", `انضم إلى المكالمة: ${link}، شكرًا`],
    ["without its scheme", `call.example${path}`],
    ["its path alone", path],
    ["with another scheme", link.replace("https", "http")],
    ["after another link", `https://example.org/agenda ${link}`],
  ])("opens: %s", async (_, text) => {
    expect(await readInvite(text, HERE)).toEqual({ ok: true, path });
  });

  it("opens where it asks for two layers", async () => {
    const twice = `/call/${other.room}#${other.secret}`;
    expect(await readInvite(`https://call.example${twice}`, HERE)).toEqual({ ok: true, path: twice });
  });

  it.each([
    ["without its secret", link.slice(0, link.indexOf("#"))],
    ["cut short", link.slice(0, -1)],
    ["with one letter changed", link.replace(/.$/, (last) => (last === "A" ? "E" : "A"))],
    ["with another room's secret", `https://call.example/call/${room}#${other.secret}`],
    ["with more to its path", link.replace("#", "/x#")],
    ["of a stream, cut short", `https://call.example/watch/${room}#AAAA`],
  ])("is said to be damaged: %s", async (_, text) => {
    expect(await readInvite(text, HERE)).toEqual({ ok: false, why: "damaged" });
  });

  it.each([
    ["another site's", link.replace("call.example", "call.example.org"), "call.example.org"],
    ["one with another port", link.replace("call.example", "call.example:8443"), "call.example:8443"],
    ["one with a name before another site", link.replace("call.example", "call.example@evil.example"), "evil.example"],
    ["a script", "javascript:/call/x", "javascript"],
  ])("is not opened here: %s", async (_, text, host) => {
    expect(await readInvite(text, HERE)).toEqual({ ok: false, why: "elsewhere", host });
  });

  it.each([
    ["nothing", ""],
    ["words", "see you at 10/11"],
    ["another page of this site", "https://call.example/vault"],
    ["no address", "http://%/call/x"],
    ["more than any message", `${"x ".repeat(3_000)}${link}`],
  ])("is not found in %s", async (_, text) => {
    expect(await readInvite(text, HERE)).toEqual({ ok: false, why: "none" });
  });
});
