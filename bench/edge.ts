/** What the edge costs: CPU time of a read over HTTP next to a bare route with the same bytes, and next to Hive Gateway. */
import { openEdges } from './edge/open-edges.ts';
import { measureCpu } from './edge/measure-cpu.ts';
import type { BenchOptions } from './support/options.ts';
import type { Figure, Report } from './support/report.ts';
import { median, spread } from './support/statistics.ts';

const SECONDS_PER_SIDE = 3;

/** By question, by edge: microseconds of CPU for one request, one of each round. */
type Costs = Readonly<Record<string, number[]>>;

export async function measureEdge({ rounds, connections, progress }: BenchOptions): Promise<Report> {
  const { edgeReads, stop } = await openEdges(progress);
  const costs: Record<string, Costs> = {};
  for (const { name } of edgeReads) costs[name] = { ours: [], bare: [], hive: [] };
  for (let round = 1; round <= rounds; round++) {
    for (const { name, edges } of edgeReads) {
      for (const [edge, requested] of Object.entries(edges)) {
        costs[name]?.[edge]?.push(await measureCpu(requested, { connections, seconds: SECONDS_PER_SIDE }));
      }
    }
    progress(`edge ${round}/${rounds}`);
  }
  await stop();
  return {
    benchmark: 'edge',
    figures: edgeReads.flatMap(({ name }) => figuresOf(name, costs[name] ?? {})),
    notes: [
      'CPU time of Node processes for one request. Ours: REST, API key, gateway, subgraph and database client in one process.',
      "Hive Gateway (@graphql-hive/gateway-runtime) on the same supergraph: its own process and the subgraphs' processes, without REST and API key.",
      'The bare route is Fastify with the same bytes and neither key nor database.',
    ],
  };
}

function figuresOf(read: string, { ours = [], bare = [], hive = [] }: Costs): Figure[] {
  const over = (some: readonly number[], others: readonly number[]) =>
    some.map((value, round) => value / (others[round] ?? NaN));
  const timesBare = over(ours, bare);
  const hiveTimes = over(hive, ours);
  return [
    { name: `${read}: ours`, value: median(ours), unit: 'µs', spread: spread(ours) },
    { name: `${read}: bare route`, value: median(bare), unit: 'µs', spread: spread(bare) },
    { name: `${read}: Hive Gateway`, value: median(hive), unit: 'µs', spread: spread(hive) },
    {
      name: `${read}: ours over bare`,
      value: median(timesBare),
      unit: 'times',
      spread: spread(timesBare),
      ...(read === 'small' ? { atMost: 5 } : {}),
    },
    {
      name: `${read}: Hive over ours`,
      value: median(hiveTimes),
      unit: 'times',
      spread: spread(hiveTimes),
      atLeast: 4,
    },
  ];
}
