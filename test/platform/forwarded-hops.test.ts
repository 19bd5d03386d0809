import { expect, it } from 'vitest';
import { readableHops, readHop } from '#platform/forwarded-hops.ts';

it.each([
  ['203.0.113.80', '203.0.113.80'],
  [' 203.0.113.80:1001 ', '203.0.113.80'],
  ['"203.0.113.80:1001"', '203.0.113.80'],
  ['2001:db8::1', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['"[2001:db8::1]:443"', '2001:db8::1'],
  ['::ffff:203.0.113.80', '::ffff:203.0.113.80'],
  ['unknown1', null],
  ['', null],
  ['203.0.113', null],
  ['203.0.113.80:port', null],
  ['_hidden', null],
])('a hop written as %j is %j', (text, address) => {
  expect(readHop(text)).toBe(address);
});

it('hops before an unreadable one are ignored', () => {
  expect(readableHops('198.51.100.1, 203.0.113.80:1001')).toEqual({
    hops: ['198.51.100.1', '203.0.113.80'],
    unreadable: null,
  });
  expect(readableHops('198.51.100.1, unknown1')).toEqual({ hops: [], unreadable: 'unknown1' });
  expect(readableHops('unknown, 203.0.113.80')).toEqual({ hops: ['203.0.113.80'], unreadable: 'unknown' });
});
