import fc from 'fast-check';
import { expect, it } from 'vitest';
import { safePath } from '../../../dashboard/http/safe-path.ts';

it.each([
  ['/', '/'],
  ['/api-keys', '/api-keys'],
  ['/oauth/authorize?a=b&c=%20d', '/oauth/authorize?a=b&c=%20d'],
  ['/a#b', '/a'],
  [null, '/'],
  ['', '/'],
  ['api-keys', '/'],
  ['//evil.example', '/'],
  ['/\\evil.example', '/'],
  ['/.//evil.example', '/'],
  ['/a/..//evil.example', '/'],
  ['/\t/evil.example', '/'],
  ['https://evil.example', '/'],
  ['javascript:alert(1)', '/'],
  ['///evil.example', '/'],
  ['/\n//evil.example', '/'],
])('%j leads to %s', (wanted, path) => {
  expect(safePath(wanted)).toBe(path);
});

it('no accepted path leads to another origin, however a browser interprets it', () => {
  const pieces = fc
    .array(fc.constantFrom('/', '\\', '.', '..', 'a', '@', ':', '?', '#', '\t', '\n', '%2f', 'evil.example', 'http:'), {
      maxLength: 8,
    })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(pieces, (wanted) => {
      const path = safePath(wanted);
      expect(new URL(path, 'https://ours.example').origin).toBe('https://ours.example');
      expect(safePath(path)).toBe(path);
    }),
    { numRuns: 2000 },
  );
});
