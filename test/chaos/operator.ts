/** Operators' actions during the faults: they sell event packs, request syncs, and finally verify the books. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Journal } from './journal.ts';
import type { Topology } from './topology.ts';

const ANSWER_MILLISECONDS_MAX = 120_000;
const REST_MILLISECONDS = 200;

/** Fails with the errors of the response, or if there is none in time. */
export async function askOperator(
  { graphUrl, firstRun }: Topology,
  query: string,
  variables: object = {},
  milliseconds = ANSWER_MILLISECONDS_MAX,
): Promise<any> {
  const answer = await fetch(`${graphUrl}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${firstRun.operator_token}`,
      'x-organization-id': firstRun.organization_id,
    },
    body: JSON.stringify({ query, variables }),
    signal: AbortSignal.timeout(milliseconds),
  });
  const { data, errors } = (await answer.json()) as { data?: any; errors?: readonly object[] };
  if (errors) throw new Error(JSON.stringify(errors));
  return data;
}

/** Retries until it succeeds. Throws the last error when the time is up. */
export async function eventually<Result>(milliseconds: number, attempt: () => Promise<Result>): Promise<Result> {
  const until = performance.now() + milliseconds;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() > until) throw error;
      await pause(REST_MILLISECONDS);
    }
  }
}

/** Occasionally sells a pack and requests a sync, during any fault; an unanswered request is recorded as open. */
export class Operator {
  readonly #topology: Topology;
  readonly #journal: Journal;
  readonly #syncs: boolean;
  #isStopping = false;
  #working: Promise<unknown> = Promise.resolve();

  constructor(topology: Topology, journal: Journal, syncs: boolean) {
    this.#topology = topology;
    this.#journal = journal;
    this.#syncs = syncs;
  }

  start(): void {
    this.#isStopping = false;
    this.#working = Promise.all([
      this.#repeat(700, async () => {
        const pack = this.#journal.draftPack();
        const {
          eventPackAdd: { eventPack },
        } = await askOperator(
          this.#topology,
          'mutation ($events: Long!) { eventPackAdd(input: { events: $events, expiresAt: "2099-01-01T00:00:00Z" }) { eventPack { packId } userErrors { message code } } }',
          { events: pack.events },
          5_000,
        );
        pack.packId = eventPack.packId;
      }),
      ...(this.#syncs ? [this.#repeat(500, () => this.#sync())] : []),
    ]);
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#working;
  }

  #sync(): Promise<unknown> {
    return askOperator(
      this.#topology,
      'mutation { revenueSync(input: { waitSeconds: 1, full: true }) { run { state } userErrors { message } } }',
      {},
      5_000,
    );
  }

  async #repeat(rest: number, work: () => Promise<unknown>): Promise<void> {
    while (!this.#isStopping) {
      await work().catch(() => {});
      await pause(rest);
    }
  }
}
