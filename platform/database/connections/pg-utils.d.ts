declare module 'pg/lib/utils.js' {
  /** A parameter as PostgreSQL reads it: text, bytes or null. */
  export function prepareValue(value: unknown): string | Buffer | null;
}
