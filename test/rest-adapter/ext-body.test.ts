/** Bodies are read exactly as their schemas state. */
import { Ajv } from 'ajv';
import { expect, it } from 'vitest';
import { parseExactJson } from '#kernel/json/exact-json.ts';
import {
  count,
  decimal,
  exactlyOne,
  list,
  object,
  oneOf,
  required,
  text,
  wholeNumber,
} from '../../rest-adapter/ext/body.ts';

const BODY = object({
  name: required(text('A name.')),
  state: oneOf('A state.', ['open', 'closed']),
  first: count('A count.', 20),
  included: wholeNumber('A number.'),
  price: decimal('A price.'),
  changes: list(
    'Changes.',
    exactlyOne({
      rate: object({ factor: required(decimal('A factor.')) }),
      share: object({ model: text('A model.') }),
    }),
    'Change',
  ),
});
const fits = new Ajv({ strict: false }).compile(BODY.schema);

const read = (body: object) => BODY.read(parseExactJson(JSON.stringify(body)), 'The body');
const SMALLEST = { name: 'n', changes: [] };

it('the body reader reads members with their types, and null for those that are absent', () => {
  const body = { ...SMALLEST, state: 'open', first: 20, included: 0, changes: [{ rate: { factor: '0.9' } }] };
  expect(fits(body)).toBe(true);
  expect(read(body)).toEqual({
    ...body,
    price: null,
    changes: [{ kind: 'rate', value: { factor: '0.9' } }],
  });
  expect(read({ ...SMALLEST, state: null })).toMatchObject({ state: null, first: null, price: null });
});

it('the body reader keeps every digit of a number', () => {
  expect(BODY.read(parseExactJson('{"name":"n","changes":[],"price":0.10000000000000000001}'), 'The body').price).toBe(
    '0.10000000000000000001',
  );
});

it.each([
  [{ changes: [] }, 'name is required'],
  [{ ...SMALLEST, other: 1 }, 'The body has no member other: use name, state, first, included, price, changes'],
  [{ ...SMALLEST, name: 1 }, 'name must be a string'],
  [{ ...SMALLEST, state: 'odd' }, 'state must be one of open, closed'],
  [{ ...SMALLEST, first: 0 }, 'first must be a whole number from 1 to 20'],
  [{ ...SMALLEST, first: 21 }, 'first must be a whole number from 1 to 20'],
  [{ ...SMALLEST, first: 1.5 }, 'first must be a whole number from 1 to 20'],
  [{ ...SMALLEST, included: -1 }, 'included must be a whole number, 0 or more'],
  [{ ...SMALLEST, price: true }, 'price must be a plain decimal, such as "0.25"'],
  [{ ...SMALLEST, changes: {} }, 'changes must be an array'],
  [{ ...SMALLEST, changes: [[]] }, 'Change 0 must be an object'],
  [{ ...SMALLEST, changes: [{ rate: {} }] }, 'factor is required'],
  [{ ...SMALLEST, changes: [{ rate: { odd: 1 } }] }, 'Change 0.rate has no member odd: use factor'],
])('the body reader refuses %j, and so does its schema', (body, message) => {
  expect(() => read(body)).toThrow(message);
  expect(fits(body)).toBe(false);
});

it('the body reader refuses several members where one is expected', () => {
  expect(() => read({ ...SMALLEST, changes: [{}] })).toThrow('Change 0 must have exactly one of: rate, share');
  expect(() => read({ ...SMALLEST, changes: [{ rate: { factor: 1 }, share: {} }] })).toThrow('exactly one of');
});
