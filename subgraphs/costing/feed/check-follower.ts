/** Validates the name of a feed consumer, and how much it requests at once. Fails with `VALIDATION_ERROR`. */
import { fail } from '#kernel/errors.ts';

export function checkFollower(name: string): void {
  if (name.length < 1 || name.length > 100) fail('VALIDATION_ERROR', 'follower must be a name of 1 to 100 characters');
}

/** `field`: the value's name in the error message. */
export function checkAtMost(field: string, value: number, most: number): void {
  if (value < 1 || value > most) fail('VALIDATION_ERROR', `${field} must be from 1 to ${most}`);
}
