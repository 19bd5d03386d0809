/**
 * Definition of an endpoint of `/ext/v1` as data, like a route of `/v1`. These endpoints are not part of the contract;
 * they take a body and are not signed. Used by the server, the OpenAPI document, the MCP tools and the tests.
 */
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import type { ErrorCode } from '#kernel/errors.ts';
import type { GraphqlDocument } from '#schema/graphql.ts';
import type { Scope } from '#schema/scopes.ts';
import type { JsonSchema } from '../json-schema.ts';
import type { Member } from './body.ts';

export interface ExtRoute {
  /** Path below `/ext/v1`. */
  readonly url: `/${string}`;
  /** Operation name for clients: `priceCall`. */
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly scope: Scope;
  /** A scope that is accepted instead of `scope`. */
  readonly orScope?: Scope | undefined;
  /** The key's limit that a request is charged against. */
  readonly spends: 'read' | 'ingestion' | 'decisions';
  /** Error codes of the endpoint, besides the common ones: 400, 401, 403, 413, 415, 429, 500, 503. */
  readonly errors: readonly ErrorCode[];
  /** Schema of the body, an object; additional members are allowed if the schema says so. */
  readonly body: JsonSchema;
  /** Maximum number of bodies in an array, which is answered with an array; null if arrays are not accepted. */
  readonly manyMax: number | null;
  /**
   * The document whose aliases produce one response and from which its shape is derived. `at`: path of the response in
   * the data.
   */
  readonly document: GraphqlDocument;
  readonly at: readonly string[];
  /** Takes a value of `parseExactJson`. */
  readonly answer: (body: unknown, request: ExtRequest) => Promise<unknown>;
  /** An example call, shown in OpenAPI and made by the tests. */
  readonly example: { readonly body: Readonly<Record<string, unknown>>; readonly response: unknown };
  /** Name of the endpoint's read-only MCP tool; its input is one body. */
  readonly tool?: string;
}

interface OfOneBody<Body> extends Omit<ExtRoute, 'body' | 'manyMax' | 'answer'> {
  readonly body: Member<Body>;
  readonly answer: (body: Body, request: ExtRequest) => Promise<unknown>;
}

/** An endpoint whose body is read as it is documented. */
export function extRoute<Body>({ body, answer, ...route }: OfOneBody<Body>): ExtRoute {
  return {
    ...route,
    body: body.schema,
    manyMax: null,
    answer: async (given, request) => answer(body.read(given, 'The request body'), request),
  };
}

export interface ExtRequest {
  readonly gateway: GatewayClient;
  readonly principal: Principal;
}
