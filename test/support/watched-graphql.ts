/** A proxy in front of a running service: records what is asked over GraphQL, and can change single answers. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { parse } from 'graphql';

/** By the name of a root field in the answer: the value that replaces the service's own. */
export type Changes = Readonly<Record<string, (value: any, variables: any) => unknown>>;

export interface Asked {
  /** Root fields of the document. */
  readonly fields: readonly string[];
  readonly variables: Readonly<Record<string, unknown>>;
  readonly organizationId: string | undefined;
}

export interface WatchedGraphql {
  readonly url: string;
  readonly asked: readonly Asked[];
  stop(): void;
}

export async function watchGraphql(service: { readonly url: string }, changes: Changes = {}): Promise<WatchedGraphql> {
  const asked: Asked[] = [];
  const forward = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const { query, variables } = JSON.parse(body);
    const { host: _, ...headers } = request.headers as Record<string, string>;
    asked.push({ fields: rootFields(query), variables, organizationId: headers['x-organization-id'] });
    const answer = await fetch(`${service.url}${request.url}`, { method: 'POST', headers, body });
    const { data, ...rest } = (await answer.json()) as { data?: Record<string, unknown> | null };
    for (const [name, change] of Object.entries(changes))
      if (data && name in data) data[name] = change(data[name], variables);
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify({ data, ...rest }));
  };
  const server = createServer((request, response) => void forward(request, response));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function rootFields(query: string): string[] {
  return parse(query).definitions.flatMap((definition) =>
    definition.kind === 'OperationDefinition'
      ? definition.selectionSet.selections.flatMap((one) => (one.kind === 'Field' ? [one.name.value] : []))
      : [],
  );
}
