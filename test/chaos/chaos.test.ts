/**
 * Short version of `npm run test:chaos`: two rounds of one process, the same in every run, and a few of each shape at
 * night. Separate processes and the embedded server have tests of single faults in `test/system`.
 */
import { expect, it } from 'vitest';
import { isNightly } from '../support/property-runs.ts';
import { runChaos } from './run-chaos.ts';

/**
 * Faults: a wrong clock, garbage and a reset during syncs; a killed postmaster; killed gateway and costing processes
 * where no lease has to expire.
 */
it.concurrent.each([
  { shape: 'one-process', seed: 6, rounds: 2, syncs: true },
  ...(isNightly
    ? [
        { shape: 'embedded', seed: 5, rounds: 1, syncs: false } as const,
        { shape: 'split', seed: 3, rounds: 2, syncs: false } as const,
      ]
    : []),
] as const)(
  '$shape: after every round of faults, each acknowledged event, credit and cost is stored exactly once',
  async ({ shape, seed, rounds, syncs }) => {
    const said: string[] = [];
    const { findings, events } = await runChaos({
      shape,
      rounds,
      seed,
      verifyEvery: rounds,
      syncs,
      progress: (message) => said.push(message),
    });
    expect(findings, said.join('\n')).toEqual([]);
    expect(events).toBeGreaterThan(0);
  },
  1_800_000,
);
