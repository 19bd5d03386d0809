/**
 * Runs rounds of random faults against one shape of the service. After each round, the books must match the clients'
 * journal.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { addInvoice } from '../../packages/stripe-stand-in/invoices.ts';
import { Clients } from './clients.ts';
import { randomFaults } from './faults.ts';
import { INVALID_ANSWERS } from '../support/misbehaving-subgraph.ts';
import { GOOD_ANSWER, readJoinedFields, verifyIsolation } from './joined-subgraph.ts';
import { Journal } from './journal.ts';
import { askOperator, eventually, Operator } from './operator.ts';
import { seededRandom } from './seeded-random.ts';
import { type Shape, startTopology, type Topology } from './topology.ts';
import { ALLOTMENT, verifyJournal } from './verify-journal.ts';

export interface ChaosOptions {
  readonly shape: Shape;
  readonly rounds: number;
  readonly seed: number;
  /** After this many minutes, the current round is the last. */
  readonly minutes?: number;
  /** The books verify themselves after this many rounds, and after the last. */
  readonly verifyEvery: number;
  /**
   * True if the operator requests syncs. If a sync's process is killed, the next one waits for its lease of two
   * minutes.
   */
  readonly syncs: boolean;
  readonly progress: (message: string) => void;
}

export interface ChaosResult {
  readonly rounds: number;
  readonly events: number;
  readonly packs: number;
  /** Maximum time from the end of the faults until every process is ready. */
  readonly readySeconds: number;
  readonly statuses: ReadonlyMap<number, number>;
  /** Observations that must not occur. */
  readonly findings: readonly string[];
  /** Resident memory of all processes in megabytes, after the first and after the last round. */
  readonly megabytes: readonly [number, number];
}

/** Duration of each round before the first fault, so that connections are open and requests are running. */
const LOAD_MILLISECONDS = 700;
/** Anything that takes longer hangs. */
const DRAIN_MILLISECONDS_MAX = 600_000;
const FINDINGS_MAX = 50;
const DAY_SECONDS = 86_400;

/**
 * Throws if the books differ, a process hangs, or the service cannot be started. Keeps the logs if there are findings.
 */
export async function runChaos({
  shape,
  rounds,
  seed,
  minutes = Infinity,
  verifyEvery,
  syncs,
  progress,
}: ChaosOptions): Promise<ChaosResult> {
  const directory = mkdtempSync(join(tmpdir(), 'books-chaos-'));
  const findings: string[] = [];
  let round = 0;
  const endsAt = performance.now() + minutes * 60_000;
  const onFinding = (finding: string): void => {
    if (findings.length < FINDINGS_MAX) findings.push(`${shape}, round ${round}: ${finding}`);
  };
  const topology = await startTopology({ shape, directory, onFinding });
  try {
    const result = await play(topology);
    await topology.stop();
    if (findings.length === 0) rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    else progress(`The logs are in ${directory}`);
    return result;
  } catch (error) {
    progress(`${shape}, seed ${seed}, round ${round} failed; the logs are in ${directory}`);
    await topology.stop();
    throw new Error([`${shape}, seed ${seed}, round ${round}`, ...findings].join('\n'), { cause: error });
  }

  async function play(topology: Topology): Promise<ChaosResult> {
    const random = seededRandom(seed);
    const journal = new Journal();
    const clients = new Clients(topology, journal, seededRandom(seed + 1), onFinding);
    const answers = seededRandom(seed + 2);
    const operator = new Operator(topology, journal, syncs);
    await prepare(topology);
    let readySeconds = 0;
    let megabytes: [number, number] | null = null;
    let isLast = false;
    while (!isLast) {
      round += 1;
      const { tolerance } = clients;
      const faults = randomFaults({ topology, random, tolerance, onFinding });
      const [misbehaviour, answer] = answers.pick(INVALID_ANSWERS);
      const happening = [...faults.map(({ name }) => name), `the joined subgraph answers: ${misbehaviour}`];
      progress(`${shape} ${round}/${rounds}: ${happening.join('; ')}`);
      topology.joined.answer = answer;
      const stopReading = readJoinedFields(topology, onFinding);
      recordInvoice(topology, journal, random.integer(1, 99_999));
      clients.start();
      operator.start();
      await pause(LOAD_MILLISECONDS);
      await Promise.all(faults.map((fault) => fault.play()));
      const [slowest] = (
        await Promise.all(topology.processes.map(async (process) => [await process.ready(), process.name] as const))
      ).toSorted(([one], [other]) => other - one);
      const [seconds, name] = slowest!;
      readySeconds = Math.max(readySeconds, seconds);
      await within(DRAIN_MILLISECONDS_MAX, 'What was sent is not acknowledged', clients.stop());
      await within(DRAIN_MILLISECONDS_MAX, 'The operator is not answered', operator.stop());
      await within(DRAIN_MILLISECONDS_MAX, 'The graph does not answer', stopReading());
      topology.joined.answer = GOOD_ANSWER;
      isLast = round >= rounds || performance.now() > endsAt;
      await verifyJournal(topology, journal, { books: round % verifyEvery === 0 || isLast });
      await verifyIsolation(topology, journal);
      Object.assign(tolerance, { noAnswer: false, refused: false });
      if (journal.batches.length > 0) await clients.resend(random.pick(journal.batches));
      const used = residentMegabytes(topology);
      megabytes = [megabytes?.[0] ?? used, used];
      progress(
        `  ready ${seconds.toFixed(1)} s (${name}), ${journal.events} events, ${used} MB, ${[...clients.statuses].map(([status, times]) => `${times} × ${status}`).join(', ')}`,
      );
    }
    const packs = journal.packs.filter(({ packId }) => packId !== null).length;
    return {
      rounds: round,
      events: journal.events,
      packs,
      readySeconds,
      statuses: clients.statuses,
      findings,
      megabytes: megabytes ?? [0, 0],
    };
  }
}

async function prepare(topology: Topology): Promise<void> {
  const { apiKey, apiBase } = topology.stripe;
  await eventually(DRAIN_MILLISECONDS_MAX, () =>
    askOperator(
      topology,
      `mutation ($allotment: Long!, $input: RevenueConnectInput!) {
        planSet(input: { allotment: $allotment, renewsAt: "2099-01-01T00:00:00Z" }) { credits { creditsLeft } userErrors { message code } }
        revenueConnect(input: $input) { connection { id } userErrors { message } }
      }`,
      { allotment: ALLOTMENT, input: { apiKey, apiBase } },
    ),
  );
}

/** On the requested day, so that all of it is recognized in the window. */
function recordInvoice({ stripe: { account } }: Topology, journal: Journal, cents: number): void {
  const [customer] = account.objects.customers.keys();
  addInvoice(account, {
    customer: customer!,
    lines: [{ amount: cents, start: account.now, end: account.now + DAY_SECONDS }],
  });
  journal.revenue += cents;
}

function residentMegabytes({ processes }: Topology): number {
  const kilobytes = processes.map(({ pid }) =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0),
  );
  return Math.round(kilobytes.reduce((sum, each) => sum + each, 0) / 1024);
}

async function within(milliseconds: number, message: string, work: Promise<unknown>): Promise<void> {
  const late = Symbol();
  let timer: NodeJS.Timeout | undefined;
  const overdue = new Promise<symbol>((resolve) => {
    timer = setTimeout(resolve, milliseconds, late);
  });
  const first = await Promise.race([work, overdue]);
  clearTimeout(timer);
  if (first === late) throw new Error(`${message} within ${milliseconds / 1000} s`);
}
