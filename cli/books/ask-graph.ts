/** GraphQL requests with the user's key, for data that `/v1` does not offer. */
import type { GraphqlDocument } from '#schema/graphql.ts';
import type { Login } from './saved-login.ts';
import { send } from './send.ts';

interface Answer<Data> {
  readonly data?: Data | null;
  readonly errors?: readonly { readonly message: string }[];
  readonly error?: { readonly message?: string };
}

/** Fails with a message for the user. */
export async function askGraph<Data, Variables extends object>(
  { api, key }: Login,
  query: GraphqlDocument<Data, Variables>,
  variables: NoInfer<Variables>,
): Promise<Data> {
  const { status, body } = await send<Answer<Data>>(`${api}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  if (status === 401) throw new Error('The key is invalid, revoked or expired: run "books login" again');
  const message = body.errors?.[0]?.message ?? body.error?.message;
  if (message !== undefined || !body.data) throw new Error(message ?? `The service answered ${status}`);
  return body.data;
}
