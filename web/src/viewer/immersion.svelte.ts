/** How long nobody moves before what lies on the picture fades out, in milliseconds. */
const patience = 2500;

/** Full screen, and whether somebody is there: without a move or a key for a while, what lies on the picture fades out. */
export class Immersion {
  /** The application has the whole screen. */
  full = $state(Boolean(document.fullscreenElement));
  idle = $state(false);
  /** The tab is hidden. */
  hidden = $state(document.hidden);
  /** False where the browser has no full screen, as on an iPhone. */
  readonly possible = document.fullscreenEnabled === true;

  constructor() {
    $effect(() => {
      const changed = () => (this.full = Boolean(document.fullscreenElement));
      const seen = () => (this.hidden = document.hidden);
      document.addEventListener("fullscreenchange", changed);
      document.addEventListener("visibilitychange", seen);
      return () => {
        document.removeEventListener("fullscreenchange", changed);
        document.removeEventListener("visibilitychange", seen);
        this.leave();
      };
    });
  }

  // The whole page, so that notes, menus and dialogs stay visible.
  toggle = () =>
    void (this.full
      ? this.leave()
      : this.possible &&
        document.documentElement.requestFullscreen().catch(() => undefined));
  leave = () =>
    void (
      document.fullscreenElement &&
      document.exitFullscreen().catch(() => undefined)
    );

  /** Watches whether somebody is there, until the returned function is called. `busy` keeps what lies on the picture. */
  watch(busy: () => boolean): () => void {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const wake = () => {
      this.idle = false;
      clearTimeout(timer);
      timer = setTimeout(
        () => (busy() ? wake() : (this.idle = true)),
        patience,
      );
    };
    const signs = ["pointermove", "pointerdown", "keydown", "focusin"] as const;
    for (const sign of signs) addEventListener(sign, wake);
    wake();
    return () => {
      clearTimeout(timer);
      for (const sign of signs) removeEventListener(sign, wake);
      this.idle = false;
    };
  }
}

/** Keeps the screen lit, where the browser can, until the returned function is called. */
export function stayAwake(): () => void {
  let over = false;
  const lock = navigator.wakeLock?.request("screen").catch(() => null);
  void lock?.then((held) => (over ? held?.release() : undefined));
  return () => {
    over = true;
    void lock?.then((held) => held?.release());
  };
}
