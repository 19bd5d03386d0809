/** What an endpoint is: data. The server, the OpenAPI document, the reference page, the MCP tools and the tests all read it. */
import type { Scope } from '../schema/scopes.ts';
import type { ErrorCode } from '../schema/errors.ts';
import type { GraphqlDocument } from '../schema/graphql.ts';
import type { ParameterSet } from './params/parameter.ts';

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
  /** Codes that the endpoint can answer with besides `INTERNAL_SERVER_ERROR` and `SERVICE_UNAVAILABLE`. */
  readonly errors: readonly ErrorCode[];
  readonly parameters: ParameterSet;
  /** The document whose aliases write the answer's snake_case. The shape of the answer is derived from it. */
  readonly document: GraphqlDocument;
  /** Where in the data the answer lies. */
  readonly answer: readonly string[];
  /** Another way to the same answer. */
  readonly variant?: RouteVariant;
  /** Lists that the graph gives as one JSON value: the field of the answer → a fragment that writes one of its objects. */
  readonly lists?: Readonly<Record<string, string>>;
  readonly example: RouteExample;
  /** The read-only MCP tool of this endpoint. */
  readonly tool: string;
}

/** What is sent instead where a variable is there. */
interface RouteVariant {
  readonly variable: string;
  readonly document: GraphqlDocument;
  readonly answer: readonly string[];
  /** What to answer where that path ends in null. */
  readonly answerOfNothing: (variables: Readonly<Record<string, unknown>>) => unknown;
}

/** A call that shows the endpoint, and what it can answer. The tests make the same call. */
interface RouteExample {
  /** What is sent, by the names of the parameters. */
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

/** The compiler holds the path of the answer and the example against the document. */
export function defineRoute<Data, Variables, const Path extends readonly string[]>(
  route: Route & {
    document: GraphqlDocument<Data, Variables>;
    answer: Path;
    example: { response: ValueAt<Data, Path> };
  },
): Route {
  return route;
}
