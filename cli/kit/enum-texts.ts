/** Output of commands has lower-case texts, which scripts rely on, where the graph has enum values. */
import { enumText } from '#kernel/enum-value.ts';

const ENUM_FIELDS: ReadonlySet<string> = new Set([
  'actor',
  'cause',
  'endpoint',
  'environment',
  'kind',
  'mode',
  'profitability',
  'role',
  'stage',
  'state',
  'status',
]);
const ENUM_VALUE = /^[A-Z][A-Z0-9_]*$/;

export function withEnumTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withEnumTexts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      typeof inner === 'string' && ENUM_FIELDS.has(name) && ENUM_VALUE.test(inner)
        ? enumText(inner)
        : withEnumTexts(inner),
    ]),
  );
}
