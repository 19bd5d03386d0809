/** The one stylesheet and the icon, from the package itself. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';

const style = readFileSync(new URL('./style.css', import.meta.url));
const icon = readFileSync(new URL('./icon.svg', import.meta.url));

/** Changes with its content: browsers may keep it. */
export const STYLE_PATH = `/assets/${createHash('sha256').update(style).digest('hex').slice(0, 12)}.css`;

export function serveAssets(pages: FastifyInstance): void {
  pages.get(STYLE_PATH, (_request, reply) =>
    reply.type('text/css; charset=utf-8').header('Cache-Control', 'public, max-age=31536000, immutable').send(style),
  );
  pages.get('/assets/icon.svg', (_request, reply) =>
    reply.type('image/svg+xml').header('Cache-Control', 'public, max-age=86400').send(icon),
  );
}
