/** A joined subgraph that returns invalid responses: only its own fields fail, each with an error at its path. */
import { deepStrictEqual } from 'node:assert';
import { setTimeout as pause } from 'node:timers/promises';
import { each, INVALID_ANSWERS } from '../support/misbehaving-subgraph.ts';
import { type Journal, printCost } from './journal.ts';
import { eventually } from './operator.ts';
import type { Topology } from './topology.ts';

const NOTES = ['call'];
const HEALTH_SCORE = 7;
const ENTITY = { __typename: 'EndUser', healthScore: HEALTH_SCORE };
export const GOOD_ANSWER = each({ data: { _entities: [ENTITY] } }, { data: { notes: NOTES } });

const DOCUMENT = `{
  notes
  endUser(externalId: "user-1") { externalId healthScore }
  window(start: "2026-01-15", end: "2026-01-16") { costs { totalCost } }
}`;
const ANSWER_MILLISECONDS_MAX = 120_000;
const REST_MILLISECONDS = 100;

interface GraphAnswer {
  readonly status: number;
  readonly text: string;
  readonly data: any;
  readonly errors: readonly { readonly path?: readonly (string | number)[] }[];
}

async function askGraph({ graphUrl, firstRun }: Topology): Promise<GraphAnswer> {
  const response = await fetch(`${graphUrl}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${firstRun.live_read_key}` },
    body: JSON.stringify({ query: DOCUMENT }),
    signal: AbortSignal.timeout(ANSWER_MILLISECONDS_MAX),
  });
  const text = await response.text();
  const { data = null, errors = [] } = JSON.parse(text) as Partial<GraphAnswer>;
  return { status: response.status, text, data, errors };
}

/** Repeatedly reads the fields of that subgraph next to ours, until the returned function is called. */
export function readJoinedFields(topology: Topology, onFinding: (finding: string) => void): () => Promise<void> {
  let isStopping = false;
  const reading = (async () => {
    while (!isStopping) {
      // No response while the gateway is down.
      const answer = await askGraph(topology).catch(() => null);
      const isPlaced = answer === null || answer.data === null || answer.errors.every(({ path }) => path !== undefined);
      if (answer?.status === 500 || !isPlaced) onFinding(`The graph answers ${answer?.text.slice(0, 500)}`);
      await pause(REST_MILLISECONDS);
    }
  })();
  return async () => {
    isStopping = true;
    await reading;
  };
}

/** Tries every invalid response while nothing else fails. Throws if any other field is lost. */
export async function verifyIsolation(topology: Topology, journal: Journal): Promise<void> {
  const verify = (notes: unknown, healthScore: unknown, failed: readonly string[]) =>
    eventually(ANSWER_MILLISECONDS_MAX, async () => {
      const { status, data, errors } = await askGraph(topology);
      const paths = errors.map(({ path }) => path?.join('.')).toSorted();
      const totalCost = printCost(journal.cost);
      deepStrictEqual(
        { status, data, paths },
        {
          status: 200,
          data: { notes, endUser: { externalId: 'user-1', healthScore }, window: { costs: { totalCost } } },
          paths: failed,
        },
      );
    });
  for (const [name, answer] of INVALID_ANSWERS) {
    topology.joined.answer = answer;
    await verify(null, null, ['endUser.healthScore', 'notes']).catch((error: Error) => {
      throw new Error(`The joined subgraph answers: ${name}`, { cause: error });
    });
  }
  topology.joined.answer = GOOD_ANSWER;
  await verify(NOTES, HEALTH_SCORE, []);
}
