import type { SelectivePage } from "./selective.ts";
import { PictureReceiver, PictureSender } from "./selective-call.page.ts";
import { memory, PacketWorker } from "./selective-packets.page.ts";

/** The page's part of the experiment, with all that it has under way. */
export function selective(): SelectivePage {
  let pictures: Uint8Array[] = [];
  let packets: PacketWorker | null = null;
  let pacing: PacketWorker | null = null;
  let sender: PictureSender | null = null;
  let receiver: PictureReceiver | null = null;
  return {
    packetPictures(taken) {
      pictures = taken;
    },
    packetSession(session) {
      packets ??= new PacketWorker(pictures);
      return packets.session(session);
    },
    endPackets() {
      packets?.close();
      packets = null;
    },
    startPace(pace) {
      pacing = new PacketWorker(pictures);
      pacing.pace(pace);
    },
    endPace() {
      pacing?.close();
      pacing = null;
    },
    memory,
    async callOffer(terms) {
      sender = await PictureSender.open(terms);
      return sender.offer();
    },
    callAnswer(terms, offer) {
      receiver = new PictureReceiver(terms);
      return receiver.answer(offer);
    },
    callAnswered: async (answer) => sender?.answered(answer),
    callWatch(ms) {
      if (receiver === null) throw new Error("there is no call to watch");
      return receiver.watch(ms);
    },
    callSealP95Us: async () => (await sender?.transformP95Us()) ?? 0,
    callEnd() {
      sender?.close();
      receiver?.close();
      sender = null;
      receiver = null;
    },
  };
}
