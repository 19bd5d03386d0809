/** The library between the providers' stand-in and a running service, and the events it sent. */
import { type Books, type BooksOptions, createBooks, type UsageEvent } from '../../packages/sdk-node/books.ts';
import { PATIENCE } from './patience.ts';
import type { RunningService } from './running-service.ts';

export interface MeteredBooks extends Books {
  /** Flushes, and returns what the service accepted since the last call, in order. */
  accepted(): Promise<UsageEvent[]>;
}

/** The service is real; its requests are recorded on the way. */
export function meteredBooks({ url, firstRun }: RunningService, options: BooksOptions = {}): MeteredBooks {
  let events: UsageEvent[] = [];
  const plain = globalThis.fetch;
  const books = createBooks({
    url,
    apiKey: firstRun.live_ingest_key,
    onError: (error) => {
      throw error;
    },
    ...options,
    async fetch(input, init) {
      const response = await plain(input, init);
      if (String(input).startsWith(`${url}/v1/usage-events`) && response.status === 202) {
        const { results } = (await response.clone().json()) as { results: { status: string }[] };
        const sent = JSON.parse(init?.body as string) as UsageEvent[];
        events.push(...sent.filter((_, index) => results[index]?.status.startsWith('accepted')));
      }
      return response;
    },
  });
  return {
    ...books,
    async accepted() {
      if (!(await books.flush(PATIENCE.timeout))) throw new Error(`Not delivered: ${JSON.stringify(books.stats())}`);
      const accepted = events;
      events = [];
      return accepted;
    },
  };
}
