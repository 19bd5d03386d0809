/** Runs an operator's command that opens databases itself: reports progress on standard error, and exits. */
import { ConfigError } from '#platform/config.ts';
import { StartError } from '#platform/start-error.ts';

/**
 * `work` returns the text to print. Exits with code 1, and prints one sentence for an error that the operator can fix,
 * otherwise a stack trace.
 */
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
