import type { FromCaptions } from "@sealcast/captions";
import type { Messages } from "../call/messages.ts";
import type { Peer } from "../call/peer.ts";
import type { People } from "../call/people.ts";
import type { Devices } from "../devices/devices.ts";
import type { Lifetime } from "../lifetime.ts";
import { spawnCaptions } from "../workers.ts";
import { type CaptionedMember, Captions, type CaptionsView, NO_CAPTIONS } from "./captions.ts";

export type { Captions };

interface CallCaptions {
  people: People;
  devices: Devices;
  /** This person's name. */
  name(): string;
  tell: Messages["tell"];
  show(change: CaptionsView): void;
}

/** Captions of a call: its people, its microphone, and a worker that is loaded with the first caption. */
export function captionsOf(life: Lifetime, { people, devices, name, tell, show }: CallCaptions): Captions {
  const captions = new Captions({
    clock: life.clock,
    isAble: NO_CAPTIONS.isAble,
    others: () => [...people.peers.values()].map(memberOf),
    own: () => ({ name: name(), sound: devices.local.track("microphone") }),
    make,
    tell,
    date: () => Date.now(),
    show,
  });
  life.bind(() => captions.close());
  return captions;
}

function memberOf({ member, name, voices }: Peer): CaptionedMember {
  return { id: member.leafKeyId, name, sound: voices[0]?.audio ?? null };
}

/** Loaded when it is first used. */
async function make(told: (event: FromCaptions) => void) {
  const { CaptionMaker } = await import("@sealcast/captions");
  return new CaptionMaker(spawnCaptions, told);
}
