import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { askGateway } from '#platform/ask-gateway.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import { graphql } from '#schema/graphql.ts';
import { errorsOf as errorsOfText, rawDocuments } from '../../tools/documents/raw-documents.ts';
import { checkDocuments, readSchemas } from '../../tools/documents/validate-documents.ts';
import { projectText } from '../support/project-files.ts';

const schemas = readSchemas(projectText('schema/api.graphql'), projectText('schema/supergraph.graphql'));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'documents-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(files: Readonly<Record<string, string>>): URL {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return pathToFileURL(`${folder}/`);
}

/** Errors that the check reports for a project of these files. */
function errorsOf(files: Readonly<Record<string, string>>): string[] {
  return checkDocuments(write(files), schemas).errors.map(({ file, line, message }) => `${file}:${line}: ${message}`);
}

const IMPORT = "import { graphql, internalGraphql, graphqlFragment } from '../schema/graphql.ts';\n";

describe('an internal field', () => {
  it('is refused in graphql(), and accepted in internalGraphql()', () => {
    const written = (as: string) => `${IMPORT}export const A = ${as}('query A { rateEstimationList }');\n`;
    expect(errorsOf({ 'dashboard/a.ts': written('graphql') })).toEqual([
      'dashboard/a.ts:2: Cannot query field "rateEstimationList" on type "Query". Did you mean "rateEstimationTable"?',
    ]);
    expect(errorsOf({ 'dashboard/a.ts': written('internalGraphql') })).toEqual([]);
  });
});

describe('a misspelt field', () => {
  it('is reported with its file, its line and what was probably meant', () => {
    const text = `${IMPORT}export const A = graphql(\`query A($start: Instant!, $end: Instant!) {
  window(start: $start, end: $end) {
    costsByModel { total_cost: totalCostt }
  }
}\`);\n`;
    expect(errorsOf({ 'rest-adapter/a.ts': text })).toEqual([
      'rest-adapter/a.ts:4: Cannot query field "totalCostt" on type "ModelCosts". Did you mean "totalCost"?',
    ]);
  });

  it('is reported at its source if documents share it', () => {
    expect(
      errorsOf({
        'rest-adapter/fields.ts': 'export const FIELDS = `\n  ok\n  key_name: keyNam`;\n',
        'rest-adapter/a.ts': `${IMPORT}import { FIELDS } from './fields.ts';\nconst BRACES = \`{ \${FIELDS} }\`;\nexport const A = graphql(\`query A { caller \${BRACES} }\`);\n`,
      }),
    ).toEqual(['rest-adapter/fields.ts:3: Cannot query field "keyNam" on type "Caller". Did you mean "keyName"?']);
  });

  it('is found in a variable, an argument and a fragment', () => {
    expect(
      errorsOf({
        'dashboard/a.ts': `${IMPORT}export const A = graphql('mutation A($id: Id!) { apiKeyRevoke(input: { id: $id }) { apiKey { id } } }');\n`,
        'admin/b.ts': `${IMPORT}export const B = graphql('query B { auditLog(firsts: 3) { nodes { id } } }');\n`,
        'rest-adapter/c.ts': `${IMPORT}export const C = graphqlFragment('fragment C on UsageEvent { event_type: eventTyp }');\n`,
      }),
    ).toEqual([
      expect.stringMatching(/^admin\/b\.ts:2: Unknown argument "firsts" .* Did you mean "first"/),
      expect.stringMatching(/^dashboard\/a\.ts:2: Unknown type "Id"\. Did you mean "ID"/),
      expect.stringMatching(/^rest-adapter\/c\.ts:2: Cannot query field "eventTyp" .* Did you mean "eventType"/),
    ]);
  });

  it('is reported like a syntax error', () => {
    expect(errorsOf({ 'demo/a.ts': `${IMPORT}\nexport const A = graphql('query A { caller { ok }');\n` })).toEqual([
      'demo/a.ts:3: Syntax Error: Expected Name, found <EOF>.',
    ]);
  });
});

