// Passkeys as the API writes them: bytes are base64url. Browsers have functions for that, but not all that are in use.
import { isAbort } from "../api/transport";

const toBytes = (text: string): ArrayBuffer =>
  Uint8Array.from(
    atob(text.replaceAll("-", "+").replaceAll("_", "/")),
    (letter) => letter.charCodeAt(0),
  ).buffer;
const toText = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

type Listed = { id: string; type: "public-key" };
type Shared = { challenge: string };
/** `publicKey` of a challenge for using a passkey. */
export type UseOptions = Shared & { allowCredentials?: Listed[] };
/** `publicKey` of a challenge for creating a passkey. */
export type MakeOptions = Shared & {
  user: { id: string; name: string; displayName: string };
  excludeCredentials?: Listed[];
};

const listed = (all: Listed[] | undefined) =>
  all?.map((one) => ({ ...one, id: toBytes(one.id) }));

/** Whether this browser supports passkeys for pages of this host. */
export const hasPasskeys = (host: string): boolean =>
  host === location.hostname &&
  typeof PublicKeyCredential === "function" &&
  isSecureContext;

/** Whether the browser supports passkeys in autofill. */
export const offersPasskeys = async (): Promise<boolean> =>
  (await PublicKeyCredential.isConditionalMediationAvailable?.()) ?? false;

/** Lets the person use a passkey; with `quietly` through autofill. Returns the `credential` for the API. */
export async function usePasskey(
  options: UseOptions,
  signal?: AbortSignal,
  quietly = false,
): Promise<unknown> {
  const credential = (await navigator.credentials.get({
    publicKey: {
      ...options,
      challenge: toBytes(options.challenge),
      allowCredentials: listed(options.allowCredentials),
    },
    mediation: quietly ? "conditional" : undefined,
    signal,
  })) as PublicKeyCredential;
  const response = credential.response as AuthenticatorAssertionResponse;
  return written(credential, {
    authenticatorData: toText(response.authenticatorData),
    signature: toText(response.signature),
    userHandle: response.userHandle ? toText(response.userHandle) : undefined,
  });
}

/** Lets the person create a passkey. Returns the `credential` for the API. */
export async function makePasskey(options: MakeOptions): Promise<unknown> {
  const credential = (await navigator.credentials.create({
    publicKey: {
      ...(options as unknown as PublicKeyCredentialCreationOptions),
      challenge: toBytes(options.challenge),
      user: { ...options.user, id: toBytes(options.user.id) },
      excludeCredentials: listed(options.excludeCredentials),
    },
  })) as PublicKeyCredential;
  const response = credential.response as AuthenticatorAttestationResponse;
  return written(credential, {
    attestationObject: toText(response.attestationObject),
    transports: response.getTransports?.() ?? [],
  });
}

const written = (credential: PublicKeyCredential, response: object) => ({
  id: credential.id,
  rawId: toText(credential.rawId),
  type: credential.type,
  authenticatorAttachment: credential.authenticatorAttachment ?? undefined,
  clientExtensionResults: {},
  response: {
    clientDataJSON: toText(credential.response.clientDataJSON),
    ...response,
  },
});

/** Whether the person closed the browser's dialog, or it timed out. */
export const isDismissed = (error: unknown): boolean =>
  isAbort(error) ||
  (error instanceof DOMException && error.name === "NotAllowedError");
