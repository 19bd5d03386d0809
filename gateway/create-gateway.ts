/** The only code that combines subgraphs: Apollo Gateway plans and executes requests on the supergraph. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ApolloGateway } from '@apollo/gateway';
import type { GatewayExecutor, GatewayInterface } from '@apollo/server-gateway-interface';
import {
  buildASTSchema,
  type DocumentNode,
  type GraphQLError,
  getOperationAST,
  type GraphQLSchema,
  parse,
} from 'graphql';
import type { Log } from '#platform/log.ts';
import { inOperationSpan } from '#platform/observability/tracing.ts';
import type { Principal } from '#platform/principal.ts';
import type { GraphQLAnswer, SubgraphTransport } from '#platform/transports/subgraph-transport.ts';
import { allowError, logUnexpected } from './allow-error.ts';
import { apolloLogger, type GatewayContext, type PreparedDocument, requestContext } from './apollo-gateway.ts';
import { directSubgraph } from './direct-documents.ts';
import { NODES, nodeTransport } from './nodes/node-transport.ts';
import { type SubgraphClient, askingSubgraph } from './failures/ask-subgraph.ts';
import { withDenied, withoutDenied } from './failures/denied-fields.ts';
import { type Panels, panelsOf } from './failures/panels.ts';
import { executionErrors, placeErrors } from './failures/place-errors.ts';
import { publicSchema } from './public-schema.ts';
import { serveSupergraphFile, type SupergraphState } from './serve-supergraph-file.ts';

export type SubgraphTransports = Readonly<Record<string, SubgraphTransport>>;

export interface Gateway {
  /** The loaded gateway in the form that Apollo Server takes. */
  readonly forApolloServer: GatewayInterface;
  /** The schema for external clients. Like the supergraph, it changes when another supergraph is loaded. */
  readonly publicSchema: GraphQLSchema;
  readonly supergraphSdl: string;
  /** State of the supergraph file with joined subgraphs; `null` if none is configured. */
  readonly fileState: () => SupergraphState | null;
  /** Runs one of our own documents: planned once, without plugins, and without parsing known documents again. */
  execute<Data>(
    document: string,
    variables: Record<string, unknown>,
    principal: Principal,
  ): Promise<GraphQLAnswer<Data>>;
  stop(): Promise<void>;
}

const DOCUMENTS_MAX = 1_000;

/** The committed supergraph, with the subgraphs of this repository. */
const SUPERGRAPH_FILE = new URL('../schema/supergraph.graphql', import.meta.url);

export interface GatewayOptions {
  /** Transports of this repository's subgraphs. */
  readonly own: SubgraphTransports;
  /** Connects to any other subgraph of the supergraph, at the URL given there. */
  readonly join: (name: string, url: string) => SubgraphTransport;
  /**
   * A supergraph file with more subgraphs, loaded when it appears or changes; `null`: only the committed supergraph.
   */
  readonly supergraphFile: string | null;
  readonly log: Log;
}