describe('nothing bypasses the check', () => {
  it.each([
    ['a plain string', "export const A = 'query A { caller { ok } }';\n"],
    ['a string without a keyword', "export const A = '{ organizations { id } }';\n"],
    [
      'a template with values in it',
      'export const a = (key: string) => `mutation { dimensionRegister(input: { key: "${key}" }) { dimension { key } } }`;\n',
    ],
    [
      'a string inside a call',
      "declare const ask: (text: string) => void;\nask('mutation SignOut { currentSessionEnd { hasEnded userErrors { message code } } }');\n",
    ],
  ])('%s', (_, text) => {
    expect(errorsOf({ 'demo/a.ts': text })).toEqual([
      expect.stringMatching(/^demo\/a\.ts:\d: this GraphQL document is not checked: write it as graphql/),
    ]);
  });

  it('a text that is known only at run time', () => {
    expect(
      errorsOf({
        'demo/a.ts': `${IMPORT}export const a = (fields: string) => graphql(\`query A { caller { \${fields} } }\`);\n`,
      }),
    ).toEqual([
      'demo/a.ts:2: documents are read without running the code: use only string literals and constants that are strings',
    ]);
  });

  it('the function under another name', () => {
    expect(
      errorsOf({ 'demo/a.ts': `${IMPORT}const { length } = graphql;\nexport const a = [graphql, length];\n` }),
    ).toHaveLength(2);
  });

  it('a cast', () => {
    expect(
      errorsOf({
        'demo/a.ts':
          "import type { GraphqlDocument } from '../schema/graphql.ts';\nexport const a = (text: string) => text as GraphqlDocument;\n",
      }),
    ).toEqual(['demo/a.ts:2: only graphql() turns a string into a document, never a cast']);
  });

  it('an operation without a name, or two with the same name', () => {
    expect(
      errorsOf({
        'demo/a.ts': `${IMPORT}export const A = graphql('{ caller { ok } }');\n`,
        'demo/b.ts': `${IMPORT}export const B = graphql('query B { caller { ok } }');\n`,
        'demo/c.ts': `${IMPORT}export const B = graphql('query B { caller { ok environment } }');\n`,
        'demo/d.ts': `${IMPORT}export const B = graphql('query B {caller{ok}}');\n`,
      }),
    ).toEqual([
      'demo/a.ts:2: the operation needs a name, since its types are named after it',
      'demo/c.ts:2: another document in demo/b.ts:2 has the name B: rename this one',
    ]);
  });

  it('not even the compiler: it accepts no string for a document and no variables of another document', () => {
    const never = (ask: typeof askGateway, gateway: GatewayClient, principal: Principal) => [
      // @ts-expect-error -- a string is not a document
      ask(gateway, 'query Ping { caller { ok } }', {}, principal),
      // @ts-expect-error -- no types were generated for this operation
      graphql('query NobodyKnows { caller { ok } }'),
      ask(
        gateway,
        graphql(
          'mutation EndSession($id: ID!) { sessionEnd(input: { id: $id }) { hasEnded userErrors { message code } } }',
        ),
        // @ts-expect-error -- the id is missing
        {},
        principal,
      ),
    ];
    expect(never).toBeTypeOf('function');
  });
});

it('inaccessible fields are only for internal documents', () => {
  const document = '(\'query A { principal(kind: "bearer", token: "t") }\');\n';
  expect(errorsOf({ 'gateway/a.ts': `${IMPORT}export const A = internalGraphql${document}` })).toEqual([]);
  expect(errorsOf({ 'gateway/a.ts': `${IMPORT}export const A = graphql${document}` })).toEqual([
    expect.stringMatching(/Cannot query field "principal"/),
  ]);
});

it('every document of this service is valid', () => {
  const { documents, errors } = checkDocuments(new URL('../../', import.meta.url), schemas);
  expect(errors).toEqual([]);
  expect(documents.length).toBeGreaterThan(100);
});

describe('a document in plain text', () => {
  const errors = (path: string, text: string) =>
    rawDocuments(write({ [path]: text }), [path]).flatMap((document) =>
      errorsOfText(document, schemas.internal).map((message) => `${document.line}: ${message}`),
    );

  it.each([
    ["ask('{ window(last: { days: 1 }) { cost { totalCost } } }')", 'Cannot query field "cost" on type "Window"'],
    ['ask(`query ($id: ID!) { usageEvent(eventId: $id) { eventid } }`)', 'Cannot query field "eventid"'],
    ['ask(`{ rateCard(rateCardId: "${id}") { modelSlugs } }`)', 'Cannot query field "modelSlugs"'],
    ['ask(`mutation { dimensionCreate(input: ${input}) { userErrors { code } } }`)', '"dimensionCreate"'],
    ['ask(`query ${variables} { window(${args}) { ledgerCosts { total } } }`)', 'Cannot query field "total"'],
    ["const FIELDS = '{ idempotencyKey receivedTime }'", 'Cannot query field "idempotencyKey"'],
  ])('%s is refused', (text, message) => {
    expect(errors('test/a.test.ts', text)).toContainEqual(expect.stringContaining(message));
  });

  it.each([
    'ask(`{ rateCard(rateCardId: "${id}") { modelSlug } }`)',
    'ask(`query ${variables} { window(${args}) { ledgerCosts ${fields} } }`)',
    "const FIELDS = '{ idempotencyKey receivedAt }'",
    "const TEXT = 'query the books { of a product }'",
  ])('%s is accepted, whatever the unknown parts are', (text) => {
    expect(errors('test/a.test.ts', text)).toEqual([]);
  });

  it('is found in documentation: in blocks and in requests', () => {
    const text = '# A\n\n```graphql\n{ credits { left } }\n```\n\n`{"query":"{ books { ok } }"}`\n';
    expect(errors('docs/a.md', text)).toEqual([
      '3: Cannot query field "left" on type "Credits".',
      '7: Cannot query field "ok" on type "Books".',
    ]);
  });
});
