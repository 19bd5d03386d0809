/** The short form of `npm run test:chaos`: a few rounds of each shape, the same ones at every run. */
import { expect, it } from 'vitest';
import { runChaos } from './run-chaos.ts';

/** A clock, garbage and a reset with syncs under way; a postmaster; a gateway and costing: killed where no lease has to run out. */
it.concurrent.each([
  { shape: 'one-process', seed: 6, rounds: 2, syncs: true },
  { shape: 'embedded', seed: 5, rounds: 1, syncs: false },
  { shape: 'split', seed: 3, rounds: 2, syncs: false },
] as const)(
  '$shape: after every round of faults each acknowledged event, credit and cost is there once',
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
