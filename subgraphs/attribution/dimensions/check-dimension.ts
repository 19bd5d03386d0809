/** Validation of a dimension's key and label. */
import { fail } from '#kernel/errors.ts';

const LENGTH_MAX = 255;

/** Fails with `VALIDATION_ERROR`. */
export function checkDimensionKey(key: string): void {
  checkText('key', key);
  if (key.includes('\u001f')) fail('VALIDATION_ERROR', 'key must not contain the character U+001F');
}

/** Fails with `VALIDATION_ERROR`. */
export function checkDimensionLabel(label: string): void {
  checkText('label', label);
  if (label.trim() === '') fail('VALIDATION_ERROR', 'label must not be blank');
}

function checkText(name: string, text: string): void {
  if (text.length === 0 || text.length > LENGTH_MAX)
    fail('VALIDATION_ERROR', `${name} must have 1 to ${LENGTH_MAX} characters`);
  if (text.includes('\0') || !text.isWellFormed())
    fail('VALIDATION_ERROR', `${name} must not contain NUL or a lone surrogate`);
}
