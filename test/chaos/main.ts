/** `npm run test:chaos -- [--rounds N] [--seed N] [--minutes N] [--shape NAME]`: see README.md. */
import { parseArgs } from 'node:util';
import { runChaos } from './run-chaos.ts';
import { type Shape, SHAPES } from './topology.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '100' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
    /** For all shapes: after this time, each shape ends with its current round. */
    minutes: { type: 'string', default: 'Infinity' },
    shape: { type: 'string', multiple: true, default: [...SHAPES] },
  },
});
const [rounds, seed, minutes] = [Number(values.rounds), Number(values.seed), Number(values.minutes)];
const unknown = values.shape.find((shape) => !SHAPES.includes(shape as Shape));
if (!Number.isInteger(rounds) || rounds < 1 || !Number.isInteger(seed) || !(minutes > 0) || unknown !== undefined) {
  console.error(`npm run test:chaos -- [--rounds N] [--seed N] [--minutes N] [--shape ${SHAPES.join('|')}]`);
  process.exit(2);
}

console.log(`seed ${seed}`);
let failed = false;
for (const [index, shape] of values.shape.entries()) {
  const share = Math.floor((rounds + index) / values.shape.length);
  if (share === 0) continue;
  const result = await runChaos({
    shape: shape as Shape,
    rounds: share,
    seed: seed + index,
    minutes: minutes / values.shape.length,
    verifyEvery: 5,
    syncs: true,
    progress: (message) => console.log(message),
  }).catch((error: Error) => {
    console.error(error.message, error.cause);
    failed = true;
    return null;
  });
  if (result === null) continue;
  const { rounds: played, events, packs, readySeconds, megabytes, findings } = result;
  console.log(
    `${shape}: ${played} rounds, ${events} events and ${packs} packs exactly once, ready again within ${readySeconds.toFixed(1)} s, memory ${megabytes.join(' → ')} MB`,
  );
  for (const finding of findings) console.error(finding);
  failed ||= findings.length > 0;
}
process.exitCode = failed ? 1 : 0;