/** Throws if the committed supergraph cannot be loaded. Errors of `supergraphFile` are logged and shown by `fileState`. */
export async function createGateway({ own, join, supergraphFile, log }: GatewayOptions): Promise<Gateway> {
  const committed = readFileSync(SUPERGRAPH_FILE, 'utf8');
  let update: (supergraph: string) => void = () => {};
  const logger = apolloLogger(log);
  const joined: SubgraphTransport[] = [];
  const subgraphs = new Map<string, SubgraphClient>();
  const ask = askingSubgraph(() => supergraphSchema(), log);
  /** The subgraph of each direct document; `null` for other planned documents. */
  let direct = new WeakMap<DocumentNode, SubgraphClient | null>();
  const apollo = new ApolloGateway({
    supergraphSdl: async (manager) => {
      ({ update } = manager);
      return { supergraphSdl: committed };
    },
    logger,
    // `npm run check` has composed the committed supergraph; validating it again would take a tenth of the start time.
    validateSupergraph: supergraphFile !== null,
    buildService({ name, url = '' }) {
      if (name === NODES) return ask(name, nodeTransport(log));
      const transport = own[name] ?? join(name, url);
      if (!own[name]) joined.push(transport);
      const subgraphClient = ask(name, transport);
      subgraphs.set(name, subgraphClient);
      return subgraphClient;
    },
    experimental_didResolveQueryPlan({ queryPlan, requestContext: { document } }) {
      if (direct.has(document)) return;
      direct.set(document, subgraphs.get(directSubgraph(document, queryPlan) ?? '') ?? null);
    },
  });
  interface Loaded {
    readonly apiSchema: GraphQLSchema;
    readonly coreSupergraphSdl: string;
  }
  let taken: (Loaded & { readonly publicSchema: GraphQLSchema }) | undefined;
  let panels: Panels | undefined;
  let schema: GraphQLSchema | undefined;
  const listeners = new Set<(loaded: Loaded) => void>();
  const loaded = () => {
    if (!taken) throw new Error('The supergraph could not be loaded');
    return taken;
  };
  /** Apollo Server validates the documents of external clients against the public schema. */
  const forClients = (): Loaded => ({ ...loaded(), apiSchema: loaded().publicSchema });
  const supergraph = () => parse(loaded().coreSupergraphSdl, { noLocation: true });
  const supergraphSchema = () => (schema ??= buildASTSchema(supergraph(), { assumeValid: true, assumeValidSDL: true }));
  apollo.onSchemaLoadOrUpdate((next) => {
    taken = { ...next, publicSchema: publicSchema(next.apiSchema, next.coreSupergraphSdl) };
    panels = undefined;
    schema = undefined;
    direct = new WeakMap();
    for (const listener of listeners) listener(forClients());
  });
  const { executor: executePlan } = await apollo.load();
  const file = supergraphFile === null ? null : serveSupergraphFile(supergraphFile, committed, update, log);
  const executeAllowed: GatewayExecutor = async (context) => {
    const result = await inOperationSpan(context, () => executePlan(context));
    const { data } = result;
    const errors = executionErrors(result);
    if (errors.length === 0) return result;
    panels ??= panelsOf(supergraph());
    const placed = placeErrors({ data, errors }, context, loaded().apiSchema, panels) as GraphQLError[];
    return { ...(data === undefined ? {} : { data }), errors: placed };
  };
  const executor: GatewayExecutor = async (context) => {
    const denied = (context.context as GatewayContext).outcome?.denied;
    if (!denied?.size) return executeAllowed(context);
    const { apiSchema } = loaded();
    const document = withoutDenied(context.document, apiSchema, denied);
    const queryHash = hashOf([context.queryHash, ...denied.keys()].join(' '));
    const { data, errors = [] } = await executeAllowed({
      ...context,
      document,
      queryHash,
      ...operationIn(document, context),
    });
    const { document: whole, operationName, request } = context;
    const answer = withDenied(
      data ?? {},
      { document: whole, operationName, variables: request.variables ?? {} },
      apiSchema,
      denied,
    );
    return { data: data ? answer.data : null, errors: [...answer.errors, ...errors] };
  };
  const prepared = new Map<string, PreparedDocument>();
  return {
    forApolloServer: {
      onSchemaLoadOrUpdate: (listener) => {
        listener(forClients());
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
      load: async () => ({ executor }),
      stop: async () => {},
    },
    get publicSchema() {
      return loaded().publicSchema;
    },
    get supergraphSdl() {
      return loaded().coreSupergraphSdl;
    },
    fileState: () => file?.state() ?? null,
    async execute<Data>(text: string, variables: Record<string, unknown>, principal: Principal) {
      const document = prepare(prepared, text);
      const subgraph = direct.get(document.document);
      let context: GatewayContext = { principal, isOwn: true };
      if (subgraph) {
        const answered = await inOperationSpan(document, () => subgraph.executeOwn(text, variables, context));
        if (answered.data && !answered.errors) return { data: answered.data as Data };
        // A failed response continues on the regular path, which reports its errors.
        context = { ...context, answered: [answered] };
      }
      const { data, errors } = await executor(requestContext(document, variables, context, loaded().apiSchema, logger));
      const { correlationId } = principal;
      for (const error of errors ?? []) logUnexpected(error, log, correlationId);
      return {
        data: (data ?? null) as Data | null,
        ...(errors ? { errors: errors.map((error) => allowError(error, correlationId)) } : {}),
      };
    },
    async stop() {
      file?.stop();
      await apollo.stop();
      await Promise.all(joined.map((transport) => transport.close()));
    },
  };
}

/** Apollo passes the operation along with its document. */
function operationIn(document: DocumentNode, { operationName }: { readonly operationName?: string | null }) {
  const operation = getOperationAST(document, operationName);
  return operation ? { operation } : {};
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function prepare(prepared: Map<string, PreparedDocument>, text: string): PreparedDocument {
  const known = prepared.get(text);
  if (known) return known;
  const made = {
    document: parse(text, { noLocation: true }),
    queryHash: hashOf(text),
  };
  if (prepared.size >= DOCUMENTS_MAX) prepared.delete(prepared.keys().next().value ?? '');
  prepared.set(text, made);
  return made;
}
