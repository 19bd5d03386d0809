import { createHmac } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { keyRing } from '../../platform/key-ring.ts';
import { servicePrincipal, signPrincipal, verifyPrincipal } from '../../platform/principal.ts';

const OLD = keyRing('signing', ['the secret that processes had in common before']);
const BOTH = keyRing('signing', [
  'the secret that processes have in common now',
  'the secret that processes had in common before',
]);
const NEW = keyRing('signing', ['the secret that processes have in common now']);
const PRINCIPAL = servicePrincipal('test', 'correlation');

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

describe('a signed principal', () => {
  afterEach(() => vi.useRealTimers());

  it('is verified by every process that knows its key, while the secret changes from one process to the next', () => {
    expect(verifyPrincipal(signPrincipal(PRINCIPAL, OLD), BOTH)).toEqual(PRINCIPAL);
    expect(verifyPrincipal(signPrincipal(PRINCIPAL, BOTH), NEW)).toEqual(PRINCIPAL);
    expect(verifyPrincipal(signPrincipal(PRINCIPAL, NEW), BOTH)).toEqual(PRINCIPAL);
    expect(verifyPrincipal(signPrincipal(PRINCIPAL, NEW), OLD)).toBeNull();
    expect(verifyPrincipal(signPrincipal(PRINCIPAL, OLD), NEW)).toBeNull();
  });

  it('names its key in the header of a JWS', () => {
    const [header = ''] = signPrincipal(PRINCIPAL, NEW).split('.');
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({
      alg: 'HS256',
      typ: 'principal',
      kid: NEW.current.id,
    });
  });

  it('is good for thirty seconds', () => {
    vi.useFakeTimers({ now: 0 });
    const signed = signPrincipal(PRINCIPAL, NEW);
    vi.setSystemTime(30_000);
    expect(verifyPrincipal(signed, NEW)).toEqual(PRINCIPAL);
    vi.setSystemTime(30_001);
    expect(verifyPrincipal(signed, NEW)).toBeNull();
  });

  const [header = '', payload = '', signature = ''] = signPrincipal(PRINCIPAL, NEW).split('.');
  const none = encode({ alg: 'none', typ: 'principal', kid: NEW.current.id });
  const hmacOf = (body: string, key: Buffer | string) => createHmac('sha256', key).update(body).digest('base64url');
  it.each([
    ['nothing', ''],
    ['no signature', `${header}.${payload}`],
    ['an empty signature', `${header}.${payload}.`],
    ['a part too many', `${header}.${payload}.${signature}.${signature}`],
    [
      'another payload',
      `${header}.${encode({ principal: { ...PRINCIPAL, grants: ['operator'] }, expires: Number.MAX_SAFE_INTEGER })}.${signature}`,
    ],
    ['the algorithm none', `${none}.${payload}.`],
    [
      'another algorithm, rightly signed',
      `${none}.${payload}.${hmacOf(`${none}.${payload}`, NEW.current.derive('principal'))}`,
    ],
    [
      'a key of another purpose',
      `${header}.${payload}.${hmacOf(`${header}.${payload}`, NEW.current.derive('dashboard.csrf'))}`,
    ],
    [
      'the secret itself as the key',
      `${header}.${payload}.${hmacOf(`${header}.${payload}`, 'the secret that processes have in common now')}`,
    ],
    ['a header that is null', `${encode(null)}.${payload}.${signature}`],
    ['a header that is no JSON', `e30x.${payload}.${signature}`],
  ])('is refused with %s', (_, signed) => {
    expect(verifyPrincipal(signed, NEW)).toBeNull();
  });
});
