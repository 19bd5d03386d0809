/** Reads one record of many. An exception caused by its content rejects only that record. */
import type { Log } from '#platform/log.ts';
import { unreadable } from '#schema/unreadable-event.ts';
import type { RecordReader } from '#usage/telemetry/select-calls.ts';
import { parseUsageEvent, type ParsedUsageEvent } from './parse-usage-event.ts';

/** Logs only the first exception, because a sender usually sends many records of the same kind. */
export function recordReader(log: Log): RecordReader {
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

/** Parses one event of many. An exception that `parseUsageEvent` does not expect rejects only that event. */
export function eventParser(log: Log): (item: unknown) => ParsedUsageEvent {
  const read = recordReader(log);
  return (item) => read(() => parseUsageEvent(item), parseUsageEvent);
}
