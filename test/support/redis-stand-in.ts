/** A Redis stand-in for rate limit counters: `INFO` and the counting script, in its wire format. */
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

export interface RedisStandIn {
  readonly url: string;
  /** Number of count requests. */
  counts(): number;
  /** Advances the counters' clock. */
  advance(milliseconds: number): void;
  /** Accepts everything and responds to nothing. */
  freeze(): void;
  /** Stops listening and loses its counters, like a Redis without persistence. */
  stop(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

export async function redisStandIn(): Promise<RedisStandIn> {
  const sockets = new Set<Socket>();
  let counters = new Map<string, { count: number; endsAt: number }>();
  let time = 0;
  let counts = 0;
  let isFrozen = false;
  let server: Server | null = null;
  let port = 0;

  const answer = ([name = '', ...args]: readonly string[]): string => {
    if (name.toLowerCase() === 'info') return bulk('redis_version:8.2.0\r\nloading:0\r\n');
    if (name.toLowerCase() !== 'eval') return '+OK\r\n';
    const [script = '', , key = '', milliseconds = '', amount = '1'] = args;
    const known = counters.get(key);
    const counter = known && known.endsAt > time ? known : { count: 0, endsAt: Infinity };
    if (script.includes("redis.call('INCRBY'")) counter.count += Number(amount);
    else if (script.includes("redis.call('DECRBY'")) counter.count -= Math.min(counter.count, Number(amount));
    // The script decides whether every request moves the end of the window, or only the first one.
    const isGuarded = script.includes("if count == tonumber(ARGV[2]) then redis.call('PEXPIRE'");
    if (script.includes("redis.call('PEXPIRE'") && (!isGuarded || counter.count === Number(amount)))
      counter.endsAt = time + Number(milliseconds);
    counters.set(key, counter);
    return `*2\r\n:${counter.count}\r\n:${counter.endsAt - time}\r\n`;
  };

  const start = async (): Promise<void> => {
    const listening = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => sockets.delete(socket));
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1');
        for (let command = readCommand(text); command !== null; command = readCommand(text)) {
          text = text.slice(command.length);
          if (command.words[0]?.toLowerCase() === 'eval') counts += 1;
          if (!isFrozen) socket.write(answer(command.words));
        }
      });
    });
    await new Promise<void>((resolve) => listening.listen(port, '127.0.0.1', resolve));
    port = (listening.address() as AddressInfo).port;
    server = listening;
  };
  const stop = async (): Promise<void> => {
    const closed = new Promise((resolve) => (server ? server.close(resolve) : resolve(null)));
    for (const socket of sockets) socket.destroy();
    await closed;
    server = null;
    counters = new Map();
  };
  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    counts: () => counts,
    advance: (milliseconds) => {
      time += milliseconds;
    },
    freeze: () => {
      isFrozen = true;
    },
    stop,
    start,
    close: stop,
  };
}

/** An array of bulk strings, or `null` if it is incomplete. */
function readCommand(text: string): { words: string[]; length: number } | null {
  const head = /^\*(\d+)\r\n/.exec(text);
  if (!head) return null;
  let at = head[0].length;
  const words: string[] = [];
  for (let word = 0; word < Number(head[1]); word += 1) {
    const size = /^\$(\d+)\r\n/.exec(text.slice(at));
    if (!size) return null;
    const from = at + size[0].length;
    const to = from + Number(size[1]);
    if (text.length < to + 2) return null;
    words.push(text.slice(from, to));
    at = to + 2;
  }
  return { words, length: at };
}

function bulk(text: string): string {
  return `$${text.length}\r\n${text}\r\n`;
}
