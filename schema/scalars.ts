/** The scalars that every subgraph shares. */
import { GraphQLError, GraphQLScalarType } from 'graphql';
import { GraphQLJSON } from 'graphql-scalars';
import { type Amount, type Money, plain } from '../kernel/money.ts';
import type { Instant } from '../kernel/time/instant.ts';

/** Money leaves here in plain notation. Text is taken as already printed by `plain`. */
const DecimalScalar = new GraphQLScalarType<Amount | Money | string, string>({
  name: 'Decimal',
  serialize: (value) => (typeof value === 'string' ? value : plain(value as Amount | Money)),
  parseValue: requireText('Decimal'),
});

/** Text on the way in, so that a key of an entity is the same on every transport: a subgraph parses it where it begins. */
const InstantScalar = new GraphQLScalarType<string, string>({
  name: 'Instant',
  serialize: (value) => {
    if (value instanceof Date) return value.toISOString();
    return typeof value === 'string' ? value : (value as Instant).iso;
  },
  parseValue: requireText('Instant'),
});

/** JSON is passed on untouched: anyone who owns the rule checks it. */
export const scalarResolvers = { Decimal: DecimalScalar, Instant: InstantScalar, JSON: GraphQLJSON };

function requireText(name: string): (value: unknown) => string {
  return (value) => {
    if (typeof value === 'string') return value;
    throw new GraphQLError(`${name} must be a string`, { extensions: { code: 'VALIDATION_ERROR' } });
  };
}
