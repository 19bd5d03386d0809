/**
 * `/openapi.json`, and the reference page at `/docs` with the guides and a console for requests. It loads nothing from
 * elsewhere.
 */
import { readdirSync, readFileSync } from 'node:fs';
import fastify, { type FastifyInstance } from 'fastify';

/** Placeholder origin in the generated document, replaced by each service's own. */
export const ANY_ORIGIN = 'https://books.invalid';
const DOCUMENT = new URL('../../schema/openapi.json', import.meta.url);
const GUIDES = new URL('../../docs/guides/', import.meta.url);
const FIRST_GUIDE = 'first-margin.md';
const REFERENCE_GUIDES = ['errors.md', 'rate-limits.md', 'pagination.md', 'idempotency.md'];
/** The service URL used in the guides. */
const GUIDES_ORIGIN = 'http://127.0.0.1:8080';

/** Settings of the viewer: it exchanges data only with this service. */
const SETTINGS = {
  theme: 'default',
  withDefaultFonts: false,
  telemetry: false,
  showDeveloperTools: 'never',
  hideClientButton: true,
  agent: { disabled: true },
  mcp: { disabled: true },
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
};

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>API reference</title>
</head>
<body>
<div id="reference"></div>
<script src="/docs/viewer.js"></script>
<script src="/docs/start.js" type="module"></script>
</body>
</html>
`;

/**
 * Signs requests of the console with the key that was typed, since nobody signs a body by hand. Requests go to the
 * page's own origin, the only one that the page may call; the service may have several.
 */
const startScript = (apiOrigin: string) => `
const SIGNED = /^\\/(?:v1\\/usage-events|ext\\/v1\\/(?:provider-responses|litellm)|otlp\\/v1)(?:\\/|$)/;

async function sign(request) {
  const [, key] = /^Bearer (.+)$/i.exec(request.headers.get('Authorization') ?? '') ?? [];
  if (key === undefined || request.method !== 'POST' || !SIGNED.test(new URL(request.url).pathname)) return;
  const timestamp = String(Math.floor(Date.now() / 1000));
  const body = await request.clone().arrayBuffer();
  const signed = await new Blob([timestamp, '.', body]).arrayBuffer();
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const secret = await crypto.subtle.importKey('raw', new TextEncoder().encode(key), algorithm, false, ['sign']);
  const digest = new Uint8Array(await crypto.subtle.sign('HMAC', secret, signed));
  request.headers.set('X-Timestamp', timestamp);
  request.headers.set('X-Signature', 'v1=' + [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join(''));
}

const described = await (await fetch('/docs/openapi.json')).text();
Scalar.createApiReference('#reference', {
  ...${JSON.stringify(SETTINGS)},
  content: described.replaceAll(${JSON.stringify(apiOrigin)}, location.origin),
  onRequestBuilt: ({ request }) => sign(request),
});
`;

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

export function serveOpenApi(app: FastifyInstance, apiOrigin: string): void {
  const document = JSON.parse(readFileSync(DOCUMENT, 'utf8').replaceAll(ANY_ORIGIN, apiOrigin)) as OpenApi;
  const text = JSON.stringify(document);
  const { info } = document;
  const description = `${info.description}\n\n${guides(apiOrigin)}`;
  const textWithGuides = JSON.stringify({ ...document, info: { ...info, description } });
  app.get('/openapi.json', (_request, reply) => reply.type('application/json; charset=utf-8').send(text));
  app.get('/docs/openapi.json', (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(textWithGuides),
  );
  app.get('/docs', (_request, reply) =>
    reply.type('text/html; charset=utf-8').header('Content-Security-Policy', POLICY).send(PAGE),
  );
  const start = startScript(apiOrigin);
  app.get('/docs/start.js', (_request, reply) => reply.type('text/javascript; charset=utf-8').send(start));
  app.get('/docs/viewer.js', async (_request, reply) =>
    reply
      .type('text/javascript; charset=utf-8')
      .header('Cache-Control', 'public, max-age=86400')
      .send(await viewer()),
  );
}

interface OpenApi {
  readonly info: { readonly description: string };
}

/** All guides as one text, below a common heading. */
function guides(apiOrigin: string): string {
  const texts = readdirSync(GUIDES)
    .filter((name) => name.endsWith('.md'))
    .toSorted((one, other) => orderOf(one) - orderOf(other) || (one < other ? -1 : 1))
    .map((name) => [name, readFileSync(new URL(name, GUIDES), 'utf8').replaceAll(GUIDES_ORIGIN, apiOrigin)] as const);
  const places = new Map(texts.map(([name, text]) => [name, `#description/${toAnchor(text)}`]));
  return ['# Guides', ...texts.map(([, text]) => toSection(text, places))].join('\n\n');
}

/** The first guide for newcomers, then guides by name, then those that apply to every endpoint. */
function orderOf(name: string): number {
  if (name === FIRST_GUIDE) return -1;
  return REFERENCE_GUIDES.indexOf(name) + 1;
}

/** The viewer's anchor of a heading. */
function toAnchor(guide: string): string {
  const title = /^# (.+)$/m.exec(guide)?.[1] ?? '';
  return title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}

/**
 * A guide with its headings one level down and its code samples unchanged. Links to other guides point to their
 * sections; links to other documents become plain text.
 */
function toSection(guide: string, places: ReadonlyMap<string, string>): string {
  const parts = guide.trim().split(/^(```[^]*?^```)$/m);
  return parts
    .map((part) =>
      part.startsWith('```')
        ? part
        : part
            .replaceAll(/^(#+ )/gm, '#$1')
            .replaceAll(/\[([^\]]+)\]\((?!https?:)([^)]+)\)/g, (_, text: string, to: string) => {
              const place = places.get(to);
              return place === undefined ? text : `[${text}](${place})`;
            }),
    )
    .join('');
}

/**
 * Script of the viewer: four megabytes, which the package provides only through its plugin. Loaded on request, and not
 * kept.
 */
async function viewer(): Promise<string> {
  const { default: plugin } = await import('@scalar/fastify-api-reference');
  const shelf = fastify();
  await shelf.register(plugin, { routePrefix: '/docs', configuration: { url: '/docs/openapi.json' } });
  const { payload } = await shelf.inject('/docs/js/scalar.js');
  return payload;
}
