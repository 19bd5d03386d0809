/** The price catalogue that is bundled with the service, from a pinned package. Nothing is fetched. */
import type { Provider } from '@pydantic/genai-prices';
import { digestOf, STATED_TABLES } from './stated-digest.ts';
import manifest from '../../../package.json' with { type: 'json' };

const VERSION = manifest.dependencies['@pydantic/genai-prices'];

/** Publication dates of package releases, from its registry; the package itself does not contain them. */
export const PUBLISHED_AT: Readonly<Record<string, string>> = { '0.1.8': '2026-09-23T10:11:04.622Z' };

export const BUILT_IN_PUBLISHED_AT = new Date(PUBLISHED_AT[VERSION] ?? 0);

/** Identifies the release: a different source is imported at the next start. */
export const BUILT_IN_SOURCE = `@pydantic/genai-prices ${VERSION} with stated rates ${digestOf(STATED_TABLES)}`;

/** The package is only loaded for an import: a service that already has its catalogue starts without it. */
export async function readBuiltInProviders(): Promise<readonly Provider[]> {
  const { waitForUpdate } = await import('@pydantic/genai-prices');
  return (await waitForUpdate()) ?? [];
}
