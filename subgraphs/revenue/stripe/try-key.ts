/** Tests a key by requesting one object of each list that the sync reads. */
import { ProcessorError } from './processor-error.ts';
import { isEssential, LISTS } from './sync-stages.ts';
import { openProcessor } from './processor.ts';

/** Throws the first `ProcessorError`. A list missing at the processor is an error only if the sync requires it. */
export async function tryKey(key: string, apiBase: string | null): Promise<void> {
  const processor = await openProcessor(key, apiBase);
  for (const list of LISTS) {
    await processor.page(list, { after: null, createdFrom: null, limit: 1 }).catch((error: unknown) => {
      if (!(error instanceof ProcessorError && error.kind === 'missing' && !isEssential(list))) throw error;
    });
  }
}
