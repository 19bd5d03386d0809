/**
 * Serves the client libraries in the version of this service: `npm install http://HOST/sdk/node.tgz`. Public, like the
 * documentation.
 */
import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { nodePackage, pythonWheel } from './client-packages.ts';

interface Download {
  readonly content: Buffer;
  readonly etag: string;
  readonly type: string;
  readonly fileName: string;
}

export function serveSdk(app: FastifyInstance): void {
  const tarball = once(() => toDownload(nodePackage(), 'application/gzip', 'ai-product-books-sdk.tgz'));
  const wheel = once(() => {
    const { content, fileName } = pythonWheel();
    return toDownload(content, 'application/octet-stream', fileName);
  });
  app.get('/sdk/node.tgz', (request, reply) => send(request, reply, tarball()));
  app.get<{ Params: { file: string } }>('/sdk/:file', async (request, reply) => {
    const { file } = request.params;
    const { fileName } = wheel();
    if (file === fileName) return send(request, reply, wheel());
    // pip reads a wheel's version from its file name, so this URL redirects to the full name.
    if (file === 'python.whl') return reply.redirect(`/sdk/${fileName}`, 302);
    return reply.callNotFound();
  });
  // `pip install --find-links` reads this list and selects a file by its name.
  app.get('/sdk/', (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .send(`<!doctype html><title>Client libraries</title>${['node.tgz', wheel().fileName].map(link).join('')}\n`),
  );
}

const link = (name: string): string => `<p><a href="/sdk/${name}">${name}</a></p>`;

function once<Value>(make: () => Value): () => Value {
  let value: Value | undefined;
  return () => (value ??= make());
}

function toDownload(content: Buffer, type: string, fileName: string): Download {
  const etag = `"${createHash('sha256').update(content).digest('base64url')}"`;
  return { content, type, fileName, etag };
}

function send(request: FastifyRequest, reply: FastifyReply, { content, etag, type, fileName }: Download): FastifyReply {
  void reply
    .header('etag', etag)
    .header('cache-control', 'no-cache')
    .header('x-content-type-options', 'nosniff')
    .header('content-disposition', `attachment; filename="${fileName}"`);
  if (request.headers['if-none-match'] === etag) return reply.code(304).send();
  return reply.type(type).send(content);
}
