/** Where a database is: a URL's parts, or the embedded server's socket. */
export interface ConnectionTarget {
  /** A host name, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly dbName: string;
  readonly driverOptions?: { readonly ssl: { readonly rejectUnauthorized: boolean } };
}

/** Reads a `postgresql://` URL. `database` replaces the URL's own; `?host=` names a socket folder; `sslmode` is honoured. */
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
