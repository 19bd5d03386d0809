/** Column names and types of a table, from its entity, for statements that list them. */
import type { EntitySchema } from '@mikro-orm/core';
import { isoMicros } from './iso-sql.ts';

export interface Column {
  /** Property of the entity. */
  readonly property: string;
  /** Column name. */
  readonly name: string;
  /** Column type without length and precision, as in `:ids::uuid[]`. */
  readonly type: string;
}

/** The columns, in the order of the entity. */
export function columnsOf(entity: EntitySchema): readonly Column[] {
  return Object.entries(entity.meta.properties as Readonly<Record<string, PropertyForm>>).map(([property, form]) => ({
    property,
    name: form.fieldName ?? columnName(property),
    type: form.columnType ?? typeOf(property, form),
  }));
}

/** Comma-separated column names, qualified with `alias` if given. */
export function columnList(columns: readonly Column[], of?: string): string {
  return columns.map(({ name }) => (of === undefined ? name : `${of}.${name}`)).join(', ');
}

/**
 * `:eventId::text::uuid[], :usage::json[]`: one parameter per column, named for its property, for `unnest`. Values come
 * from `arrayBytes`, or `jsonArray` for JSON.
 */
export function arrayParameters(columns: readonly Pick<Column, 'property' | 'type'>[]): string {
  return columns.map(({ property, type }) => `:${property}${type === 'json' ? '' : '::text'}::${type}[]`).join(', ');
}

/**
 * Selects the columns of `alias` under their property names: instants as ISO 8601 UTC with six fraction digits,
 * integers as numbers, decimals and JSON as text.
 */
export function selectList(columns: readonly Column[], alias: string): string {
  return columns
    .map(({ property, name, type }) => `${(READ[type] ?? AS_IT_IS)(`${alias}.${name}`)} as "${property}"`)
    .join(', ');
}

type Reading = (column: string) => string;
const AS_IT_IS: Reading = (column) => column;
const AS_TEXT: Reading = (column) => `${column}::text`;
const READ: Readonly<Record<string, Reading>> = {
  bigint: (column) => `${column}::float8`,
  numeric: AS_TEXT,
  json: AS_TEXT,
  jsonb: AS_TEXT,
  timestamptz: isoMicros,
};

/** `cacheCreation1h` needs an explicit name in the entity: MikroORM does not separate digits. */
function columnName(property: string): string {
  return property.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

interface PropertyForm {
  readonly type?: unknown;
  readonly fieldName?: string;
  readonly columnType?: string;
  readonly enum?: boolean;
}

/** Column types by MikroORM's type names. */
const TYPES: Readonly<Record<string, string>> = {
  UuidType: 'uuid',
  TextType: 'text',
  BooleanType: 'boolean',
  IntegerType: 'int',
  SmallIntType: 'smallint',
  BigIntType: 'bigint',
  DecimalType: 'numeric',
  DateTimeType: 'timestamptz',
  JsonType: 'jsonb',
  BlobType: 'bytea',
  StringType: 'text',
  ArrayType: 'text[]',
};

function typeOf(property: string, { type, enum: isEnum }: PropertyForm): string {
  if (isEnum) return 'text';
  const named = typeof type === 'function' ? type.name : (type as object | undefined)?.constructor.name;
  const known = TYPES[named ?? ''];
  if (known === undefined)
    throw new Error(`${property}: set its columnType, because the type ${named} is unknown here`);
  return known;
}
