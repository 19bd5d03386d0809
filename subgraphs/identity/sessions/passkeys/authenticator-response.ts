/**
 * Parses an authenticator's response as the browser sends it in JSON (WebAuthn, `RegistrationResponseJSON` and
 * `AuthenticationResponseJSON`).
 */
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { z } from 'zod';
import { hasSecretTokenFormat } from '../../secrets/secret-token.ts';

/** No field of a genuine response is longer, because certificates are not requested. */
const TEXT_LENGTH_MAX = 16_384;
const TRANSPORTS_MAX = 8;

const base64url = z
  .string()
  .max(TEXT_LENGTH_MAX)
  .regex(/^[A-Za-z0-9_-]+$/);
const credential = z.object({ id: base64url, rawId: base64url, type: z.literal('public-key') });

const registration = credential.extend({
  response: z.object({
    clientDataJSON: base64url,
    attestationObject: base64url,
    transports: z
      .array(z.string().regex(/^[a-z-]{1,32}$/))
      .max(TRANSPORTS_MAX)
      .catch([]),
  }),
});

const authentication = credential.extend({
  response: z.object({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
    userHandle: base64url.nullish(),
  }),
});

/** Returns `null` for anything else. */
export function parseRegistration(input: unknown): RegistrationResponseJSON | null {
  const { data } = registration.safeParse(input);
  return data ? { ...data, clientExtensionResults: {} } : null;
}

/** Returns `null` for anything else. */
export function parseAuthentication(input: unknown): AuthenticationResponseJSON | null {
  const { data } = authentication.safeParse(input);
  return data ? ({ ...data, clientExtensionResults: {} } as AuthenticationResponseJSON) : null;
}

/** Returns the signed challenge; `null` if it does not have our format, or was signed in a cross-origin frame. */
export function challengeOf({ response }: { response: { clientDataJSON: string } }): string | null {
  try {
    const { challenge, crossOrigin } = JSON.parse(
      Buffer.from(response.clientDataJSON, 'base64url').toString(),
    ) as Partial<Record<string, unknown>>;
    return typeof challenge === 'string' && hasSecretTokenFormat(challenge) && crossOrigin !== true ? challenge : null;
  } catch {
    return null;
  }
}
