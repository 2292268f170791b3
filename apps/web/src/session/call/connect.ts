import type { GroupMember } from "@sealcast/keys";
import type { Devices } from "../devices/devices.ts";
import type { Files } from "../files/files.ts";
import type { MediaSession } from "../media-session.ts";
import { soundFormat } from "../peer/sound-format.ts";
import type { Holding } from "./holding.ts";
import type { PostToKeys } from "./keys.ts";
import type { ShownMember } from "./known-peers.ts";
import type { Messages } from "./messages.ts";
import { Peer } from "./peer.ts";
import type { People } from "./people.ts";
import type { Recordings } from "./recordings.ts";

interface Parts {
  media: MediaSession;
  devices: Devices;
  messages: Messages;
  recordings: Recordings;
  files: Files;
  holding: Holding;
  post: PostToKeys;
  people: People;
}

/** The connection to one member: what is said over it goes to whom it concerns. Null where there are no media workers yet. */
export function connect(shown: ShownMember, me: GroupMember, parts: Parts): Peer | null {
  const { media, devices, messages, recordings, files, holding, people, post } = parts;
  const mediaParts = media.parts;
  if (mediaParts === null) return null;
  const { leaf, leafKeyId, identity } = shown.member;
  const peer: Peer = new Peer(shown, me, {
    parts: mediaParts,
    local: devices.local,
    sound: (source) => soundFormat(source, { receivers: people.peers.size, hidesSpeech: devices.hidesSpeech }),
    signal: (signal) => messages.tell(leafKeyId, signal),
    reachable: (up) => post({ type: "reachable", leaf, up }),
    opened: () => recordings.say(peer),
    goodbye: () => {
      recordings.forget(leafKeyId);
      files.lost(leafKeyId, true);
      post({ type: "goodbye", leafKeyId });
    },
    forged: () => {
      media.drop("forged");
      people.show();
    },
    heard: (kind, body) => {
      if (kind === "heartbeat") post({ type: kind, from: leafKeyId, body });
      if (kind === "commit") post({ type: "peer-commit", from: leafKeyId, body });
      if (kind === "removing") holding.heard(identity, body);
      if (kind === "recording") recordings.heard(peer, body);
    },
    files: files.eventsOf(leafKeyId),
    closed: () => files.lost(leafKeyId, holding.removed.includes(leafKeyId)),
    breached: (breach) => {
      recordings.forget(leafKeyId);
      files.lost(leafKeyId, true);
      media.drop(breach);
      media.encoding.spread();
    },
    changed: () => {
      people.show();
      files.changed();
    },
  });
  return peer;
}
