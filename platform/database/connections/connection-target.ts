/** Address of a database: parts of a URL, or the embedded server's socket. */
export interface ConnectionTarget {
  /** A host name, or the directory of a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly dbName: string;
  /** True if the disk of the embedded server is almost full: it must not be written to. Absent for other servers. */
  readonly isAlmostFull?: () => boolean;
  /** Free bytes on the disk of the embedded server. Absent for other servers. */
  readonly freeBytes?: () => number;
  readonly driverOptions?: { readonly ssl: { readonly rejectUnauthorized: boolean } };
}

/**
 * Parses a `postgresql://` URL. `database` replaces the URL's database; `?host=` is a socket directory; `sslmode` is
 * respected.
 */
export function targetOfUrl(url: string, database?: string): ConnectionTarget {
  const parts = new URL(url);
  const sslMode = parts.searchParams.get('sslmode');
  return {
    host: parts.searchParams.get('host') ?? decodeURIComponent(parts.hostname),
    port: parts.port === '' ? 5432 : Number(parts.port),
    user: decodeURIComponent(parts.username),
    password: decodeURIComponent(parts.password),
    dbName: database ?? decodeURIComponent(parts.pathname.slice(1)),
    ...(sslMode && sslMode !== 'disable'
      ? { driverOptions: { ssl: { rejectUnauthorized: sslMode.startsWith('verify') } } }
      : {}),
  };
}
