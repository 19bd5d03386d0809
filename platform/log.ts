/** Logs JSON lines to standard output. Anything that may contain a secret is removed first. */
import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from './config.ts';

export type Log = Logger;

const SECRET_FIELDS = [
  'authorization',
  'cookie',
  'x-signature',
  'x-principal',
  'password',
  'token',
  'api_key',
  'apiKey',
  'secret',
  'code',
];

/** `destination` defaults to standard output. */
export function createLog(level: Config['logLevel'], destination?: DestinationStream): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      // `err` is listed first, so that the censor recognizes an error's `code` by its path.
      redact: {
        paths: [
          'err["code"]',
          ...SECRET_FIELDS.flatMap((field) => [`["${field}"]`, `*["${field}"]`, `*.*["${field}"]`]),
        ],
        censor,
      },
    },
    ...(destination ? [destination] : []),
  );
}

/** The `code` of an error is harmless (`ECONNREFUSED`, `53300`); any other `code` may be a credential. */
function censor(value: unknown, path: readonly string[]): unknown {
  if (value === undefined) return undefined;
  const isErrorCode =
    path.at(-1) === 'code' && path[0] === 'err' && typeof value === 'string' && ERROR_CODE.test(value);
  return isErrorCode ? value : '[secret]';
}

const ERROR_CODE = /^[A-Z][A-Z0-9_]*$|^[0-9A-Z]{5}$/;
