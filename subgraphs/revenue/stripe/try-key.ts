/** Tries a key at the processor: one object of each list that the sync reads. */
import { ProcessorError } from './processor-error.ts';
import { isEssential, LISTS } from './sync-stages.ts';
import { openProcessor } from './processor.ts';

/** Stops with the first `ProcessorFault`. A list that the processor does not have is no fault of the key, unless nothing works without. */
export async function tryKey(key: string, apiBase: string | null): Promise<void> {
  const processor = await openProcessor(key, apiBase);
  for (const list of LISTS) {
    await processor.page(list, { after: null, createdFrom: null, limit: 1 }).catch((error: unknown) => {
      if (!(error instanceof ProcessorError && error.kind === 'missing' && !isEssential(list))) throw error;
    });
  }
}
