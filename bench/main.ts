/** `npm run bench -- [NAME …] [--json]`: measures the service next to its yardsticks. */
import { availableParallelism, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { measureAlerting } from './alerting.ts';
import { measureChain } from './chain.ts';
import { measureCores } from './cores.ts';
import { measureDetectors } from './detectors.ts';
import { measureEdge } from './edge.ts';
import { measureFairness } from './fairness.ts';
import { measureHolds } from './holds.ts';
import { measureIngest } from './ingest.ts';
import { measureMargin } from './margin.ts';
import { measureMemory } from './memory.ts';
import { measureNeighbour } from './neighbour.ts';
import { measureOrganizations } from './organizations.ts';
import { measureOtlp } from './otlp.ts';
import { measureOutage } from './outage.ts';
import { type Trouble, TROUBLES } from './outage/troubled-server.ts';
import { measureOverload } from './overload.ts';
import { measurePages } from './pages.ts';
import { measurePartitions } from './partitions.ts';
import { measureRead } from './read.ts';
import { measureRetention } from './retention.ts';
import { measureSingle } from './single.ts';
import { measureSize } from './size.ts';
import { measureStart } from './start.ts';
import { measureSync } from './sync.ts';
import { measureVerify } from './verify.ts';
import { measureWaiting } from './waiting.ts';
import { measureWhatIf } from './what-if.ts';
import { cleanUp, cleanUpOnSignals, wasInterrupted } from './support/cleanup.ts';
import type { BenchOptions } from './support/options.ts';
import { isReached, printReport, type Report } from './support/report.ts';

const BENCHMARKS: Readonly<Record<string, (options: BenchOptions) => Promise<Report>>> = {
  ingest: measureIngest,
  chain: measureChain,
  neighbour: measureNeighbour,
  overload: measureOverload,
  cores: measureCores,
  read: measureRead,
  pages: measurePages,
  edge: measureEdge,
  margin: measureMargin,
  sync: measureSync,
  single: measureSingle,
  holds: measureHolds,
  size: measureSize,
  partitions: measurePartitions,
  retention: measureRetention,
  start: measureStart,
  memory: measureMemory,
  fairness: measureFairness,
  outage: measureOutage,
  organizations: measureOrganizations,
  waiting: measureWaiting,
  otlp: measureOtlp,
  verify: measureVerify,
  'what-if': measureWhatIf,
  detectors: measureDetectors,
  alerting: measureAlerting,
};

const USAGE = `npm run bench -- [NAME …] [--json] [--rounds N] [--seconds N,N,…] [--events N,N,…] [--connections N]
  [--organizations N] [--troubles NAME,NAME,…] [--backup]
Names: ${Object.keys(BENCHMARKS).join(', ')}; without one, all of them.
Troubles of outage: ${TROUBLES.join(', ')}.`;

cleanUpOnSignals();
const chosen = readArguments();
const reports: Report[] = [];
try {
  for (const name of chosen.names) {
    const report = await BENCHMARKS[name]?.(chosen.options);
    if (!report) continue;
    reports.push(report);
    if (!chosen.json) console.log(`${printReport(report)}\n`);
  }
  if (chosen.json) console.log(JSON.stringify({ machine: machine(), benchmarks: reports.map(forMachines) }, null, 2));
} catch (error) {
  if (!wasInterrupted()) console.error((error as Error).stack);
  process.exitCode = 1;
} finally {
  await cleanUp();
}

function readArguments(): { names: readonly string[]; json: boolean; options: BenchOptions } {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        json: { type: 'boolean', default: false },
        rounds: { type: 'string', default: '5' },
        seconds: { type: 'string' },
        events: { type: 'string', default: '1000000,3000000,10000000' },
        connections: { type: 'string', default: '4' },
        troubles: { type: 'string', default: TROUBLES.join() },
        organizations: { type: 'string', default: '10000' },
        backup: { type: 'boolean', default: false },
      },
    });
    const unknown = positionals.find((name) => !(name in BENCHMARKS));
    if (unknown !== undefined) throw new Error(`Unknown benchmark: ${unknown}`);
    const troubles = values.troubles.split(',');
    const strange = troubles.find((trouble) => !TROUBLES.includes(trouble as Trouble));
    if (strange !== undefined) throw new Error(`Unknown trouble: ${strange}`);
    return {
      names: positionals.length === 0 ? Object.keys(BENCHMARKS) : positionals,
      json: values.json,
      options: {
        rounds: count(values.rounds),
        seconds: count(values.seconds?.split(',')[0] ?? '60'),
        outageSeconds: (values.seconds ?? '5,60').split(',').map(count),
        outageTroubles: troubles as Trouble[],
        connections: count(values.connections),
        organizations: count(values.organizations),
        withBackup: values.backup,
        events: values.events.split(',').map(count),
        progress: (message) => console.error(message),
      },
    };
  } catch (error) {
    console.error(`${(error as Error).message}\n${USAGE}`);
    process.exit(2);
  }
}

function count(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`${text} is not a number`);
  return Number(text);
}

function forMachines(report: Report) {
  return { ...report, figures: report.figures.map((figure) => ({ ...figure, reached: isReached(figure) })) };
}

function machine() {
  return {
    cores: availableParallelism(),
    memoryMegabytes: Math.round(totalmem() / 1024 / 1024),
    node: process.version,
    platform: process.platform,
  };
}
