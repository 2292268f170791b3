import type { FromKeys } from "@sealcast/keys";
import type { Files } from "../files/files.ts";
import type { MediaSession } from "../media-session.ts";
import type { CallServer } from "./call-server.ts";
import { type CallView, type Problem, REFUSALS } from "./call-view.ts";
import type { Comparing } from "./comparing.ts";
import type { Holding } from "./holding.ts";
import type { Hosting } from "./hosting.ts";
import type { KnownPeers } from "./known-peers.ts";
import type { Messages } from "./messages.ts";
import type { People } from "./people.ts";
import type { Recordings } from "./recordings.ts";

type Members = Extract<FromKeys, { type: "members" }>;

interface FromKeysOptions {
  people: People;
  media: MediaSession;
  messages: Messages;
  recordings: Recordings;
  files: Files;
  holding: Holding;
  hosting: Hosting;
  comparing: Comparing;
  server: CallServer;
  known(): KnownPeers | null;
  show(change: Partial<CallView>): void;
  /** The group is in a new epoch. */
  entered(members: Members): void;
  /** The call has another link: its secret. */
  relinked(secret: Uint8Array): void;
  refuse(problem: Problem): void;
  close(): void;
}

/** Gives what the keys worker says to the part of a call that it is for. */
export function fromKeys(call: FromKeysOptions): (event: FromKeys) => void {
  const { people, holding } = call;
  return (event) => {
    switch (event.type) {
      case "to-room":
        return call.server.tell(event.message);
      case "members":
        holding.changed(event);
        call.entered(event);
        call.files.changed();
        return holding.apply();
      case "removal":
        return holding.removal(event.is, event.identity);
      case "knockers":
        return call.hosting.knocked(event.knockers);
      case "answered":
        return call.show({ answer: event.is });
      case "link":
        return call.relinked(event.secret);
      case "message":
        return call.messages.heard(event.from, event.body);
      case "flood":
        return people.peers.get(event.from)?.flooded();
      case "heartbeat":
        for (const { link } of people.peers.values()) link.say("heartbeat", event.body);
        call.recordings.repeat();
        return holding.beat();
      case "peer-commit":
        people.peers.get(event.to)?.link.say("commit", event.body);
        return;
      case "alarms":
        holding.alarmed(event.alarms);
        return people.alarmed(event.alarms);
      case "code":
        return call.known()?.computed(event.identity, event.code);
      case "meeting-code":
        call.comparing.meetingCode.computed(event.identities, event.digits);
        return people.show();
      case "delivered":
        return call.messages.delivered(event);
      case "refused":
        return call.refuse(REFUSALS[event.why]);
      case "left":
        return call.close();
      case "dropped":
        return call.media.drop(event.what);
      case "noted":
        return;
    }
  };
}
