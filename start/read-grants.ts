/** Grants of subgraphs that read as clients of the graph. */
import { type Config, ConfigError } from '#platform/config.ts';
import { SUBGRAPH_SCOPES } from '#schema/scopes.ts';
import { OWN_GRANTS } from '#schema/subgraph-names.ts';

/** Throws {@link ConfigError} for anything except read scopes: no subgraph writes on behalf of another. */
export function readGrants({ subgraphGrants }: Pick<Config, 'subgraphGrants'>): Config['subgraphGrants'] {
  const strange = Object.values(subgraphGrants)
    .flat()
    .filter((grant) => !SUBGRAPH_SCOPES.includes(grant));
  if (strange.length > 0)
    throw new ConfigError([
      `SUBGRAPH_GRANTS contains unknown grants: ${strange.join(', ')}. Use ${SUBGRAPH_SCOPES.join(', ')}`,
    ]);
  return { ...OWN_GRANTS, ...subgraphGrants };
}
