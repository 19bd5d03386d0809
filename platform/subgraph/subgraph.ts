/** What a subgraph is made of, and what it is once it runs. All four are described alike. */
import type { GraphQLSchema } from 'graphql';
import type { Config } from '../config.ts';
import type { ConnectionTarget } from '../database/connections/connection-target.ts';
import { type Database, type Entities, openDatabase } from '../database/open-database.ts';
import type { SealedColumn } from '../database/sealed-column.ts';
import type { GatewayClient } from '../gateway-client.ts';
import type { Job } from '../job-loop.ts';
import type { Log } from '../log.ts';
import type { Sealing } from '../seal.ts';
import { buildSchema } from './build-subgraph.ts';

/** What a subgraph is given when it starts. */
export interface SubgraphDependencies {
  readonly config: Config;
  readonly database: Database;
  readonly log: Log;
  /** Seals what must not be readable at rest. */
  readonly sealing: Sealing;
  /** The one way to other subgraphs, for jobs. */
  readonly gateway: GatewayClient;
  /** Keeps what an operator needs after the very first start where only the operator reads it. */
  readonly writeFirstRun: (firstRun: object) => void;
}

/** Exported by each subgraph's `main.ts`. */
export interface SubgraphDefinition {
  readonly name: string;
  readonly schemaFile: URL;
  readonly entities: Entities;
  readonly migrationsFolder: URL;
  /** Where its database may lie on several nodes: the tables of which every node has all rows. Those of tenants are distributed. */
  readonly distribution?: { readonly referenceTables: readonly string[] };
  /** What is encrypted at rest: the start stops when it cannot be opened. */
  readonly sealed?: readonly SealedColumn[];
  readonly resolvers: (dependencies: SubgraphDependencies) => object;
  /** Types of which a value may be a method, called when its field is asked for. Of all others a field without a resolver is what it is. */
  readonly computedTypes?: readonly string[];
  readonly jobs: (dependencies: SubgraphDependencies) => readonly Job[];
  /** Work of the very first start, such as importing the catalogue; called at every start, after the migrations. */
  readonly prepare?: (dependencies: SubgraphDependencies, progress: (message: string) => void) => Promise<void>;
}

/** A subgraph that is ready to serve. */
export interface Subgraph {
  readonly name: string;
  readonly schema: GraphQLSchema;
  readonly database: Database;
  readonly log: Log;
  readonly jobs: readonly Job[];
}

/** Opens the database of a definition; nothing runs yet. */
export function openSubgraphDatabase(
  { name, entities, migrationsFolder }: SubgraphDefinition,
  target: ConnectionTarget,
  { statementSeconds, databasePools }: Partial<Pick<Config, 'statementSeconds' | 'databasePools'>> = {},
): Promise<Database> {
  return openDatabase({
    name,
    target,
    entities,
    migrationsFolder,
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
    jobs: definition.jobs(dependencies),
  };
}
