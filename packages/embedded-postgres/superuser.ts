/** Who the embedded server's clients are. */
import { join } from 'node:path';

export const USER = 'postgres';
export const PORT = 5432;

export function passwordFile(dataDirectory: string): string {
  return join(dataDirectory, 'postgres-password');
}
