/** Compiles the library for Node, with declarations. The service packs the result into a tarball. */
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** Path in the package → text. `generated`: current texts of its generated files. Throws with the compiler's messages. */
export function sdkPackage(root: URL, generated: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
  const folder = fileURLToPath(new URL('packages/sdk-node/', root));
  const config = ts.readConfigFile(join(folder, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, folder);
  const texts = new Map([...generated].map(([path, text]) => [fileURLToPath(new URL(path, root)), text]));
  const paths = globSync('*.ts', { cwd: folder }).map((name) => join(folder, name));
  const all = { ...options, typeRoots: [fileURLToPath(new URL('node_modules/@types/', root))] };
  const host = ts.createCompilerHost(all);
  const { readFile, fileExists } = host;
  host.readFile = (path) => texts.get(path) ?? readFile(path);
  host.fileExists = (path) => texts.has(path) || fileExists(path);
  const program = ts.createProgram([...new Set([...paths, ...texts.keys()])].sort(), all, host);
  const files: [string, string][] = [];
  const { diagnostics } = program.emit(undefined, (path, text) => files.push([`dist/${basename(path)}`, text]));
  const errors = [...ts.getPreEmitDiagnostics(program), ...diagnostics];
  if (errors.length > 0)
    throw new Error(errors.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')).join('\n'));
  return Object.fromEntries(files.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
