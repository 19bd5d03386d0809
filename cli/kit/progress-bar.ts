/** A progress line on the terminal. Nothing is drawn if the output is a file or a pipe. */
export interface ProgressBar {
  /** If `total` is null, only the count is shown. */
  draw(done: number, total: number | null): void;
  /** Prints a line on the terminal. */
  say(line: string): void;
  end(): void;
}

const WIDTH = 30;

export function progressBar(stream: { readonly isTTY?: boolean; write(text: string): unknown }): ProgressBar {
  const write = (text: string) => (stream.isTTY ? stream.write(text) : undefined);
  return {
    draw: (done, total) => write(`\r\u001b[K${drawn(done, total)}`),
    say: (line) => write(`\r\u001b[K${line}\n`),
    end: () => write('\n'),
  };
}

/** `done` may exceed a total that was counted earlier; it is capped at the total. */
function drawn(done: number, total: number | null): string {
  if (total === null) return String(done);
  const part = total <= 0 ? 1 : Math.min(done / total, 1);
  const full = Math.round(part * WIDTH);
  return `[${'#'.repeat(full)}${'.'.repeat(WIDTH - full)}] ${Math.floor(part * 100)}%  ${Math.min(done, total)} of ${total}`;
}
