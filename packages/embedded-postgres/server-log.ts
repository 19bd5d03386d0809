/** The server's own log: a file that cannot fill the disk, and whose end explains a failed start. */
import { closeSync, constants, copyFileSync, fstatSync, openSync, readSync, statSync, truncateSync } from 'node:fs';

const BYTES_MAX = 10 * 1024 * 1024;
const CHECK_MILLISECONDS = 60_000;

export interface ServerLog {
  /** For the server to write to, open at its end. */
  readonly descriptor: number;
  /** What was written since the log was opened, at most the last 4,000 bytes. */
  tail(): string;
  /** May be called twice. */
  close(): void;
}

/** Past 10 MiB the log moves to `<file>.1`, in whose place an older one goes: looked at now and every minute. */
export function openServerLog(file: string): ServerLog {
  rotate(file);
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;
  const descriptor = openSync(file, flags, 0o600);
  const begin = fstatSync(descriptor).size;
  let isOpen = true;
  const timer = setInterval(rotate, CHECK_MILLISECONDS, file).unref();
  return {
    descriptor,
    tail() {
      const end = fstatSync(descriptor).size;
      const from = Math.max(begin, end - 4000);
      const buffer = Buffer.alloc(Math.max(0, end - from));
      return buffer.toString('utf8', 0, readSync(descriptor, buffer, 0, buffer.length, from)).trim();
    },
    close() {
      clearInterval(timer);
      if (isOpen) closeSync(descriptor);
      isOpen = false;
    },
  };
}

/** The server keeps its open file, so that is copied and emptied rather than renamed. */
function rotate(file: string): void {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) <= BYTES_MAX) return;
  copyFileSync(file, `${file}.1`);
  truncateSync(file, 0);
}
