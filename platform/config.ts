/** The only file that reads the environment. All errors are reported together. */
import { resolve } from 'node:path';
import { z } from 'zod';
import { SUBGRAPH_NAMES } from '#schema/subgraph-names.ts';
import { exactOrigins } from './exact-origins.ts';
import { isNetwork } from './network-of.ts';
import {
  type OperationsConfig,
  operationsSettings,
  portNumber,
  toOperationsConfig,
  wholeNumber,
} from './observability/operations-settings.ts';
import {
  type OutboundConfig,
  outboundSettings,
  requireBothOfMail,
  toOutboundConfig,
} from './outbound/outbound-settings.ts';

export const STATEMENT_SECONDS = 15;
export const CONNECTIONS_PER_ADDRESS = 512;

export interface RateLimit {
  /** Requests allowed in one window. */
  limit: number;
  windowSeconds: number;
}

export interface Config extends OutboundConfig, OperationsConfig {
  host: string;
  port: number;
  /** Absolute path. */
  dataDirectory: string;
  /** Your own server; `null` means the embedded one. */
  databaseUrl: string | null;
  databaseUrls: Readonly<Record<string, string | null>>;
  apiOrigin: string;
  appUrl: string;
  mcpUrl: string;
  readRateLimit: RateLimit;
  ingestRateLimit: RateLimit;
  /** Requests to `/graphql` without a valid credential, per address. */
  anonymousRateLimit: RateLimit;
  /** Time limit for a database statement of a request. */
  statementSeconds: number;
  redisUrl: string | null;
  /** True if owners, and not only the operator, may set their organization's plan. */
  ownersSetPlans: boolean;
  /** Origin of the payment processor's API; `null` means the processor's own. */
  stripeApiBase: string | null;
  /** URL of a file of exchange rates; `null` if only an operator imports rates. */
  fxRatesUrl: string | null;
  /** Addresses or networks whose `X-Forwarded-For` is trusted. */
  trustedProxies: readonly string[];
  /** Open connections per address that is not a trusted proxy. */
  connectionsPerAddress: number;
  /** Origins whose pages may read the APIs across origins. */
  corsOrigins: readonly string[];
  gatewayUrl: string | null;
  subgraphUrls: Readonly<Record<string, string | null>>;
  /** Supergraph file, reloaded when it changes; `null` for the one in this repository. */
  supergraphFile: string | null;
  /** Grants of joined subgraphs, by name. */
  subgraphGrants: Readonly<Record<string, readonly string[]>>;
  /** Authenticates a subgraph without the service secret at its gateway. */
  serviceToken: string | null;
  /** `null`: generated into the data directory. */
  serviceSecret: string | null;
  /** Additional valid secrets: older ones, or the next one during a rolling change. */
  serviceSecretPrevious: readonly string[];
  /** `null`: stored values are encrypted with the service secret. */
  encryptionSecret: string | null;
  encryptionSecretPrevious: readonly string[];
  /** True to start even if stored secrets cannot be decrypted. */
  unreadableSecrets: 'refuse' | 'accept';
  logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
  /** True if the GraphQL schema is public. API keys can never introspect. */
  introspection: boolean;
  /**
   * Address of the service for admin commands; `null` if neither the address nor a port is set: then the address in
   * `first-run.json` is used.
   */
  adminUrl: string | null;
  adminToken: string | null;
}

