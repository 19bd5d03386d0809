/** Validates an authorization request and stores it while a person decides. */
import { now } from '#platform/clock.ts';
import { randomUuid } from '#platform/random.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { AUTHORIZATION_REQUEST_SECONDS, CLIENT_KEY_DAYS } from '../config.ts';
import { AuthorizationRequestTable } from './authorization-request.table.ts';
import { findClient } from './oauth-client.table.ts';
import { later } from '#kernel/time/duration.ts';
import { isRefusal } from './oauth-refusal.ts';
import { readAuthorizationRequest, STATE_LENGTH_MAX } from './read-authorization-request.ts';
import { isLoopback, withParameters } from './redirect-uri.ts';
import { requireRecentSignIn } from '../sessions/require-step-up.step.ts';
import { sessionCaller } from '../sessions/session-caller.ts';

export interface OauthParameter {
  readonly name: string;
  readonly value: string;
}

export interface AuthorizationStart {
  /** Shown on a page, without a redirect. */
  readonly pageError: string | null;
  readonly redirectTo: string | null;
  /** Offered as a link on the page of `pageError`; the browser is not redirected automatically. */
  readonly returnTo: string | null;
  readonly request: {
    readonly id: string;
    readonly clientName: string;
    readonly redirectHost: string;
    readonly scopes: string[];
    readonly lifetimeDays: number;
    readonly expiresAt: Date;
  } | null;
}

/** Validates client and redirect URI first: until both are valid, there is no address to redirect to. */
export async function startAuthorization(
  context: SubgraphContext,
  parameters: readonly OauthParameter[],
  resources: readonly string[],
): Promise<AuthorizationStart> {
  const { organizationId, accountUserId, sessionId } = sessionCaller(context.principal);
  const sent = (name: string): string[] =>
    parameters.filter((parameter) => parameter.name === name).map(({ value }) => value);
  const [clientId] = sent('client_id');
  const [redirectUri] = sent('redirect_uri');
  if (clientId === undefined || sent('client_id').length > 1)
    return page('The request must contain exactly one client_id');
  const client = await context.database.system((tx) => findClient(tx, clientId));
  if (!client) return page('The client is not registered, or its registration has expired');
  if (redirectUri === undefined || sent('redirect_uri').length > 1)
    return page('The request must contain exactly one redirect_uri');
  if (!client.redirectUris.includes(redirectUri)) return page('The redirect URI is not registered for this client');

  const state = sent('state').length === 1 ? (sent('state')[0] ?? null) : null;
  const refuse = (error: string, errorDescription: string): AuthorizationStart => {
    const target = withParameters(redirectUri, {
      error,
      error_description: errorDescription,
      state: state !== null && state.length <= STATE_LENGTH_MAX ? state : null,
    });
    // Anyone can register an address, so a signed-in person is not redirected to one automatically (RFC 9700, section
    // 4.11.2).
    return isLoopback(redirectUri)
      ? answer({ redirectTo: target })
      : answer({ pageError: errorDescription, returnTo: target });
  };
  const repeated = parameters.find(({ name }) => sent(name).length > 1);
  if (repeated) return refuse('invalid_request', 'A parameter was sent more than once');
  const request = readAuthorizationRequest((name) => sent(name)[0] ?? null, resources);
  if (isRefusal(request)) return refuse(request.error, request.errorDescription);

  const createdAt = now();
  const row = {
    organizationId,
    id: randomUuid(),
    sessionId,
    accountUserId,
    clientId: client.id,
    clientName: client.name,
    redirectUri,
    state,
    codeChallenge: request.codeChallenge,
    scopes: [...request.scopes],
    resource: request.resource,
    createdAt,
    expiresAt: later(createdAt, AUTHORIZATION_REQUEST_SECONDS),
    decidedAt: null,
  };
  await context.database.write(organizationId, async (tx) => {
    await requireRecentSignIn(tx, context, 'connecting an application');
    await tx.em.insert(AuthorizationRequestTable, row);
  });
  const { id, clientName, scopes, expiresAt } = row;
  return answer({
    request: {
      id,
      clientName,
      redirectHost: new URL(redirectUri).host,
      scopes,
      lifetimeDays: CLIENT_KEY_DAYS,
      expiresAt,
    },
  });
}

function page(pageError: string): AuthorizationStart {
  return answer({ pageError });
}

function answer(input: Partial<AuthorizationStart>): AuthorizationStart {
  return { pageError: null, redirectTo: null, returnTo: null, request: null, ...input };
}
