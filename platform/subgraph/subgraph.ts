/** Definition of a subgraph, and the running subgraph. */
import type { GraphQLSchema } from 'graphql';
import type { Config } from '../config.ts';
import type { ConnectionTarget } from '../database/connections/connection-target.ts';
import { type Database, type Entities, openDatabase } from '../database/open-database.ts';
import type { ReportView } from '../database/sql-access/report-view.ts';
import type { SealedColumn } from '../database/sealed-column.ts';
import type { GatewayClient } from '../gateway-client.ts';
import type { Job } from '../job-loop.ts';
import type { Log } from '../log.ts';
import type { Sealing } from '../seal.ts';
import { buildSchema } from './build-subgraph.ts';
import { endLongReportsJob } from './end-long-reports-job.ts';

/** What a subgraph receives at startup. */
export interface SubgraphDependencies {
  readonly config: Config;
  readonly database: Database;
  readonly log: Log;
  /** Encrypts values at rest. */
  readonly sealing: Sealing;
  /** The gateway, for jobs that read from other subgraphs. */
  readonly gateway: GatewayClient;
  /** Writes first-run information to a file that only the operator can read. */
  readonly writeFirstRun: (firstRun: object) => void;
}

/** Exported by each subgraph's `main.ts`. */
export interface SubgraphDefinition {
  readonly name: string;
  readonly schemaFile: URL;
  readonly entities: Entities;
  readonly migrationsFolder: URL;
  /**
   * For databases that may be distributed: reference tables, which every node has completely. Tenant tables are
   * distributed.
   */
  readonly distribution?: { readonly referenceTables: readonly string[] };
  /** Encrypted columns; startup fails if values cannot be decrypted. */
  readonly sealed?: readonly SealedColumn[];
  /** Views for SQL tools, which exist only after SQL access was created. */
  readonly reportViews?: readonly ReportView[];
  readonly resolvers: (dependencies: SubgraphDependencies) => object;
  /**
   * Types whose properties may be methods, called when the field is requested. For other types, a field without a
   * resolver returns the property.
   */
  readonly computedTypes?: readonly string[];
  readonly jobs: (dependencies: SubgraphDependencies) => readonly Job[];
  /** First-start work, such as importing the catalogue; called at every start, after migrations. */
  readonly prepare?: (dependencies: SubgraphDependencies, progress: (message: string) => void) => Promise<void>;
}

/** A running subgraph. */
export interface Subgraph {
  readonly name: string;
  readonly schema: GraphQLSchema;
  readonly database: Database;
  readonly log: Log;
  readonly jobs: readonly Job[];
}

/** Opens the database of a definition without starting anything. */
export function openSubgraphDatabase(
  { name, entities, migrationsFolder, reportViews = [] }: SubgraphDefinition,
  target: ConnectionTarget,
  { statementSeconds, databasePools }: Partial<Pick<Config, 'statementSeconds' | 'databasePools'>> = {},
): Promise<Database> {
  return openDatabase({
    name,
    target,
    entities,
    migrationsFolder,
    reportViews,
    ...(statementSeconds === undefined ? {} : { statementSeconds }),
    ...(databasePools === undefined ? {} : { pools: databasePools }),
  });
}

export function makeSubgraph(definition: SubgraphDefinition, dependencies: SubgraphDependencies): Subgraph {
  return {
    name: definition.name,
    schema: buildSchema(definition.schemaFile, definition.resolvers(dependencies), definition.computedTypes),
    database: dependencies.database,
    log: dependencies.log,
    jobs: [...definition.jobs(dependencies), ...(definition.reportViews ? [endLongReportsJob(dependencies)] : [])],
  };
}
