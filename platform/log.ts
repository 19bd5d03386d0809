/** JSON lines on standard output. What could hold a secret is cut out before it is written. */
import { type Logger, pino } from 'pino';
import type { Config } from './config.ts';

export type Log = Logger;

const SECRET_FIELDS = ['authorization', 'cookie', 'x-signature', 'x-principal', 'password', 'token', 'api_key', 'apiKey', 'secret', 'code'];

export function createLog(level: Config['logLevel']): Log {
  return pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: { paths: SECRET_FIELDS.flatMap((field) => [`["${field}"]`, `*["${field}"]`, `*.*["${field}"]`]), censor: '[secret]' },
  });
}
