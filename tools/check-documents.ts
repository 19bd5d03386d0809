/**
 * `npm run check:documents`: all GraphQL documents of our own are found in the source, and valid against the schema
 * that they are sent to.
 */
import { readFileSync } from 'node:fs';
import { checkDocuments, readSchemas } from './documents/validate-documents.ts';

const root = new URL('../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');

const { documents, errors } = checkDocuments(
  root,
  readSchemas(read('schema/api.graphql'), read('schema/supergraph.graphql')),
);

for (const { file, line, message } of errors) console.error(`${file}:${line}: ${message}`);
if (errors.length > 0) process.exitCode = 1;
else console.log(`${documents.length} GraphQL documents are valid`);
