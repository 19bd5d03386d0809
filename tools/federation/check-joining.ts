/**
 * `npm run -s federation:check -- THEIRS.graphql --name NAME [--url URL] [--out FILE]`: whether a subgraph of another repository fits
 * the graph. With `--out` the supergraph is written there that the gateway serves by SUPERGRAPH_FILE (docs/federation.md).
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { joinSupergraph } from './join-supergraph.ts';

const USAGE = 'npm run -s federation:check -- THEIRS.graphql --name NAME [--url URL] [--out FILE]';

const { values, positionals } = parseArgs({
  options: { name: { type: 'string' }, url: { type: 'string' }, out: { type: 'string' } },
  allowPositionals: true,
});
const [file] = positionals;
const { name, url, out } = values;
if (file === undefined || name === undefined || (out !== undefined && url === undefined)) {
  console.error(`Usage: ${USAGE}\n--out needs --url: the gateway must know where to find it.`);
  process.exit(2);
}

const { supergraph, problems } = joinSupergraph(new URL('../../', import.meta.url), {
  name,
  url: url ?? `http://${name}.invalid`,
  sdl: readFileSync(file, 'utf8'),
});
for (const problem of problems) console.error(problem);
if (problems.length > 0 || supergraph === null) process.exit(1);
if (out !== undefined) {
  // Renamed into place: a gateway that looks meanwhile reads one or the other.
  writeFileSync(`${out}.new`, supergraph);
  renameSync(`${out}.new`, out);
}
console.log(`${name} fits the graph${out === undefined ? '' : `; the supergraph with it is in ${out}`}`);
