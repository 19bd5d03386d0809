/** A log that a test can read. */
import { Writable } from 'node:stream';
import { createLog, type Log } from '#platform/log.ts';

export interface LoggedLines {
  readonly log: Log;
  readonly lines: Record<string, any>[];
}

export function loggedLines(level: 'trace' | 'info' | 'warn' = 'warn'): LoggedLines {
  const lines: LoggedLines['lines'] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)));
      done();
    },
  });
  return { log: createLog(level, stream), lines };
}
