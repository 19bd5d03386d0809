/** Calls between the first process and its workers over Node's channel. */

/** The process at the other end: a worker or, in a worker, the first process. */
export interface Peer {
  send?(message: unknown, sent: (error: Error | null) => void): unknown;
  on(event: 'message', heard: (message: unknown) => void): unknown;
}

/** Functions by name. Their results must be JSON. */
export type Answers = Readonly<Record<string, (body: never) => unknown>>;

interface Call {
  readonly call: string;
  readonly id: number;
  readonly body: unknown;
}

interface Answer {
  readonly answerTo: number;
  readonly answer?: unknown;
  readonly failure?: string;
}

export interface RemoteCalls {
  /** Rejects if the call fails, or is not answered within `milliseconds`. */
  ask<Result>(call: string, body: unknown, milliseconds: number): Promise<Result>;
}

/** Answers calls of the other process, and sends calls to it. */
export function connectCalls(peer: Peer, answers: Answers): RemoteCalls {
  const waiting = new Map<number, (answer: Answer) => void>();
  let last = 0;
  peer.on('message', (message) => {
    const heard = message as Partial<Call & Answer> | null;
    if (heard?.answerTo !== undefined) waiting.get(heard.answerTo)?.(heard as Answer);
    else if (heard?.call !== undefined) void reply(heard as Call);
  });

  async function reply({ call, id, body }: Call): Promise<void> {
    try {
      send({ answerTo: id, answer: await answers[call]?.(body as never) } satisfies Answer);
    } catch (error) {
      send({ answerTo: id, failure: (error as Error).message } satisfies Answer);
    }
  }

  /**
   * Ignores a process that has ended. The callback takes the error if it has just ended; without it, Node emits an
   * `error` event, which ends this process.
   */
  function send(message: Call | Answer): void {
    try {
      peer.send?.(message, () => {});
    } catch {
      // The channel is closed.
    }
  }

  return {
    ask: (call, body, milliseconds) =>
      new Promise((resolve, reject) => {
        const id = ++last;
        const done = (settle: () => void): void => {
          clearTimeout(overdue);
          waiting.delete(id);
          settle();
        };
        const overdue = setTimeout(
          () => done(() => reject(new Error(`No response to the call "${call}" within ${milliseconds} ms`))),
          milliseconds,
        );
        waiting.set(id, ({ answer, failure }) =>
          done(() => (failure === undefined ? resolve(answer as never) : reject(new Error(failure)))),
        );
        send({ call, id, body });
      }),
  };
}
