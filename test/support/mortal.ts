/** A process that dies in a transaction of its own, before the commit or after it. */
import type { Database, EntityManager } from '#platform/database/open-database.ts';

export interface Death {
  /** Which of those that the process begins, from 0. */
  readonly transaction: number;
  readonly isCommitted: boolean;
}

export class Mortal {
  #death: Death | null = null;
  #transactions = 0;
  #isDead = false;

  /**
   * The process dies in the n-th transaction of `work`, and rises once `work` has ended. Where there are fewer it lives on. Errors of
   * `work` are those of its death.
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

  /** The same database; with `isWatched`, its transactions are those that `dyingIn` counts. Reads are no transactions of the process. */
  through(database: Database, isWatched: () => boolean = () => true): Database {
    return {
      ...database,
      acrossOrganizations: (work) => this.#run(isWatched, work, (inner) => database.acrossOrganizations(inner)),
      forOrganization: (organizationId, work) =>
        this.#run(isWatched, work, (inner) => database.forOrganization(organizationId, inner)),
      snapshot: (organizationId, work) =>
        this.#run(isWatched, work, (inner) => database.snapshot(organizationId, inner)),
    };
  }

  async #run<T>(
    isWatched: () => boolean,
    work: (em: EntityManager) => Promise<T>,
    run: (work: (em: EntityManager) => Promise<T>) => Promise<T>,
  ): Promise<T> {
    if (this.#isDead) throw new Error('The process is gone');
    const death = this.#death;
    if (!death || !isWatched() || this.#transactions++ !== death.transaction) return run(work);
    if (death.isCommitted) await run(work);
    return run(async (em) => {
      if (!death.isCommitted) await work(em);
      this.#isDead = true;
      throw new Error('The power went out');
    });
  }
}
