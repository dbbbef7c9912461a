import { lessMotion } from "../ui/motion";
import { ownAddress } from "./colors";
import { frameAt, frameDurations } from "./frames";

/** Milliseconds allowed for reading the bytes of an animation, which the browser has already loaded. */
const readTime = 2000;

/** An animation that plays, or is paused at a frame. */
export class Playback {
  /** Whether the animation plays. With reduced motion it does not start by itself. */
  playing = $state(!lessMotion());
  #url = "";
  #since = 0;

  /** Records that the browser starts showing the animation of a URL. */
  shown(url: string): void {
    this.#url = url;
    this.#since = performance.now();
  }

  /** The displayed frame, from 1; 1 if it cannot be determined. */
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
