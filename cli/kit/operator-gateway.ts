/** The operator's GraphQL client: HTTP to the gateway with the operator token, like any other client. */
import type { OrganizationId } from '#kernel/ids.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, fetch } from 'undici';
import { type WithTexts, withTexts } from '#schema/answer-texts.ts';
import type { GraphqlDocument } from '#schema/graphql.ts';
import { firstUserError } from '#platform/ask-gateway.ts';
import type { Config } from '#platform/config.ts';

export interface OperatorGateway {
  /**
   * Returns the data of the response, with texts in place of enum values. With an organization id, the request acts on that organization; the gateway
   * refuses unknown organizations. Every refusal, and every user error of a mutation, throws an Error with the
   * gateway's message.
   */
  ask<Data, Variables extends object>(
    document: GraphqlDocument<Data, Variables>,
    ...rest: RestOf<Variables>
  ): Promise<WithTexts<Data>>;
}

/** Variables may be omitted if none is required. */
type RestOf<Variables> =
  Record<never, never> extends Variables
    ? [variables?: Variables, organizationId?: OrganizationId]
    : [variables: Variables, organizationId?: OrganizationId];

interface Answer {
  readonly data?: unknown;
  readonly errors?: readonly {
    readonly message: string;
    readonly extensions?: { readonly code?: string; readonly correlationId?: string };
  }[];
}

/** Requests throw if no operator token is found. */
export function operatorGateway(config: ServiceLocation & Pick<Config, 'adminToken'>): OperatorGateway {
  return {
    ask: async <Data>(query: string, variables: object = {}, organizationId?: OrganizationId) => {
      const token = config.adminToken ?? firstRunToken(config.dataDirectory);
      const data = await send(serviceUrl(config), token, JSON.stringify({ query, variables }), organizationId);
      return withTexts(query, data as Data);
    },
  };
}

type ServiceLocation = Pick<Config, 'adminUrl' | 'dataDirectory' | 'apiOrigin'>;

const LOOPBACK = /^http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;

/** The service's URL: from the settings, otherwise from the first start on this machine. */
export function serviceUrl({ adminUrl, dataDirectory, apiOrigin }: ServiceLocation): string {
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

/** No response timeout: the operator started the command and can stop it. */
const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 });

async function send(
  url: string,
  token: string,
  body: string,
  organizationId: OrganizationId | undefined,
): Promise<unknown> {
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
      `The service does not respond at ${url} (${cause?.code ?? cause?.message ?? String(error)}): is it running? Set ADMIN_URL or PORT to its address`,
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

/** Adds the correlation id to internal errors, since their message says too little: the id leads to the log entry. */
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
    // Another server responds at this address.
  }
  throw new Error(otherwise);
}
