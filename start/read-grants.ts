/** What subgraphs that joined may read as clients of the graph. */
import { type Config, ConfigError } from '../platform/config.ts';
import { QUERY_SCOPES } from '../schema/scopes.ts';

/** Throws {@link ConfigError} for anything but scopes that read: no subgraph writes for another. */
export function readGrants({ subgraphGrants }: Pick<Config, 'subgraphGrants'>): Config['subgraphGrants'] {
  const strange = Object.values(subgraphGrants)
    .flat()
    .filter((grant) => !(QUERY_SCOPES as readonly string[]).includes(grant));
  if (strange.length > 0)
    throw new ConfigError([`SUBGRAPH_GRANTS has ${strange.join(', ')}: use ${QUERY_SCOPES.join(', ')}`]);
  return subgraphGrants;
}
