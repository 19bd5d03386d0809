/**
 * `npm run check:api`: nothing that a client of the released API may use is gone, unless a decision says so.
 * A file of `docs/decisions` allows a change by a line `breaking: Type.field`. A release copies `schema/api.graphql`
 * to `schema/api.released.graphql`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { buildSchema, findBreakingChanges, type GraphQLSchema } from 'graphql';
import { coordinateOfChange } from './coordinate-of-change.ts';

const root = new URL('../', import.meta.url);

const allowed = decidedChanges(new URL('docs/decisions/', root));
const changes = findBreakingChanges(read('schema/api.released.graphql'), read('schema/api.graphql'));
const undecided = changes.filter((change) => !allowed.has(coordinateOfChange(change)));

for (const change of undecided) console.error(`${coordinateOfChange(change)}: ${change.description}`);
if (undecided.length > 0) {
  console.error('These changes break clients of the released API, and no decision in docs/decisions says `breaking: …` of them.');
  process.exitCode = 1;
} else {
  console.log(`No undecided breaking change of the API (${changes.length} decided)`);
}

function read(path: string): GraphQLSchema {
  return buildSchema(readFileSync(new URL(path, root), 'utf8'));
}

function decidedChanges(folder: URL): ReadonlySet<string> {
  const records = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'));
  return new Set(records.flatMap((text) => [...text.matchAll(/^breaking: (\w+(?:\.\w+)?)$/gm)].map(([, coordinate]) => coordinate ?? '')));
}
