/**
 * A principal signed for another process: a compact JWS (RFC 7515, RFC 8037: EdDSA with Ed25519), valid for 30 seconds
 * and one audience. Only holders of `SERVICE_SECRET` can sign; others have public keys (RFC 7517).
 */
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { now } from '../clock.ts';
import type { KeyRing, RingKey } from '../key-ring.ts';
import type { Principal } from '../principal.ts';

/** A public key as JWK. */
export interface PublicJwk {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly alg: 'EdDSA';
  readonly use: 'sig';
  readonly kid: string;
  readonly x: string;
}

/** The public key with this id; `null` if unknown. */
export type PublicKeys = (kid: string) => KeyObject | null | Promise<KeyObject | null>;

/** Audience for the gateway; a subgraph's audience is its name. */
export const GATEWAY = 'gateway';

const VALID_SECONDS = 30;
const ALGORITHM = 'EdDSA';
const TYPE = 'principal+jwt';

/** PKCS #8 around the 32 bytes of an Ed25519 key (RFC 8410). */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Signed texts of principals received from another process. */
const signedTexts = new WeakMap<Principal, string>();

const privateKeys = new WeakMap<RingKey, KeyObject>();
const publicKeys = new WeakMap<RingKey, KeyObject>();

/** Signs with the ring's current key; `kid` names it, so that secrets can be changed process by process. */
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

/** The principal; `null` if the signature, the audience or the age is not valid. */
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

/** The received text. A process that cannot sign may present it to the gateway to act for the caller. */
export function signedTextOf(principal: Principal): string | null {
  return signedTexts.get(principal) ?? null;
}

/** Finds public keys in the ring, in a process with the secret. */
export function publicKeysOf(ring: KeyRing): PublicKeys {
  return (kid) => {
    const key = ring.find(kid);
    return key && publicKeyOf(key);
  };
}

/** The gateway's public key set, current key first. */
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
