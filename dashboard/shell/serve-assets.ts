/** The one stylesheet, the icon, and the one script, which speaks with authenticators. All from the packages themselves. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';

const style = readFileSync(new URL('./style.css', import.meta.url));
const icon = readFileSync(new URL('./icon.svg', import.meta.url));

/** The package's own bundle for browsers, which sets `SimpleWebAuthnBrowser`, and what uses it. */
const webAuthn = new URL('../dist/bundle/index.umd.min.js', import.meta.resolve('@simplewebauthn/browser'));
const script = Buffer.concat([
  readFileSync(webAuthn),
  Buffer.from('\n'),
  readFileSync(new URL('./passkey.js', import.meta.url)),
]);

/** They change with their content: browsers may keep them. */
export const STYLE_PATH = `/assets/${nameOf(style)}.css`;
export const PASSKEY_SCRIPT_PATH = `/assets/${nameOf(script)}.js`;

export function serveAssets(pages: FastifyInstance): void {
  pages.get(STYLE_PATH, (_request, reply) =>
    reply.type('text/css; charset=utf-8').header('Cache-Control', 'public, max-age=31536000, immutable').send(style),
  );
  pages.get(PASSKEY_SCRIPT_PATH, (_request, reply) =>
    reply
      .type('text/javascript; charset=utf-8')
      .header('Cache-Control', 'public, max-age=31536000, immutable')
      .send(script),
  );
  pages.get('/assets/icon.svg', (_request, reply) =>
    reply.type('image/svg+xml').header('Cache-Control', 'public, max-age=86400').send(icon),
  );
}

function nameOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 12);
}
