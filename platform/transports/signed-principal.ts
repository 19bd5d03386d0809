/**
 * A principal on its way to another process: a JWS in compact form (RFC 7515, RFC 8037: EdDSA with Ed25519), good for 30 seconds and
 * for one audience. Who holds `SERVICE_SECRET` signs; everyone else has public keys (RFC 7517), and can forge nothing.
 */
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { now } from '../clock.ts';
import type { KeyRing, RingKey } from '../key-ring.ts';
import type { Principal } from '../principal.ts';

/** A public key as others read it. */
export interface PublicJwk {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly alg: 'EdDSA';
  readonly use: 'sig';
  readonly kid: string;
  readonly x: string;
}

/** The public key of an id; `null` when there is none. */
export type PublicKeys = (kid: string) => KeyObject | null | Promise<KeyObject | null>;

/** The audience of what is meant for the gateway; that of a subgraph is its name. */
export const GATEWAY = 'gateway';

const VALID_SECONDS = 30;
const ALGORITHM = 'EdDSA';
const TYPE = 'principal+jwt';

/** PKCS #8 around the 32 bytes of an Ed25519 key (RFC 8410). */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Of principals that another process has signed, while someone holds them. */
const signedTexts = new WeakMap<Principal, string>();

const privateKeys = new WeakMap<RingKey, KeyObject>();
const publicKeys = new WeakMap<RingKey, KeyObject>();

/** Signs with the ring's current key; the header's `kid` names it, so that processes may be given a new secret one after the other. */
export function signPrincipal(
  principal: Principal,
  audience: string | readonly string[],
  { current }: KeyRing,
): string {
  const issuedAt = Math.floor(now().getTime() / 1000);
  const claims = { iss: GATEWAY, aud: audience, iat: issuedAt, exp: issuedAt + VALID_SECONDS, principal };
  const body = `${encode({ alg: ALGORITHM, typ: TYPE, kid: current.id })}.${encode(claims)}`;
  return `${body}.${sign(null, Buffer.from(body), privateKeyOf(current)).toString('base64url')}`;
}

/** The principal of a signed text; `null` when no known key signed it, it is for someone else, or it is too old. */
export async function verifyPrincipal(
  signed: string,
  audiences: readonly string[],
  keys: PublicKeys,
): Promise<Principal | null> {
  const [header, payload, signature, ...more] = signed.split('.');
  if (!header || !payload || !signature || more.length > 0) return null;
  const { alg, typ, kid } = decode<{ alg: unknown; typ: unknown; kid: unknown }>(header) ?? {};
  const key = alg === ALGORITHM && typ === TYPE && typeof kid === 'string' ? await keys(kid) : null;
  if (!key) return null;
  if (!verify(null, Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, 'base64url'))) return null;
  const claims = decode<{ aud: string | string[]; exp: number; principal: Principal }>(payload);
  if (claims === null || claims.exp * 1000 < now().getTime()) return null;
  if (![claims.aud].flat().some((audience) => audiences.includes(audience))) return null;
  const principal = Object.freeze(claims.principal);
  signedTexts.set(principal, signed);
  return principal;
}

/** As it came: who cannot sign may show it to the gateway again, and acts for the caller so. */
export function signedTextOf(principal: Principal): string | null {
  return signedTexts.get(principal) ?? null;
}

/** For a process that has the secret itself. */
export function publicKeysOf(ring: KeyRing): PublicKeys {
  return (kid) => {
    const key = ring.find(kid);
    return key && publicKeyOf(key);
  };
}

/** What the gateway shows to everyone who verifies, the current key first. */
export function jwksOf({ keys }: KeyRing): { readonly keys: readonly PublicJwk[] } {
  return {
    keys: keys.map((key) => {
      const { x = '' } = publicKeyOf(key).export({ format: 'jwk' });
      return { kty: 'OKP', crv: 'Ed25519', alg: ALGORITHM, use: 'sig', kid: key.id, x };
    }),
  };
}

function privateKeyOf(key: RingKey): KeyObject {
  const known = privateKeys.get(key);
  if (known) return known;
  const made = createPrivateKey({
    key: Buffer.concat([PKCS8_HEAD, key.derive('principal')]),
    format: 'der',
    type: 'pkcs8',
  });
  privateKeys.set(key, made);
  return made;
}

function publicKeyOf(key: RingKey): KeyObject {
  const known = publicKeys.get(key) ?? createPublicKey(privateKeyOf(key));
  publicKeys.set(key, known);
  return known;
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function decode<Value>(text: string): Value | null {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString()) as Value | null;
  } catch {
    return null;
  }
}
