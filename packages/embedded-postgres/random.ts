/** The package's only access to randomness. It depends on no other package. */
import { randomBytes as bytes } from 'node:crypto';

export function randomBytes(count: number): Buffer {
  return bytes(count);
}
