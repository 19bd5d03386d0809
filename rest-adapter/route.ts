/**
 * Definition of an endpoint as data. Used by the server, the OpenAPI document, the reference page, the MCP tools and
 * the tests.
 */
import type { Scope } from '#schema/scopes.ts';
import type { ErrorCode } from '#kernel/errors.ts';
import type { GraphqlDocument } from '#schema/graphql.ts';
import type { WithTexts } from '#schema/answer-texts.ts';
import type { ParameterSet } from './params/parameter.ts';

export interface Route {
  /** Path below `/v1`; a path parameter is written `:name`. */
  readonly url: `/${string}`;
  /** Operation name for clients and tools: `getCostByModel`. */
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** `null`: any valid key. */
  readonly scope: Scope | null;
  /** Error codes of the endpoint, besides `INTERNAL_SERVER_ERROR` and `SERVICE_UNAVAILABLE`. */
  readonly errors: readonly ErrorCode[];
  readonly parameters: ParameterSet;
  /** The document whose aliases produce the response's snake_case names. The response's shape is derived from it. */
  readonly document: GraphqlDocument;
  /** Path of the response in the data. */
  readonly answer: readonly string[];
  /** Alternative document for the same response. */
  readonly variant?: RouteVariant;
  /** Lists that the graph returns as one JSON value: the field of the response → a fragment for one of its objects. */
  readonly lists?: Readonly<Record<string, string>>;
  readonly example: RouteExample;
  /** Name of the endpoint's read-only MCP tool. */
  readonly tool: string;
}

/** Document to use if a variable is present. */
interface RouteVariant {
  readonly variable: string;
  readonly document: GraphqlDocument;
  readonly answer: readonly string[];
  /** Response to send if that path ends in null. */
  readonly answerOfNothing: (variables: Readonly<Record<string, unknown>>) => unknown;
}

/** An example call with a possible response. The tests make the same call. */
interface RouteExample {
  /** Values to send, by parameter name. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly response: unknown;
}

type ValueAt<Data, Path extends readonly string[]> = Path extends readonly [
  infer Name,
  ...infer Rest extends readonly string[],
]
  ? Name extends keyof Data
    ? ValueAt<Data[Name], Rest>
    : never
  : Data;

/** The compiler checks the response's path and the example against the document. */
export function defineRoute<Data, Variables, const Path extends readonly string[]>(
  route: Route & {
    document: GraphqlDocument<Data, Variables>;
    answer: Path;
    example: { response: WithTexts<ValueAt<Data, Path>> };
  },
): Route {
  return route;
}
