/** Serves GraphiQL to browsers that request `/graphql` as a page, its files, and the public schema. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type GraphQLSchema, printSchema } from 'graphql';
import type { GraphiqlPage } from './graphiql-page.ts';
import { refuse } from './refuse.ts';

/** The editor runs workers from blobs, writes style elements, and has its font in its style sheet. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  'worker-src blob:',
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  'font-src data:',
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = { 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer' };
const PAGE_HEADERS = {
  ...HEADERS,
  'Content-Security-Policy': POLICY,
  'X-Frame-Options': 'DENY',
  'Cache-Control': 'no-cache',
};
const FILE_HEADERS = { ...HEADERS, 'Cache-Control': 'public, max-age=31536000, immutable' };

let loading: Promise<GraphiqlPage> | undefined;

/** Nine megabytes, loaded on first use. */
function loadPage(): Promise<GraphiqlPage> {
  loading ??= import('./graphiql-page.ts').then(({ graphiqlPage }) => graphiqlPage());
  return loading;
}

/** `schema`: the current public schema, or `null` if introspection is off. */
export function serveGraphiql(plugin: FastifyInstance, schema: (() => GraphQLSchema) | null): void {
  plugin.get('/graphql/assets/:file', async (request: FastifyRequest<{ Params: { file: string } }>, reply) => {
    const { script, style, scriptPath, stylePath } = await loadPage();
    const path = `/graphql/assets/${request.params.file}`;
    if (path === scriptPath) return reply.headers(FILE_HEADERS).type('text/javascript; charset=utf-8').send(script);
    if (path === stylePath) return reply.headers(FILE_HEADERS).type('text/css; charset=utf-8').send(style);
    return refuse(request, reply, 'NOT_FOUND', 'There is no such file', request.correlationId);
  });
  let printed: { readonly of: GraphQLSchema; readonly sdl: string } | null = null;
  plugin.get('/graphql/schema.graphql', (request, reply) => {
    if (schema === null) return refuse(request, reply, 'FORBIDDEN', 'Introspection is disabled', request.correlationId);
    const of = schema();
    if (printed?.of !== of) printed = { of, sdl: printSchema(of) };
    return reply
      .headers(HEADERS)
      .header('Cache-Control', 'public, max-age=300')
      .type('application/graphql; charset=utf-8')
      .send(printed.sdl);
  });
}

export function wantsPage({ method, headers }: FastifyRequest): boolean {
  return method === 'GET' && headers['x-principal'] === undefined && (headers.accept?.includes('text/html') ?? false);
}

export async function sendPage(reply: FastifyReply): Promise<FastifyReply> {
  const { html } = await loadPage();
  return reply.headers(PAGE_HEADERS).type('text/html; charset=utf-8').send(html);
}
