/** What another process of this service says at its `/readyz`. */
import { request } from 'undici';
import { unavailability, type UnavailableState } from '../platform/unavailability.ts';

export interface PeerReadiness {
  /** `not ready`: it answers, and lacks something that it needs. */
  readonly state: 'ok' | 'not ready' | UnavailableState;
  /** Empty where it says nothing that can be read. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** Never fails. A peer that has no such address but answers is `ok`: a subgraph may be somebody else's. */
export async function readPeerReadiness(url: string, millisecondsMax: number): Promise<PeerReadiness> {
  try {
    const { statusCode, body } = await request(`${url}/readyz`, { signal: AbortSignal.timeout(millisecondsMax) });
    return { state: statusCode < 500 ? 'ok' : 'not ready', body: parse(await body.text()) };
  } catch (error) {
    return { state: unavailability(error)?.state ?? 'unreachable', body: {} };
  }
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
