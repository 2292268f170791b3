import { expect, it, onTestFinished } from "vitest";
import type { FanOutOrder } from "../shared/fan-out.ts";
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

it("carries a picture that has ended as none", () => {
  const connection = new RTCPeerConnection();
  onTestFinished(() => connection.close());
  const camera = document.createElement("canvas").captureStream().getVideoTracks()[0] ?? expect.unreachable();
  const { sender } = connection.addTransceiver("video");
  const orders: FanOutOrder[] = [];
  const fanOut = new FanOut({ order: (order) => orders.push(order), instance: () => 0, failed: () => undefined });
  fanOut.show(camera);
  camera.stop();
  fanOut.carry("link", sender, null);
  expect(orders.filter(({ type }) => type === "show")).toEqual([expect.objectContaining({ picture: null })]);
});
