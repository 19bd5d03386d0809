import { Migration } from '@mikro-orm/migrations';

/**
 * No statement asks where a sum of the rollups lies, and their rows change all the time, so that ANALYZE took samples of them again and again.
 * On several nodes it stays as it is: Citus refuses the statement.
 */
export class Migration20261124044826_no_statistics_of_sums extends Migration {

  override name = 'Migration20261124044826_no_statistics_of_sums';

  override up(): void | Promise<void> {
    this.addSql(`do $$ begin
      if to_regclass('pg_dist_partition') is null then
        alter table rollup_hour alter column input_tokens set statistics 0, alter column output_tokens set statistics 0, alter column cache_creation_input_tokens set statistics 0, alter column cache_read_input_tokens set statistics 0, alter column reasoning_tokens set statistics 0, alter column total_cost set statistics 0, alter column input_cost set statistics 0, alter column output_cost set statistics 0, alter column cache_creation_cost set statistics 0, alter column cache_read_cost set statistics 0, alter column reasoning_cost set statistics 0, alter column event_count set statistics 0;
        alter table rollup_day alter column input_tokens set statistics 0, alter column output_tokens set statistics 0, alter column cache_creation_input_tokens set statistics 0, alter column cache_read_input_tokens set statistics 0, alter column reasoning_tokens set statistics 0, alter column total_cost set statistics 0, alter column input_cost set statistics 0, alter column output_cost set statistics 0, alter column cache_creation_cost set statistics 0, alter column cache_read_cost set statistics 0, alter column reasoning_cost set statistics 0, alter column event_count set statistics 0;
        alter table end_user_day alter column total_cost set statistics 0, alter column event_count set statistics 0;
        alter table end_user_month alter column total_cost set statistics 0, alter column event_count set statistics 0;
      end if;
    end $$;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`do $$ begin
      if to_regclass('pg_dist_partition') is null then
        alter table rollup_hour alter column input_tokens set statistics -1, alter column output_tokens set statistics -1, alter column cache_creation_input_tokens set statistics -1, alter column cache_read_input_tokens set statistics -1, alter column reasoning_tokens set statistics -1, alter column total_cost set statistics -1, alter column input_cost set statistics -1, alter column output_cost set statistics -1, alter column cache_creation_cost set statistics -1, alter column cache_read_cost set statistics -1, alter column reasoning_cost set statistics -1, alter column event_count set statistics -1;
        alter table rollup_day alter column input_tokens set statistics -1, alter column output_tokens set statistics -1, alter column cache_creation_input_tokens set statistics -1, alter column cache_read_input_tokens set statistics -1, alter column reasoning_tokens set statistics -1, alter column total_cost set statistics -1, alter column input_cost set statistics -1, alter column output_cost set statistics -1, alter column cache_creation_cost set statistics -1, alter column cache_read_cost set statistics -1, alter column reasoning_cost set statistics -1, alter column event_count set statistics -1;
        alter table end_user_day alter column total_cost set statistics -1, alter column event_count set statistics -1;
        alter table end_user_month alter column total_cost set statistics -1, alter column event_count set statistics -1;
      end if;
    end $$;`);
  }

}
