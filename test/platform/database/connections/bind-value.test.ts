import { expect, it } from 'vitest';
import { bindValue } from '#platform/database/connections/bind-value.ts';

it.each<[unknown, unknown]>([
  [null, null],
  [undefined, null],
  ['text', 'text'],
  [1.5, '1.5'],
  [12n, '12'],
  [true, 'true'],
  [{ a: [1, 'x'] }, '{"a":[1,"x"]}'],
  [new Date('2026-11-26T12:00:00.001Z'), '2026-11-26T12:00:00.001Z'],
  [new Date('+010000-01-01T00:00:00.000Z'), '10000-01-01T00:00:00.000Z'],
  [new Date('-000001-01-01T00:00:00.000Z'), '0002-01-01T00:00:00.000Z BC'],
  [new Date('0000-06-01T00:00:00.000Z'), '0001-06-01T00:00:00.000Z BC'],
  [['a', null, 'b"\\c', 1, true, ['x']], '{"a",NULL,"b\\"\\\\c","1","true",{"x"}}'],
])('a value is sent in PostgreSQL text format: %#', (value, text) => {
  expect(bindValue(value)).toEqual(text);
});
