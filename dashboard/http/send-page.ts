/** Sends a page as HTML. */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { FastifyReply } from 'fastify';
import type { SignedIn } from './with-session.ts';
import { type Html, print } from '../shell/html.ts';
import { framedPage, type Page } from '../shell/shell.ts';
import { allowOwnScript } from './security-headers.ts';
import { takesGzip } from './takes-gzip.ts';

const GZIP_LEVEL = 2;

/** Compressed pages are safe to send: the only secret that they repeat, the form token, differs in every response. */
export function sendPage(reply: FastifyReply, markup: Html, status = 200): FastifyReply {
  return sendText(reply, print(markup), status);
}

function sendText(reply: FastifyReply, text: string, status: number): FastifyReply {
  reply.code(status).type('text/html; charset=utf-8').header('Vary', 'Accept-Encoding');
  return takesGzip(reply.request)
    ? reply.header('Content-Encoding', 'gzip').send(gzipSync(text, { level: GZIP_LEVEL }))
    : reply.send(text);
}

/** Sends a page in the frame of a signed-in person. An error without its own status becomes a 400. */
export function sendFramed(signedIn: SignedIn, page: Page): FastifyReply {
  const { request, reply } = signedIn;
  allowOwnScript(reply);
  const status = page.status ?? (page.error ? 400 : 200);
  if (request.method !== 'GET' || status !== 200) return sendPage(reply, framedPage(signedIn, page), status);
  const tag = tagOf(print(page.body));
  reply.header('ETag', tag);
  return request.headers['if-none-match'] === tag
    ? reply.code(304).send()
    : sendPage(reply, framedPage(signedIn, { ...page, tag }), status);
}

/** Parts that differ in every response: form tokens, and the current end of a running period. */
const VOLATILE = /name="csrf_token" value="[^"]*"|\bat=[^"&]*|datetime="[^"]*"/g;

/** Weak, because it ignores the parts that differ in every response. */
function tagOf(text: string): string {
  return `W/"${createHash('sha256').update(text.replaceAll(VOLATILE, '')).digest('base64url').slice(0, 22)}"`;
}
