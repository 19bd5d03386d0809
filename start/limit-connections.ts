/** Bounds open connections: a thousand that say nothing take no place from others. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { blockListOf, familyOf } from '../platform/network-of.ts';

export interface ConnectionLimits {
  readonly total: number;
  readonly perAddress: number;
  /** Addresses or networks that stand for many callers. */
  readonly exempt: readonly string[];
}

/** Cuts connections of an address beyond its bound as soon as they are made. */
export function limitConnections(server: Server, { total, perAddress, exempt }: ConnectionLimits): void {
  const exempted = blockListOf(exempt);
  const open = new Map<string, number>();
  server.maxConnections = total;
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress;
    if (address === undefined || exempted.check(address, familyOf(address))) return;
    const before = open.get(address) ?? 0;
    if (before >= perAddress) return void socket.destroy();
    open.set(address, before + 1);
    socket.once('close', () => {
      const left = (open.get(address) ?? 0) - 1;
      if (left > 0) open.set(address, left);
      else open.delete(address);
    });
  });
}
