import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { FrameStage } from "@sealcast/metrics";

export const stages: Record<FrameStage, MessageDescriptor> = {
  capture: msg`Capture`,
  encode: msg`Encode`,
  seal: msg`Seal`,
  send: msg`Send`,
  network: msg`Network and assembly`,
  open: msg`Open`,
  "jitter-buffer": msg`Jitter buffer`,
  decode: msg`Decode`,
  render: msg`Render`,
};

/** How a stage's figure comes about. */
export const labels: Record<string, MessageDescriptor> = {
  frame: msg`per frame`,
  mean: msg`mean`,
};

export const sources: Record<string, MessageDescriptor> = {
  microphone: msg`Sound`,
  camera: msg`Picture`,
  "screen-picture": msg`Screen`,
  "screen-sound": msg`Sound of the screen`,
};

export const ways: Record<string, MessageDescriptor> = {
  host: msg`an address of its own (host)`,
  srflx: msg`an address behind a router (srflx)`,
  prflx: msg`an address behind a router (prflx)`,
  relay: msg`a relay (relay)`,
};

export const pressures: Record<string, MessageDescriptor> = {
  nominal: msg`nominal`,
  fair: msg`fair`,
  serious: msg`serious`,
  critical: msg`critical`,
};
