/** A process that dies in one of its transactions, before or after the commit. */
import type { Database } from '#platform/database/open-database.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';

export interface Death {
  /** Index of the transaction, from 0. */
  readonly transaction: number;
  readonly isCommitted: boolean;
}

export class Mortal {
  #death: Death | null = null;
  #transactions = 0;
  #isDead = false;

  /**
   * Runs `work` and lets the process die in the given transaction. Errors of `work` after that are expected and ignored.
   * The process is alive again when `work` has ended. It does not die if `work` has fewer transactions.
   */
  async dyingIn(death: Death, work: () => Promise<unknown>): Promise<void> {
    this.#death = death;
    this.#transactions = 0;
    try {
      await work();
    } catch (error) {
      if (!this.#isDead) throw error;
    } finally {
      this.#death = null;
      this.#isDead = false;
    }
  }

  /** The same database. If `isWatched`, its transactions are counted by `dyingIn`; reads do not count. */
  through(database: Database, isWatched: () => boolean = () => true): Database {
    return {
      ...database,
      system: (work) => this.#run(isWatched, work, (inner) => database.system(inner)),
      write: (organizationId, work) => this.#run(isWatched, work, (inner) => database.write(organizationId, inner)),
      entitySnapshot: (organizationId, work) =>
        this.#run(isWatched, work, (inner) => database.entitySnapshot(organizationId, inner)),
    };
  }

  async #run<T>(
    isWatched: () => boolean,
    work: (tx: WriteTransaction) => Promise<T>,
    run: (work: (tx: WriteTransaction) => Promise<T>) => Promise<T>,
  ): Promise<T> {
    if (this.#isDead) throw new Error('The process is gone');
    const death = this.#death;
    if (!death || !isWatched() || this.#transactions++ !== death.transaction) return run(work);
    if (death.isCommitted) await run(work);
    return run(async (tx) => {
      if (!death.isCommitted) await work(tx);
      this.#isDead = true;
      throw new Error('The power went out');
    });
  }
}
