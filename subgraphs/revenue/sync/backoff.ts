/** How long to leave the processor alone after a fault. */
import type { ProcessorFault } from '../stripe/processor-fault.ts';

const FIRST_SECONDS = 2;
const LONGEST_SECONDS = 15 * 60;
/** A refused key will not become right by itself; a person may have changed its permissions. */
const REFUSED_SECONDS = 10 * 60;

/** Doubles with every attempt (1 is the first); what the processor asks for is the least. In seconds. */
export function backoffSeconds(fault: Pick<ProcessorFault, 'kind' | 'retryAfterSeconds'>, attempt: number): number {
  const own =
    fault.kind === 'refused' ? REFUSED_SECONDS : Math.min(LONGEST_SECONDS, FIRST_SECONDS * 2 ** Math.min(attempt - 1, 20));
  return Math.max(own, Math.min(fault.retryAfterSeconds ?? 0, LONGEST_SECONDS));
}
