import { camera, chromium } from "./stage/browser.ts";
import type { CameraEncoding } from "./stage/person.ts";
import { expect, test } from "./stage/test.ts";

// Video of height 360 is encoded in two spatial layers at most, whatever is asked for.
test.use(chromium(camera(720)));

/** In layers, and in what no page encodes for several: those of one layer are in fanout.spec.ts. */
const ENCODINGS: CameraEncoding[] = [
  { mimeType: "video/VP9", scalabilityMode: "L3T3_KEY" },
  { mimeType: "video/H265" },
  { mimeType: "video/AV1", scalabilityMode: "L3T3" },
];

for (const encoding of ENCODINGS) {
  const codec = encoding.mimeType.slice("video/".length);
  const name = [codec, encoding.scalabilityMode].filter(Boolean).join(" ");
  test(`two people see each other in ${name}`, async ({ server, person }) => {
    const lines = encoding.scalabilityMode?.startsWith("L3") ? 720 : 360;
    const ada = await person("Ada", { lines });
    await ada.page.goto(server.url);
    test.skip(!(await ada.page.evaluate(isOffered, encoding.mimeType)), `This browser has no ${codec}.`);
    const ben = await person("Ben", { lines });
    for (const one of [ada, ben]) await one.context.addInitScript(onlyEncoding, encoding);
    const link = await ada.startCall(server.url);
    await ben.open(link);
    await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada")]);
    for (const one of [ada, ben]) {
      // Only who calls makes a video line of their own, whose layers can be chosen.
      const expected = one === ada ? encoding : { mimeType: encoding.mimeType };
      await expect.poll(() => one.encodings()).toMatchObject([expected]);
      await one.page.getByRole("button", { name: "Encryption details" }).click();
      const rows = one.page.getByRole("row", { name: /video/ });
      await expect(rows).toHaveCount(2);
      await expect(rows.getByRole("cell", { name: codec, exact: true })).toHaveCount(2);
    }
  });
}

test("who has none of the usual codecs sees everybody in their own, and everybody else keeps theirs", async ({
  server,
  person,
}) => {
  const [ada, ben, cleo] = [await person("Ada"), await person("Ben"), await person("Cleo")];
  await cleo.context.addInitScript(onlyEncoding, { mimeType: "video/VP9" });
  const link = await ada.startCall(server.url);
  await ben.open(link);
  await ben.seesMoving("Ada");
  await ada.page.getByRole("button", { name: "Encryption details" }).click();
  const sent = ada.page.getByRole("row", { name: /You sent video to Ben/ });
  await expect(sent).toContainText("H264");
  await cleo.open(link);
  await expect(ada.page.getByRole("row", { name: /You sent video to Cleo/ })).toContainText("VP9", { timeout: 15_000 });
  await Promise.all([ben.seesMoving("Ada"), cleo.seesMoving("Ada"), cleo.seesMoving("Ben"), ada.seesMoving("Cleo")]);
  await expect(sent).toContainText("H264");
});

/**
 * Runs in the page: a browser that has this one video codec and encodes in these layers, with a slow camera of the
 * height that they need.
 */
function onlyEncoding({ mimeType, scalabilityMode }: { mimeType: string; scalabilityMode?: string }): void {
  const getCapabilities = RTCRtpReceiver.getCapabilities.bind(RTCRtpReceiver);
  RTCRtpReceiver.getCapabilities = (kind) => {
    const all = getCapabilities(kind);
    return kind === "video" && all ? { ...all, codecs: all.codecs.filter((c) => c.mimeType === mimeType) } : all;
  };
  if (scalabilityMode === undefined) return;
  const sendEncodings: (RTCRtpEncodingParameters & { scalabilityMode: string })[] = [{ scalabilityMode }];
  const { addTransceiver } = RTCPeerConnection.prototype;
  RTCPeerConnection.prototype.addTransceiver = function (kind, init) {
    return addTransceiver.call(this, kind, kind === "video" ? { ...init, sendEncodings } : init);
  };
  const getUserMedia = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
  navigator.mediaDevices.getUserMedia = (constraints) => {
    const video = constraints?.video;
    if (typeof video !== "object") return getUserMedia(constraints);
    return getUserMedia({ ...constraints, video: { ...video, width: 960, height: 540, frameRate: 10 } });
  };
}

/** Runs in the page. */
function isOffered(mimeType: string): boolean {
  return RTCRtpReceiver.getCapabilities("video")?.codecs.some((codec) => codec.mimeType === mimeType) ?? false;
}
