/**
 * The stylesheet, the typeface, the icon, and scripts: one for all signed-in pages, one for authenticators, one for one-time links.
 * All are served from here.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { takesGzip } from '../http/takes-gzip.ts';

const style = readFileSync(new URL('./style.css', import.meta.url));
const font = readFileSync(new URL('./inter.woff2', import.meta.url));
const icon = readFileSync(new URL('./icon.svg', import.meta.url));

/** The package's browser bundle, which sets `SimpleWebAuthnBrowser`, and the script that uses it. */
const webAuthn = new URL('../dist/bundle/index.umd.min.js', import.meta.resolve('@simplewebauthn/browser'));
const script = Buffer.concat([
  readFileSync(webAuthn),
  Buffer.from('\n'),
  readFileSync(new URL('./passkey.js', import.meta.url)),
]);

const pagesScript = readFileSync(new URL('./pages.js', import.meta.url));
const linkScript = readFileSync(new URL('./one-time-link.js', import.meta.url));

/** The stylesheet contains this path. */
const FONT_PATH = '/assets/inter-5.3.0.woff2';

/** The URLs change with the content, so browsers may cache the files. */
export const STYLE_PATH = `/assets/${nameOf(style)}.css`;
export const PASSKEY_SCRIPT_PATH = `/assets/${nameOf(script)}.js`;
export const PAGES_SCRIPT_PATH = `/assets/${nameOf(pagesScript)}.js`;
export const LINK_SCRIPT_PATH = `/assets/${nameOf(linkScript)}.js`;

export function serveAssets(pages: FastifyInstance): void {
  for (const [path, type, content] of [
    [STYLE_PATH, 'text/css; charset=utf-8', style],
    [PAGES_SCRIPT_PATH, 'text/javascript; charset=utf-8', pagesScript],
    [PASSKEY_SCRIPT_PATH, 'text/javascript; charset=utf-8', script],
    [LINK_SCRIPT_PATH, 'text/javascript; charset=utf-8', linkScript],
  ] as const) {
    const compressed = gzipSync(content);
    pages.get(path, (request, reply) => {
      reply.type(type).header('Cache-Control', 'public, max-age=31536000, immutable').header('Vary', 'Accept-Encoding');
      return takesGzip(request) ? reply.header('Content-Encoding', 'gzip').send(compressed) : reply.send(content);
    });
  }
  pages.get(FONT_PATH, (_request, reply) =>
    reply.type('font/woff2').header('Cache-Control', 'public, max-age=31536000, immutable').send(font),
  );
  pages.get('/assets/icon.svg', (_request, reply) =>
    reply.type('image/svg+xml').header('Cache-Control', 'public, max-age=86400').send(icon),
  );
}

function nameOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 12);
}
