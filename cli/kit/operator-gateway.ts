/** The operator's way to the gateway: GraphQL over HTTP with the operator token, a client like any other. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, fetch } from 'undici';
import type { GraphqlDocument } from '../../schema/graphql.ts';
import { firstUserError } from '../../platform/ask-gateway.ts';
import type { Config } from '../../platform/config.ts';

export interface OperatorGateway {
  /**
   * The data of the answer. Acts on an organization when one is named; the gateway refuses one that does not exist.
   * Every refusal, and every user error of a mutation, is an Error with the gateway's message.
   */
  ask<Data, Variables extends object>(
    document: GraphqlDocument<Data, Variables>,
    ...rest: RestOf<Variables>
  ): Promise<Data>;
}

/** Variables may be left out where none is required. */
type RestOf<Variables> =
  Record<never, never> extends Variables
    ? [variables?: Variables, organizationId?: string]
    : [variables: Variables, organizationId?: string];

interface Answer {
  readonly data?: unknown;
  readonly errors?: readonly {
    readonly message: string;
    readonly extensions?: { readonly code?: string; readonly correlationId?: string };
  }[];
}

/** Asking throws when no operator token is to be found. */
export function operatorGateway(config: ServicePlace & Pick<Config, 'adminToken'>): OperatorGateway {
  return {
    ask: async <Data>(query: string, variables: object = {}, organizationId?: string) => {
      const token = config.adminToken ?? firstRunToken(config.dataDirectory);
      return (await send(serviceUrl(config), token, JSON.stringify({ query, variables }), organizationId)) as Data;
    },
  };
}

type ServicePlace = Pick<Config, 'adminUrl' | 'dataDirectory' | 'apiOrigin'>;

const LOOPBACK = /^http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;

/** Where operators find the service: as the settings say, else where its first start on this machine was. */
export function serviceUrl({ adminUrl, dataDirectory, apiOrigin }: ServicePlace): string {
  const first = adminUrl === null ? readFirstRun(dataDirectory)?.url : undefined;
  return adminUrl ?? (first !== undefined && LOOPBACK.test(first) ? first : apiOrigin);
}

interface FirstRun {
  readonly url?: string;
  readonly operator_token: string;
}

function readFirstRun(dataDirectory: string): FirstRun | null {
  try {
    return JSON.parse(readFileSync(join(dataDirectory, 'first-run.json'), 'utf8')) as FirstRun;
  } catch {
    return null;
  }
}

function firstRunToken(dataDirectory: string): string {
  const file = join(dataDirectory, 'first-run.json');
  const token = readFirstRun(dataDirectory)?.operator_token;
  if (token === undefined)
    throw new Error(
      `No operator token: set ADMIN_TOKEN, or DATA_DIR to the service's data directory (${file} cannot be read)`,
    );
  return token;
}

/** An answer may take as long as it takes: an operator has asked for it, and may stop the command. */
const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 });

async function send(url: string, token: string, body: string, organizationId: string | undefined): Promise<unknown> {
  const response = await fetch(`${url}/graphql`, {
    dispatcher,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${token}`,
      ...(organizationId === undefined ? {} : { 'x-organization-id': organizationId }),
    },
    body,
  }).catch((error: unknown) => {
    const { cause } = error as { cause?: { code?: string; message?: string } };
    throw new Error(
      `The service does not answer at ${url} (${cause?.code ?? cause?.message ?? String(error)}): is it running? Set ADMIN_URL or PORT to where it is`,
    );
  });
  const text = await response.text();
  const { data, errors } = parseAnswer(text, `${url}/graphql answered ${response.status} without GraphQL`);
  const problem = errors?.[0];
  if (problem) throw new Error(describe(problem));
  const userError = firstUserError(data);
  if (userError) throw new Error(userError.message);
  return data;
}

/** An error of the service's own says too little alone: its correlation id leads to the log. */
function describe({ message, extensions }: NonNullable<Answer['errors']>[number]): string {
  return extensions?.code === 'INTERNAL_SERVER_ERROR'
    ? `${message} (correlation id ${extensions.correlationId ?? 'unknown'})`
    : message;
}

function parseAnswer(text: string, otherwise: string): Answer {
  try {
    const answer = JSON.parse(text) as Answer;
    if (answer.data || answer.errors) return answer;
  } catch {
    // Somebody else answers at this address.
  }
  throw new Error(otherwise);
}
