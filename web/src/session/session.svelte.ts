import { ApiError, post } from "../api/transport";
import type { Pending, Proof } from "./factors";
import { refreshAt } from "./refresh";

/** Who is logged in. */
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
/** A session as the server begins it, or a login whose second factor is missing. */
export type Answer = {
  token: string;
  expiresIn: number;
  user: SessionUser;
  secondFactor?: Pending;
};

const place = "safelight.session";
// The documentation keeps the token in a cookie of its own (server/docsite/assets/gate.js).
const endedDocs = "safelight_docs=; Path=/docs/; Max-Age=0";

const longestTimer = 2 ** 31 - 1;

/** Forgets what this tab shows or does for a person; `forGood` unless the same one may come back to it. */
type Leaver = (forGood: boolean) => void;

/**
 * The session of this browser: one token in localStorage, shared by all tabs. A tab that logs in, refreshes or logs out
 * changes it for the others, which hear of it by the storage event.
 */
class Session {
  #kept = $state.raw<Kept | null>(read());
  #timer: ReturnType<typeof setTimeout> | undefined;
  #leavers = new Set<Leaver>();
  // Whose work this tab still has: also while nobody is logged in, because a session that has ended may go on.
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
  /** Whether files may be changed. The server decides; this is for what is shown. */
  get mayEdit(): boolean {
    return this.user?.role === "admin" || this.user?.role === "user";
  }
  get mayAdminister(): boolean {
    return this.user?.role === "admin";
  }
  /** Whether a page or link for this role is shown; one without a role is for every account. */
  may(role: "edit" | "admin" | undefined): boolean {
    return (
      role === undefined ||
      (role === "admin" ? this.mayAdminister : this.mayEdit)
    );
  }

  /** Whether somebody else was logged in in this tab before: where they were is not where this person is going. */
  get another(): boolean {
    return this.#another;
  }
  /** Grows when a person has left for good: answers to what was asked before are not for the next one. */
  get turn(): number {
    return this.#turn;
  }
  /** Calls `leaver` whenever somebody has left: `forGood` by logging out or when another person is here, else when a session has ended. */
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

  /** The login whose second factor is missing, which the page of the login asks for. */
  get pending(): Pending | null {
    return this.#pending;
  }
  /** Why such a login has ended; empty for none. */
  get ended(): string {
    return this.#ended;
  }
  /** Gives up a login whose second factor is missing. */
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
  /** Makes the first admin and logs in. */
  async register(input: {
    displayName: string;
    username: string;
    password: string;
    setupToken: string;
  }): Promise<void> {
    this.enter(await post<Answer>("/api/auth/register", input));
  }

  /** Ends a sign-in at a provider, whose answer is in the address; the page that the person wanted. */
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

  /** Sets the password of an account that this person was invited to, and logs in. */
  async accept(token: string, password: string): Promise<void> {
    this.enter(await post<Answer>("/api/auth/invitation", { token, password }));
  }

  /** Sets a password by a link from an e-mail. */
  async reset(
    token: string,
    password: string,
    language: string,
  ): Promise<void> {
    this.enter(
      await post<Answer>("/api/auth/reset", { token, password, language }),
    );
  }

  /** Ends this session here, and on the server when it answers. */
  async logout(): Promise<void> {
    const token = this.token;
    this.#leave(true); // with the token still here, which giving up an upload needs
    this.forget();
    if (!token) return;
    const answer = await post<{ providerLogoutUrl: string } | undefined>(
      "/api/auth/logout",
      {},
      { token },
    ).catch(() => undefined);
    if (answer) location.assign(answer.providerLogoutUrl);
  }

  /** Removes the token from this browser, that for the documentation too. */
  forget(): void {
    localStorage.removeItem(place);
    document.cookie = endedDocs;
    this.#take(null);
  }

  /** The server refused this token: forget it, unless another tab has put a newer one in its place. */
  refused(token: string): void {
    const now = read();
    if (now && now.token !== token) this.#take(now);
    else this.forget();
  }

  /** Shows a changed name at once. */
  rename(displayName: string): void {
    const kept = this.#kept;
    if (kept) this.#write({ ...kept, user: { ...kept.user, displayName } });
  }

  /** Begins the session of an answer, or keeps the login whose second factor is missing. */
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

  // One tab at a time: the others find the new token when the lock is theirs.
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
          ); // who asked has logged out meanwhile
      } catch (error) {
        if (error instanceof ApiError && error.code === "UNAUTHENTICATED")
          this.refused(kept.token);
        else this.#timer = setTimeout(() => void this.#refresh(), 30_000);
      }
    };
    // A frame without storage of its own may have no locks either; nor has it other tabs to agree with.
    if (navigator.locks)
      await navigator.locks.request(place, renew).catch(renew);
    else await renew();
  }
}

/** The session that the browser keeps, unless it has expired. */
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
