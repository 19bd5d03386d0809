/** An organization's attribute mapping is stored field by field. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { getTelemetryMapping } from '../../../../subgraphs/costing/telemetry/get-telemetry-mapping.operation.ts';
import { setTelemetryMapping } from '../../../../subgraphs/costing/telemetry/set-telemetry-mapping.operation.ts';
import { mappedText } from '#usage/telemetry/attribute-mapping.ts';
import { type Costing, startCosting } from '../costing-builder.ts';

let costing: Costing;
beforeAll(async () => {
  costing = await startCosting();
});
afterAll(() => costing.close());

it.each([
  ['endUser', ['of.user', 'user']],
  ['agent', ['of.agent']],
  ['session', ['of.session']],
  ['bookedCosts', ['litellm']],
  ['dimensions', [{ dimension: 'team', attributes: ['of.team'] }]],
])('a change of %s keeps the others, at first and later', async (field, value) => {
  const before = await getTelemetryMapping(costing.operator);
  await setTelemetryMapping(costing.operator, { [field]: [] });
  expect(await getTelemetryMapping(costing.operator)).toEqual({ ...before, [field]: [] });
  await setTelemetryMapping(costing.operator, { [field]: value });
  expect(await getTelemetryMapping(costing.operator)).toEqual({ ...before, [field]: value });
  expect(await getTelemetryMapping(costing.stranger)).not.toMatchObject({ [field]: value });
});

const names = (count: number, length = 1) =>
  Array.from({ length: count }, (_, index) => `${index}`.padEnd(length, 'x'));
const dimensions = (count: number) => names(count).map((dimension) => ({ dimension, attributes: ['a'] }));

it.each<[string, object, string | null]>([
  ['twenty names', { agent: names(20) }, null],
  ['more names', { agent: names(21) }, 'agent must contain at most 20 names'],
  ['an empty attribute', { dimensions: [{ dimension: 'team', attributes: [''] }] }, 'dimensions: a name must have'],
  ['a name of 128 characters', { session: names(1, 128) }, null],
  ['a longer name', { session: names(1, 129) }, 'session: a name must have 1 to 128 characters'],
  ['an empty name', { bookedCosts: [' '] }, 'bookedCosts: a name must have 1 to 128 characters'],
  ['twenty dimensions', { dimensions: dimensions(20) }, null],
  ['more dimensions', { dimensions: dimensions(21) }, 'dimensions must contain at most 20 dimensions'],
  [
    'a dimension that is written by the endpoint',
    { dimensions: [{ dimension: 'usage', attributes: ['a'] }] },
    'usage is reserved',
  ],
])('a mapping is saved or refused: %s', async (_, input, message) => {
  const before = await getTelemetryMapping(costing.operator);
  const set = setTelemetryMapping(costing.operator, input);
  if (message === null) await expect(set).resolves.toMatchObject(input);
  else {
    await expect(set).rejects.toMatchObject({ code: 'VALIDATION_ERROR', message: expect.stringContaining(message) });
    expect(await getTelemetryMapping(costing.operator)).toEqual(before);
  }
});

it('an attribute of the call takes precedence, then the nearest span, then the resource; a value that is too long is skipped', () => {
  const record = (user: string | null, resource: string | null = null) => {
    const attributes = (value: string | null) => (value === null ? {} : { user: value });
    return { attributes: attributes(user), resource: attributes(resource) } as unknown as Parameters<
      typeof mappedText
    >[0]['record'];
  };
  const whom = (own: string | null, ...around: (string | null)[]) =>
    mappedText({ record: record(own, 'resource'), ancestors: around.map((user) => record(user)) }, ['user']);
  expect(whom('call', 'near', 'far')).toBe('call');
  expect(whom(null, 'near', 'far')).toBe('near');
  expect(whom(null, null, 'far')).toBe('far');
  expect(whom(null)).toBe('resource');
  const longest = '𝒙'.repeat(255);
  expect([whom(longest), whom(`${longest}x`, 'near')]).toEqual([longest, 'near']);
});
