/** A third-party subgraph with scripted responses. */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { joinSupergraph } from '../../tools/federation/join-supergraph.ts';
import { projectText } from './project-files.ts';

export const MIB = 1024 * 1024;

export interface MisbehavingSubgraph {
  readonly url: string;
  answer: RequestListener;
  close(): Promise<void>;
}

export async function misbehavingSubgraph(answer: RequestListener): Promise<MisbehavingSubgraph> {
  const server = createServer((request, response) => {
    // The gateway requests GET /healthz if a response takes long.
    if (request.method === 'GET') response.end('{}');
    else subgraph.answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const subgraph: MisbehavingSubgraph = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return subgraph;
}

export function send(body: string, status = 200, headers: Readonly<Record<string, string>> = {}): RequestListener {
  return (_request, response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
}

const read = async (request: IncomingMessage): Promise<{ query: string }> =>
  JSON.parse(Buffer.concat(await request.toArray()).toString()) as { query: string };

/** Responds with `entities` to entity queries, and with `roots` to all others. */
export function each(entities: unknown, roots: unknown = entities): RequestListener {
  return (request, response) => {
    void read(request).then(({ query }) =>
      send(JSON.stringify(query.includes('_entities') ? entities : roots))(request, response),
    );
  };
}

/** Sends data until the other side closes, and counts what was accepted. */
export function endless(counted: { bytes: number }): RequestListener {
  return (_request, response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const chunk = Buffer.alloc(MIB, 32);
    const write = (): void => {
      while (!response.destroyed) {
        counted.bytes += chunk.length;
        if (!response.write(chunk)) return void response.once('drain', write);
      }
    };
    write();
  };
}

const SDL = `
type Query {
  "Notes of the sales team."
  notes: [String!] @scope(needs: "costs:read")
}
"Someone whom the caller's product serves."
type EndUser @key(fields: "externalId") {
  externalId: String!
  "From 0 to 100."
  healthScore: Int @scope(needs: "costs:read")
  "Who looks after the customer."
  manager: Manager @scope(needs: "costs:read")
}
"Somebody of the sales team."
type Manager { name: String! }
`;

/** The supergraph of this version, with that subgraph. */
export function supergraphWith(url: string): string {
  const served = projectText('schema/supergraph.graphql');
  const joining = { name: 'health', url, sdl: SDL };
  const { supergraph, problems } = joinSupergraph(new URL('../../', import.meta.url), [joining], served);
  if (problems.length > 0 || supergraph === null) throw new Error(problems.join('; '));
  return supergraph;
}

const deep = (levels: number) => `{"data":{"notes":${'['.repeat(levels)}${']'.repeat(levels)}}}`;

/** Responses that are invalid for every request. */
export const INVALID_ANSWERS: readonly (readonly [name: string, answer: RequestListener])[] = [
  ['500 with JSON', send('{"message":"boom"}', 500)],
  ['500 with a GraphQL error', send('{"errors":[{"message":"boom"}]}', 500)],
  ['404', send('{"message":"not here"}', 404)],
  ['404 with a page', send('<html>nothing here</html>', 404, { 'content-type': 'text/html' })],
  ['401', send('{}', 401)],
  ['502 with a page', send('<html>bad gateway</html>', 502, { 'content-type': 'text/html' })],
  ['a page', send('<html>maintenance</html>', 200, { 'content-type': 'text/html' })],
  ['broken JSON', send('{"data":{"notes":["call"]')],
  ['nothing', send('')],
  ['204', send('', 204)],
  ['JSON nested 20,000 deep', send(deep(20_000))],
  ['a redirect', send('', 302, { location: 'http://127.0.0.1:1/graphql' })],
  ['{}', send('{}')],
  ['empty data', send('{"data":{}}')],
  ['no data', send('{"data":null}')],
  ['data of another type', send('{"data":"yes"}')],
  ['errors of another type', send('{"data":{"notes":["call"]},"errors":"yes"}')],
  ['a list', send('[]')],
  ['null', send('null')],
  ['a connection that is cut', (request) => void request.socket.destroy()],
  [
    'half an answer',
    (_request, response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('{"data":');
      setImmediate(() => response.destroy());
    },
  ],
];
