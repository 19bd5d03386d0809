/** `/openapi.json` and the reference page at `/docs`, which needs nothing from outside. */
import { readFileSync } from 'node:fs';
import fastify, { type FastifyInstance } from 'fastify';

/** The origin in the generated document, in whose place each service's own comes. */
export const ANY_ORIGIN = 'https://books.invalid';
const DOCUMENT = new URL('../../schema/openapi.json', import.meta.url);

/** The viewer's own settings: nothing is fetched from, or sent to, anywhere but this service. */
const SETTINGS = {
  url: '/openapi.json',
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
<script src="/docs/start.js"></script>
</body>
</html>
`;

const START = `Scalar.createApiReference('#reference', ${JSON.stringify(SETTINGS)});`;

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
  const document = JSON.stringify(JSON.parse(readFileSync(DOCUMENT, 'utf8').replaceAll(ANY_ORIGIN, apiOrigin)));
  app.get('/openapi.json', (_request, reply) => reply.type('application/json; charset=utf-8').send(document));
  app.get('/docs', (_request, reply) =>
    reply.type('text/html; charset=utf-8').header('Content-Security-Policy', POLICY).send(PAGE),
  );
  app.get('/docs/start.js', (_request, reply) => reply.type('text/javascript; charset=utf-8').send(START));
  app.get('/docs/viewer.js', async (_request, reply) =>
    reply
      .type('text/javascript; charset=utf-8')
      .header('Cache-Control', 'public, max-age=86400')
      .send(await viewer()),
  );
}

/** Four megabytes, which the package hands out as a plugin alone: loaded when somebody asks, and not kept. */
async function viewer(): Promise<string> {
  const { default: plugin } = await import('@scalar/fastify-api-reference');
  const shelf = fastify();
  await shelf.register(plugin, { routePrefix: '/docs', configuration: { url: SETTINGS.url } });
  const { payload } = await shelf.inject('/docs/js/scalar.js');
  return payload;
}
