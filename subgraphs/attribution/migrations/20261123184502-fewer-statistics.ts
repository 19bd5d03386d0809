import { Migration } from '@mikro-orm/migrations';

/**
 * No statement asks where in these columns a value lies, and the sample that ANALYZE takes of them was most of what it costs: seconds of a
 * core, again and again, while events come. On several nodes it stays as it is: Citus refuses the statement.
 */
export class Migration20261123184502_fewer_statistics extends Migration {

  override name = 'Migration20261123184502_fewer_statistics';

  override up(): void | Promise<void> {
    this.addSql(`do $$ begin
      if to_regclass('pg_dist_partition') is null then
        alter table cost_fact alter column input_tokens set statistics 0, alter column output_tokens set statistics 0, alter column cache_creation_input_tokens set statistics 0, alter column cache_read_input_tokens set statistics 0, alter column reasoning_tokens set statistics 0, alter column total_cost set statistics 0, alter column input_cost set statistics 0, alter column output_cost set statistics 0, alter column cache_creation_cost set statistics 0, alter column cache_read_cost set statistics 0, alter column reasoning_cost set statistics 0, alter column dimensions set statistics 0, alter column parent_span_id set statistics 0, alter column provider_name set statistics 0;
      end if;
    end $$;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`do $$ begin
      if to_regclass('pg_dist_partition') is null then
        alter table cost_fact alter column input_tokens set statistics -1, alter column output_tokens set statistics -1, alter column cache_creation_input_tokens set statistics -1, alter column cache_read_input_tokens set statistics -1, alter column reasoning_tokens set statistics -1, alter column total_cost set statistics -1, alter column input_cost set statistics -1, alter column output_cost set statistics -1, alter column cache_creation_cost set statistics -1, alter column cache_read_cost set statistics -1, alter column reasoning_cost set statistics -1, alter column dimensions set statistics -1, alter column parent_span_id set statistics -1, alter column provider_name set statistics -1;
      end if;
    end $$;`);
  }

}
