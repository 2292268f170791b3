import { expect, test } from "vitest";
import { paired } from "./importing.ts";

const file = (name: string) => new File([], name);

test("a signature goes with the file that has its name", () => {
  const [call, signature, photo] = [file("A call.mp4.age"), file("A call.mp4.age.SIG"), file("photo.png")];
  expect(paired([signature, photo, call])).toEqual({
    importable: [
      { file: photo, sidecar: null },
      { file: call, sidecar: signature },
    ],
    lone: [],
  });
});

test("a signature whose file was not chosen is named", () => {
  const signature = file("A call.mp4.age.sig");
  expect(paired([signature, file("Another.mp4.age")])).toMatchObject({ lone: [signature] });
});
