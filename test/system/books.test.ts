import { vi } from 'vitest';
import { describeBooks } from '../support/books/describe-books.ts';
import { MINUTES } from '../support/patience.ts';
import { runningService } from '../support/running-service.ts';

// Kills processes and waits until they have recovered.
vi.setConfig(MINUTES);

describeBooks(() => runningService());
