/**
 * The supergraph of `SUPERGRAPH_FILE`. It is loaded once it exists and is compatible with this version, and again
 * whenever it changes. Until then, or while the file is incompatible, the gateway keeps the supergraph it has: at
 * first the committed one.
 */
import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import { buildASTSchema, findBreakingChanges, type GraphQLSchema, parse } from 'graphql';
import type { Log } from '#platform/log.ts';
import { scopeTable } from './refuse-early.ts';

/**
 * `missing`: no file yet. `refused`: the file is incompatible, and no compatible one was loaded since the start.
 * `kept`: the file is incompatible or gone, and the previous one is still served.
 */
export type SupergraphState = 'served' | 'missing' | 'refused' | 'kept';

export interface ServedFile {
  readonly state: () => SupergraphState;
  stop(): void;
}

const LOOK_EVERY_MILLISECONDS = 1_000;
const CHANGES_SHOWN_MAX = 5;

/**
 * `update` throws if the gateway cannot plan queries on the supergraph. `committed`: the supergraph of this version.
 */
export function serveSupergraphFile(
  file: string,
  committed: string,
  update: (supergraph: string) => void,
  log: Log,
): ServedFile {
  let state: SupergraphState = 'missing';
  let hasServed = false;
  const look = (): void => {
    try {
      const supergraph = readFileSync(file, 'utf8');
      requireFit(supergraph, committed);
      update(supergraph);
      state = 'served';
      hasServed = true;
      log.info({ file }, 'Another supergraph is served');
    } catch (error) {
      if (hasServed) state = 'kept';
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT')
        log.warn({ file }, 'The supergraph file does not exist: the previous supergraph stays in use');
      else {
        if (!hasServed) state = 'refused';
        log.error(
          { file, cause: message },
          'The supergraph file is incompatible with this version: the previous supergraph stays in use',
        );
      }
    }
  };
  look();
  watchFile(file, { interval: LOOK_EVERY_MILLISECONDS, persistent: false }, look);
  return { state: () => state, stop: () => unwatchFile(file, look) };
}

/**
 * Throws if the supergraph lacks something that this version serves, or requires another scope for it: our own
 * documents depend on it.
 */
function requireFit(supergraph: string, committed: string): void {
  const missing = findBreakingChanges(schemaOf(committed), schemaOf(supergraph)).map(({ description }) => description);
  const scopes = scopeTable(supergraph);
  const changed = [...scopeTable(committed)]
    .filter(([field, needs]) => String(scopes.get(field)) !== String(needs))
    .map(([field]) => `${field} requires another scope.`);
  const problems = [...missing, ...changed];
  if (problems.length === 0) return;
  const more = problems.length - CHANGES_SHOWN_MAX;
  throw new Error([...problems.slice(0, CHANGES_SHOWN_MAX), ...(more > 0 ? [`And ${more} more.`] : [])].join(' '));
}

function schemaOf(supergraph: string): GraphQLSchema {
  return buildASTSchema(parse(supergraph, { noLocation: true }), { assumeValid: true, assumeValidSDL: true });
}
