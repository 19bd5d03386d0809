/**
 * Serves requests in rounds: those that arrive while others of the same key are being served share the next round. No
 * request waits for others to arrive.
 */

export interface RoundOptions<Item, Answer> {
  /** Concurrent rounds of one key. */
  readonly atOnce: number;
  /** Maximum number of waiting requests of one key. Further ones are served alone. */
  readonly waitingMax: number;
  /** Returns how many of the first waiting items fit into one round, at least 1. */
  readonly fitting: (waiting: readonly Item[]) => number;
  /** Returns the answers in the order of the items. If it fails, all requests of the round fail. */
  readonly serve: (items: readonly Item[]) => Promise<readonly Answer[]>;
}

interface Waiting<Item, Answer> {
  readonly item: Item;
  readonly answer: (answer: Promise<Answer>) => void;
}

interface Queue<Item, Answer> {
  serving: number;
  /** Waiting requests, in order of arrival. */
  readonly waiting: Waiting<Item, Answer>[];
}

/** Returns a function that serves an item together with others of the same key. */
export function rounds<Item, Answer>({ atOnce, waitingMax, fitting, serve }: RoundOptions<Item, Answer>) {
  const queues = new Map<string, Queue<Item, Answer>>();

  const serveRound = async (round: readonly Waiting<Item, Answer>[]): Promise<void> => {
    const served = serve(round.map(({ item }) => item));
    for (const [index, { answer }] of round.entries()) answer(served.then((answers) => answers[index]!));
    await served.catch(() => {});
  };
  const serveAll = async (key: string, queue: Queue<Item, Answer>): Promise<void> => {
    queue.serving++;
    while (queue.waiting.length > 0)
      await serveRound(queue.waiting.splice(0, fitting(queue.waiting.map(({ item }) => item))));
    queue.serving--;
    if (queue.serving === 0) queues.delete(key);
  };
  return async (key: string, item: Item): Promise<Answer> => {
    const queue = queues.get(key) ?? { serving: 0, waiting: [] };
    if (queue.waiting.length >= waitingMax) return (await serve([item]))[0]!;
    queues.set(key, queue);
    return new Promise<Answer>((answer) => {
      queue.waiting.push({ item, answer });
      if (queue.serving < atOnce) void serveAll(key, queue);
    });
  };
}
