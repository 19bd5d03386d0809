/** Records of another process, of which malformed parts are ignored. */
import { expect, it } from 'vitest';
import { firstText, parsedText, parseTelemetry } from '#usage/telemetry/telemetry-record.ts';

it('the record reader reads groups of records', () => {
  const scope = { name: 's', version: '1.2', schemaUrl: 'https://example.com/schemas/1.40.0' };
  const record = {
    traceId: 'a',
    spanId: 'b',
    parentSpanId: 'c',
    name: 'chat',
    startMs: 1,
    endMs: 2,
    status: 2,
    attributes: { model: 'm' },
  };
  expect(parseTelemetry([{ resource: { 'service.name': 'x' }, scope, records: [record] }])).toEqual([
    { resource: { 'service.name': 'x' }, scope, ...record },
  ]);
});

it.each<[string, unknown, number]>([
  ['no list', {}, 0],
  ['no records', [{ records: 'many' }], 0],
  ['nothing', null, 0],
  ['a group that is not an object', [5], 0],
  ['a record that is not an object', [{ records: [5] }], 1],
  [
    'fields of other types',
    [
      {
        resource: 5,
        scope: { name: 5, version: null },
        records: [{ traceId: 1, startMs: '5', endMs: Infinity, status: NaN, attributes: [] }],
      },
    ],
    1,
  ],
])('the record reader ignores %s', (_, groups, records) => {
  const empty = {
    resource: {},
    scope: { name: '', version: '', schemaUrl: '' },
    traceId: '',
    spanId: '',
    parentSpanId: '',
    name: '',
    startMs: 0,
    endMs: 0,
    status: 0,
    attributes: {},
  };
  expect(parseTelemetry(groups)).toEqual(Array.from({ length: records }, () => empty));
});

it.each<[Record<string, string | number | boolean>, string | null]>([
  [{ a: 'one', b: 'two' }, 'one'],
  [{ b: 'two' }, 'two'],
  [{ a: '', b: 'two' }, 'two'],
  [{ a: ' \n', b: 'two' }, 'two'],
  [{ a: 0, b: 'two' }, '0'],
  [{ a: true, b: 1.5 }, '1.5'],
  [{ a: ' kept ' }, ' kept '],
  [{ c: 'other' }, null],
])('the first text under the keys a and b of %j is %j', (attributes, text) => {
  expect(firstText(attributes, ['a', 'b'])).toBe(text);
});

it('the record reader reads no inherited attribute', () => {
  expect(firstText({}, ['constructor'])).toBeNull();
  expect(parsedText({}, 'constructor')).toEqual({});
});

it.each<[string | number | boolean, object]>([
  ['{"a":1}', { a: 1 }],
  ['[1]', {}],
  ['5', {}],
  ['null', {}],
  ['{"a"', {}],
  [5, {}],
  [true, {}],
])('the object in %j is %j', (value, object) => {
  expect(parsedText({ value }, 'value')).toEqual(object);
});
