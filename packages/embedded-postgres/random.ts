/** The package's own door of randomness: it depends on nothing around it. */
import { randomBytes as bytes } from 'node:crypto';

export function randomBytes(count: number): Buffer {
  return bytes(count);
}
