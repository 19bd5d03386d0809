/** CPU time per request, averaged over many requests. */
import { Pool } from 'undici';
import { elapsedMilliseconds } from '#platform/clock.ts';
import { cpuMilliseconds } from '../support/process-usage.ts';

/** One read, as sent to one edge. */
export interface EdgeRequest {
  /** Processes whose CPU time is counted. */
  readonly pids: readonly number[];
  readonly url: string;
  readonly path: string;
  /** Generated anew for every measurement: a signed principal is valid for seconds only. */
  readonly headers: () => Record<string, string>;
  /** Body of a GraphQL request; a request without one is a GET. */
  readonly body?: string;
}

/** Returns microseconds of CPU time per request. Throws if a response is incomplete. */
export async function measureCpu(
  requested: EdgeRequest,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<number> {
  const pool = new Pool(requested.url, { connections, pipelining: 1 });
  try {
    await send(pool, requested, requested.headers());
    const headers = requested.headers();
    const cpu = () => requested.pids.reduce((sum, pid) => sum + cpuMilliseconds(pid), 0);
    const before = cpu();
    const until = elapsedMilliseconds() + seconds * 1000;
    let requests = 0;
    await Promise.all(
      Array.from({ length: connections }, async () => {
        for (; elapsedMilliseconds() < until; requests++) await send(pool, requested, headers);
      }),
    );
    return ((cpu() - before) / requests) * 1000;
  } finally {
    await pool.close();
  }
}

/** Returns the response body. */
export async function send(pool: Pool, { path, body }: EdgeRequest, headers: Record<string, string>): Promise<string> {
  const answer = await pool.request({
    path,
    method: body === undefined ? 'GET' : 'POST',
    headers,
    ...(body === undefined ? {} : { body }),
  });
  const text = await answer.body.text();
  if (answer.statusCode !== 200 || text.startsWith('{"errors"'))
    throw new Error(`${path} answered ${answer.statusCode}: ${text.slice(0, 300)}`);
  return text;
}
