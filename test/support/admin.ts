/** The operator's command line in a separate process. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Exit code and output of both streams. */
export async function admin(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<readonly [code: number, printed: string]> {
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, ['cli/admin/main.ts', ...words], {
      env: { ...process.env, ...env },
    });
    return [0, stdout + stderr];
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return [code, stdout + stderr];
  }
}
