import { describe, expect, it } from 'vitest';
import { camelCaseRows } from '#platform/database/camel-case.ts';

describe('a row', () => {
  it.each([
    ['organization_id', 'organizationId'],
    ['cache_creation_1h', 'cacheCreation1h'],
    ['id', 'id'],
    ['?column?', '?column?'],
  ])('renames the column %s to %s', (column, name) => {
    expect(camelCaseRows([{ [column]: 1 }, { [column]: null }])).toEqual([{ [name]: 1 }, { [name]: null }]);
  });

  it('keeps nested values, in the order of its columns', () => {
    const [row] = camelCaseRows<object>([{ unit_prices: { web_searches: '1' }, id: 'a', event_ids: ['x_y'] }]);
    expect(JSON.stringify(row)).toBe('{"unitPrices":{"web_searches":"1"},"id":"a","eventIds":["x_y"]}');
  });

  it('is the unchanged object if no name changes', () => {
    const rows = [{ id: 'a', model: 'm' }];
    expect(camelCaseRows(rows)).toBe(rows);
  });

  it('is missing if the result is empty', () => {
    expect(camelCaseRows([])).toEqual([]);
  });
});
