/** A PostgreSQL server of another version, as far as a client that checks the version sees it: it has one response. */
import { type AddressInfo, createServer, type Socket } from 'node:net';

export interface PostgresStandIn {
  readonly url: string;
  close(): Promise<void>;
}

export async function postgresStandIn(version: string): Promise<PostgresStandIn> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
    let isStarted = false;
    socket.on('data', (chunk) => {
      if (!isStarted) {
        isStarted = true;
        socket.write(Buffer.concat([message('R', int32(0)), message('Z', Buffer.from('I'))]));
      } else if (chunk[0] === 'Q'.charCodeAt(0)) {
        socket.write(answer(version));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `postgresql://postgres@127.0.0.1:${(server.address() as AddressInfo).port}/postgres`,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const TEXT_OID = 25;

/** One row of one column: RowDescription, DataRow, CommandComplete, ReadyForQuery. */
function answer(value: string): Buffer {
  const column = Buffer.concat([
    Buffer.from('server_version\0'),
    int32(0),
    int16(0),
    int32(TEXT_OID),
    int16(-1),
    int32(-1),
    int16(0),
  ]);
  return Buffer.concat([
    message('T', Buffer.concat([int16(1), column])),
    message('D', Buffer.concat([int16(1), int32(value.length), Buffer.from(value)])),
    message('C', Buffer.from('SHOW\0')),
    message('Z', Buffer.from('I')),
  ]);
}

function message(type: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}
