/**
 * Overhead of the edge: CPU time of a read over HTTP, compared with a bare route with the same bytes, and with Hive
 * Gateway.
 */
import { openEdges } from './edge/open-edges.ts';
import { measureCpu } from './edge/measure-cpu.ts';
import type { BenchOptions } from './support/options.ts';
import type { Figure, Report } from './support/report.ts';
import { median, spread } from './support/statistics.ts';

const SECONDS_PER_SIDE = 3;
const WARM_SECONDS = 6;

/** CPU microseconds of one request, by read and edge; one value per round. */
type Costs = Readonly<Record<string, number[]>>;

export async function measureEdge({ rounds, connections, progress }: BenchOptions): Promise<Report> {
  const { edgeReads, stop } = await openEdges(progress);
  const costs: Record<string, Costs> = {};
  for (const { name } of edgeReads) costs[name] = { ours: [], asking: [], bare: [], hive: [] };
  // Warm-up, for the service and for the other edges: a process that has been running for a while has compiled its hot
  // code.
  for (const { edges } of edgeReads)
    for (const requested of Object.values(edges)) await measureCpu(requested, { connections, seconds: WARM_SECONDS });
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
      'CPU time of Node processes per request. Ours: REST, API key, gateway, subgraph and database client in one process.',
      "Hive Gateway (@graphql-hive/gateway-runtime) on the same supergraph: its own process and the subgraphs' processes, without REST and API key.",
      'The floor is a Fastify route that queries PostgreSQL for the key and the read with prepared statements, and sends the same bytes; the bare route queries nothing.',
    ],
  };
}

/** `floor`: maximum multiple of the bare route. `hive`: minimum factor by which Hive must be slower. */
const TARGETS: Readonly<Record<string, { readonly floor: number; readonly hive: number }>> = {
  small: { floor: 1.6, hive: 4 },
  entity: { floor: 1.6, hive: 2.5 },
  '1,000 rows': { floor: 1.3, hive: 2 },
};

function figuresOf(read: string, { ours = [], asking = [], bare = [], hive = [] }: Costs): Figure[] {
  const over = (some: readonly number[], others: readonly number[]) =>
    some.map((value, round) => value / (others[round] ?? NaN));
  const microseconds = (name: string, values: readonly number[]): Figure => ({
    name: `${read}: ${name}`,
    value: median(values),
    unit: 'µs',
    spread: spread(values),
  });
  const [timesFloor, hiveTimes] = [over(ours, asking), over(hive, ours)];
  const { floor, hive: less } = TARGETS[read]!;
  return [
    microseconds('ours', ours),
    microseconds('floor', asking),
    microseconds('bare route', bare),
    microseconds('Hive Gateway', hive),
    {
      name: `${read}: ours over the floor`,
      value: median(timesFloor),
      unit: 'times',
      spread: spread(timesFloor),
      atMost: floor,
    },
    {
      name: `${read}: Hive over ours`,
      value: median(hiveTimes),
      unit: 'times',
      spread: spread(hiveTimes),
      atLeast: less,
    },
  ];
}
