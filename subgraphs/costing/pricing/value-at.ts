/** Looks into an event's metadata, which holds whatever the caller sent, without ever meeting an inherited property. */

/** The value at a path of keys; undefined where the path leaves what was sent. */
export function valueAt(holder: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (found, key) => (isRecord(found) && Object.hasOwn(found, key) ? found[key] : undefined),
    holder,
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
