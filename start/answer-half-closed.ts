/** Lets a server respond to clients that have closed their sending side. */
import type { Server } from 'node:http';

/**
 * By default Node closes the connection as soon as the client has closed its sending side, so a response that is not
 * written in the same tick is lost. This property of Node's server is not documented, but kept for its users:
 * https://github.com/nodejs/node/pull/36819
 */
export function answerHalfClosed(server: Server): void {
  Object.assign(server, { httpAllowHalfOpen: true });
}
