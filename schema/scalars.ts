/** The scalars that every subgraph shares. */
import { GraphQLError, GraphQLFloat, GraphQLScalarType } from 'graphql';
import { GraphQLJSON } from 'graphql-scalars';
import { type Amount, type Money, plain, type Quantity } from '#kernel/money.ts';
import { type Instant, parseIso8601 } from '#kernel/time/instant.ts';

/** Prints an exact number in plain notation. Text must already be printed by `plain`. */
const DecimalScalar = new GraphQLScalarType<Amount | Money | Quantity | string, string>({
  name: 'Decimal',
  serialize: (value) => (typeof value === 'string' ? value : plain(value as Amount | Money | Quantity)),
  parseValue: requireText('a plain decimal, such as "0.25"', (text) => DECIMAL.test(text)),
});

/** Text on input, so that an entity's key is the same on every transport and can be parsed by every subgraph. */
const InstantScalar = new GraphQLScalarType<string, string>({
  name: 'Instant',
  serialize: (value) => {
    if (value instanceof Date) return value.toISOString();
    return typeof value === 'string' ? value : (value as Instant).iso;
  },
  parseValue: requireText('an ISO 8601 date or date-time', (text) => parseIso8601(text) !== null),
});

/**
 * Counts. A sum above 2^53 is rounded rather than refused: the rest of the response is needed. Input is any number; the
 * operation that uses it reports a field that is not a whole number.
 */
const LongScalar = new GraphQLScalarType<number, number>({
  ...GraphQLFloat.toConfig(),
  name: 'Long',
  serialize: (value) => {
    const count = Number(value);
    if (Number.isInteger(count)) return count;
    throw new GraphQLError(`Not a whole number: ${String(value)}`);
  },
});

/** JSON is passed on unchanged; the operation that uses it validates it. */
export const scalarResolvers = { Decimal: DecimalScalar, Instant: InstantScalar, Long: LongScalar, JSON: GraphQLJSON };

/** Plain notation, as accepted by `numeric` and `Money`. */
const DECIMAL = /^-?\d{1,30}(?:\.\d{1,30})?$/;

function requireText(what: string, isValid: (text: string) => boolean): (value: unknown) => string {
  return (value) => {
    if (typeof value === 'string' && isValid(value)) return value;
    const sent = typeof value === 'string' ? JSON.stringify(value.slice(0, 64)) : `a ${typeof value}`;
    throw new GraphQLError(`${sent} is not ${what}`, { extensions: { code: 'VALIDATION_ERROR' } });
  };
}
