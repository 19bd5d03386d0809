/** `/openapi.json` and the reference page at `/docs`, which needs nothing from outside. */
import { createReadStream, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { FastifyInstance } from 'fastify';

/** The origin in the generated document, in whose place each service's own comes. */
export const ANY_ORIGIN = 'https://books.invalid';
const DOCUMENT = new URL('../../schema/openapi.json', import.meta.url);

const VIEWER = createRequire(import.meta.url).resolve('rapidoc/dist/rapidoc-min.js');

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference</title>
<script type="module" src="/docs/viewer.js"></script>
</head>
<body>
<rapi-doc spec-url="/openapi.json" render-style="read" show-header="false" load-fonts="false" allow-authentication="true" theme="light"
  regular-font="system-ui, sans-serif" mono-font="ui-monospace, monospace" schema-description-expanded="true"></rapi-doc>
</body>
</html>
`;

const POLICY = "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'";

export function serveOpenApi(app: FastifyInstance, apiOrigin: string): void {
  const document = JSON.stringify(JSON.parse(readFileSync(DOCUMENT, 'utf8').replaceAll(ANY_ORIGIN, apiOrigin)));
  app.get('/openapi.json', (_request, reply) => reply.type('application/json; charset=utf-8').send(document));
  app.get('/docs', (_request, reply) => reply.type('text/html; charset=utf-8').header('Content-Security-Policy', POLICY).send(PAGE));
  app.get('/docs/viewer.js', (_request, reply) => reply.type('text/javascript; charset=utf-8').send(createReadStream(VIEWER)));
}
