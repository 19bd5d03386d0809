/** The price catalogue that comes with the service: data of a pinned package. Nothing is fetched. */
import { type Provider, waitForUpdate } from '@pydantic/genai-prices';
import { STATED_AT } from '../stated-rates.ts';
import manifest from '../../../../package.json' with { type: 'json' };

/** Names the release: another one is imported at the next start. */
export const BUILT_IN_SOURCE = `@pydantic/genai-prices ${manifest.dependencies['@pydantic/genai-prices']} and rates stated on ${STATED_AT}`;

export async function readBuiltInProviders(): Promise<readonly Provider[]> {
  return (await waitForUpdate()) ?? [];
}
