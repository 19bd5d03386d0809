import { describe, expect, it } from 'vitest';
import { uuidsV7 } from '#platform/uuid-v7.ts';

const millisecondsOf = (id: string) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);

describe('ids that increase with time', () => {
  it('are UUIDs of version 7 that contain their millisecond', () => {
    const [earlier = ''] = uuidsV7(1);
    const before = Date.now();
    const [id = ''] = uuidsV7(1);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const ms = millisecondsOf(id);
    expect(ms).toBeGreaterThanOrEqual(before);
    expect(ms).toBeLessThanOrEqual(Math.max(Date.now(), millisecondsOf(earlier)) + 1000);
  });

  it('increase strictly and are never equal, however many are requested at once', () => {
    const ids = [...uuidsV7(10_000), ...uuidsV7(1), ...uuidsV7(5_000)];
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
