/** Compiles the library for Node, with declarations. The service packs the result into a tarball. */
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** Path in the package → text. Throws with the compiler's messages. */
export function sdkPackage(root: URL): Readonly<Record<string, string>> {
  const folder = fileURLToPath(new URL('packages/sdk-node/', root));
  const config = ts.readConfigFile(join(folder, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, folder);
  const program = ts.createProgram(
    globSync('*.ts', { cwd: folder })
      .sort()
      .map((name) => join(folder, name)),
    { ...options, typeRoots: [fileURLToPath(new URL('node_modules/@types/', root))] },
  );
  const files: [string, string][] = [];
  const { diagnostics } = program.emit(undefined, (path, text) => files.push([`dist/${basename(path)}`, text]));
  const errors = [...ts.getPreEmitDiagnostics(program), ...diagnostics];
  if (errors.length > 0)
    throw new Error(errors.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')).join('\n'));
  return Object.fromEntries(files.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
