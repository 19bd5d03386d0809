import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { keyRing } from '#platform/key-ring.ts';
import { servicePrincipal } from '#platform/principal.ts';
import {
  GATEWAY,
  jwksOf,
  publicKeysOf,
  signedTextOf,
  signPrincipal,
  verifyPrincipal,
} from '#platform/transports/signed-principal.ts';

const OLD = keyRing('signing', ['the secret that processes had in common before']);
const BOTH = keyRing('signing', [
  'the secret that processes have in common now',
  'the secret that processes had in common before',
]);
const NEW = keyRing('signing', ['the secret that processes have in common now']);
const PRINCIPAL = servicePrincipal('test', 'correlation');

const signed = (ring: typeof NEW) => signPrincipal(PRINCIPAL, 'costing', ring);
const verified = (text: string, ring: typeof NEW, audiences = ['costing']) =>
  verifyPrincipal(text, audiences, publicKeysOf(ring));

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

describe('a signed principal', () => {
  afterEach(() => vi.useRealTimers());

  it('is verified by every process that knows its key, while the secret changes from one process to the next', async () => {
    expect(await verified(signed(OLD), BOTH)).toEqual(PRINCIPAL);
    expect(await verified(signed(BOTH), NEW)).toEqual(PRINCIPAL);
    expect(await verified(signed(NEW), BOTH)).toEqual(PRINCIPAL);
    expect(await verified(signed(NEW), OLD)).toBeNull();
    expect(await verified(signed(OLD), NEW)).toBeNull();
  });

  it('is valid only for its audience', async () => {
    expect(await verified(signed(NEW), NEW, ['revenue'])).toBeNull();
    expect(await verified(signed(NEW), NEW, [GATEWAY])).toBeNull();
    expect(await verified(signed(NEW), NEW, [GATEWAY, 'costing'])).toEqual(PRINCIPAL);
  });

  it('is kept as received, to be passed on', async () => {
    const text = signed(NEW);
    const principal = await verified(text, NEW);
    expect(principal && signedTextOf(principal)).toBe(text);
    expect(signedTextOf(PRINCIPAL)).toBeNull();
  });

  it('names its key in the header of a JWS, and has claims that any token library checks', () => {
    const [header = '', payload = ''] = signed(NEW).split('.');
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({
      alg: 'EdDSA',
      typ: 'principal+jwt',
      kid: NEW.current.id,
    });
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    expect(claims).toEqual({
      iss: 'gateway',
      aud: 'costing',
      iat: expect.any(Number),
      exp: claims.iat + 30,
      principal: PRINCIPAL,
    });
  });

  it("is verified with the gateway's published keys, which cannot sign", async () => {
    const { keys } = jwksOf(BOTH);
    expect(keys.map(({ kid }) => kid)).toEqual([NEW.current.id, OLD.current.id]);
    for (const key of keys) expect(Object.keys(key).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x']);
    const shown = (kid: string) => {
      const key = keys.find((one) => one.kid === kid);
      return key ? createPublicKey({ key: { ...key }, format: 'jwk' }) : null;
    };
    expect(await verifyPrincipal(signed(OLD), ['costing'], shown)).toEqual(PRINCIPAL);
    expect(() => createPrivateKey({ key: { ...keys[0] }, format: 'jwk' })).toThrow();
  });

  it('is valid for thirty seconds', async () => {
    vi.useFakeTimers({ now: 0 });
    const text = signed(NEW);
    vi.setSystemTime(30_000);
    expect(await verified(text, NEW)).toEqual(PRINCIPAL);
    vi.setSystemTime(30_001);
    expect(await verified(text, NEW)).toBeNull();
  });

  const [header = '', payload = '', signature = ''] = signed(NEW).split('.');
  const none = encode({ alg: 'none', typ: 'principal+jwt', kid: NEW.current.id });
  const ofOurOwn = (body: string) =>
    sign(null, Buffer.from(body), generateKeyPairSync('ed25519').privateKey).toString('base64url');
  const symmetric = encode({ alg: 'HS256', typ: 'principal+jwt', kid: NEW.current.id });
  const hmacOf = (body: string, key: Buffer | string) => createHmac('sha256', key).update(body).digest('base64url');
  it.each([
    ['nothing', ''],
    ['no signature', `${header}.${payload}`],
    ['an empty signature', `${header}.${payload}.`],
    ['a part too many', `${header}.${payload}.${signature}.${signature}`],
    [
      'another payload',
      `${header}.${encode({ aud: 'costing', exp: 4e9, principal: { ...PRINCIPAL, grants: ['operator'] } })}.${signature}`,
    ],
    ['the algorithm none', `${none}.${payload}.`],
    ['a key of its sender', `${header}.${payload}.${ofOurOwn(`${header}.${payload}`)}`],
    [
      'the public key as a symmetric one',
      `${symmetric}.${payload}.${hmacOf(`${symmetric}.${payload}`, Buffer.from(jwksOf(NEW).keys[0]?.x ?? '', 'base64url'))}`,
    ],
    ['a header that is null', `${encode(null)}.${payload}.${signature}`],
    ['a header that is no JSON', `e30x.${payload}.${signature}`],
  ])('is refused with %s', async (_, text) => {
    expect(await verified(text, NEW)).toBeNull();
  });
});
