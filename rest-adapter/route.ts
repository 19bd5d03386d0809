/** What an endpoint is: data. The server, the OpenAPI document, the reference page and the MCP tools all read it. */
import type { Scope } from '../schema/scopes.ts';
import type { ErrorCode } from '../schema/errors.ts';
import type { ParameterSet } from './params/parameter.ts';
import type { JsonSchema } from './json-schema.ts';

export interface Route {
  /** Below `/v1`; a path parameter is written `:name`. */
  readonly url: `/${string}`;
  /** What it is called for clients and tools: `getCostByModel`. */
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** `null`: any valid key. */
  readonly scope: Scope | null;
  /** Codes that the endpoint can answer with beside `INTERNAL_SERVER_ERROR` and `SERVICE_UNAVAILABLE`. */
  readonly errors: readonly ErrorCode[];
  readonly parameters: ParameterSet;
  /** The document whose aliases write the answer's snake_case. */
  readonly document: (variables: Readonly<Record<string, unknown>>) => string;
  /** Where in the data the answer lies. */
  readonly answer: (variables: Readonly<Record<string, unknown>>) => readonly string[];
  /** What to answer where that path ends in null; most never do. */
  readonly answerOfNothing?: (variables: Readonly<Record<string, unknown>>) => unknown;
  readonly response: JsonSchema;
  /** The read-only MCP tool of this endpoint. */
  readonly tool: string;
}

/** A route with one document and one path to its answer; most are. */
export interface PlainRoute extends Omit<Route, 'document' | 'answer'> {
  readonly document: string;
  readonly answer: readonly string[];
}

export function defineRoute({ document, answer, ...route }: PlainRoute): Route {
  return { ...route, document: () => document, answer: () => answer };
}
