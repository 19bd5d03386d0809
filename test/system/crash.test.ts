import { it } from 'vitest';
import { killUnderLoad } from '../support/kill-under-load.ts';

it('after kill -9 in the middle of ingestion every acknowledged event is there once, and the credits match', () =>
  killUnderLoad());
