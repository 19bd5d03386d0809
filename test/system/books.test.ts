import { describeBooks } from '../support/books/describe-books.ts';
import { runningService } from '../support/running-service.ts';

describeBooks(() => runningService());
