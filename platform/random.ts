/** The only source of randomness. */
import { randomBytes as bytes, randomInt as integer, randomUUID } from 'node:crypto';

export function randomUuid(): string {
  return randomUUID();
}

export function randomBytes(count: number): Buffer<ArrayBuffer> {
  return bytes(count);
}

/** A uniform integer in `[0, below)`. */
export function randomInt(below: number): number {
  return integer(below);
}
