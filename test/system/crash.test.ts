import { it } from 'vitest';
import { killUnderLoad } from '../support/kill-under-load.ts';

it('after kill -9 during ingestion every acknowledged event is stored once, and the credits match', () =>
  killUnderLoad());
