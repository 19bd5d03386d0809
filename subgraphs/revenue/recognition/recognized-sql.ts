/**
 * SQL for the part of a record that a window recognizes (decision 9, D40). Recognition is linear over the record's
 * period. A window gets the amount recognized at its end minus the amount recognized at its start, each rounded half
 * away from zero to 15 digits. So adjoining windows add up to their union, and all windows to the amount. An empty
 * period is recognized at its instant. If months of the period were closed when a record was written, everything up to
 * `recognized_from` is recognized at that instant.
 */

/**
 * Amount of a `revenue_record` (aliased `record`) that the window from `start` to `end` (`timestamptz` parameters)
 * recognizes. Rounded as an integer quotient, because numeric division would round once more before `round`. A record
 * within the window needs no division.
 */
export function recognizedSql(record: string, start: string, end: string): string {
  return `case when ${recognizedFromSql(record)} >= ${start} and ${recognizedFromSql(record)} < ${end} and ${record}.period_end <= ${end} then ${record}.amount
    else ${recognizedUntilSql(record, end)} - ${recognizedUntilSql(record, start)} end`;
}

/** True if the window recognizes any part of a record. */
export function touchesSql(record: string, start: string, end: string): string {
  return `(${record}.period_start < ${end} and (${record}.period_end > ${start} or ${record}.period_start = ${start} or ${record}.recognized_from >= ${start})
    and ${recognizedFromSql(record)} < ${end} and (greatest(${record}.period_end, ${record}.recognized_from) > ${start} or ${recognizedFromSql(record)} = ${start}))`;
}

/** Start of recognition: the period's start, or later if that month was closed. */
export function recognizedFromSql(record: string): string {
  return `greatest(${record}.period_start, ${record}.recognized_from)`;
}

function recognizedUntilSql(record: string, instant: string): string {
  return `case when ${instant} <= ${recognizedFromSql(record)} then 0 when ${instant} >= ${record}.period_end then ${record}.amount
    else ${recognizedWithinSql(record, instant)} end`;
}

/** Amount recognized up to an instant after the start of recognition and within the period. */
function recognizedWithinSql(record: string, instant: string): string {
  const elapsed = `extract(epoch from ${instant} - ${record}.period_start)`;
  const length = `extract(epoch from ${record}.period_end - ${record}.period_start)`;
  const quotient = `div(2 * abs(${record}.amount) * 1000000000000000 * ${elapsed} + ${length}, 2 * ${length})`;
  return `sign(${record}.amount) * ${quotient} * 0.000000000000001`;
}
