/** Faults: on connections between processes, in the processes themselves, in PostgreSQL, and in clocks. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findServerProcesses } from '../../packages/embedded-postgres/stop-orphan.ts';
import type { FaultProxy } from '../support/fault-proxy.ts';
import type { Tolerance } from './clients.ts';
import type { ManagedProcess } from './managed-process.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { Topology } from './topology.ts';

export interface Scene {
  readonly topology: Topology;
  readonly random: SeededRandom;
  readonly tolerance: Tolerance;
  readonly onFinding: (finding: string) => void;
}

/** Chosen up front, so that a seed gives the same faults regardless of timing; injected later. */
export interface RandomFault {
  readonly name: string;
  play(): Promise<void>;
}

type Draw = (scene: Scene) => RandomFault | null;

/** The processes' own limit is ten seconds; the rest is for a busy machine. */
const STOP_SECONDS_MAX = 10 + 2;
const CLOCK_SHIFT_SECONDS_MAX = 3_600;

const LINE_FAULTS: Readonly<Record<string, (proxy: FaultProxy, milliseconds: number) => Promise<void>>> = {
  async cut(proxy) {
    proxy.cut('end');
  },
  async reset(proxy) {
    proxy.cut('reset');
  },
  async 'cut again and again'(proxy, milliseconds) {
    for (let time = 0; time < 8; time += 1) {
      proxy.cut(time % 2 === 0 ? 'end' : 'reset');
      await pause(milliseconds / 8);
    }
  },
  async refuse(proxy, milliseconds) {
    proxy.set('refuse');
    proxy.cut('reset');
    await pause(milliseconds);
  },
  async freeze(proxy, milliseconds) {
    proxy.set('freeze');
    await pause(milliseconds * 3);
  },
  async 'half-open'(proxy) {
    proxy.swallow();
  },
  async delay(proxy, milliseconds) {
    proxy.delay(milliseconds / 20);
    await pause(milliseconds);
  },
  async garbage(proxy, milliseconds) {
    proxy.set('garbage');
    await pause(milliseconds / 2);
  },
};

const line: Draw = ({ topology, random }) => {
  const [name, proxy] = random.pick([...topology.proxies]);
  const kind = random.pick(Object.keys(LINE_FAULTS));
  const milliseconds = random.integer(500, 4_000);
  return {
    name: `${kind} of ${name} (${milliseconds} ms)`,
    async play() {
      await LINE_FAULTS[kind]!(proxy, milliseconds);
      proxy.set('none');
      proxy.delay(0);
    },
  };
};

const killed: Draw = ({ topology, random, tolerance, onFinding }) => {
  const victim = random.pick(topology.processes);
  const signal = random.pick(['SIGKILL', 'SIGTERM'] as const);
  return {
    name: `${signal} of ${victim.name}`,
    async play() {
      tolerance.noAnswer ||= isEdge(topology, victim);
      const seconds = await victim.kill(signal);
      if (seconds > STOP_SECONDS_MAX) onFinding(`${victim.name} ended ${seconds.toFixed(1)} s after ${signal}`);
    },
  };
};

/** Stops while another fault is active: the stop must not wait for the unavailable dependency. */
const stoppedDuringOutage: Draw = ({ topology, random, tolerance, onFinding }) => {
  const victim = random.pick(topology.processes);
  const kind = random.pick(['refuse', 'freeze', 'garbage'] as const);
  return {
    name: `SIGTERM of ${victim.name} while everything is away (${kind})`,
    async play() {
      tolerance.noAnswer ||= isEdge(topology, victim);
      for (const proxy of topology.proxies.values()) proxy.set(kind);
      await pause(random.integer(0, 3_000));
      const seconds = await victim.kill('SIGTERM');
      if (seconds > STOP_SECONDS_MAX) onFinding(`${victim.name} ended ${seconds.toFixed(1)} s after SIGTERM`);
      for (const proxy of topology.proxies.values()) proxy.set('none');
    },
  };
};

const frozen: Draw = ({ topology, random, tolerance }) => {
  const victim = random.pick(topology.processes);
  const milliseconds = random.integer(1_000, 6_000);
  return {
    name: `${victim.name} frozen (${milliseconds} ms)`,
    async play() {
      tolerance.noAnswer ||= isEdge(topology, victim);
      victim.signal('SIGSTOP');
      await pause(milliseconds);
      victim.signal('SIGCONT');
    },
  };
};

const postgres: Draw = ({ topology: { cluster }, random }) => {
  const kind = random.pick(['postmaster killed', 'a backend killed', 'restarted by an operator', 'frozen'] as const);
  const milliseconds = random.integer(1_000, 12_000);
  return {
    name: `PostgreSQL: ${kind}${kind === 'frozen' ? ` (${milliseconds} ms)` : ''}`,
    async play() {
      const postmaster = postmasterOf(cluster);
      if (postmaster === null) return;
      if (kind === 'postmaster killed') send(postmaster, 'SIGKILL');
      if (kind === 'restarted by an operator') send(postmaster, 'SIGINT');
      const backend = findBackend(postmaster);
      if (kind === 'a backend killed' && backend !== null) send(backend, 'SIGKILL');
      if (kind !== 'frozen') return;
      const stopped = findServerProcesses(cluster);
      for (const pid of stopped) send(pid, 'SIGSTOP');
      await pause(milliseconds);
      for (const pid of stopped) send(pid, 'SIGCONT');
    },
  };
};

const clock: Draw = ({ topology, random, tolerance }) => {
  const victims = random.next() < 0.5 ? topology.processes : [random.pick(topology.processes)];
  const seconds = random.integer(-CLOCK_SHIFT_SECONDS_MAX, CLOCK_SHIFT_SECONDS_MAX);
  return {
    name: `clock of ${victims.length === 1 ? victims[0]!.name : 'all processes'} off by ${seconds} s`,
    async play() {
      tolerance.refused = true;
      for (const victim of victims) victim.shiftClock(seconds * 1000);
      await pause(2_000);
      for (const victim of victims) victim.shiftClock(0);
    },
  };
};

/** Repeated entries are more likely. */
const DRAWS: readonly Draw[] = [line, line, line, line, killed, killed, stoppedDuringOutage, frozen, postgres, clock];
/** Faults for the embedded server, whose PostgreSQL is not behind a proxy. */
const DRAWS_EMBEDDED: readonly Draw[] = [line, killed, killed, stoppedDuringOutage, frozen, postgres, postgres, clock];

export function randomFaults(scene: Scene): RandomFault[] {
  const count = scene.random.integer(1, 2);
  const draws = scene.topology.shape === 'embedded' ? DRAWS_EMBEDDED : DRAWS;
  return Array.from({ length: count }, () => scene.random.pick(draws)(scene)).filter((fault) => fault !== null);
}

function isEdge({ edges }: Topology, process: ManagedProcess): boolean {
  return edges[0] === process;
}

function postmasterOf(cluster: string): number | null {
  try {
    return Number(readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')[0]);
  } catch {
    return null;
  }
}

/** A PostgreSQL process that serves one connection. */
function findBackend(postmaster: number): number | null {
  const children = execFileSync('ps', ['-ww', '-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((text) => text.trim().split(/\s+/));
  const found = children.find(
    ([, parent, ...args]) =>
      Number(parent) === postmaster &&
      /postgres (identity|costing|attribution|revenue|alerting|reconciliation) /.test(args.join(' ')),
  );
  return found === undefined ? null : Number(found[0]);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended in the meantime.
  }
}
