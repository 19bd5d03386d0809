/**
 * A proxy of the service whose responses can fail: by status, with half a body, or with no response. Everything else
 * passes through.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface FrontFault {
  times: number;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The service accepts the events, and its response is cut off after this many characters. */
  readonly cutAfter?: number;
  /** The service accepts the events, and the connection ends. */
  readonly isLost?: boolean;
}

export interface FailingFront {
  readonly url: string;
  readonly faults: FrontFault[];
  /** Number of events in each ingestion request, whatever its outcome. */
  readonly requests: number[];
  stop(): Promise<void>;
}

/** Number of events in a signed batch or in log records; 0 for other requests. */
function eventsIn(body: any): number {
  return Array.isArray(body) ? body.length : (body.resourceLogs?.[0].scopeLogs[0].logRecords.length ?? 0);
}

export async function startFront(target: string, port = 0): Promise<FailingFront> {
  const faults: FrontFault[] = [];
  const requests: number[] = [];
  const server = createServer((request, response) => void serve(request, response).catch(() => response.destroy()));

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    if (request.method === 'GET') {
      const { authorization = '' } = request.headers;
      const answer = await fetch(target + request.url, { headers: { authorization } });
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
      return;
    }
    requests.push(eventsIn(JSON.parse(body.toString())));
    const fault = faults.find(({ times }) => times > 0);
    if (fault) fault.times -= 1;
    if (fault?.status !== undefined) {
      response.writeHead(fault.status, fault.headers).end(fault.body ?? '{"error":{"code":"INJECTED"}}');
      return;
    }
    const { host: _, 'content-length': __, connection: ___, 'transfer-encoding': ____, ...headers } = request.headers;
    const answer = await fetch(target + request.url, {
      method: 'POST',
      body,
      headers: headers as Record<string, string>,
    });
    const text = await answer.text();
    if (fault?.isLost) return void response.socket?.resetAndDestroy();
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text.slice(0, fault?.cutAfter));
  }

  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    faults,
    requests,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
