/** Delivers what is waiting before the process exits. */
import type { Delivery } from './delivery.ts';
import { watchIdle } from './runtime.ts';
import type { Spool } from './spool.ts';

const FLUSH_MS = 10_000;
/** The next process sends the contents of a spool. */
const SPOOLED_FLUSH_MS = 2_000;

export interface ExitWatch {
  /** Watches while something is waiting. With a spool it always watches, because it has files to remove. */
  watch(isWaiting: boolean): void;
  stop(): void;
}

export function watchExit(spool: Spool | null, delivery: () => Delivery): ExitWatch {
  let isExiting = false;
  const watch = watchIdle(() => {
    const { pending, flush, discard } = delivery();
    if (pending().events === 0) spool?.tidy();
    if (pending().events === 0 || isExiting) return;
    isExiting = true;
    // Let the process exit even if the flush failed.
    void flush(spool === null ? FLUSH_MS : SPOOLED_FLUSH_MS).then((isDelivered) => {
      isExiting = !isDelivered;
      if (!isDelivered) discard('Not delivered before the process exited');
    });
  });
  if (spool !== null) watch(true);
  return { watch: (isWaiting) => watch(isWaiting || spool !== null), stop: () => watch(false) };
}
