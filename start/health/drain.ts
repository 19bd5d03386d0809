/** Whether this process is about to stop: it serves on, and `/readyz` sends new work elsewhere. */
let draining = false;

/** Once it has begun it goes on until the process ends. */
export function beginDraining(): void {
  draining = true;
}

export function isDraining(): boolean {
  return draining;
}
