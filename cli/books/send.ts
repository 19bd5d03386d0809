/** One request to the service, and the error message if it is refused. */
export interface Reply<Body> {
  readonly status: number;
  /** The body as received: numbers keep all digits. */
  readonly text: string;
  readonly body: Body;
  readonly retryAfter: string | null;
}

const SECONDS_MAX = 60;
/** A file may take longer to send or receive. */
const FILE_SECONDS_MAX = 3600;

/**
 * Assumes that the body has the shape promised by the contract. Fails if there is no response, or if it is not JSON.
 * Redirects are not followed: they could carry the key elsewhere.
 */
export async function send<Body>(url: string, init: RequestInit): Promise<Reply<Body>> {
  return readReply(url, await request(url, init, SECONDS_MAX));
}

/** Like `send`, for files: allows more time and leaves the body to the caller. `read` reads it as JSON. */
export async function open<Body>(
  url: string,
  init: RequestInit,
): Promise<{ readonly response: Response; read(): Promise<Reply<Body>> }> {
  const response = await request(url, init, FILE_SECONDS_MAX);
  return { response, read: () => readReply<Body>(url, response) };
}

async function request(url: string, init: RequestInit, secondsMax: number): Promise<Response> {
  return fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(secondsMax * 1000) }).catch(
    (error: unknown) => {
      const { cause, name } = error as { cause?: { code?: string; message?: string }; name: string };
      throw new Error(
        `The service does not respond at ${new URL(url).origin} (${cause?.code ?? cause?.message ?? name}). Set its address with --api`,
      );
    },
  );
}

async function readReply<Body>(url: string, response: Response): Promise<Reply<Body>> {
  const text = await response.text();
  return {
    status: response.status,
    text,
    body: parse(text, url, response.status) as Body,
    retryAfter: response.headers.get('retry-after'),
  };
}

function parse(text: string, url: string, status: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${url.split('?', 1)[0]} answered ${status} without JSON: is --api the address of the service?`);
  }
}
