/** Milliseconds of inactivity after which the controls on the picture fade out. */
const patience = 2500;

/**
 * Full screen, and inactivity: without a pointer movement or a key for a while, the controls on the
 * picture fade out.
 */
export class Immersion {
  /** Whether the application is in full screen. */
  full = $state(Boolean(document.fullscreenElement));
  idle = $state(false);
  /** Whether the tab is hidden. */
  hidden = $state(document.hidden);
  /** Whether the browser supports full screen; an iPhone does not. */
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

  // Full screen covers the whole page, so that notifications, menus and dialogs stay visible.
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

  /**
   * Watches for activity until the returned function is called. The controls stay visible while
   * `busy` returns true.
   */
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

/** Keeps the screen on, if the browser supports it, until the returned function is called. */
export function stayAwake(): () => void {
  let over = false;
  const lock = navigator.wakeLock?.request("screen").catch(() => null);
  void lock?.then((held) => (over ? held?.release() : undefined));
  return () => {
    over = true;
    void lock?.then((held) => held?.release());
  };
}
