/** The device login (RFC 8628): shows a code to the user, then polls until the request is approved or denied. */
import { type Reply, send } from './send.ts';

export interface DeviceCode {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string;
  /** Seconds. */
  readonly expires_in: number;
  readonly interval: number;
}

const CLIENT_ID = 'cli';
const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** Added to the poll interval after `slow_down` (RFC 8628, section 3.5), and when the service cannot be reached. */
const SLOW_DOWN_SECONDS = 5;

/** Requests a code for the user to enter. Fails with a message for the user. */
export async function beginDeviceLogin(api: string, machineName: string): Promise<DeviceCode> {
  const { status, body, retryAfter } = await post<DeviceCode & Refusal>(`${api}/v1/oauth/device_authorization`, {
    client_id: CLIENT_ID,
    machine_name: machineName,
  });
  if (status === 429) throw new Error(`Too many sign-ins from this address: wait ${retryAfter ?? 'some'} seconds`);
  if (status !== 200)
    throw new Error(`The service refused the login: ${body.error_description ?? body.error ?? status}`);
  return body;
}

/** Returns the key. Fails if the login is denied or has expired. */
export async function awaitKey(
  api: string,
  code: DeviceCode,
  wait: (seconds: number) => Promise<void>,
): Promise<string> {
  let interval = code.interval;
  for (let waited = interval; waited <= code.expires_in; waited += interval) {
    await wait(interval);
    const { error, key } = await poll(api, code.device_code);
    if (key !== null) return key;
    if (error === 'slow_down' || error === 'unreachable') interval += SLOW_DOWN_SECONDS;
    else if (error !== 'authorization_pending') throw new Error(ERRORS[error] ?? `The login failed: ${error}`);
  }
  throw new Error(ERRORS.expired_token);
}

const ERRORS: Readonly<Record<string, string>> & { readonly expired_token: string } = {
  access_denied: 'The login was denied',
  expired_token: 'Nobody approved the login in time: run "books login" again',
};

interface Refusal {
  readonly error?: string;
  readonly error_description?: string;
}

async function poll(
  api: string,
  deviceCode: string,
): Promise<{ key: string; error: '' } | { key: null; error: string }> {
  const reply = await post<{ access_token: string } & Refusal>(`${api}/v1/oauth/token`, {
    grant_type: GRANT,
    client_id: CLIENT_ID,
    device_code: deviceCode,
  }).catch(() => null);
  if (reply === null || reply.status >= 500) return { key: null, error: 'unreachable' };
  return reply.status === 200
    ? { key: reply.body.access_token, error: '' }
    : { key: null, error: reply.body.error ?? `status ${reply.status}` };
}

function post<Body>(url: string, form: Record<string, string>): Promise<Reply<Body>> {
  return send<Body>(url, { method: 'POST', body: new URLSearchParams(form) });
}
