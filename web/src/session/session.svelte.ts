import { ApiError, post } from "../api/transport";
import type { Pending, Proof } from "./factors";
import { refreshAt } from "./refresh";

/** The account that is logged in. */
export type SessionUser = {
  id: string;
  displayName: string;
  username: string;
  role: "admin" | "user" | "guest";
};

type Kept = {
  token: string;
  issuedAt: number;
  expiresAt: number;
  user: SessionUser;
};
/** The response to a login: a session, or a login that waits for its second factor. */
export type Answer = {
  token: string;
  expiresIn: number;
  user: SessionUser;
  secondFactor?: Pending;
};

const place = "safelight.session";
// The documentation stores the token in its own cookie (server/docsite/assets/gate.js).
const endedDocs = "safelight_docs=; Path=/docs/; Max-Age=0";

const longestTimer = 2 ** 31 - 1;

/** Discards this tab's state of a person; `forGood` unless the same person may return to it. */
type Leaver = (forGood: boolean) => void;

/**
 * The session of this browser: one token in localStorage, shared by all tabs. A tab that logs in,
 * refreshes or logs out changes it for the others, which are notified by the storage event.
 */
class Session {
  #kept = $state.raw<Kept | null>(read());
  #timer: ReturnType<typeof setTimeout> | undefined;
  #leavers = new Set<Leaver>();
  // The account whose state this tab holds, even while nobody is logged in, because the person may log in again
  // after the session has ended.
  #person = this.#kept?.user.id ?? "";
  #another = $state(false);
  #pending = $state.raw<Pending | null>(null);
  #ended = $state("");
  #turn = 0;

  get token(): string {
    return this.#kept?.token ?? "";
  }
  get user(): SessionUser | null {
    return this.#kept?.user ?? null;
  }
  /** Whether the person may change files. This only controls what is shown; the server enforces it. */
  get mayEdit(): boolean {
    return this.user?.role === "admin" || this.user?.role === "user";
  }
  get mayAdminister(): boolean {
    return this.user?.role === "admin";
  }
  /** Whether to show a page or link for a role; undefined means every account. */
  may(role: "edit" | "admin" | undefined): boolean {
    return (
      role === undefined ||
      (role === "admin" ? this.mayAdminister : this.mayEdit)
    );
  }

  /**
   * Whether a different account was logged in in this tab before: its page must not be reopened
   * for this one.
   */
  get another(): boolean {
    return this.#another;
  }
  /** Increases when a person has logged out: responses to earlier requests must not reach the next person. */
  get turn(): number {
    return this.#turn;
  }
  /**
   * Calls `leaver` after every logout or end of a session. `forGood` is true after a logout or
   * when a different person has logged in, and false when a session has ended.
   */
  onLeave(leaver: Leaver): () => void {
    this.#leavers.add(leaver);
    return () => this.#leavers.delete(leaver);
  }

