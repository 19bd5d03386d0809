/**
 * Members of the bodies of `/ext/v1`. Each is defined once: its JSON Schema for OpenAPI and MCP, how it is read, and its
 * type. Numbers may be strings, so that none is converted to a double.
 */
import { hasTextLength, TEXT_CHARACTERS_MAX, textError } from '#kernel/bounded-text.ts';
import { isRawNumber, sourceOfNumber } from '#kernel/json/exact-json.ts';
import { namedWindow } from '#kernel/time/named-window.ts';
import { parseWindow } from '#kernel/time/window.ts';
import { now } from '#platform/clock.ts';
import { fail } from '#kernel/errors.ts';
import { array, type JsonSchema } from '../json-schema.ts';

export interface Member<Value> {
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
  /** `value` is null if the member is absent. `name` is used in messages. Fails with `VALIDATION_ERROR`. */
  read(value: unknown, name: string): Value;
}

export type ValueOf<Of> = Of extends Member<infer Value> ? Value : never;

type Members = Readonly<Record<string, Member<unknown>>>;
export type ValuesOf<Of extends Members> = { readonly [Name in keyof Of]: ValueOf<Of[Name]> };

/** Makes a member required that may otherwise be absent. */
export function required<Value>(member: Member<Value | null>): Member<Value> {
  return {
    ...member,
    isRequired: true,
    read: (value, name) => member.read(value, name) ?? fail('VALIDATION_ERROR', `${name} is required`),
  };
}

function optional<Value>(schema: JsonSchema, read: (value: unknown, name: string) => Value): Member<Value | null> {
  return { schema, isRequired: false, read: (value, name) => (value === null ? null : read(value, name)) };
}

export function text(description: string): Member<string | null> {
  return optional({ type: 'string', description }, readText);
}

function readText(value: unknown, name: string): string {
  return typeof value === 'string' ? value : fail('VALIDATION_ERROR', `${name} must be a string`);
}

/** 1 to 255 characters that the database can store. */
export function shortText(description: string): Member<string | null> {
  const schema: JsonSchema = { type: 'string', minLength: 1, maxLength: TEXT_CHARACTERS_MAX, description };
  return optional(schema, (value, name) => {
    const given = readText(value, name);
    if (!hasTextLength(given)) fail('VALIDATION_ERROR', `${name} must have 1 to ${TEXT_CHARACTERS_MAX} characters`);
    const error = textError(given);
    return error === null ? given : fail('VALIDATION_ERROR', `${name} contains ${error}`);
  });
}

export function oneOf<const Value extends string>(description: string, values: readonly Value[]): Member<Value | null> {
  return optional({ type: 'string', description, enum: values }, (value, name) => {
    const given = readText(value, name);
    return (
      values.find((each) => each === given) ?? fail('VALIDATION_ERROR', `${name} must be one of ${values.join(', ')}`)
    );
  });
}

const DECIMAL = /^-?\d{1,30}(\.\d{1,30})?$/;

/** A number as decimal text. */
export function decimal(description: string): Member<string | null> {
  return optional({ type: 'string', description }, (value, name) => {
    const written = typeof value === 'string' ? value : sourceOfNumber(value);
    return written !== null && DECIMAL.test(written)
      ? written
      : fail('VALIDATION_ERROR', `${name} must be a plain decimal, such as "0.25"`);
  });
}

/** A whole number from 1 to `max`. */
export function count(description: string, max: number): Member<number | null> {
  return optional({ type: 'integer', minimum: 1, maximum: max, description }, (value, name) => {
    const given = Number(sourceOfNumber(value) ?? value);
    return Number.isInteger(given) && given >= 1 && given <= max
      ? given
      : fail('VALIDATION_ERROR', `${name} must be a whole number from 1 to ${max}`);
  });
}

/** A whole number, 0 or more. */
export function wholeNumber(description: string, max?: number): Member<number | null> {
  const limit = max === undefined ? {} : { maximum: max };
  return optional({ type: 'integer', minimum: 0, ...limit, description }, (value, name) => {
    const given = Number(sourceOfNumber(value) ?? Number.NaN);
    return Number.isSafeInteger(given) && given >= 0 && given <= (max ?? Number.MAX_SAFE_INTEGER)
      ? given
      : fail('VALIDATION_ERROR', `${name} must be a whole number, ${max === undefined ? '0 or more' : `0 to ${max}`}`);
  });
}

/** `itemName` names an item in messages, before its index. */
export function list<Value>(description: string, item: Member<Value>, itemName: string): Member<readonly Value[]> {
  return {
    schema: array(item.schema, description),
    isRequired: true,
    read: (value, name) =>
      Array.isArray(value)
        ? value.map((each, index) => item.read(each, `${itemName} ${index}`))
        : fail('VALIDATION_ERROR', `${name} must be an array`),
  };
}

/** An object without other members. */
export function object<Of extends Members>(members: Of, description?: string): Member<ValuesOf<Of>> {
  const names = Object.keys(members);
  return {
    schema: schemaOf(
      members,
      description,
      names.filter((name) => members[name]!.isRequired),
    ),
    isRequired: true,
    read: (value, what) => {
      const given = membersOf(value, what, names);
      return Object.fromEntries(
        Object.entries(members).map(([name, member]) => [name, member.read(given[name] ?? null, name)]),
      ) as ValuesOf<Of>;
    },
  };
}

/** An object with exactly one of the members. */
export function exactlyOne<Of extends Members>(
  members: Of,
): Member<{ readonly [Name in keyof Of]: { readonly kind: Name; readonly value: ValueOf<Of[Name]> } }[keyof Of]> {
  const names = Object.keys(members);
  return {
    schema: schemaOf(members, 'Exactly one of these.', []),
    isRequired: true,
    read: (value, what) => {
      const given = membersOf(value, what, names);
      const [kind, ...others] = Object.keys(given).filter((name) => given[name] !== null);
      if (kind === undefined || others.length > 0)
        return fail('VALIDATION_ERROR', `${what} must have exactly one of: ${names.join(', ')}`);
      return { kind, value: members[kind]!.read(given[kind], `${what}.${kind}`) } as never;
    },
  };
}

function schemaOf(members: Members, description: string | undefined, names: readonly string[]): JsonSchema {
  return {
    type: 'object',
    ...(description === undefined ? {} : { description }),
    properties: Object.fromEntries(Object.entries(members).map(([name, { schema }]) => [name, schema])),
    ...(names.length > 0 ? { required: names } : {}),
    additionalProperties: false,
  };
}

function membersOf(value: unknown, what: string, names: readonly string[]): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isRawNumber(value))
    return fail('VALIDATION_ERROR', `${what} must be an object`);
  const unknown = Object.keys(value).find((name) => !names.includes(name));
  if (unknown !== undefined) fail('VALIDATION_ERROR', `${what} has no member ${unknown}: use ${names.join(', ')}`);
  return value as Readonly<Record<string, unknown>>;
}

/** The members of a window. */
export const WINDOW = {
  start_date: text('Inclusive: an ISO 8601 date or date-time. Without both dates: the last 30 days.'),
  end_date: text('Exclusive: an ISO 8601 date or date-time.'),
};

/** Fails with `VALIDATION_ERROR` if only one date is given, or if the dates do not form a window. */
export function windowOf({ start_date: start, end_date: end }: ValuesOf<typeof WINDOW>): {
  readonly start: string;
  readonly end: string;
} {
  const window =
    start === null && end === null
      ? namedWindow('last-30-days', now()).window
      : parseWindow({ start: start ?? undefined, end: end ?? undefined });
  return { start: window.start.iso, end: window.end.iso };
}
