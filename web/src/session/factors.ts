import { post } from "../api/transport";
import {
  makePasskey,
  usePasskey,
  type MakeOptions,
  type UseOptions,
} from "./webauthn";

/** A login whose second factor is missing; without `factors` the account has to set one up. */
export type Pending = {
  token: string;
  expiresIn: number;
  factors: ("passkey" | "app")[];
};

/** What somebody confirms with, as the API takes it. */
export type Proof =
  | { code: string }
  | { password: string }
  | { challenge: string; credential: unknown };

/** What the server says for setting up an authenticator app. */
export type AppOffer = {
  challenge: string;
  secret: string;
  uri: string;
  qr: { size: number; path: string };
};

/** What somebody gets for a new factor: recovery codes with the first one, the session of a login that needed it. */
export type Added<S> = { recoveryCodes?: string[]; session?: S };

/** Who asks: a login whose second factor is missing, or a session by its token. */
export type Asker = { pending?: string; session?: string };
const asked = ({ pending, session }: Asker, body: object) =>
  [pending ? { ...body, token: pending } : body, { token: session }] as const;

/** Lets the person use a passkey of the account that asks; of any account without one. */
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

/** Makes a passkey for the account that asks. */
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

/** Begins to set up an authenticator app. */
export const offerApp = (asker: Asker): Promise<AppOffer> =>
  post<AppOffer>("/api/auth/factors/begin", ...asked(asker, { kind: "app" }));

/** Adds the app, which shows this code. */
export const addApp = <S>(
  asker: Asker,
  { challenge }: AppOffer,
  code: string,
): Promise<Added<S>> =>
  post<Added<S>>(
    "/api/auth/factors/finish",
    ...asked(asker, { challenge, code }),
  );
