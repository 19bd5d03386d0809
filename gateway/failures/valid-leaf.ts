/** Checks a subgraph's value against its scalar or enum. */
import { type GraphQLLeafType, isEnumType } from 'graphql';

const INT_MAX = 2 ** 31 - 1;
const LEAVES: Readonly<Record<string, (value: unknown) => boolean>> = {
  String: (value) => typeof value === 'string',
  Decimal: (value) => typeof value === 'string',
  Instant: (value) => typeof value === 'string',
  ID: (value) => typeof value === 'string' || Number.isInteger(value),
  Boolean: (value) => typeof value === 'boolean',
  Long: (value) => Number.isInteger(value),
  Float: (value) => Number.isFinite(value),
  Int: (value) => Number.isInteger(value) && Math.abs(Number(value)) <= INT_MAX,
};

/** Any value is valid for a scalar that is not listed above, such as `JSON`. */
export function isValidLeaf(type: GraphQLLeafType, value: unknown): boolean {
  if (isEnumType(type)) return typeof value === 'string' && type.getValue(value) !== undefined;
  return LEAVES[String(type)]?.(value) ?? true;
}
