import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { isAllowedHost } from '#platform/outbound/allowed-hosts.ts';
import { describeOutboundError } from '#platform/outbound/describe-outbound-error.ts';
import {
  type Outbound,
  outboundClient,
  OutboundRefused,
  type OutboundRequest,
  resolveHost,
  type ResolveHost,
} from '#platform/outbound/outbound-client.ts';
import { isPublicAddress } from '#platform/outbound/public-address.ts';

const PUBLIC = '93.184.215.14';

let server: Server;
let port: number;
const received: IncomingMessage[] = [];
beforeAll(async () => {
  server = createServer((request, response) => {
    received.push(request);
    if (request.url === '/moved') response.writeHead(302, { location: '/' }).end();
    else if (request.url === '/long') response.end('x'.repeat(100_000));
    else if (request.url === '/silent') response.write('{');
    else response.end('hello');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => server.close().closeAllConnections());
beforeEach(() => void received.splice(0));

const clients: Outbound[] = [];
afterAll(() => Promise.all(clients.map((client) => client.close())));
function client(allowedHosts: readonly string[], resolve: ResolveHost = resolveTo('127.0.0.1')): Outbound {
  const made = outboundClient({ allowedHosts, resolve });
  clients.push(made);
  return made;
}
function resolveTo(...addresses: string[]): ResolveHost {
  return async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
}
function get(url: string, more: Partial<OutboundRequest> = {}): OutboundRequest {
  return { url, method: 'GET', headers: {}, body: null, answerBytesMax: 1_000, ...more };
}

describe('addresses', () => {
  test.each([
    '127.0.0.1',
    '127.8.9.10',
    '0.0.0.0',
    '10.1.2.3',
    '100.100.100.200',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '192.0.0.192',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '168.63.129.16',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:a9fe:a9fe',
    '::127.0.0.1',
    '64:ff9b::169.254.169.254',
    '64:ff9b::a00:1',
    '64:ff9b:1::1',
    '2002:7f00:1::',
    '2001::1',
    '2001:db8::1',
    '3fff::1',
    'fe80::1',
    'fe80::1%eth0',
    '2606:4700::1%eth0',
    'fec0::1',
    'fd00:ec2::254',
    'ff02::1',
    '4000::1',
    'localhost',
    '',
  ])('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false));

  test.each([
    PUBLIC,
    '8.8.8.8',
    '172.15.255.255',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700::1111',
    '::ffff:8.8.8.8',
    '64:ff9b::8.8.8.8',
  ])('%s is public', (address) => expect(isPublicAddress(address)).toBe(true));

  test('an IPv4 address is recognized in each of its IPv6 forms', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const [one = 0, two = 0, three = 0, four = 0] = address.split('.').map(Number);
        const groups = `${(one * 256 + two).toString(16)}:${(three * 256 + four).toString(16)}`;
        const forms = [`::ffff:${address}`, `::FFFF:${groups}`, `64:ff9b::${groups}`, `0:0:0:0:0:ffff:${address}`];
        expect(forms.map(isPublicAddress)).toEqual(forms.map(() => isPublicAddress(address)));
        expect(isPublicAddress(`2002:${groups}::1`)).toBe(false);
      }),
    );
  });
});

