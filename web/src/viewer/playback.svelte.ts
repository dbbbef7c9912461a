import { lessMotion } from "../ui/motion";
import { ownAddress } from "./colors";
import { frameAt, frameDurations } from "./frames";

/** How long the bytes of an animation, which the browser has, may take to be read. */
const readTime = 2000;

/** An animation, which plays, or shows a frame that stands still. */
export class Playback {
  /** Nobody has stopped it; where less motion is wanted, it waits until somebody starts it. */
  playing = $state(!lessMotion());
  #url = "";
  #since = 0;

  /** The browser shows the animation of an address from now on. */
  shown(url: string): void {
    this.#url = url;
    this.#since = performance.now();
  }

  /** The frame, from 1, that is seen now; the first where that cannot be found out. */
  async frame(frames: number): Promise<number> {
    const elapsed = performance.now() - this.#since;
    try {
      const answer = await fetch(ownAddress(this.#url, location.origin), {
        credentials: "omit",
        signal: AbortSignal.timeout(readTime),
      });
      return frameAt(
        frameDurations(new Uint8Array(await answer.arrayBuffer())),
        frames,
        elapsed,
      );
    } catch {
      return 1;
    }
  }
}
