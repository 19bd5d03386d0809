/** A proxy that adds a key to every request, for external tools that cannot be given one. */
import { createServer, request } from 'node:http';

export interface Door {
  readonly url: string;
  close(): Promise<void>;
}

/** `target` and `key` are read at each request, because they may be known later than the proxy's address. */
export function addBearer(target: () => string, key: () => string): Promise<Door> {
  const server = createServer((incoming, answer) => {
    const { hostname, port } = new URL(target());
    const headers = { ...incoming.headers, authorization: `Bearer ${key()}` };
    const onward = request({ hostname, port, method: incoming.method, path: incoming.url, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    incoming.pipe(onward);
  });
  return new Promise((resolve) => {
    server.listen(0, 'localhost', () =>
      resolve({
        url: `http://localhost:${(server.address() as { port: number }).port}`,
        close: () => new Promise((closed) => server.close(() => closed())),
      }),
    );
  });
}
