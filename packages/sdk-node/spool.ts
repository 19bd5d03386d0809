/**
 * Directory that keeps events until the service has accepted them, across process exits. Each process writes its own
 * files and takes over those of dead processes. A runtime without a file system has no spool.
 */
import { nowMs } from './clock.ts';
import { randomUuid } from './random.ts';
import { builtin, processId } from './runtime.ts';
import { openSpoolFile, type SpoolFile } from './spool-file.ts';

export interface SpoolOffset {
  readonly file: SpoolFile;
  readonly number: number;
}

export interface Spool {
  /** Returns null if the event could not be written, and is thus only in memory. */
  append(event: string): SpoolOffset | null;
  /** Leaves the last appended event only in the spool until it is read. */
  leave(): void;
  markDone(places: readonly SpoolOffset[]): void;
  /** Reads events that are only in the spool, oldest first. */
  read(bytesMax: number): { readonly event: string; readonly place: SpoolOffset }[];
  /** Number of events that are only in the spool. */
  unread(): number;
  /** Number of failed writes, e.g. on a full disk. */
  errors(): number;
  /** Removes files without unsent events. The others stay, for this process or the next. */
  tidy(): void;
  close(): void;
}

const EXTENSION = '.spool';
const FILE_BYTES = 8 * 1024 * 1024;
/** Age from which a file of another machine counts as abandoned: only its last write is known. */
const STALE_MS = 10 * 60 * 1000;

/** Returns null and calls `report` if the runtime has no files or the directory is unusable. */
export function openSpool(directory: string, bytesMax: number, report: (error: unknown) => void): Spool | null {
  const fs = builtin('node:fs');
  if (fs === null) {
    report(new Error('This runtime has no file system: events are kept only in memory'));
    return null;
  }
  const host = (builtin('node:os')?.hostname() ?? 'host').replaceAll(/[^A-Za-z0-9-]/g, '-');
  const newPath = () => `${directory}/${[host, processId(), startOf('self'), randomUuid()].join('.')}${EXTENSION}`;
  let older: SpoolFile[] = [];
  let own: SpoolFile | null = null;
  let errors = 0;

  try {
    fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
    for (const name of fs.readdirSync(directory)) if (name.endsWith(EXTENSION) && isLeft(name)) adopt(name);
  } catch (error) {
    report(error);
    return null;
  }

  /** Takes over a file by renaming it, which succeeds in only one process. */
  function adopt(name: string): void {
    const path = newPath();
    try {
      fs!.renameSync(`${directory}/${name}`, path);
    } catch {
      return;
    }
    keepOrClose(openSpoolFile(fs!, path));
  }
  function keepOrClose(file: SpoolFile): void {
    if (file.isDone()) file.close();
    else older.push(file);
  }
  /** True if the file's process has ended. */
  function isLeft(name: string): boolean {
    const [theirHost, pid, start] = name.split('.');
    if (theirHost !== host) return nowMs() - fs!.statSync(`${directory}/${name}`).mtimeMs > STALE_MS;
    const id = Number(pid);
    if (id === processId()) return start !== startOf('self');
    try {
      process.kill(id, 0);
    } catch (error) {
      return (error as { code?: string }).code !== 'EPERM';
    }
    return startOf(id) !== start;
  }
  /** Start time of a process by the kernel's clock, since ids are reused. Empty if unknown. */
  function startOf(id: number | 'self'): string {
    try {
      const stat = fs!.readFileSync(`/proc/${id}/stat`, 'utf8');
      return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
    } catch {
      return '';
    }
  }
  const sweep = (): void => {
    const finished = older.filter((file) => file.isDone());
    older = older.filter((file) => !file.isDone());
    for (const file of finished) {
      errors += file.errors;
      file.close();
    }
  };
  const files = () => (own === null ? older : [...older, own]);
  const sum = (countOf: (file: SpoolFile) => number) => files().reduce((total, file) => total + countOf(file), 0);

  return {
    append(event) {
      try {
        if (sum(({ size }) => size) + event.length > bytesMax) throw new Error('The spool is full');
        own ??= openSpoolFile(fs, newPath());
        const number = own.append(event);
        return number === null ? null : { file: own, number };
      } catch {
        errors += 1;
        return null;
      }
    },
    leave: () => own?.leave(),
    markDone(places) {
      const groups = new Map<SpoolFile, number[]>();
      for (const { file, number } of places) groups.set(file, [...(groups.get(file) ?? []), number]);
      for (const [file, numbers] of groups) file.markDone(numbers);
      if (own !== null && own.size > FILE_BYTES && own.unread === 0) {
        older.push(own);
        own = null;
      }
      sweep();
    },
    read(max) {
      const file = files().find(({ unread }) => unread > 0);
      if (file === undefined) return [];
      const events = file.read(max).map(({ number, event }) => ({ event, place: { file, number } }));
      sweep();
      return events;
    },
    unread: () => sum(({ unread }) => unread),
    errors: () => errors + sum((file) => file.errors),
    tidy() {
      if (own?.isDone()) {
        older.push(own);
        own = null;
      }
      sweep();
    },
    close() {
      for (const file of files()) file.close();
      own = null;
      older = [];
    },
  };
}
