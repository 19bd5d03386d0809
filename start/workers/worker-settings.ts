/** Settings for the number of processes, and the database connections they need. */
import { type Config, ConfigError } from '#platform/config.ts';
import { SUBGRAPH_NAMES } from '#schema/subgraph-names.ts';

const OPTION = '--processes';

/** Throws {@link ConfigError} for invalid arguments. */
export function settingsOfArguments(args: readonly string[]): Readonly<Record<string, string>> {
  const [option, value, ...others] = args.flatMap((arg) => (arg.startsWith(`${OPTION}=`) ? arg.split('=') : [arg]));
  if (option === undefined) return {};
  if (option !== OPTION || value === undefined || others.length > 0)
    throw new ConfigError([`${args.join(' ')} is not a valid option: use npm start -- ${OPTION} auto, or a number`]);
  return { PROCESSES: value };
}

/** Connections for look-ups and for the check of each database (`docs/operations/scale.md`). */
const CONNECTIONS_BESIDES = 6;
/** Connections for operators' commands and backups. */
const CONNECTIONS_SPARE = 40;

/** Maximum number of connections of all pools in all processes. */
export function connectionsOf({ processes, databasePools: { write, read } }: Config): number {
  return processes * (SUBGRAPH_NAMES.length * (write + read + CONNECTIONS_BESIDES) + 1) + CONNECTIONS_SPARE;
}
