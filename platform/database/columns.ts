/** What a table's columns are called and what they hold, from its entity: where a statement lists them, it asks here. */
import type { EntitySchema } from '@mikro-orm/core';
import { isoMicros } from './iso-sql.ts';

export interface Column {
  /** The property of the entity. */
  readonly property: string;
  /** PostgreSQL's name. */
  readonly name: string;
  /** PostgreSQL's type, without length and precision: `$1::uuid[]`. */
  readonly type: string;
}

/** In the order of the entity. */
export function columnsOf(entity: EntitySchema): readonly Column[] {
  return Object.entries(entity.meta.properties as Readonly<Record<string, PropertyForm>>).map(([property, form]) => ({
    property,
    name: form.fieldName ?? columnName(property),
    type: form.columnType ?? typeOf(property, form),
  }));
}

/** Names of columns with commas between them; of the columns named `of`, as they are called in `alias`. */
export function columnList(columns: readonly Column[], of?: string): string {
  return columns.map(({ name }) => (of === undefined ? name : `${of}.${name}`)).join(', ');
}

/** `$3::text::uuid[], $4::json[]`: one parameter for each column, from number `first` on, for `unnest`. By `arrayBytes`, of JSON by `jsonArray`. */
export function arrayParameters(columns: readonly Pick<Column, 'type'>[], first: number): string {
  return columns.map(({ type }, index) => `$${first + index}${type === 'json' ? '' : '::text'}::${type}[]`).join(', ');
}

/**
 * The columns of `alias` as our code takes them, under the names of their properties: instants as ISO 8601 UTC with six digits of
 * fraction, whole numbers as numbers, decimals and JSON as text.
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

/** `cacheCreation1h` has a name of its own in the entity: MikroORM does not part digits. */
function columnName(property: string): string {
  return property.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

interface PropertyForm {
  readonly type?: unknown;
  readonly fieldName?: string;
  readonly columnType?: string;
  readonly enum?: boolean;
}

/** By MikroORM's types. */
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
  if (known === undefined) throw new Error(`${property}: state its columnType, ${named} is not known here`);
  return known;
}
