/** Composes the subgraphs' SDL into the supergraph and the API schema. Run by `npm run generate`; the result is committed. */
import { writeFileSync } from 'node:fs';
import { composeServices } from '@apollo/composition';
import { parse, printSchema, lexicographicSortSchema } from 'graphql';
import { SUBGRAPH_NAMES } from '../platform/config.ts';
import { subgraphSdl } from '../platform/subgraph/build-subgraph.ts';

const root = new URL('../', import.meta.url);

const { supergraphSdl, errors, schema } = composeServices(
  SUBGRAPH_NAMES.map((name) => ({
    name,
    url: `http://${name}.invalid/graphql`,
    typeDefs: parse(subgraphSdl(new URL(`subgraphs/${name}/schema.graphql`, root))),
  })),
);
if (errors) throw new Error(errors.map((error) => error.message).join('\n'));

writeFileSync(new URL('schema/supergraph.graphql', root), `# Composed by \`npm run generate\`. Do not edit.\n${supergraphSdl}\n`);
writeFileSync(new URL('schema/api.graphql', root), `# Composed by \`npm run generate\`. Do not edit.\n${printSchema(lexicographicSortSchema(schema.toAPISchema().toGraphQLJSSchema()))}\n`);
