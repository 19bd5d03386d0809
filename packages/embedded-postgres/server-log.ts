/** The server's log: a file of bounded size whose end explains a failed start. */
import { closeSync, constants, copyFileSync, fstatSync, openSync, readSync, statSync, truncateSync } from 'node:fs';

const BYTES_MAX = 10 * 1024 * 1024;
const CHECK_MILLISECONDS = 60_000;

export interface ServerLog {
  /** File descriptor for the server, opened for appending. */
  readonly descriptor: number;
  /** Text written since the log was opened, at most the last 4,000 bytes. */
  tail(): string;
  /** May be called twice. */
  close(): void;
}

/** Opens the log. Now and every minute, a log over 10 MiB is moved to `<file>.1`, replacing an older one. */
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

/** Copies and truncates the log, since the server keeps the file open. */
function rotate(file: string): void {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) <= BYTES_MAX) return;
  copyFileSync(file, `${file}.1`);
  truncateSync(file, 0);
}
