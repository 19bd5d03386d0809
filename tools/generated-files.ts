/**
 * Every committed file that is made from others: one function for writing and checking them, so that the two cannot
 * differ.
 */
import { readFileSync } from 'node:fs';
import { composeServices } from '@apollo/composition';
import { buildASTSchema, lexicographicSortSchema, parse, printSchema } from 'graphql';
import { SUBGRAPH_NAMES } from '#schema/subgraph-names.ts';
import { subgraphSdl } from '#platform/subgraph/build-subgraph.ts';
import { buildOpenApi } from '../rest-adapter/openapi/build-openapi.ts';
import { publicSchema } from '../gateway/public-schema.ts';
import { ANY_ORIGIN } from '../rest-adapter/openapi/serve-openapi.ts';
import { enumAnswers } from './documents/enum-answers.ts';
import { documentTypes } from './documents/document-types.ts';
import { checkDocuments, readSchemas } from './documents/validate-documents.ts';
import { wholeAnswers } from './documents/whole-answers.ts';
import { focusColumns } from './focus-columns.ts';
import { reportColumns } from './report-columns.ts';
import { resolverTypes } from './resolver-types.ts';
import { sdkPackage } from './sdk-package.ts';

/** A subgraph in the form that the composer takes. */
export type Composed = Parameters<typeof composeServices>[0][number];

const HEADING = '# Composed by `npm run generate`. Do not edit.\n';

/** Declared explicitly: otherwise a type named like a root type, such as `Subscription`, would become one. */
const ROOTS = 'schema {\n  query: Query\n  mutation: Mutation\n}\n';

/** The library for Node has no dependency, so it has its own copy. */
const SDK_BILLED_TOOLS = 'packages/sdk-node/count-billed-tools.generated.ts';

/**
 * Path from the root → text. Throws if the SDL does not parse or compose, or if a document does not match the schema.
 */
export async function generatedFiles(root: URL): Promise<ReadonlyMap<string, string>> {
  const { supergraph, api } = composeSupergraph(ownSubgraphs(root));
  const types = await Promise.all(
    SUBGRAPH_NAMES.map(async (name) => {
      const directory = `subgraphs/${name}`;
      return [
        `${directory}/resolvers.generated.ts`,
        await resolverTypes(subgraphSdl(new URL(`${directory}/schema.graphql`, root))),
      ] as const;
    }),
  );
  const schemas = readSchemas(api, supergraph);
  const answered = lexicographicSortSchema(
    buildASTSchema(wholeAnswers(supergraph, supergraph), { assumeValid: true, assumeValidSDL: true }),
  );
  const checked = checkDocuments(root, schemas);
  if (checked.errors.length > 0)
    throw new Error(checked.errors.map(({ file, line, message }) => `${file}:${line}: ${message}`).join('\n'));
  const billedTools = `// Copied from packages/usage-normalizer/counts/count-billed-tools.ts by \`npm run generate\`. Do not edit.\n${readFileSync(new URL('packages/usage-normalizer/counts/count-billed-tools.ts', root), 'utf8')}`;
  return new Map([
    [SDK_BILLED_TOOLS, billedTools],
    ['schema/supergraph.graphql', supergraph],
    ['schema/api.graphql', api],
    ['schema/openapi.json', `${JSON.stringify(buildOpenApi(ANY_ORIGIN, answered), null, 2)}\n`],
    ['schema/documents.generated.ts', await documentTypes(checked, supergraph)],
    ['schema/enum-answers.generated.ts', enumAnswers(checked.documents, schemas.internal)],
    [
      'rest-adapter/sdk/node-package.generated.json',
      `${JSON.stringify(sdkPackage(root, new Map([[SDK_BILLED_TOOLS, billedTools]])), null, 2)}\n`,
    ],
    ['schema/focus/columns.generated.ts', focusColumns(root)],
    ['docs/guides/export-tables.generated.md', reportColumns()],
    ...types,
  ]);
}

/** Without URLs, which are settings. */
export function ownSubgraphs(root: URL): Composed[] {
  const schemas = [
    ...SUBGRAPH_NAMES.map((name) => [name, `subgraphs/${name}`] as const),
    // The gateway's own.
    ['nodes', 'gateway/nodes'] as const,
  ];
  return schemas.map(([name, folder]) => ({
    name,
    url: `http://${name}.invalid/graphql`,
    typeDefs: parse(subgraphSdl(new URL(`${folder}/schema.graphql`, root))),
  }));
}

/**
 * Composes the subgraphs' SDL into the supergraph that the gateway serves and the API that its clients see.
 *
 * Returns both texts as they are committed. Throws with all messages of the composer if the subgraphs do not compose.
 */
export function composeSupergraph(subgraphs: readonly Composed[]): {
  readonly supergraph: string;
  readonly api: string;
} {
  const { supergraphSdl, errors, schema } = composeServices([...subgraphs]);
  if (errors) throw new Error(errors.map((error) => error.message).join('\n'));
  const clients = publicSchema(schema.toAPISchema().toGraphQLJSSchema(), supergraphSdl);
  const api = printSchema(lexicographicSortSchema(clients));
  return { supergraph: `${HEADING}${supergraphSdl}\n`, api: `${HEADING}${ROOTS}\n${api}\n` };
}
