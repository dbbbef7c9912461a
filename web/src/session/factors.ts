import { post } from "../api/transport";
import {
  makePasskey,
  usePasskey,
  type MakeOptions,
  type UseOptions,
} from "./webauthn";

/** A login that waits for its second factor; without `factors` the account has to set one up. */
export type Pending = {
  token: string;
  expiresIn: number;
  factors: ("passkey" | "app")[];
};

/** The proof for a confirmation, as API input. */
export type Proof =
  | { code: string }
  | { password: string }
  | { challenge: string; credential: unknown };

/** The server's data for setting up an authenticator app. */
export type AppOffer = {
  challenge: string;
  secret: string;
  uri: string;
  qr: { size: number; path: string };
};

/**
 * The response to adding a factor: recovery codes with the first one, and a session if a login was
 * waiting for it.
 */
export type Added<S> = { recoveryCodes?: string[]; session?: S };

/** Who makes the request: a login that waits for its second factor, or a session by its token. */
export type Asker = { pending?: string; session?: string };
const asked = ({ pending, session }: Asker, body: object) =>
  [pending ? { ...body, token: pending } : body, { token: session }] as const;

/** Lets the person use a passkey of the requesting account; of any account if there is no `asker`. */
export async function provePasskey(
  asker: Asker,
  signal?: AbortSignal,
  quietly?: boolean,
): Promise<Proof> {
  const [body, options] = asked(asker, {});
  const { challenge, publicKey } = await post<{
    challenge: string;
    publicKey: UseOptions;
  }>("/api/auth/passkey/begin", body, { ...options, signal });
  const credential = await usePasskey(publicKey, signal, quietly);
  return { challenge, credential };
}

/** Creates a passkey for the requesting account. */
export async function addPasskey<S>(asker: Asker): Promise<Added<S>> {
  const { challenge, publicKey } = await post<{
    challenge: string;
    publicKey: MakeOptions;
  }>("/api/auth/factors/begin", ...asked(asker, { kind: "passkey" }));
  const credential = await makePasskey(publicKey);
  return post<Added<S>>(
    "/api/auth/factors/finish",
    ...asked(asker, { challenge, credential }),
  );
}

/** Starts setting up an authenticator app. */
export const offerApp = (asker: Asker): Promise<AppOffer> =>
  post<AppOffer>("/api/auth/factors/begin", ...asked(asker, { kind: "app" }));

/** Adds the app, confirmed by a code that it shows. */
export const addApp = <S>(
  asker: Asker,
  { challenge }: AppOffer,
  code: string,
): Promise<Added<S>> =>
  post<Added<S>>(
    "/api/auth/factors/finish",
    ...asked(asker, { challenge, code }),
  );
