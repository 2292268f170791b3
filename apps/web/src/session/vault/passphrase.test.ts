import { expect, test } from "vitest";
import { strengthOf } from "./passphrase.ts";

test.each([
  ["", "short"],
  ["elevenchars", "short"],
  ["𝟙𝟚𝟛𝟜𝟝𝟞", "short"],
  ["aaaaaaaaaaaaaaaaaaaa", "weak"],
  ["123456789012345", "weak"],
  ["abcdefghijklmnop", "weak"],
  ["passwordpassword", "weak"],
  ["hunterhunterhunterhunter", "weak"],
  ["hannover1999", "fair"],
  ["ahouseofglass", "fair"],
  ["correct horse battery staple", "strong"],
  ["x7#kQ9!mW2$vR5", "fair"],
  ["x7#kQ9!mW2$vR5pL", "strong"],
])("%s is %s", (passphrase, strength) => {
  expect(strengthOf(passphrase)).toBe(strength);
});