  /** Starts refreshing and listening to other tabs. */
  start(): void {
    addEventListener("storage", (event) => {
      if (event.key === place || event.key === null) this.#take(read());
    });
    addEventListener("visibilitychange", () => this.#plan());
    this.#plan();
  }

  /** The login that waits for its second factor; null if there is none. */
  get pending(): Pending | null {
    return this.#pending;
  }
  /** Why that login has ended; empty if it has not. */
  get ended(): string {
    return this.#ended;
  }
  /** Discards the login that waits for its second factor. */
  dropPending(why = ""): void {
    this.#pending = null;
    this.#ended = why;
  }
  async secondStep(proof: Proof): Promise<void> {
    const token = this.#pending?.token;
    this.enter(
      await post<Answer>("/api/auth/second-step", { ...proof, token }),
    );
  }
  async withPasskey(proof: Proof): Promise<void> {
    this.enter(await post<Answer>("/api/auth/passkey", proof));
  }

  async login(username: string, password: string): Promise<void> {
    this.enter(await post<Answer>("/api/auth/login", { username, password }));
  }
  async guest(): Promise<void> {
    this.enter(await post<Answer>("/api/auth/guest", {}));
  }
  /** Creates the first admin and logs in. */
  async register(input: {
    displayName: string;
    username: string;
    password: string;
    setupToken: string;
  }): Promise<void> {
    this.enter(await post<Answer>("/api/auth/register", input));
  }

  /**
   * Completes a login at an identity provider, whose response is in the URL. Returns the page
   * that the person wanted.
   */
  async signIn(
    provider: string,
    answer: Record<string, string>,
  ): Promise<string> {
    const { next, ...begun } = await post<Answer & { next: string }>(
      `/api/auth/providers/${encodeURIComponent(provider)}/finish`,
      answer,
      { cookies: true },
    );
    this.enter(begun);
    return next;
  }

  /** Sets the password of an invited account, and logs in. */
  async accept(token: string, password: string): Promise<void> {
    this.enter(await post<Answer>("/api/auth/invitation", { token, password }));
  }

  /** Sets a new password with a link from an e-mail. */
  async reset(
    token: string,
    password: string,
    language: string,
  ): Promise<void> {
    this.enter(
      await post<Answer>("/api/auth/reset", { token, password, language }),
    );
  }

  /** Ends this session in the browser, and on the server if it is reachable. */
  async logout(): Promise<void> {
    const token = this.token;
    this.#leave(true); // while the token is still here, because cancelling an upload needs it
    this.forget();
    if (!token) return;
    const answer = await post<{ providerLogoutUrl: string } | undefined>(
      "/api/auth/logout",
      {},
      { token },
    ).catch(() => undefined);
    if (answer) location.assign(answer.providerLogoutUrl);
  }

  /** Removes the token from this browser, including the cookie of the documentation. */
  forget(): void {
    localStorage.removeItem(place);
    document.cookie = endedDocs;
    this.#take(null);
  }

  /**
   * Handles a token that the server has rejected: removes it, unless another tab has replaced it
   * by a newer one.
   */
  refused(token: string): void {
    const now = read();
    if (now && now.token !== token) this.#take(now);
    else this.forget();
  }

  /** Applies a changed name at once. */
  rename(displayName: string): void {
    const kept = this.#kept;
    if (kept) this.#write({ ...kept, user: { ...kept.user, displayName } });
  }

  /** Starts the session in a response, or stores the login that waits for its second factor. */
  enter(answer: Answer): void {
    this.#pending = answer.secondFactor ?? null;
    this.#ended = "";
    if (!answer.secondFactor) this.#keep(answer);
  }
  #keep(answer: Answer): void {
    const now = Date.now();
    this.#write({
      token: answer.token,
      issuedAt: now,
      expiresAt: now + answer.expiresIn * 1000,
      user: answer.user,
    });
  }
  #write(kept: Kept): void {
    localStorage.setItem(place, JSON.stringify(kept));
    this.#take(kept);
  }
  #take(kept: Kept | null): void {
    const [before, now] = [this.user?.id, kept?.user.id];
    const stranger =
      now !== undefined && this.#person !== "" && now !== this.#person;
    if (stranger || (before && !now)) this.#leave(stranger);
    if (now) [this.#person, this.#another] = [now, stranger];
    this.#kept = kept;
    this.#plan();
  }
  #leave(forGood: boolean): void {
    if (forGood) this.#turn++;
    for (const leaver of this.#leavers) leaver(forGood);
  }

  #plan(): void {
    clearTimeout(this.#timer);
    const kept = this.#kept;
    if (!kept) return;
    const wait = Math.max(0, refreshAt(kept) - Date.now());
    this.#timer = setTimeout(
      () => (wait > longestTimer ? this.#plan() : void this.#refresh()),
      Math.min(wait, longestTimer),
    );
  }

  // One tab at a time: the others find the new token when they get the lock.
  async #refresh(): Promise<void> {
    const renew = async () => {
      const kept = read();
      if (!kept || refreshAt(kept) > Date.now()) return this.#take(kept);
      try {
        const answer = await post<Answer>("/api/auth/refresh", {
          token: kept.token,
        });
        const now = stored(); // it may have expired meanwhile
        if (now?.token === kept.token) this.#keep(answer);
        else if (!now)
          void post("/api/auth/logout", {}, { token: answer.token }).catch(
            () => undefined,
          ); // the person has logged out meanwhile
      } catch (error) {
        if (error instanceof ApiError && error.code === "UNAUTHENTICATED")
          this.refused(kept.token);
        else this.#timer = setTimeout(() => void this.#refresh(), 30_000);
      }
    };
    // A frame without storage may have no locks either, but then it shares nothing with other tabs.
    if (navigator.locks)
      await navigator.locks.request(place, renew).catch(renew);
    else await renew();
  }
}

/** The stored session; null if there is none or it has expired. */
function read(): Kept | null {
  const kept = stored();
  return kept && kept.expiresAt > Date.now() ? kept : null;
}

function stored(): Kept | null {
  try {
    return JSON.parse(localStorage.getItem(place) ?? "null") as Kept | null;
  } catch {
    return null;
  }
}

export const session = new Session();
