/** The origins of this service. Locally, all loopback names count. */

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

export function ownOrigins(urls: readonly string[]): ReadonlySet<string> {
  return new Set(
    urls.flatMap((url) => {
      const { protocol, hostname, port, origin } = new URL(url);
      return LOOPBACK.includes(hostname)
        ? LOOPBACK.map((name) => new URL(`${protocol}//${name}:${port}`).origin)
        : [origin];
    }),
  );
}
