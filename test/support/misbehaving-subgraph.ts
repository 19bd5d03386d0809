/** A subgraph of somebody else that answers whatever a test has it answer. */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const MIB = 1024 * 1024;

export interface MisbehavingSubgraph {
  readonly url: string;
  answer: RequestListener;
  close(): Promise<void>;
}

export async function misbehavingSubgraph(answer: RequestListener): Promise<MisbehavingSubgraph> {
  const server = createServer((request, response) => {
    // The gateway looks at GET /healthz when an answer takes long.
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

/** To questions for entities `entities`, to all others `roots`. */
export function each(entities: unknown, roots: unknown = entities): RequestListener {
  return (request, response) => {
    void read(request).then(({ query }) =>
      send(JSON.stringify(query.includes('_entities') ? entities : roots))(request, response),
    );
  };
}

/** Answers until the other side gives up, and counts what was taken. */
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
