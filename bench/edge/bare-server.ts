/** A process of its own: Fastify and nothing else, with the bodies of a file (JSON, name to body). Arguments: port, file. */
import { readFileSync } from 'node:fs';
import fastify from 'fastify';

const [port = '', file = ''] = process.argv.slice(2);
const bodies = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
const app = fastify();
for (const [name, body] of Object.entries(bodies)) {
  app.get(`/${name}`, (_request, reply) => reply.type('application/json; charset=utf-8').send(body));
}
app.get('/healthz', () => ({ status: 'ok' }));
await app.listen({ host: '127.0.0.1', port: Number(port) });
