/** State of a process that is about to stop. It continues to serve, but `/readyz` directs new work elsewhere. */
let draining = false;

/** Once draining has begun, it lasts until the process ends. */
export function beginDraining(): void {
  draining = true;
}

export function isDraining(): boolean {
  return draining;
}
