import type { Trouble } from '../outage/troubled-server.ts';

/** What the command line may choose. */
export interface BenchOptions {
  /** How often each side runs. */
  readonly rounds: number;
  /** How long a sustained load lasts. */
  readonly seconds: number;
  /** How long the database is away, one outage after the other. */
  readonly outageSeconds: readonly number[];
  /** In which ways. */
  readonly outageTroubles: readonly Trouble[];
  /** Sizes of the organizations whose reads are measured. */
  readonly events: readonly number[];
  /** Connections of the load, and of its yardstick. */
  readonly connections: number;
  /** Where many organizations are compared with few. */
  readonly organizations: number;
  /** Whether visibility is measured once more while backups are taken. */
  readonly withBackup: boolean;
  /** Told, in a few words, how far it is. */
  readonly progress: (message: string) => void;
}
