/**
 * Well-known generators create types for documents from the graph's schema. The types compile under strict settings and
 * match the responses, for a founder's twelve questions and for the dashboard's documents.
 */
import { readFileSync } from 'node:fs';
import { outputIntrospectionFile } from '@gql.tada/internal';
import { preset } from '@graphql-codegen/client-preset';
import { codegen } from '@graphql-codegen/core';
import {
  type ArgumentNode,
  type GraphQLArgument,
  type GraphQLInputType,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  introspectionFromSchema,
  isCompositeType,
  isInputObjectType,
  isListType,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import { parse as parseAsTada } from 'gql.tada';
import { compileSchemaDefinitions } from 'typed-graphql-builder';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { checkDocuments, readSchemas } from '../../tools/documents/validate-documents.ts';
import { type StrictProject, strictProject } from '../support/compile-strictly.ts';
import { FOUNDER_DOCUMENTS } from '../support/founder-documents.ts';
import { projectPath } from '../support/project-files.ts';
import { MINUTES } from '../support/patience.ts';

// Generates and compiles the types of a whole API.
vi.setConfig(MINUTES);

const read = (path: string) => readFileSync(projectPath(path), 'utf8');
const SCHEMA = read('schema/api.graphql');
const SCHEMAS = readSchemas(SCHEMA, read('schema/supergraph.graphql'));
const SCALARS = { Decimal: 'string', Instant: 'string', JSON: 'unknown' };

/** Uses the types of the response to `Losing`: each line compiles only if the types match the schema. */
const USES = `
  declare const margin: NonNullable<NonNullable<NonNullable<Losing['window']>['margin']>['endUsers']>;
  export const revenue: string = margin.totalRevenue;
  export const category: 'PROFITABLE' | 'BREAK_EVEN' | 'UNPROFITABLE' = \`\${margin.nodes[0]!.profitability}\`;
  export const panel: null extends NonNullable<Losing['window']>['margin'] ? true : false = true;
  // @ts-expect-error -- money is a string
  export const wrong: number = margin.totalRevenue;
  // @ts-expect-error -- there may be none
  export const first: object = margin.nodes[0];
  // @ts-expect-error -- no such field
  export const missing = margin.colour;
`;

let project: StrictProject;
let founders: readonly OperationDefinitionNode[];
let dashboards: readonly OperationDefinitionNode[];
beforeAll(() => {
  project = strictProject();
  const { documents } = checkDocuments(new URL(`file://${projectPath('')}`), SCHEMAS);
  const own = documents.filter(({ kind, locate }) => kind === 'graphql' && locate(0).file.startsWith('dashboard/'));
  const operationOf = ({ definitions }: { readonly definitions: readonly object[] }) =>
    definitions[0] as OperationDefinitionNode;
  founders = Object.values(FOUNDER_DOCUMENTS).map((text) => operationOf(parse(text)));
  dashboards = [...new Map(own.map(({ name, document }) => [name, operationOf(document)])).values()];
});
afterAll(() => project.remove());

test('documents get the same types from @graphql-codegen/client-preset, gql.tada and typed-graphql-builder', async () => {
  expect(founders.length).toBe(12);
  expect(dashboards.length).toBeGreaterThan(100);
  await writeClientPreset();
  writeTada();
  writeBuilder();
  // One program for all, because loading the schema's types takes most of a compiler's time.
  expect(await project.compile(['client-preset.ts', 'client-preset/gql.ts', 'tada.ts', 'builder.ts'])).toBe('');
});

async function writeClientPreset(): Promise<void> {
  const sections = await preset.buildGeneratesSection({
    baseOutputDir: 'client-preset/',
    schema: parse(SCHEMA),
    documents: [...founders, ...dashboards].map((operation) => ({
      location: `${operation.name!.value}.ts`,
      document: { kind: Kind.DOCUMENT, definitions: [operation] },
      rawSDL: print(operation),
    })),
    config: { scalars: SCALARS, useTypeImports: true, emitLegacyCommonJSImports: false },
    presetConfig: { fragmentMasking: false },
    plugins: [],
    pluginMap: {},
  });
  for (const section of sections) project.write(section.filename, await codegen(section));
  project.write(
    'client-preset.ts',
    `import type { LosingCustomersQuery as Losing } from './client-preset/graphql.js';
     ${USES}`,
  );
}

/**
 * gql.tada parses documents within the type system: the founder's take some seconds, all of the dashboard's would take
 * half a minute.
 */
function writeTada(): void {
  const introspection = introspectionFromSchema(SCHEMAS.api, { descriptions: false });
  project.write(
    'graphql-env.d.ts',
    outputIntrospectionFile(introspection, { fileType: '.d.ts', shouldPreprocess: true }),
  );
  project.write(
    'tada.ts',
    `import { initGraphQLTada, type ResultOf } from 'gql.tada';
     import type { introspection } from './graphql-env.d.ts';
     const graphql = initGraphQLTada<{ introspection: introspection; scalars: ${JSON.stringify(SCALARS).replaceAll('"', '')} }>();
     ${founders.map((operation) => `export const ${operation.name!.value} = graphql(\`${print(parseAsTada(print(operation)))}\`);`).join('\n')}
     type Losing = ResultOf<typeof LosingCustomers>;
     ${USES}`,
  );
}

/** For `typed-graphql-builder`, in which documents are function calls. */
function writeBuilder(): void {
  const { definitions } = parse(SCHEMA);
  project.write('builder-schema.ts', compileSchemaDefinitions([...definitions], { scalars: Object.entries(SCALARS) }));
  const documents = [...founders, ...dashboards].map(({ name, operation, selectionSet }) => {
    const root = operation === 'mutation' ? SCHEMAS.api.getMutationType() : SCHEMAS.api.getQueryType();
    return `export const ${name!.value} = api.${operation}('${name!.value}', ${selectorOf(selectionSet, root!)});`;
  });
  project.write(
    'builder.ts',
    `import type { ResultOf } from '@graphql-typed-document-node/core';
     import * as api from './builder-schema.ts';
     ${documents.join('\n')}
     type Losing = ResultOf<typeof LosingCustomers>;
     ${USES}`,
  );
}

function selectorOf({ selections }: SelectionSetNode, type: GraphQLObjectType): string {
  const calls = selections.map((selection) => {
    if (selection.kind === Kind.FRAGMENT_SPREAD) throw new Error('a spread of a fragment');
    if (selection.kind === Kind.INLINE_FRAGMENT) {
      const name = selection.typeCondition!.name.value;
      return `s.$on('${name}', ${selectorOf(selection.selectionSet, SCHEMAS.api.getType(name) as GraphQLObjectType)})`;
    }
    const { args, type: returned } = type.getFields()[selection.name.value]!;
    const named = getNamedType(returned);
    const passed = [
      ...(args.length > 0 ? [argumentsOf(selection.arguments ?? [], args)] : []),
      ...(isCompositeType(named) ? [selectorOf(selection.selectionSet!, named as GraphQLObjectType)] : []),
    ];
    const call = `s.${selection.name.value}${passed.length > 0 ? `(${passed.join(', ')})` : ''}`;
    return selection.alias ? `${call}.as('${selection.alias.value}')` : call;
  });
  return `(s) => [${calls.join(', ')}]`;
}

function argumentsOf(nodes: readonly ArgumentNode[], args: readonly GraphQLArgument[]): string {
  const typeOf = (name: string) => args.find((arg) => arg.name === name)!.type;
  return `{ ${nodes.map(({ name, value }) => `${name.value}: ${valueOf(value, typeOf(name.value))}`).join(', ')} }`;
}

function valueOf(node: ValueNode, type: GraphQLInputType): string {
  const nullable = getNullableType(type);
  if (node.kind === Kind.VARIABLE) return `api.$('${node.name.value}')`;
  if (node.kind === Kind.ENUM) return `api.${getNamedType(type).name}.${node.value}`;
  if (node.kind === Kind.LIST) {
    const item = isListType(nullable) ? nullable.ofType : type;
    return `[${node.values.map((value) => valueOf(value, item)).join(', ')}]`;
  }
  if (node.kind === Kind.OBJECT && isInputObjectType(nullable)) {
    const fields = nullable.getFields();
    return `{ ${node.fields.map(({ name, value }) => `${name.value}: ${valueOf(value, fields[name.value]!.type)}`).join(', ')} }`;
  }
  return print(node);
}
