/** Reads one record of many. An exception caused by its content rejects only that record. */
import type { Log } from '../../../platform/log.ts';
import { unreadable } from '../../../schema/unreadable-event.ts';

/** Logs only the first exception, because a sender usually sends many records of the same kind. */
export function recordReader(
  log: Log,
): <Result>(read: () => Result, otherwise: (unreadable: object) => Result) => Result {
  let isLogged = false;
  return (read, otherwise) => {
    try {
      return read();
    } catch (error) {
      if (!isLogged) log.error({ err: error }, 'A record could not be read and was rejected');
      isLogged = true;
      return otherwise(unreadable(`This record could not be read: ${(error as Error).message}`));
    }
  };
}
