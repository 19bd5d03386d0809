/** Reads an endpoint of the contract with the user's key. */
import type { Args } from '../kit/parse-args.ts';
import { apiOrigin, DEFAULT_API } from './api-origin.ts';
import type { Login } from './saved-login.ts';
import { open, type Reply, send } from './send.ts';
import type { Dependencies } from './dependencies.ts';

/** Key preset of a read-only client (contract.md, "Key presets"). */
export const READ_PRESET = 'CLI and MCP (read-only)';

/** `path` below `/v1`. Fails with a message for the user. */
export async function readApi<Body>(
  path: string,
  parameters: Readonly<Record<string, string>>,
  { api, key }: Login,
): Promise<Reply<Body>> {
  const query = new URLSearchParams(parameters).toString();
  const reply = await send<Body & Refusal>(`${api}/v1${path}${query === '' ? '' : `?${query}`}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  if (reply.status !== 200) throw new Error(refusal(reply));
  return reply;
}

/** `path` below `/ext/v1`; `body` is JSON. Fails with a message for the user. */
export async function postApi<Body>(path: string, body: string, { api, key }: Login): Promise<Reply<Body>> {
  const reply = await send<Body & Refusal>(`${api}/ext/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body,
  });
  if (reply.status !== 200) throw new Error(refusal(reply));
  return reply;
}

/** Sends a file unchanged to a path below `/ext/v1`. Fails with a message for the user. */
export async function postFile<Body>(path: string, file: Buffer, { api, key }: Login): Promise<Reply<Body>> {
  const { read } = await open<Body & Refusal>(`${api}/ext/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/octet-stream' },
    body: new Uint8Array(file),
  });
  const reply = await read();
  if (reply.status !== 200) throw new Error(refusal(reply));
  return reply;
}

/** Streams the file at a path below `/ext/v1`. Fails with a message for the user. */
export async function openApi(
  path: string,
  parameters: Readonly<Record<string, string>>,
  { api, key }: Login,
): Promise<AsyncIterable<Uint8Array>> {
  const url = `${api}/ext/v1${path}?${new URLSearchParams(parameters).toString()}`;
  const { response, read } = await open<Refusal>(url, { headers: { authorization: `Bearer ${key}` } });
  if (response.status !== 200 || response.body === null) throw new Error(refusal(await read()));
  return response.body;
}

/** Flags override the environment, and the environment overrides the saved login. */
export function currentLogin(args: Args, { saved, environment }: Pick<Dependencies, 'saved' | 'environment'>): Login {
  const named = args.optional('api') ?? environment.api;
  if (environment.key !== null)
    return { api: apiOrigin(named ?? saved.read()?.api ?? DEFAULT_API), key: environment.key };
  const login = saved.read();
  if (!login) throw new Error('Not signed in: run "books login" first');
  if (named !== null && apiOrigin(named) !== login.api)
    throw new Error(`The saved key is for ${login.api}: run "books login --api ${apiOrigin(named)}" first`);
  return login;
}

interface Refusal {
  readonly error?: { readonly message?: string; readonly correlationId?: string };
}

function refusal({ status, body, retryAfter }: Reply<Refusal>): string {
  const { message = 'no reason given', correlationId = 'unknown' } = body.error ?? {};
  if (status === 401) return 'The key is invalid, revoked or expired: run "books login" again';
  if (status === 403) return `${message}. Use a key with the preset "${READ_PRESET}"`;
  if (status === 429)
    return retryAfter === null ? 'Too many requests: wait a little' : `Too many requests: wait ${retryAfter} seconds`;
  return status >= 500 ? `${message} (correlation id ${correlationId})` : message;
}
