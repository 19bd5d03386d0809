import { it, vi } from 'vitest';
import { killUnderLoad } from '../support/kill-under-load.ts';
import { MINUTES } from '../support/patience.ts';

// Kills processes and waits until they have recovered.
vi.setConfig(MINUTES);

it('after kill -9 during ingestion every acknowledged event is stored once, and the credits match', () =>
  killUnderLoad());
