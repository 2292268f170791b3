import { expect, it, onTestFinished } from "vitest";
import { FanOut } from "./fan-out.ts";

it("puts nothing on a sender any more once the link is dropped, though a key frame was ready just then", async () => {
  const connection = new RTCPeerConnection();
  onTestFinished(() => connection.close());
  const camera = document.createElement("canvas").captureStream().getVideoTracks()[0] ?? null;
  const { sender } = connection.addTransceiver("video");
  await sender.replaceTrack(camera);
  const fanOut = new FanOut({ order: () => undefined, instance: () => 0, failed: () => undefined });
  fanOut.carry("link", sender, null);
  const put = fanOut.put("link");
  await fanOut.drop("link");
  const { track } = sender;
  expect(await put, "it had another picture").toBe(true);
  expect(sender.track).toBe(track);
  expect(await fanOut.put("link"), "it is not carried").toBe(false);
});
