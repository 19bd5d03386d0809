/** Reads a JSON file given by an operator. */
import { readFileSync } from 'node:fs';

export function readJsonFile(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`${file} is not a readable JSON file: ${(error as Error).message}`, { cause: error });
  }
}
