/**
 * `npm run check:documents`: all GraphQL documents in the repository are valid. The service's own documents are checked
 * against the schema that they are sent to. Documents in plain text are checked against the public schema in
 * documentation, and against the whole graph in tests, benchmarks and packages.
 */
import { readFileSync } from 'node:fs';
import { extendSchema, parse } from 'graphql';
import { EXPECTED_ERRORS } from './documents/expected-errors.ts';
import { errorsOf, rawDocuments } from './documents/raw-documents.ts';
import { repositoryFiles } from './documents/read-source.ts';
import { checkDocuments, readSchemas } from './documents/validate-documents.ts';

const SEARCHED = /\.(?:[cm]?[jt]sx?|md|sh|py|html|ya?ml)$/;
const LEFT_OUT = /\.generated\.ts$|\.d\.ts$|^CHANGELOG\.md$|^(?:test\/)?tools\//;
/** The query for entities that a gateway sends to a subgraph, as some tests do. */
const ENTITIES = parse(`scalar _Any union _Entity = EndUser | Model | SessionTree | UsageEvent | Window
extend type Query { _entities(representations: [_Any!]!): [_Entity]! }`);

const root = new URL('../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');

const schemas = readSchemas(read('schema/api.graphql'), read('schema/supergraph.graphql'));
const { documents, errors } = checkDocuments(root, schemas);

const searched = repositoryFiles(root).filter((path) => SEARCHED.test(path) && !LEFT_OUT.test(path));
const written = rawDocuments(root, searched);
const whole = extendSchema(schemas.internal, ENTITIES, { assumeValid: true });
const inText = written.flatMap(({ file, line, ...document }) =>
  errorsOf(document, file.endsWith('.md') ? schemas.api : whole)
    .filter((message) => !EXPECTED_ERRORS[file]?.test(message))
    .map((message) => ({ file, line, message })),
);

const all = [...errors, ...inText];
for (const { file, line, message } of all) console.error(`${file}:${line}: ${message}`);
if (all.length > 0) process.exitCode = 1;
else console.log(`${documents.length} GraphQL documents and ${written.length} in plain text are valid`);
