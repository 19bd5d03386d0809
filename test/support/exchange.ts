/** Sends requests as bytes on a connection, for requests that HTTP clients cannot send. */
import { connect } from 'node:net';

export interface Answer {
  readonly status: number;
  readonly correlationId: string | undefined;
  readonly body: string;
  readonly isWhole: boolean;
}

export interface ExchangeOptions {
  /** Reads nothing before the last part is sent, like a client that writes its whole request first. */
  readonly readLast?: boolean;
}

/** Writes parts one after the other, until a response has arrived. */
export function exchange(
  port: number,
  parts: Iterable<string | Buffer>,
  { readLast = false }: ExchangeOptions = {},
): Promise<readonly Answer[]> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    if (readLast) socket.pause();
    const received: Buffer[] = [];
    socket.on('data', (chunk) => {
      received.push(chunk);
      const answers = answersIn(Buffer.concat(received));
      if (answers.some(({ status, isWhole }) => status !== 100 && isWhole)) socket.destroy();
    });
    socket.once('error', (error: NodeJS.ErrnoException) =>
      received.length > 0 && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
        ? resolve(answersIn(Buffer.concat(received)))
        : reject(error),
    );
    socket.once('end', () => socket.destroy());
    socket.once('close', () => resolve(answersIn(Buffer.concat(received))));
    socket.once('connect', () => {
      const rest = parts[Symbol.iterator]();
      const write = (): void => {
        const { done, value } = rest.next();
        if (socket.destroyed) return;
        if (!done) return void socket.write(value, () => setImmediate(write));
        if (readLast) socket.resume();
      };
      write();
    });
  });
}

function answersIn(bytes: Buffer): Answer[] {
  const text = bytes.toString('latin1');
  return text.split(/(?=HTTP\/1\.1 \d{3})/).flatMap((answer) => {
    const status = /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1];
    if (status === undefined) return [];
    const [head = '', body = ''] = answer.split('\r\n\r\n', 2);
    const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1]);
    const correlationId = /^x-correlation-id: (.+)$/im.exec(head)?.[1];
    return [{ status: Number(status), correlationId, body, isWhole: body.length >= length }];
  });
}

/** The first line and the headers of a request. */
export const requestHead = (line: string, ...headers: readonly string[]): string =>
  `${[line, 'Host: localhost', ...headers].join('\r\n')}\r\n\r\n`;
