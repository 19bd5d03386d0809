/** CPU time of one request, from many of them. */
import { Pool } from 'undici';
import { elapsedMilliseconds } from '../../platform/clock.ts';
import { cpuMilliseconds } from '../support/process-usage.ts';

/** One question as one edge is asked it. */
export interface AskedEdge {
  /** Processes whose CPU time counts. */
  readonly pids: readonly number[];
  readonly url: string;
  readonly path: string;
  /** Made anew for every stretch: a signed principal holds for seconds. */
  readonly headers: () => Record<string, string>;
  /** A GraphQL request; without one it is a GET. */
  readonly body?: string;
}

/** Microseconds. Throws when an answer is not a whole one. */
export async function measureCpu(
  asked: AskedEdge,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<number> {
  const pool = new Pool(asked.url, { connections, pipelining: 1 });
  try {
    await ask(pool, asked, asked.headers());
    const headers = asked.headers();
    const cpu = () => asked.pids.reduce((sum, pid) => sum + cpuMilliseconds(pid), 0);
    const before = cpu();
    const until = elapsedMilliseconds() + seconds * 1000;
    let requests = 0;
    await Promise.all(
      Array.from({ length: connections }, async () => {
        for (; elapsedMilliseconds() < until; requests++) await ask(pool, asked, headers);
      }),
    );
    return ((cpu() - before) / requests) * 1000;
  } finally {
    await pool.close();
  }
}

/** Gives the body. */
export async function ask(pool: Pool, { path, body }: AskedEdge, headers: Record<string, string>): Promise<string> {
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
