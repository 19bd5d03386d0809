/**
 * What an endpoint of `/ext/v1` is: data, as a route of `/v1` is. Nothing there is part of the contract; it takes a body and is not
 * signed. The server, the OpenAPI document, the MCP tools and the tests all read it.
 */
import type { GatewayClient } from '../../platform/gateway-client.ts';
import type { Principal } from '../../platform/principal.ts';
import type { ErrorCode } from '../../schema/errors.ts';
import type { GraphqlDocument } from '../../schema/graphql.ts';
import type { Scope } from '../../schema/scopes.ts';
import type { JsonSchema } from '../json-schema.ts';

export interface ExtRoute {
  /** Below `/ext/v1`. */
  readonly url: `/${string}`;
  /** What it is called for clients: `priceCall`. */
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly scope: Scope;
  /** Which limit of its key a request spends: that of reads, or that of ingestion. */
  readonly spends: 'read' | 'ingestion';
  /** Codes that the endpoint can answer with besides those of its door: 400, 401, 403, 413, 415, 429, 500, 503. */
  readonly errors: readonly ErrorCode[];
  /** What its body is: the schema of an object, with the members that may be added where it says so. */
  readonly body: JsonSchema;
  /** How many of them a body may hold as an array, which is answered with an array; null: none. */
  readonly manyMax: number | null;
  /** The document whose aliases write one answer, from which the shape is derived, and where in the data the answer lies. */
  readonly document: GraphqlDocument;
  readonly at: readonly string[];
  /** Takes a value of `parseExactJson`. */
  readonly answer: (body: unknown, request: ExtRequest) => Promise<unknown>;
  /** A call that shows the endpoint. OpenAPI gives it, and the tests make it. */
  readonly example: { readonly body: Readonly<Record<string, unknown>>; readonly response: unknown };
  /** The read-only MCP tool of this endpoint; its input is one body. */
  readonly tool?: string;
}

export interface ExtRequest {
  readonly gateway: GatewayClient;
  readonly principal: Principal;
}
