/** A person at a browser, as far as OAuth is concerned: signs in, enters codes, says yes or no. */
import { sealPrincipal, servicePrincipal } from '../../platform/principal.ts';
import { read, type Answer } from './api-client.ts';
import type { OauthService } from './oauth-service.ts';

export interface Person {
  readonly session: string;
  /** As the pages ask: by the session's cookie. Throws on errors. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a test asserts on whatever came
  ask(query: string, variables?: object): Promise<any>;
  /** Opens the authorization endpoint's URL and approves; gives the address that the browser is sent to. */
  authorize(url: URL | string): Promise<URL>;
  /** Enters a user code and decides. */
  decideDevice(userCode: string, decision?: 'approve' | 'deny'): Promise<void>;
}

const AGENT = { address: '203.0.113.5', userAgent: 'Test browser' };

export async function signIn(service: OauthService, email = service.firstRun.owner_email, password = service.firstRun.owner_password): Promise<Person> {
  const { signIn: { session: { token } } } = dataOf(await askAsPages(service, 'mutation ($email: String!, $password: String!, $address: String!, $userAgent: String!) { signIn(email: $email, password: $password, address: $address, userAgent: $userAgent) { session { token } } }', { email, password, ...AGENT }));
  const ask = async (query: string, variables: object = {}) => dataOf(await send(service.url, { cookie: `session=${token}`, 'x-requested-with': 'test' }, query, variables));
  return {
    session: token,
    ask,
    async authorize(url) {
      const parameters = [...new URL(url).searchParams].map(([name, value]) => ({ name, value }));
      const { start } = await ask('mutation ($parameters: [OauthParameter!]!) { start: startAuthorization(parameters: $parameters) { pageError redirectTo request { id } } }', { parameters });
      if (start.pageError !== null) throw new Error(start.pageError);
      if (start.redirectTo !== null) return new URL(start.redirectTo);
      const { decision } = await ask('mutation ($id: ID!) { decision: approveAuthorization(id: $id) { redirectTo } }', start.request);
      return new URL(decision.redirectTo);
    },
    async decideDevice(userCode, decision = 'approve') {
      const { login } = await ask('mutation ($userCode: String!) { login: claimDeviceLogin(userCode: $userCode) { id } }', { userCode });
      await ask(`mutation ($id: ID!) { ${decision}DeviceLogin(id: $id) { decision } }`, login);
    },
  };
}

/** What the pages ask in their own name, before anybody has signed in. */
export function askAsPages(service: OauthService, query: string, variables: object): Promise<Answer> {
  return send(service.url, { 'x-principal': sealPrincipal(servicePrincipal('test', 'test'), service.serviceSecret) }, query, variables);
}

async function send(url: string, headers: Record<string, string>, query: string, variables: object): Promise<Answer> {
  return read(await fetch(`${url}/graphql`, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify({ query, variables }) }));
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a test asserts on whatever came
function dataOf({ body }: Answer): any {
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  return body.data;
}
