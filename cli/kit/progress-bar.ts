/** A line of the terminal that shows how far something has come. Nothing is drawn where no one looks: into a file or a pipe. */
export interface ProgressBar {
  /** `total` null: only the count is known. */
  draw(done: number, total: number | null): void;
  /** A line for anyone who watches. */
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

/** What was counted before may grow on the way: never more than all. */
function drawn(done: number, total: number | null): string {
  if (total === null) return String(done);
  const part = total <= 0 ? 1 : Math.min(done / total, 1);
  const full = Math.round(part * WIDTH);
  return `[${'#'.repeat(full)}${'.'.repeat(WIDTH - full)}] ${Math.floor(part * 100)} %  ${Math.min(done, total)} of ${total}`;
}
