/** Maps request parameters to the variables of a document, and describes them to clients. */
import { fail } from '#kernel/errors.ts';
import type { JsonSchema } from '../json-schema.ts';

/** A query string as parsed by Fastify: a repeated parameter is an array. */
export type RawQuery = Readonly<Record<string, string | readonly string[] | undefined>>;

interface RawRequest {
  readonly query: RawQuery;
  readonly path: Readonly<Record<string, string>>;
  readonly now: Date;
}

/** A parameter as described in the OpenAPI document. */
export interface ParameterDescription {
  readonly name: string;
  readonly in: 'query' | 'path';
  readonly required: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
  /** Row of the decision table for a point that the contract leaves open. */
  readonly openPoint?: string;
}

/** A group of related parameters. */
export interface ParameterSet {
  readonly describe: readonly ParameterDescription[];
  /** Variables that it may set. */
  readonly variables: readonly string[];
  /** Fails with `VALIDATION_ERROR` and a message that names the parameter. */
  readonly read: (request: RawRequest) => Record<string, unknown>;
}

export const noParameters: ParameterSet = { describe: [], variables: [], read: () => ({}) };

/** Combines sets of parameters into one. */
export function together(...sets: readonly ParameterSet[]): ParameterSet {
  return {
    describe: sets.flatMap(({ describe }) => describe),
    variables: sets.flatMap(({ variables }) => variables),
    read: (request) => {
      const variables: Record<string, unknown> = {};
      for (const { read } of sets) Object.assign(variables, read(request));
      return variables;
    },
  };
}

/** Returns the value of a query parameter, `undefined` if absent. Fails if it is repeated or empty. */
export function single(query: RawQuery, name: string): string | undefined {
  const value = query[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'string') fail('VALIDATION_ERROR', `${name} must be given once`);
  if (value === '') fail('VALIDATION_ERROR', `${name} must not be empty`);
  if (value.includes('\0') || !value.isWellFormed())
    fail('VALIDATION_ERROR', `${name} contains characters that are not allowed`);
  return value;
}

interface Choice {
  readonly name: string;
  readonly variable: string;
  readonly description: string;
  /** Value as sent → name in the graph. The first is the default. */
  readonly values: Readonly<Record<string, string>>;
}

/** A parameter with a fixed set of values. */
export function choice({ name, variable, description, values }: Choice): ParameterSet {
  const sent = Object.keys(values);
  return {
    describe: [
      { name, in: 'query', required: false, description, schema: { type: 'string', enum: sent, default: sent[0] } },
    ],
    variables: [variable],
    read: ({ query }) => {
      const value = single(query, name) ?? sent[0] ?? '';
      if (!Object.hasOwn(values, value)) fail('VALIDATION_ERROR', `${name} must be one of ${sent.join(', ')}`);
      return { [variable]: values[value] };
    },
  };
}

interface WholeNumber {
  readonly name: string;
  readonly variable: string;
  readonly description: string;
  readonly minimum: number;
  readonly maximum: number;
  readonly fallback: number;
}

/** A whole-number parameter between two bounds. */
export function wholeNumber({ name, variable, description, minimum, maximum, fallback }: WholeNumber): ParameterSet {
  const schema = { type: 'integer', format: 'int32', minimum, maximum, default: fallback };
  return {
    describe: [{ name, in: 'query', required: false, description, schema }],
    variables: [variable],
    read: ({ query }) => {
      const value = single(query, name);
      if (value === undefined) return { [variable]: fallback };
      const parsed = /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN;
      if (!(parsed >= minimum && parsed <= maximum))
        fail('VALIDATION_ERROR', `${name} must be a whole number from ${minimum} to ${maximum}`);
      return { [variable]: parsed };
    },
  };
}
