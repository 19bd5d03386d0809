/** Responses of `/graphql` to a browser: protected, cacheable, and with the schema if it is public. */
import { buildSchema, parse } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { graphql } from '../support/api-client.ts';
import { projectText } from '../support/project-files.ts';
import { runningService, type RunningService } from '../support/running-service.ts';
import { sharedService } from '../support/shared-service.ts';

let service: RunningService;
let html: string;
let page: Response;
beforeAll(async () => {
  service = await sharedService();
  page = await fetch(`${service.url}/graphql`, { headers: { accept: 'text/html' } });
  html = await page.text();
});
afterAll(() => service.stop());

const filePaths = () => [...html.matchAll(/(?:src|href)="(\/graphql\/assets\/[^"]+)"/g)].map(([, path = '']) => path);

describe('GraphiQL', () => {
  it('is a small page that cannot be framed and loads nothing external', () => {
    expect(html.length).toBeLessThan(4_000);
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^default-src 'none'; script-src 'self';.*frame-ancestors 'none'$/);
    expect(policy).not.toMatch(/https?:|script-src[^;]*unsafe/);
    expect(
      ['x-content-type-options', 'referrer-policy', 'x-frame-options', 'cache-control'].map((name) =>
        page.headers.get(name),
      ),
    ).toEqual(['nosniff', 'no-referrer', 'DENY', 'no-cache']);
    // The policy allows no inline scripts, so the page must not have any.
    expect(html).not.toMatch(/<script(?! src=)|<style| on\w+="/);
  });

  it('has files that browsers cache as long as they stay the same', async () => {
    const types = [];
    for (const path of filePaths()) {
      const file = await fetch(service.url + path);
      types.push(file.headers.get('content-type')?.split(';', 1)[0]);
      expect([file.status, file.headers.get('cache-control'), file.headers.get('x-content-type-options')]).toEqual([
        200,
        'public, max-age=31536000, immutable',
        'nosniff',
      ]);
      expect((await file.text()).length).toBeGreaterThan(100_000);
    }
    expect(types).toEqual(['text/css', 'text/javascript']);
    expect((await fetch(`${service.url}/graphql/assets/other.js`)).status).toBe(404);
  });

  it("does not persist typed headers, and sends the header that makes a session's cookie count", async () => {
    const script = await (await fetch(service.url + filePaths()[1])).text();
    const [options = ''] = /\{"title":"GraphiQL".*\}/.exec(script) ?? [];
    expect(JSON.parse(options)).toMatchObject({
      shouldPersistHeaders: false,
      additionalHeaders: { 'X-Requested-With': expect.any(String) },
    });
    // GraphiQL's own default comes before the options, which override it.
    const defaults = script.split('shouldPersistHeaders:!0');
    expect(defaults).toHaveLength(2);
    expect(/^,plugins:.{0,400}?,\.\.\.\w+,fetcher:/.test(defaults[1] ?? '')).toBe(true);
  });
});

describe('the example operations', () => {
  it('are offered by name, and each runs unchanged', async () => {
    const script = await (await fetch(service.url + filePaths()[1])).text();
    const [options = ''] = /\{"title":"GraphiQL".*\}/.exec(script) ?? [];
    const { defaultQuery } = JSON.parse(options) as { defaultQuery: string };
    const operations = parse(defaultQuery).definitions.flatMap((definition) =>
      definition.kind === 'OperationDefinition' ? [definition.name?.value ?? ''] : [],
    );
    expect(operations).toEqual(['ScopesAndPresets', 'CostsOfThirtyDays', 'WhoLosesMoney', 'SinceWhenAndWhy']);
    for (const operationName of operations) {
      const response = await fetch(`${service.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${service.firstRun.live_read_key}` },
        body: JSON.stringify({ query: defaultQuery, operationName, variables: { externalId: 'nobody' } }),
      });
      const { data, errors = [] } = (await response.json()) as {
        data: Record<string, unknown>;
        errors?: { path: string[] }[];
      };
      expect([response.status, errors.map(({ path }) => path)]).toEqual([
        200,
        operationName === 'SinceWhenAndWhy' ? [['endUser']] : [],
      ]);
      expect(Object.keys(data).length).toBeGreaterThan(0);
    }
  });
});

describe('the schema', () => {
  const sdl = () => fetch(`${service.url}/graphql/schema.graphql`);
  const introspect = (url: string) => graphql(url, null, '{ __schema { queryType { name } } }');

  it('is public: it shows what the graph offers, and nothing internal', async () => {
    const text = await (await sdl()).text();
    expect(Object.keys(buildSchema(text).getTypeMap()).sort()).toEqual(
      Object.keys(buildSchema(projectText('schema/api.graphql')).getTypeMap()).sort(),
    );
    expect(text).not.toMatch(/join__|@inaccessible|endUserCostLines|costLine/);
    expect(text.match(/^scalar \w+ @specifiedBy\(url: "https:[^"]+"\)$/gm)).toHaveLength(4);
    // Internal fields and the types that only they use are neither shown nor answered.
    expect(projectText('schema/supergraph.graphql')).toContain('endUserList: JSON! @tag(name: "internal")');
    expect(text).not.toMatch(
      /UsageEventsPage|endUserList|rateEstimationList|followPricedFeed|ledger(?:Days|Page|Sums)|feedMarks|acknowledgeFeeds|signIn\(/,
    );
    const fields = '{ __type(name: "Margin") { fields(includeDeprecated: true) { name } } }';
    const introspected = (await graphql(service.url, null, fields)).body.data.__type.fields as { name: string }[];
    expect(introspected.map(({ name }) => name)).toContain('total');
    expect(introspected.map(({ name }) => name)).not.toContain('endUserList');
    const throughFragment = `{ ...Root } fragment Root on Query ${fields}`;
    expect((await graphql(service.url, null, throughFragment)).body.data.__type.fields).toEqual(introspected);
    // A hundred million fields, if fragments were expanded each time they are spread.
    const spread = (name: string) => `...${name} `.repeat(100);
    const manifold = `{ ${spread('A')} } fragment A on Query { ${spread('B')} } fragment B on Query { ${spread('C')} } fragment C on Query { ${spread('D')} } fragment D on Query ${fields}`;
    expect((await graphql(service.url, null, manifold)).body.errors[0].message).toContain(
      'maximum allowed number of nodes',
    );
    const mixed = `{ __typename ${fields.slice(1, -1)} rateEstimationTable { modelSlug } }`;
    expect((await graphql(service.url, service.firstRun.operator_token, mixed)).body).toMatchObject({
      errors: [
        { message: 'Introspection cannot be combined with other fields', extensions: { code: 'VALIDATION_ERROR' } },
      ],
    });
    const refused = await graphql(service.url, service.firstRun.live_read_key, '{ rateEstimationList }');
    expect(refused.body.errors[0]).toMatchObject({
      message: 'Cannot query field "rateEstimationList" on type "Query". Did you mean "rateEstimationTable"?',
      extensions: { code: 'VALIDATION_ERROR' },
    });
    expect((await introspect(service.url)).body.data.__schema.queryType.name).toBe('Query');
  });

  it('is hidden if introspection is off', async () => {
    const closed = await runningService({ INTROSPECTION: 'off' }, { jobs: false });
    try {
      expect((await fetch(`${closed.url}/graphql/schema.graphql`)).status).toBe(403);
      const answer = await introspect(closed.url);
      expect([answer.status, answer.body.errors[0].extensions.code]).toEqual([403, 'FORBIDDEN']);
    } finally {
      await closed.stop();
    }
  });
});
