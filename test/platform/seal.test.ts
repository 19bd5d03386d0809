import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { keyRing } from '#platform/key-ring.ts';
import { keyIdOf, sealingWith } from '#platform/seal.ts';
import { type KnownError } from '#kernel/errors.ts';
import { sealingUnder } from '../support/sealing.ts';

const OLD = 'the secret of an installation from before there were key ids';
const NEW = 'the secret that takes the place of the one of before key ids';
const ROW = '0b7c2f3e-1d64-4a8e-9b1c-5f2a7d90e311';

/** Created by the version before key ids, under `OLD` and for `ROW`: purpose, plaintext, sealed. */
const OF_BEFORE = [
  [
    'second-factor',
    'MTIzNDU2Nzg5MDEyMzQ1Njc4OTA=',
    '90348ba417796de6cfad42207d1b1e73d5f9931992b6ab5bdd01207849af6dbd30e65b6af80c6f4aeefdaaf3424d943589a9e02e10cf02b6',
  ],
  [
    'api-key',
    'a test key of that time',
    '13b34678248b2c07344c8b649a93d155d34c4c11408c933de62e160a2687dcb0ac72a57b54790424e458a5594751efbb758a31',
  ],
  [
    'revenue.payment-connection',
    'a processor key of that time',
    'ba069891a58c930741b3d83c6bb77e0ada130a9d313b08f1de8f981241d11104e56f54069fd2068f3f22ff63abd9449e33b413f9c94cfdb6',
  ],
] as const;

function errorOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

const unreadable = expect.objectContaining({ name: 'KnownError', code: 'SECRET_UNREADABLE' });

describe('a sealed value', () => {
  const text = fc.string({ unit: 'binary', maxLength: 200 });

  it('decrypts to the original, for any text, purpose and row, including under a later secret that keeps the earlier one', () => {
    fc.assert(
      fc.property(text, text, text, (plaintext, purpose, bound) => {
        const sealed = sealingUnder(OLD).seal(plaintext, purpose, bound);
        for (const sealing of [sealingUnder(OLD), sealingUnder(NEW, OLD), sealingUnder(NEW, 'x'.repeat(32), OLD)]) {
          expect(sealing.unseal(sealed, purpose, bound)).toBe(plaintext);
        }
      }),
    );
  });

  it('does not decrypt if any byte is changed, removed or added', () => {
    const sealing = sealingUnder(OLD);
    const sealed = sealing.seal('the plaintext', 'purpose', 'row');
    for (let index = 0; index < sealed.length; index += 1) {
      const changed = Buffer.from(sealed);
      changed[index]! ^= 1 << (index % 8);
      expect(sealing.tryUnseal(changed, 'purpose', 'row')).toBeNull();
      expect(sealing.tryUnseal(sealed.subarray(0, index), 'purpose', 'row')).toBeNull();
    }
    expect(sealing.tryUnseal(Buffer.concat([sealed, Buffer.of(0)]), 'purpose', 'row')).toBeNull();
  });

  it('does not decrypt for another row or purpose, or under another secret', () => {
    const sealed = sealingUnder(OLD).seal('the plaintext', 'purpose', 'row');
    expect(errorOf(() => sealingUnder(OLD).unseal(sealed, 'purpose', 'other'))).toEqual(unreadable);
    expect(errorOf(() => sealingUnder(OLD).unseal(sealed, 'other', 'row'))).toEqual(unreadable);
    expect(errorOf(() => sealingUnder(NEW).unseal(sealed, 'purpose', 'row'))).toEqual(unreadable);
  });

  it('names the key that encrypted it, which is not the secret, and is the same in every process', () => {
    expect(keyIdOf(sealingUnder(OLD).seal('t', 'p', 'b'))).toBe(keyRing('encryption', [OLD]).current.id);
    expect(keyIdOf(sealingUnder(NEW, OLD).seal('t', 'p', 'b'))).toBe(keyRing('encryption', [NEW]).current.id);
    expect(keyRing('encryption', [OLD]).current.id).toMatch(/^[0-9a-f]{16}$/);
    expect(createHash('sha256').update(OLD).digest('hex')).not.toContain(keyRing('encryption', [OLD]).current.id);
  });

  it.each(OF_BEFORE)(
    'a sealed value that was encrypted before key ids were introduced decrypts: %s',
    (purpose, plaintext, hex) => {
      const sealed = Buffer.from(hex, 'hex');
      expect(keyIdOf(sealed)).toBeNull();
      expect(sealingUnder(OLD).unseal(sealed, purpose, ROW)).toBe(plaintext);
      expect(sealingUnder(NEW, OLD).unseal(sealed, purpose, ROW)).toBe(plaintext);
      expect(errorOf(() => sealingUnder(NEW).unseal(sealed, purpose, ROW))).toEqual(unreadable);
      sealed[20]! ^= 1;
      expect(errorOf(() => sealingUnder(OLD).unseal(sealed, purpose, ROW))).toEqual(unreadable);
    },
  );

  it('a sealed value that cannot be decrypted is logged with its kind and the ids of the keys, without secrets', () => {
    const lines: string[] = [];
    const sealing = sealingWith(keyRing('encryption', [NEW]), pino({}, { write: (line: string) => lines.push(line) }));
    const sealed = sealingUnder(OLD).seal('the plaintext', 'second-factor', ROW);
    const keyId = keyIdOf(sealed);
    const error = errorOf(() => sealing.unseal(sealed, 'second-factor', ROW)) as KnownError;
    expect(error.message).toContain(String(keyId));
    expect(error.details).toEqual({ keyId });
    expect(JSON.parse(lines.join(''))).toMatchObject({
      purpose: 'second-factor',
      belongsTo: ROW,
      keyId,
      keyIds: [sealing.ring.current.id],
    });
    expect(lines.join('')).not.toMatch(/the secret that|the plaintext/);
  });
});

describe('a key ring', () => {
  it('derives a separate key for each purpose, each secret, and for signing and encryption', () => {
    const rings = [keyRing('encryption', [OLD, NEW]), keyRing('signing', [OLD, NEW])];
    const keys = rings.flatMap((ring) =>
      ring.keys.flatMap((key) => ['one', 'two'].flatMap((purpose) => [key.derive(purpose).toString('hex'), key.id])),
    );
    expect(new Set(keys).size).toBe(12);
    expect(rings.map((ring) => ring.current.derive('one').length)).toEqual([32, 32]);
  });

  it('counts a repeated secret once', () => {
    expect(keyRing('signing', [OLD, NEW, OLD, NEW]).keys.map(({ id }) => id)).toEqual(
      keyRing('signing', [OLD, NEW]).keys.map(({ id }) => id),
    );
  });
});