describe('allowed hosts', () => {
  test.each([
    'hooks.internal',
    'hooks.internal:8443',
    '10.0.0.7',
    '10.0.0.0/8',
    '[::1]:8080',
    '::1',
    'fd00::/8',
    'x_y',
  ])('%s is valid', (entry) => expect(isAllowedHost(entry)).toBe(true));
  test.each(['', 'http://hooks.internal', '10.0.0.0/33', 'a b', 'host:port', '*.internal', 'host/8'])(
    '%s is invalid',
    (entry) => expect(isAllowedHost(entry)).toBe(false),
  );

  test.each([
    [['hooks.internal'], 'https://hooks.internal/'],
    [['hooks.internal'], 'http://HOOKS.internal:81/'],
    [['hooks.internal:8443'], 'https://hooks.internal:8443/'],
    [['hooks.internal:443'], 'https://hooks.internal/'],
    [['127.0.0.1'], 'http://127.0.0.1:1234/'],
    [['127.0.0.1:1234'], 'http://127.0.0.1:1234/'],
    [['127.0.0.0/8'], 'http://any.example/'],
    [['[::1]:8080'], 'http://[::1]:8080/'],
    [['::1'], 'http://[::1]:8080/'],
  ])('allowed hosts of %j contain %s', async (allowed, url) => {
    await expect(client(allowed).check(url)).resolves.toBeUndefined();
  });

  test.each([
    [['hooks.internal'], 'https://other.internal/'],
    [['hooks.internal:8443'], 'https://hooks.internal/'],
    [['127.0.0.1:1234'], 'http://127.0.0.1:1235/'],
    [['10.0.0.0/8'], 'https://any.example/'],
    [['[::1]:8080'], 'http://[::1]:8081/'],
  ])('allowed hosts of %j do not contain %s', async (allowed, url) => {
    await expect(client(allowed).check(url)).rejects.toThrow(OutboundRefused);
  });
});

