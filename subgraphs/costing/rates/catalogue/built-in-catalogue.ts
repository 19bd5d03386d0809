/** The price catalogue that comes with the service: data of a pinned package. Nothing is fetched. */
import type { Provider } from '@pydantic/genai-prices';
import { STATED_AT } from '../stated-rates.ts';
import manifest from '../../../../package.json' with { type: 'json' };

/** Names the release: another one is imported at the next start. */
export const BUILT_IN_SOURCE = `@pydantic/genai-prices ${manifest.dependencies['@pydantic/genai-prices']} and rates stated on ${STATED_AT}`;

/** The package is loaded only to be imported: a service that has its catalogue starts without it. */
export async function readBuiltInProviders(): Promise<readonly Provider[]> {
  const { waitForUpdate } = await import('@pydantic/genai-prices');
  return (await waitForUpdate()) ?? [];
}
