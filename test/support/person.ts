/**
 * A person at a browser, as far as OAuth is concerned: signs in, enters codes, and approves or denies on the service's
 * own pages.
 */
import { firstUserError } from '#platform/ask-gateway.ts';
import { keyRing } from '#platform/key-ring.ts';
import { servicePrincipal } from '#platform/principal.ts';
import { GATEWAY, signPrincipal } from '#platform/transports/signed-principal.ts';
import { read, type Answer } from './api-client.ts';
import type { OauthService } from './oauth-service.ts';
import { type PageAnswer, signedIn } from './visitor.ts';

export interface Person {
  readonly session: string;
  /** Queries GraphQL with the session's cookie. Throws on errors. */
  ask(query: string, variables?: object): Promise<any>;
  /**
   * Opens the authorization endpoint's URL and approves; returns the address that the browser is redirected to. Throws
   * if there is no redirect.
   */
  authorize(url: URL | string): Promise<URL>;
  /** Enters a user code and decides. */
  decideDevice(userCode: string, decision?: 'approve' | 'deny'): Promise<void>;
}

export async function signIn(service: Pick<OauthService, 'url' | 'firstRun'>): Promise<Person> {
  const browser = await signedIn(service.url, service.firstRun);
  const session = browser.cookies.get('session') ?? '';
  return {
    session,
    ask: async (query, variables = {}) =>
      dataOf(await send(service.url, { cookie: `session=${session}`, 'x-requested-with': 'test' }, query, variables)),
    async authorize(url) {
      const { pathname, search } = new URL(url);
      const page = await browser.get(pathname + search);
      if (page.location !== null) return new URL(page.location, service.url);
      const { html } = await browser.answer(expectPage(page), '/oauth/authorize', { decision: 'approve' });
      const [, target = ''] = /<meta http-equiv="refresh" content="0;url=([^"]+)">/.exec(html) ?? [];
      return new URL(target.replaceAll('&quot;', '"').replaceAll('&amp;', '&'));
    },
    async decideDevice(userCode, decision = 'approve') {
      const page = expectPage(await browser.submit('/activate', '/activate', { user_code: userCode }));
      expectPage(await browser.answer(page, '/activate/decision', { decision }));
    },
  };
}

/** Requests that pages make for themselves, before anybody has signed in. */
export function asPages(
  service: Pick<OauthService, 'url' | 'serviceSecret'>,
  query: string,
  variables: object,
): Promise<Answer> {
  return send(
    service.url,
    {
      'x-principal': signPrincipal(
        servicePrincipal('edge', 'test'),
        GATEWAY,
        keyRing('signing', [service.serviceSecret]),
      ),
    },
    query,
    variables,
  );
}

async function send(url: string, headers: Record<string, string>, query: string, variables: object): Promise<Answer> {
  return read(
    await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query, variables }),
    }),
  );
}

function expectPage(page: PageAnswer): PageAnswer {
  if (page.status !== 200) throw new Error(`The page answered ${page.status}: ${page.html}`);
  return page;
}

function dataOf({ body }: Answer): any {
  const error = body.errors ?? firstUserError(body.data);
  if (error) throw new Error(JSON.stringify(error));
  return body.data;
}
