/**
 * A separate process with Fastify only, which serves bodies from a file. `/asking/NAME` first runs prepared statements
 * in PostgreSQL, one after the other, and discards their rows. Arguments: port, file (JSON, `BareReads`).
 */
import { readFileSync } from 'node:fs';
import fastify from 'fastify';
import pg from 'pg';

export type BareReads = Readonly<
  Record<string, { readonly body: string; readonly statements: readonly BareStatement[] }>
>;

export interface BareStatement {
  readonly databaseUrl: string;
  readonly text: string;
  readonly values: readonly string[];
}

const CONNECTIONS = 8;

const [port = '', file = ''] = process.argv.slice(2);
const reads = JSON.parse(readFileSync(file, 'utf8')) as BareReads;
const pools = new Map<string, pg.Pool>();
const app = fastify();
for (const [name, { body, statements }] of Object.entries(reads)) {
  app.get(`/${name}`, (_request, reply) => reply.type('application/json; charset=utf-8').send(body));
  app.get(`/asking/${name}`, async (_request, reply) => {
    for (const [index, { databaseUrl, text, values }] of statements.entries())
      await poolOf(databaseUrl).query({ name: `${name}-${index}`, text, values: [...values] });
    return reply.type('application/json; charset=utf-8').send(body);
  });
}
app.get('/healthz', () => ({ status: 'ok' }));
await app.listen({ host: '127.0.0.1', port: Number(port) });

function poolOf(connectionString: string): pg.Pool {
  const pool = pools.get(connectionString) ?? new pg.Pool({ connectionString, max: CONNECTIONS });
  pools.set(connectionString, pool);
  return pool;
}
