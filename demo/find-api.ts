/** Finds where `/v1` is: at the gateway's own address in one process, elsewhere when processes are separate. */
export async function findApi(candidates: readonly string[]): Promise<string> {
  for (const origin of candidates) {
    const response = await fetch(`${origin}/v1/ping`).catch(() => null);
    // Without a key it says 401: somebody who knows the contract is there.
    if (response?.status === 401) return origin;
  }
  throw new Error(`The API does not answer at ${[...new Set(candidates)].join(' or ')}: is the service running? API_ORIGIN says where it is`);
}
