/**
 * `npm run -s federation:check -- FOLDER`: checks that the subgraphs of other repositories fit the graph, all of them
 * combined. With `--out`, writes the supergraph that the gateway serves with SUPERGRAPH_FILE (docs/federation.md).
 */
import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Joining, joinSupergraph } from './join-supergraph.ts';

const USAGE = `Usage: npm run -s federation:check -- FOLDER | FILE… [--out FILE] [--served FILE] [--accept-breaking]

Each subgraph is a file NAME.graphql; a line "# url: http://HOST:PORT" in it tells the gateway its URL.
Give all subgraphs that are to be served: one that is left out is no longer served.
  --out FILE         write the supergraph for SUPERGRAPH_FILE
  --served FILE      the supergraph that clients use now (default: --out if it exists, else that of this repository)
  --accept-breaking  write it even if clients of the graph lose something`;
const SUFFIX = '.graphql';
const URL_LINE = /^#\s*url:\s*(\S+)\s*$/m;
const ROOT = new URL('../../', import.meta.url);

try {
  main();
} catch (error) {
  const { code, path, message } = error as NodeJS.ErrnoException;
  stop(code === 'ENOENT' ? [`There is no file ${path}`] : [message, '', USAGE], 2);
}

function main(): void {
  const { values, positionals } = parseArgs({
    options: {
      out: { type: 'string' },
      served: { type: 'string' },
      'accept-breaking': { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  if (positionals.length === 0) stop([USAGE], 2);
  const { out } = values;
  const files = positionals.flatMap((path) => (statSync(path).isDirectory() ? schemasIn(path) : [path]));
  const joining = files.map((file) => readJoining(file));
  const unreachable = out === undefined ? [] : joining.filter(({ url }) => url === null);
  if (unreachable.length > 0)
    stop(
      unreachable.map(
        ({ name }) => `${name}${SUFFIX} does not contain the URL of ${name}: add a line "# url: http://HOST:PORT"`,
      ),
    );
  const served =
    values.served ?? (out !== undefined && existsSync(out) ? out : new URL('schema/supergraph.graphql', ROOT));
  const { supergraph, problems } = joinSupergraph(
    ROOT,
    joining.map(({ name, url, sdl }) => ({ name, url: url ?? `http://${name}.invalid`, sdl })),
    readFileSync(served, 'utf8'),
  );
  const accepted = values['accept-breaking']
    ? problems.filter((problem) => !/would break clients/.test(problem))
    : problems;
  if (accepted.length > 0 || supergraph === null) stop(problems);
  for (const problem of problems) console.error(problem);
  if (out !== undefined) {
    // Renamed into place, so that a gateway reads either the old or the new file.
    writeFileSync(`${out}.new`, supergraph);
    renameSync(`${out}.new`, out);
  }
  const names = joining.map(({ name }) => name).join(', ');
  console.log(
    `${joining.length} ${joining.length === 1 ? 'subgraph fits' : 'subgraphs fit'} the graph: ${names}${out === undefined ? '' : `. The supergraph is in ${out}`}`,
  );
}

function stop(lines: readonly string[], status = 1): never {
  for (const line of lines) console.error(line);
  process.exit(status);
}

function schemasIn(folder: string): readonly string[] {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith(SUFFIX))
    .sort();
  if (files.length === 0) throw new Error(`There is no file NAME${SUFFIX} in ${folder}`);
  return files.map((name) => join(folder, name));
}

function readJoining(file: string): Omit<Joining, 'url'> & { readonly url: string | null } {
  const sdl = readFileSync(file, 'utf8');
  return { name: basename(file, SUFFIX), url: URL_LINE.exec(sdl)?.[1] ?? null, sdl };
}
