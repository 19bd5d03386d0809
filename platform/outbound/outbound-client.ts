/**
 * The only client for outbound requests to configured addresses. All addresses of a host name must be public, and the
 * connection uses exactly the resolved addresses, so that DNS rebinding has no effect. Redirects are not followed.
 * Response size and duration are bounded.
 */
import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Readable } from 'node:stream';
import { Agent, buildConnector } from 'undici';
import { type AllowedHosts, isAddressAllowed, isHostAllowed, readAllowedHosts } from './allowed-hosts.ts';
import { isPublicAddress } from './public-address.ts';

const CONNECT_MILLISECONDS_MAX = 5_000;
const REQUEST_MILLISECONDS_MAX = 15_000;
const QUERY = { timeout: 2_000, tries: 2 };
const HEADER_BYTES_MAX = 16_384;

interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

export type ResolveHost = (hostname: string, isAllowed: boolean) => Promise<readonly ResolvedAddress[]>;

export interface OutboundRequest {
  readonly url: string | URL;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  /** A stream is sent once. */
  readonly body: string | Readable | null;
  /** Maximum size of the response body that is read. */
  readonly answerBytesMax: number;
  /** From name resolution to the last byte. Default 15 s. */
  readonly timeoutMilliseconds?: number;
  readonly signal?: AbortSignal;
}

interface OutboundAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body, read as UTF-8 up to `answerBytesMax`. */
  readonly text: string;
  readonly isWhole: boolean;
}

export interface Outbound {
  /** Checks an address without sending anything; fails like {@link Outbound.request}. */
  check(url: string | URL): Promise<void>;
  /** Returns any response. Fails with {@link OutboundRefused}, a network error or a `TimeoutError`. */
  request(request: OutboundRequest): Promise<OutboundAnswer>;
  close(): Promise<void>;
}

/** The same message for unknown and internal hosts, so that internal names are not revealed. */
export const HOST_NOT_USABLE = 'its host cannot be found, or is not public';

/**
 * The request was not sent. The message is for the person who configured the address and contains no private address.
 */
export class OutboundRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'OutboundRefused';
  }
}

/**
 * `allowedHosts` as in `OUTBOUND_ALLOWED_HOSTS`. A client has one rule, because its connections are shared by all its
 * requests.
 */
export function outboundClient({
  allowedHosts,
  resolve = resolveHost,
}: {
  readonly allowedHosts: readonly string[];
  readonly resolve?: ResolveHost;
}): Outbound {
  const allowed = readAllowedHosts(allowedHosts);
  const connect: buildConnector.connector = (options, callback) => {
    addressesOf(options, allowed, resolve).then(
      (addresses) => connectTo(addresses)(options, callback),
      (error: Error) => callback(error, null),
    );
  };
  const agent = new Agent({ connect, pipelining: 1, maxHeaderSize: HEADER_BYTES_MAX });
  return {
    async check(url) {
      const target = readTarget(url);
      await addressesOf(target, allowed, resolve);
    },
    async request({ url, method, headers, body, answerBytesMax, timeoutMilliseconds, signal }) {
      const target = readTarget(url);
      const timeout = AbortSignal.timeout(timeoutMilliseconds ?? REQUEST_MILLISECONDS_MAX);
      const ended = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
      const send = () =>
        agent.request({
          origin: target.origin,
          path: target.path,
          method,
          headers,
          body,
          headersTimeout: 0,
          bodyTimeout: 0,
          signal: ended,
          // An idle connection may be closed just when it is reused, so requests that must not be sent twice use a new
          // one.
          reset: method !== 'GET',
        });
      const sent = method === 'GET' ? send().catch((error: unknown) => (isCut(error) ? send() : raise(error))) : send();
      // A request that waits for its connection ignores the signal.
      const answer = await Promise.race([sent, rejectedBy(ended)]);
      return { status: answer.statusCode, headers: answer.headers, ...(await readUpTo(answer.body, answerBytesMax)) };
    },
    close: () => agent.destroy(),
  };
}

