/** A program of the operator that opens databases itself: it says how far it is on standard error, and ends. */
import { ConfigError } from '#platform/config.ts';
import { StartError } from '#platform/start-error.ts';

/** `work` returns what to print. A sentence and exit code 1 for what the operator can remove, a stack for what was not foreseen. */
export async function runOnce(
  work: (args: readonly string[], progress: (message: string) => void) => Promise<string>,
): Promise<void> {
  try {
    process.stdout.write(
      `${await work(process.argv.slice(2), (message) => void process.stderr.write(`${message}\n`))}\n`,
    );
  } catch (error) {
    const isForeseen = error instanceof StartError || error instanceof ConfigError;
    process.stderr.write(`${isForeseen ? error.message : (error as Error).stack}\n`);
    process.exitCode = 1;
  }
}
