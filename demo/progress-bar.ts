/** Prints a progress bar on a terminal, otherwise a line for every tenth. */
const WIDTH = 30;

export function progressBar(label: string, total: number): (done: number) => void {
  let tenth = 0;
  return (done) => {
    const share = total === 0 ? 1 : done / total;
    if (process.stdout.isTTY) {
      const filled = Math.round(share * WIDTH);
      const bar = `${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)}`;
      process.stdout.write(
        `\r${bar} ${done.toLocaleString('en-US')} of ${total.toLocaleString('en-US')} ${label}${done === total ? '\n' : ''}`,
      );
    } else if (Math.floor(share * 10) > tenth) {
      tenth = Math.floor(share * 10);
      process.stdout.write(
        `${tenth * 10} %  ${done.toLocaleString('en-US')} of ${total.toLocaleString('en-US')} ${label}\n`,
      );
    }
  };
}
