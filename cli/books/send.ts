/** One request to the service, and the error message if it is refused. */
export interface Reply<Body> {
  readonly status: number;
  /** The body as received: numbers keep all digits. */
  readonly text: string;
  readonly body: Body;
  readonly retryAfter: string | null;
}

const SECONDS_MAX = 60;

/**
 * Assumes that the body has the shape promised by the contract. Fails if there is no response, or if it is not JSON.
 * Redirects are not followed: they could carry the key elsewhere.
 */
export async function send<Body>(url: string, init: RequestInit): Promise<Reply<Body>> {
  const response = await fetch(url, {
    ...init,
    redirect: 'manual',
    signal: AbortSignal.timeout(SECONDS_MAX * 1000),
  }).catch((error: unknown) => {
    const { cause, name } = error as { cause?: { code?: string; message?: string }; name: string };
    throw new Error(
      `The service does not respond at ${new URL(url).origin} (${cause?.code ?? cause?.message ?? name}). Set its address with --api`,
    );
  });
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
