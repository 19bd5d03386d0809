/** A page of stored events as readers see it (contract.md, "Usage events page"): printed as it comes from the database. */
import { ListPrinter, type PrintedList } from '../../../kernel/printed-list.ts';
import type { ByteRow, TakeRow } from '../../../platform/database/connections/byte-rows.ts';
import { fail } from '../../../schema/errors.ts';
import { PAGE_EVENTS_MAX } from '../config.ts';
import { metadataPrinter } from './print-metadata.ts';
import { EVENT_TYPE, METRIC_NAME } from './usage-metric.ts';

/** The columns of a row; the first is the total. */
export const EVENT_COLUMNS = {
  id: 1,
  /** ISO 8601 UTC with six digits of fraction. */
  eventTime: 2,
  /** Input plus output tokens. */
  quantity: 3,
  metadataJson: 4,
  provider: 5,
  feature: 6,
  agentId: 7,
  workflowId: 8,
  units: 9,
} as const;

/** The same events in the contract's own words, and as a type of the graph. */
export interface UsagePageView {
  readonly eventList: PrintedList;
  events(): UsageEventOfPage[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
}

interface UsageEventOfPage {
  readonly id: string;
  readonly page: { readonly eventTimestamp: string; readonly quantity: number; readonly metadata: unknown };
}

/** An item of `events` (contract.md, "Usage events page"). */
interface PrintedEvent {
  readonly id: string;
  readonly event_timestamp: string;
  readonly quantity: number;
  readonly metadata: unknown;
}

/** `read` gives the total. `limit` of the answer is the number of events on it. */
export async function usageEventsPage(
  offset: number,
  read: (take: TakeRow) => Promise<number>,
): Promise<UsagePageView> {
  const printer = new ListPrinter();
  const total = await read((row) => putUsageEvent(row, printer));
  const eventList = printer.end();
  return {
    eventList,
    events: () => (eventList.toJSON() as PrintedEvent[]).map(toUsageEventView),
    total,
    limit: printer.count,
    offset,
  };
}

function toUsageEventView({ id, event_timestamp, quantity, metadata }: PrintedEvent): UsageEventOfPage {
  return { id, page: { quantity, eventTimestamp: event_timestamp, metadata } };
}

function putUsageEvent(row: ByteRow, list: ListPrinter): void {
  const { bytes } = row;
  list.begin();
  list.put(BEFORE_ID);
  list.put(bytes, row.start(EVENT_COLUMNS.id), row.end(EVENT_COLUMNS.id));
  list.put(BEFORE_QUANTITY);
  putQuantity(row, list);
  list.put(BEFORE_TIME);
  putInstant(row, list);
  list.put(BEFORE_METADATA);
  putMetadata(row, list);
  list.put(END);
}

const NAMES = `"event_type":${JSON.stringify(EVENT_TYPE)},"metric_name":${JSON.stringify(METRIC_NAME)}`;
const BEFORE_ID = Buffer.from('{"id":"');
const BEFORE_QUANTITY = Buffer.from(`",${NAMES},"quantity":`);
const BEFORE_TIME = Buffer.from(',"event_timestamp":"');
const BEFORE_METADATA = Buffer.from(',"metadata":');
const END = Buffer.from('}');
const putMetadata = metadataPrinter(EVENT_COLUMNS);

/** A number of JSON, as doubles are printed. */
function putQuantity(row: ByteRow, list: ListPrinter): void {
  const [start, end] = [row.start(EVENT_COLUMNS.quantity), row.end(EVENT_COLUMNS.quantity)];
  if (end - start <= SAFE_DIGITS) list.put(row.bytes, start, end);
  else list.putText(String(Number(row.text(EVENT_COLUMNS.quantity))));
}

const SAFE_DIGITS = 15;

/** As `canonicalInstant` writes it: the last three digits only where they say something. */
function putInstant(row: ByteRow, list: ListPrinter): void {
  const { bytes } = row;
  const [start, end] = [row.start(EVENT_COLUMNS.eventTime), row.end(EVENT_COLUMNS.eventTime)];
  const isMilliseconds = bytes[end - 4] === ZERO && bytes[end - 3] === ZERO && bytes[end - 2] === ZERO;
  list.put(bytes, start, isMilliseconds ? end - 4 : end - 1);
  list.put(AFTER_TIME);
}

const ZERO = '0'.charCodeAt(0);
const AFTER_TIME = Buffer.from('Z"');

/** Fails with `VALIDATION_ERROR` outside `1 … 1000` and `0 …`. */
export function checkPage({ limit, offset }: { readonly limit: number; readonly offset: number }): void {
  if (limit < 1 || limit > PAGE_EVENTS_MAX)
    fail('VALIDATION_ERROR', `limit must be an integer from 1 to ${PAGE_EVENTS_MAX}`);
  if (offset < 0) fail('VALIDATION_ERROR', 'offset must be an integer from 0');
}