describe('a request', () => {
  it('is sent to the host by its name, and its response is returned', async () => {
    const answer = await client(['hooks.internal']).request(
      get(`http://hooks.internal:${port}/path?query=1`, { headers: { 'x-one': '1' } }),
    );
    expect(answer).toMatchObject({ status: 200, text: 'hello', isWhole: true });
    expect(received[0]).toMatchObject({ url: '/path?query=1', method: 'GET' });
    expect(received[0]?.headers).toMatchObject({ host: `hooks.internal:${port}`, 'x-one': '1' });
  });

  it.each([
    'http://127.0.0.1:PORT/',
    'http://localhost:PORT/',
    'http://2130706433:PORT/',
    'http://0x7f.1:PORT/',
    'http://0177.0.0.1:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'http://[::1]:PORT/',
    'http://169.254.169.254/latest/meta-data/',
    'https://[fd00:ec2::254]/latest/meta-data/',
    'http://metadata.google.internal/',
    'https://127.0.0.1.:PORT/',
    'https://innocent.example:PORT/',
  ])('a request to %s is refused before anything is sent', async (url) => {
    const outbound = client([]);
    const to = url.replace('PORT', String(port));
    await expect(outbound.check(to)).rejects.toThrow(/cannot be found, or is not public$/);
    await expect(outbound.request(get(to))).rejects.toThrow(/cannot be found, or is not public$/);
    expect(received).toEqual([]);
  });

  it.each([
    ['ftp://example.com/', 'The address must be a URL that starts with https://'],
    ['file:///etc/passwd', 'The address must be a URL that starts with https://'],
    ['example.com', 'The address must be a URL that starts with https://'],
    ['https://user:secret@example.com/', 'The address must not contain a user name or a password'],
    ['http://example.com/', 'The address must start with https://'],
  ])('a request to %s is refused: %s', async (url, message) => {
    const outbound = client([], resolveTo(PUBLIC));
    await expect(outbound.check(url)).rejects.toThrow(message);
    await expect(outbound.request(get(url))).rejects.toThrow(message);
  });

  it('is refused if one of several addresses is private', async () => {
    const outbound = client([], resolveTo(PUBLIC, '10.0.0.1'));
    await expect(outbound.check('https://example.com')).rejects.toThrow('its host cannot be found, or is not public');
  });

  it('gets the same error for an unknown host and for one known only to the internal network', async () => {
    const absent = Object.assign(new Error('No address of unknown.example was found'), { code: 'ENOTFOUND' });
    const messages = await Promise.all(
      [resolveTo('10.0.0.1'), resolveTo(), () => Promise.reject(absent)].map((resolve) =>
        client([], resolve).check('https://billing.internal').then(String, describeOutboundError),
      ),
    );
    expect(new Set(messages)).toEqual(new Set(['its host cannot be found, or is not public']));
  });

  it('connects to the checked addresses, whatever the name resolves to a moment later', async () => {
    const resolved: string[] = [];
    const resolve: ResolveHost = async (hostname) => {
      resolved.push(hostname);
      return [{ address: resolved.length === 1 ? PUBLIC : '127.0.0.1', family: 4 }];
    };
    const outbound = client([], resolve);
    await outbound.check(`https://rebound.example:${port}/`);
    await expect(outbound.request(get(`https://rebound.example:${port}/`))).rejects.toThrow(OutboundRefused);
    expect(resolved).toEqual(['rebound.example', 'rebound.example']);
    expect(received).toEqual([]);
  });

  it('resolves a name once for a connection', async () => {
    let times = 0;
    const outbound = client(['127.0.0.0/8'], async () => {
      times += 1;
      return [{ address: '127.0.0.1', family: 4 }];
    });
    await outbound.request(get(`http://one.example:${port}/`));
    expect(times).toBe(1);
  });

  it('never shares a connection with a client that has other rules', async () => {
    await client(['127.0.0.1']).request(get(`http://127.0.0.1:${port}/`));
    await expect(client([]).request(get(`http://127.0.0.1:${port}/`))).rejects.toThrow(OutboundRefused);
  });

  it('does not follow a redirect', async () => {
    const answer = await client(['127.0.0.1']).request(get(`http://127.0.0.1:${port}/moved`));
    expect(answer.status).toBe(302);
    expect(received).toHaveLength(1);
  });

  it('a request that reads is retried if its connection had just been closed; one that writes has its own connection', async () => {
    const requests: string[] = [];
    const closing = createTcpServer((socket) => {
      let first = true;
      socket.on('data', (chunk) => {
        requests.push(chunk.toString());
        if (!first) return socket.destroy();
        first = false;
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
      });
      socket.on('error', () => {});
    });
    await new Promise<void>((resolve) => closing.listen(0, '127.0.0.1', resolve));
    try {
      const outbound = client(['127.0.0.1']);
      const url = `http://127.0.0.1:${(closing.address() as AddressInfo).port}/`;
      for (let time = 0; time < 3; time++) expect(await outbound.request(get(url))).toMatchObject({ text: 'ok' });
      expect(requests.length).toBeGreaterThan(3);
      requests.length = 0;
      const other = client(['127.0.0.1']);
      for (let time = 0; time < 3; time++)
        expect(await other.request(get(url, { method: 'POST', body: '{}' }))).toMatchObject({ text: 'ok' });
      expect(requests).toHaveLength(3);
    } finally {
      closing.close();
    }
  });

  it('reads no more of a response than its limit', async () => {
    const answer = await client(['127.0.0.1']).request(get(`http://127.0.0.1:${port}/long`));
    expect(answer).toMatchObject({ status: 200, text: 'x'.repeat(1_000), isWhole: false });
  });

  it('ends at its time limit while the response arrives', async () => {
    const request = get(`http://127.0.0.1:${port}/silent`, { timeoutMilliseconds: 200 });
    await expect(client(['127.0.0.1']).request(request)).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it('ends at its time limit while its host is looked up', async () => {
    const never: ResolveHost = () => new Promise(() => {});
    await expect(
      client([], never).request(get('https://example.com', { timeoutMilliseconds: 200 })),
    ).rejects.toMatchObject({ name: 'TimeoutError' });
  });
});

describe('a host', () => {
  it('a host that the operator allowed is resolved by the system', async () => {
    expect(await resolveHost('localhost', true)).toContainEqual({ address: '127.0.0.1', family: 4 });
  });

  it('a host that is not allowed is resolved by name servers, and an unknown one is reported', async () => {
    await expect(resolveHost('no-such-host.invalid', false)).rejects.toMatchObject({
      code: expect.stringMatching(/^(ENOTFOUND|EAI_AGAIN)$/),
    });
  });

  it('is distinguished only by its name', async () => {
    const resolved: [string, boolean][] = [];
    const resolve: ResolveHost = async (hostname, isAllowed) => {
      resolved.push([hostname, isAllowed]);
      return [{ address: PUBLIC, family: 4 }];
    };
    const outbound = client(['hooks.internal', '10.0.0.0/8'], resolve);
    await outbound.check('https://hooks.internal/');
    await outbound.check('https://example.com/');
    expect(resolved).toEqual([
      ['hooks.internal', true],
      ['example.com', false],
    ]);
  });
});