interface Target {
  readonly protocol: string;
  /** IPv6 addresses with or without brackets. */
  readonly hostname: string;
  readonly port: string;
}

function readTarget(text: string | URL): Target & { readonly origin: string; readonly path: string } {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new OutboundRefused('The address must be a URL that starts with https://');
  if (url.username !== '' || url.password !== '')
    throw new OutboundRefused('The address must not contain a user name or a password');
  const { protocol, hostname, port, origin, pathname, search } = url;
  return { protocol, hostname, port, origin, path: `${pathname}${search}` };
}

/** The addresses a request may connect to. If any address of a host is private, the host is refused. */
async function addressesOf(
  { protocol, hostname, port }: Target,
  allowed: AllowedHosts,
  resolve: ResolveHost,
): Promise<readonly ResolvedAddress[]> {
  const plain = hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  const name = isIP(plain) === 6 ? `[${plain}]` : plain;
  const isSecure = protocol === 'https:';
  const byName = isHostAllowed(allowed, name, port === '' ? (isSecure ? 443 : 80) : Number(port));
  const addresses = isIP(plain) === 0 ? await resolve(plain, byName) : [{ address: plain, family: isIP(plain) }];
  const isEach = (rule: (address: string) => boolean) => addresses.every(({ address }) => rule(address));
  if (addresses.length === 0) throw new OutboundRefused(HOST_NOT_USABLE);
  if (byName || isEach((address) => isAddressAllowed(allowed, address))) return addresses;
  if (!isEach((address) => isPublicAddress(address) || isAddressAllowed(allowed, address)))
    throw new OutboundRefused(HOST_NOT_USABLE);
  if (!isSecure) throw new OutboundRefused('The address must start with https://');
  return addresses;
}

/**
 * The addresses of a host. The system's resolver blocks one of four threads, which also hash passwords, while a name
 * server is silent: a customer could stop all sign-ins. So name servers are queried directly. Names that the operator
 * allowed use the system's resolver, with its hosts file and search domains. Fails with `ENOTFOUND` if the host has no
 * address, and with `EAI_AGAIN` if that is unknown.
 */
export async function resolveHost(hostname: string, isAllowed: boolean): Promise<readonly ResolvedAddress[]> {
  if (isAllowed) return lookup(hostname, { all: true });
  const resolver = new Resolver(QUERY);
  const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const addresses = answers.flatMap((answer, index) =>
    answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family: index === 0 ? 4 : 6 })) : [],
  );
  if (addresses.length > 0) return addresses;
  const isKnown = answers.every((answer) => answer.status === 'fulfilled' || isAbsent(answer.reason));
  throw Object.assign(new Error(`No address of ${hostname} was found`), { code: isKnown ? 'ENOTFOUND' : 'EAI_AGAIN' });
}

function isAbsent(error: unknown): boolean {
  return ['ENOTFOUND', 'ENODATA', 'EBADNAME'].includes((error as { code?: string }).code ?? '');
}

/** A connector for already resolved addresses. */
function connectTo(addresses: readonly ResolvedAddress[]): buildConnector.connector {
  const [first] = addresses;
  return buildConnector({
    timeout: CONNECT_MILLISECONDS_MAX,
    autoSelectFamily: true,
    lookup: (_hostname, options, callback) => {
      if (options.all === true) callback(null, [...addresses]);
      else callback(null, first?.address ?? '', first?.family);
    },
  });
}

/** True if the connection broke before a response arrived. */
function isCut(error: unknown): boolean {
  return ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes((error as { code?: string }).code ?? '');
}

function raise(error: unknown): never {
  throw error;
}

function rejectedBy(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const end = () => reject(signal.reason as Error);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}

async function readUpTo(
  body: AsyncIterable<Buffer> & { destroy(): unknown },
  bytesMax: number,
): Promise<{ text: string; isWhole: boolean }> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    chunks.push(chunk);
    // Leaving the loop destroys the body and its connection.
    if (bytes > bytesMax) break;
  }
  return { text: Buffer.concat(chunks).subarray(0, bytesMax).toString('utf8'), isWhole: bytes <= bytesMax };
}
