/**
 * `npm run check:api`: everything that clients see has a description, and nothing is removed from the released API
 * without a decision. A file of `docs/decisions` allows a change with a line `breaking: Type.field`. A release copies
 * `schema/api.graphql` to `schema/api.released.graphql`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { type BreakingChange, BreakingChangeType, type GraphQLSchema, buildSchema, findBreakingChanges } from 'graphql';
import { undescribed } from './undescribed.ts';

/** Messages of graphql-js 16. Each pattern's `type` and optional `member` form the coordinate. */
const SENTENCES: Readonly<Record<BreakingChangeType, RegExp>> = {
  [BreakingChangeType.TYPE_REMOVED]: /(?:^Standard scalar |^)(?<type>\w+) was removed/,
  [BreakingChangeType.TYPE_CHANGED_KIND]: /^(?<type>\w+) changed from/,
  [BreakingChangeType.TYPE_REMOVED_FROM_UNION]: /^(?<member>\w+) was removed from union type (?<type>\w+)/,
  [BreakingChangeType.VALUE_REMOVED_FROM_ENUM]: /^(?<member>\w+) was removed from enum type (?<type>\w+)/,
  [BreakingChangeType.REQUIRED_INPUT_FIELD_ADDED]: /^A required field (?<member>\w+) on input type (?<type>\w+)/,
  [BreakingChangeType.IMPLEMENTED_INTERFACE_REMOVED]: /^(?<type>\w+) no longer implements interface (?<member>\w+)/,
  [BreakingChangeType.FIELD_REMOVED]: /^(?<type>\w+)\.(?<member>\w+) was removed/,
  [BreakingChangeType.FIELD_CHANGED_KIND]: /^(?<type>\w+)\.(?<member>\w+) changed type/,
  [BreakingChangeType.REQUIRED_ARG_ADDED]: /^A required arg \w+ on (?<type>\w+)\.(?<member>\w+)/,
  [BreakingChangeType.ARG_REMOVED]: /^(?<type>\w+)\.(?<member>\w+) arg/,
  [BreakingChangeType.ARG_CHANGED_KIND]: /^(?<type>\w+)\.(?<member>\w+) arg/,
  [BreakingChangeType.DIRECTIVE_REMOVED]: /^(?<type>\w+) was removed/,
  [BreakingChangeType.DIRECTIVE_ARG_REMOVED]: /was removed from (?<type>\w+)/,
  [BreakingChangeType.REQUIRED_DIRECTIVE_ARG_ADDED]: /on directive (?<type>\w+)/,
  [BreakingChangeType.DIRECTIVE_REPEATABLE_REMOVED]: /removed from (?<type>\w+)/,
  [BreakingChangeType.DIRECTIVE_LOCATION_REMOVED]: /was removed from (?<type>\w+)/,
};

const root = new URL('../', import.meta.url);

const allowed = decidedChanges(new URL('docs/decisions/', root));
const api = read('schema/api.graphql');
const changes = findBreakingChanges(read('schema/api.released.graphql'), api);
const undecided = changes.filter((change) => !allowed.has(coordinateOfChange(change)));

const silent = undescribed(api);
for (const name of silent)
  console.error(
    `${name}: add a description with its unit, in quotes on the line above it in the subgraph's schema.graphql`,
  );
if (silent.length > 0) process.exitCode = 1;

for (const change of undecided) console.error(`${coordinateOfChange(change)}: ${change.description}`);
if (undecided.length > 0) {
  console.error(
    'These changes break clients of the released API, and no decision in docs/decisions allows them with a line `breaking: …`.',
  );
  process.exitCode = 1;
} else {
  console.log(`No undecided breaking change of the API (${changes.length} decided)`);
}

function read(path: string): GraphQLSchema {
  return buildSchema(readFileSync(new URL(path, root), 'utf8'));
}

function decidedChanges(folder: URL): ReadonlySet<string> {
  const records = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'));
  return new Set(
    records.flatMap((text) =>
      [...text.matchAll(/^breaking: (\w+(?:\.\w+)?)$/gm)].map(([, coordinate]) => coordinate ?? ''),
    ),
  );
}

/**
 * Returns the schema coordinate of a breaking change, as decision records write it.
 *
 * `Type`, or `Type.member` for a field, an enum value or a union member. An argument is identified by its field.
 */
function coordinateOfChange({ type, description }: BreakingChange): string {
  const found = SENTENCES[type].exec(description)?.groups;
  if (!found?.type) throw new Error(`No coordinate in: ${description}`);
  return found.member ? `${found.type}.${found.member}` : found.type;
}
