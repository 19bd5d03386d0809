import { expect, test } from 'vitest';
import { isScope, PRESETS, QUERY_SCOPES, SCOPES } from '#schema/scopes.ts';

test('the read-only preset contains the four query scopes, and ingestion can only write', () => {
  expect(PRESETS).toEqual([
    { name: 'CLI and MCP (read-only)', scopes: ['costs:read', 'revenue:read', 'usage:read', 'dimensions:read'] },
    { name: 'SDK ingestion', scopes: ['usage:write'] },
  ]);
  expect([...QUERY_SCOPES, 'usage:write', 'bills:read', 'bills:write'].sort()).toEqual([...SCOPES].sort());
});

test.each(['costs:write', 'constructor', '', ' costs:read', null, 1])('%s is not a scope', (value) => {
  expect(isScope(value)).toBe(false);
});

test.each(SCOPES)('%s is a scope', (value) => {
  expect(isScope(value)).toBe(true);
});