const DEFAULT_PORT = 8080;
const url = (...protocols: string[]) =>
  z.string().refine((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol), {
    message: `must be a URL beginning with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
  });
const httpUrl = url('http:', 'https:').transform((text) => text.replace(/\/+$/, ''));
const postgresUrl = url('postgres:', 'postgresql:');
const rateLimit = z
  .string()
  .regex(/^[1-9]\d{0,8};w=[1-9]\d{0,6}$/, 'must look like 100;w=900: requests, then the window in seconds')
  .transform((text): RateLimit => {
    const [limit, window] = text.split(';w=');
    return { limit: Number(limit), windowSeconds: Number(window) };
  });

const networks = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .refine(
    (parts) => parts.every(isNetwork),
    'must be addresses or networks, such as 10.0.0.0/8,::1, with commas between them',
  );

const SECRET_LENGTH_MIN = 32;
const secret = z.string().min(SECRET_LENGTH_MIN, `must have at least ${SECRET_LENGTH_MIN} characters`);
const secrets = z
  .string()
  .transform(parseSecrets)
  .refine(
    (list) => list.length > 0 && list.every((text) => typeof text === 'string' && text.length >= SECRET_LENGTH_MIN),
    {
      message: `must be secrets of at least ${SECRET_LENGTH_MIN} characters with commas between them, or a JSON array of them`,
    },
  )
  .transform((list) => list as readonly string[]);

/** If a secret contains a comma or ends in a space, the list is written as JSON. */
function parseSecrets(text: string): readonly unknown[] {
  if (!text.trimStart().startsWith('[')) return text.split(',').map((part) => part.trim());
  try {
    return JSON.parse(text) as unknown[];
  } catch {
    return [];
  }
}

/** One setting per subgraph, for example `COSTING_URL`. */
function ofEachSubgraph<Schema extends z.ZodType>(setting: string, schema: Schema): Readonly<Record<string, Schema>> {
  return Object.fromEntries(SUBGRAPH_NAMES.map((name) => [settingOf(name, setting), schema]));
}

function settingOf(subgraph: string, setting: string): string {
  return `${subgraph.toUpperCase()}_${setting}`;
}

function urlOfEach(
  settings: Readonly<Record<string, unknown>>,
  setting: string,
): Readonly<Record<string, string | null>> {
  return Object.fromEntries(
    SUBGRAPH_NAMES.map((name) => [name, (settings[settingOf(name, setting)] as string | undefined) ?? null]),
  );
}

/** `alerting=costs:read,revenue:read;forecasts=costs:read` */
const grantsOfSubgraphs = z
  .string()
  .regex(/^(?:(?:^|;)[a-z][a-z0-9-]{0,39}=[^\s;=]+)+$/, 'must look like name=scope,scope;name=scope')
  .transform((text): Readonly<Record<string, readonly string[]>> =>
    Object.fromEntries(text.split(';').map((part) => [part.replace(/=.*/, ''), part.replace(/.*=/, '').split(',')])),
  );

const environment = z.object({
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: portNumber.optional(),
  ...operationsSettings,
  DATA_DIR: z.string().min(1).default('./.data'),
  DATABASE_URL: postgresUrl.optional(),
  ...ofEachSubgraph('DATABASE_URL', postgresUrl.optional()),
  API_ORIGIN: httpUrl.optional(),
  APP_URL: httpUrl.optional(),
  MCP_URL: httpUrl.optional(),
  READ_RATE_LIMIT: rateLimit.default({ limit: 100, windowSeconds: 900 }),
  INGEST_RATE_LIMIT: rateLimit.default({ limit: 100, windowSeconds: 60 }),
  ANONYMOUS_RATE_LIMIT: rateLimit.default({ limit: 300, windowSeconds: 60 }),
  INTROSPECTION: z.enum(['on', 'off']).optional(),
  STATEMENT_SECONDS: wholeNumber(1, 9_999, 'must be a number of seconds from 1 to 9999').default(STATEMENT_SECONDS),
  REDIS_URL: url('redis:', 'rediss:').optional(),
  PLANS_BY: z.enum(['owner', 'operator']).optional(),
  STRIPE_API_BASE: httpUrl.optional(),
  FX_RATES_URL: httpUrl.optional(),
  ...outboundSettings,
  TRUSTED_PROXIES: networks.default([]),
  CONNECTIONS_PER_ADDRESS: wholeNumber(1, 999_999).default(CONNECTIONS_PER_ADDRESS),
  CORS_ORIGINS: exactOrigins.default([]),
  GATEWAY_URL: httpUrl.optional(),
  ...ofEachSubgraph('URL', httpUrl.optional()),
  SUPERGRAPH_FILE: z.string().min(1).optional(),
  SUBGRAPH_GRANTS: grantsOfSubgraphs.default({}),
  SERVICE_TOKEN: z.string().min(1).optional(),
  SERVICE_SECRET: secret.optional(),
  SERVICE_SECRET_PREVIOUS: secrets.default([]),
  ENCRYPTION_SECRET: secret.optional(),
  ENCRYPTION_SECRET_PREVIOUS: secrets.default([]),
  UNREADABLE_SECRETS: z.enum(['refuse', 'accept']).default('refuse'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  NODE_ENV: z.string().optional(),
  ADMIN_URL: httpUrl.optional(),
  ADMIN_TOKEN: z.string().min(1).optional(),
});

/** Settings as operators write them; docs/operations/configure.md explains each. */
export const SETTING_NAMES: readonly string[] = Object.keys(environment.shape);

/** Invalid settings; `errors` has one line for each. */
export class ConfigError extends Error {
  readonly errors: readonly string[];

  constructor(errors: readonly string[]) {
    super(`Invalid settings:\n${errors.map((error) => `  ${error}`).join('\n')}`);
    this.name = 'ConfigError';
    this.errors = errors;
  }
}

/** Reads all settings, or `chosen` instead. An empty value counts as not set. Throws {@link ConfigError}. */
export function readConfig(
  source: Readonly<Record<string, string | undefined>> = process.env,
  chosen: Readonly<Record<string, string>> = {},
): Config {
  const settings = Object.fromEntries(
    Object.entries({ ...source, ...chosen }).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = environment.superRefine(requireBothOfMail).safeParse(settings);
  if (!parsed.success)
    throw new ConfigError(parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`));
  const env = parsed.data;
  const port = env.PORT ?? DEFAULT_PORT;
  const origin = `http://${env.HOST.includes(':') ? `[${env.HOST}]` : env.HOST}:${port}`;
  return {
    host: env.HOST,
    port,
    dataDirectory: resolve(env.DATA_DIR),
    databaseUrl: env.DATABASE_URL ?? null,
    databaseUrls: urlOfEach(env, 'DATABASE_URL'),
    apiOrigin: env.API_ORIGIN ?? origin,
    appUrl: env.APP_URL ?? origin,
    mcpUrl: env.MCP_URL ?? origin,
    readRateLimit: env.READ_RATE_LIMIT,
    ingestRateLimit: env.INGEST_RATE_LIMIT,
    anonymousRateLimit: env.ANONYMOUS_RATE_LIMIT,
    statementSeconds: env.STATEMENT_SECONDS,
    redisUrl: env.REDIS_URL ?? null,
    ownersSetPlans: (env.PLANS_BY ?? (env.NODE_ENV === 'production' ? 'operator' : 'owner')) === 'owner',
    stripeApiBase: env.STRIPE_API_BASE ?? null,
    fxRatesUrl: env.FX_RATES_URL ?? null,
    ...toOutboundConfig(env),
    ...toOperationsConfig(env),
    trustedProxies: env.TRUSTED_PROXIES,
    connectionsPerAddress: env.CONNECTIONS_PER_ADDRESS,
    corsOrigins: env.CORS_ORIGINS,
    gatewayUrl: env.GATEWAY_URL ?? null,
    subgraphUrls: urlOfEach(env, 'URL'),
    supergraphFile: env.SUPERGRAPH_FILE === undefined ? null : resolve(env.SUPERGRAPH_FILE),
    subgraphGrants: env.SUBGRAPH_GRANTS,
    serviceToken: env.SERVICE_TOKEN ?? null,
    serviceSecret: env.SERVICE_SECRET ?? null,
    serviceSecretPrevious: env.SERVICE_SECRET_PREVIOUS,
    encryptionSecret: env.ENCRYPTION_SECRET ?? null,
    encryptionSecretPrevious: env.ENCRYPTION_SECRET_PREVIOUS,
    unreadableSecrets: env.UNREADABLE_SECRETS,
    logLevel: env.LOG_LEVEL,
    introspection: (env.INTROSPECTION ?? (env.NODE_ENV === 'production' ? 'off' : 'on')) === 'on',
    adminUrl: env.ADMIN_URL ?? (env.PORT === undefined ? null : origin),
    adminToken: env.ADMIN_TOKEN ?? null,
  };
}
