import { describe, expect, it } from 'vitest';
import { trendSubject } from '../../../../subgraphs/attribution/trends/trend-subject.ts';

describe('the subject of a trend', () => {
  const id = '0B2F4C6E-1a1a-4b4b-8c8c-123456789abc';
  it.each([
    [{}, { kind: 'total' }],
    [{ dimensionValue: 'x' }, { kind: 'total' }],
    [{ dimensionValue: 'x', endUserId: 'not even a UUID' }, { kind: 'total' }],
    [
      { dimensionKey: 'k', endUserId: id },
      { kind: 'dimension', key: 'k' },
    ],
    [
      { dimensionKey: 'k', dimensionValue: 'v', endUserId: id },
      { kind: 'value', key: 'k', value: 'v' },
    ],
    [
      { endUserId: id, dimensionKey: null },
      { kind: 'end-user', id: id.toLowerCase() },
    ],
  ])('the subject of a trend of %j is %j', (requested, subject) => {
    expect(trendSubject(requested)).toEqual(subject);
  });

  it('is refused if the end user is given by anything but a UUID', () => {
    expect(() => trendSubject({ endUserId: 'ann' })).toThrow('must be a UUID');
  });
});
