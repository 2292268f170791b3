import { EVERYTHING, type Policy } from "@sealcast/frame";
import type { MediaPool } from "@sealcast/media";
import type { Announcement } from "./message.ts";

const SOURCE = "camera";

/** To everybody; `delivered` is to be called once all have it. */
type Tell = (announcement: Announcement, delivered: () => void) => void;

/** Where frames are sealed; null as long as there is nothing to seal in. */
interface Sealing {
  readonly pool: Pick<MediaPool, "follow"> | null;
}

/**
 * How much of this person's picture is sealed. To leave more readable is announced first and done when everybody has
 * heard: until then they refuse such frames. To seal everything is done at once. In every epoch a choice is announced
 * again, since each begins with everything sealed.
 */
export class Selection {
  readonly #media: Sealing;
  readonly #tell: Tell;
  #policy: Policy = EVERYTHING;
  #epoch: number | null = null;
  #announced = 0;

  constructor(media: Sealing, tell: Tell) {
    this.#media = media;
    this.#tell = tell;
  }

  choose(policy: Policy): void {
    this.#policy = policy;
    this.#announce();
  }

  entered(epoch: number): void {
    this.#epoch = epoch;
    if (this.#policy.mode !== "everything") this.#announce();
  }

  #announce(): void {
    if (this.#epoch === null) return;
    if (this.#policy.mode === "everything") this.#follow();
    const number = ++this.#announced;
    // Another one may have overtaken it.
    this.#tell({ type: "policy", source: SOURCE, epoch: this.#epoch, policy: this.#policy }, () => {
      if (number === this.#announced) this.#follow();
    });
  }

  #follow(): void {
    if (this.#epoch !== null) this.#media.pool?.follow(SOURCE, this.#epoch, this.#policy);
  }
}
