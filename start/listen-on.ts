/** The port of a process: checked before anything starts, opened when everything is ready. */
import { createServer } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Config } from '#platform/config.ts';
import { StartError } from '#platform/start-error.ts';

type Address = Pick<Config, 'host' | 'port'>;

/**
 * Throws a {@link StartError} if the port is unavailable. It may still be taken later; `listenOn` then throws the same
 * error.
 */
export async function requireFreePort(address: Address): Promise<void> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) =>
      server.once('error', reject).listen({ ...address, exclusive: true }, resolve),
    );
  } catch (error) {
    throw explained(error, address);
  }
  await new Promise((resolve) => server.close(resolve));
}

/** Listens, and returns the URL. */
export async function listenOn(app: FastifyInstance, { host, port }: Address): Promise<string> {
  return app.listen({ host, port }).catch((error: unknown) => {
    throw explained(error, { host, port });
  });
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another process listens there. Stop it, or set PORT to a free port',
  EACCES: 'this account may not listen there. Set PORT to a port from 1024',
  EADDRNOTAVAIL: 'this machine has no such address. Set HOST to one that it has',
  ENOTFOUND: 'this name has no address. Set HOST to an address of this machine',
};

/** `prefix`: prefix of the names of the settings that contain the address. */
export function explained(error: unknown, { host, port }: Address, prefix: 'OPERATIONS_' | '' = ''): unknown {
  const reason = REASONS[(error as { code?: string }).code ?? '']?.replace(/PORT|HOST/, (setting) => prefix + setting);
  const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  return reason === undefined ? error : new StartError(`Cannot listen on ${address}: ${reason}`, error);
}
