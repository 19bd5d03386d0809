import { Migration } from '@mikro-orm/migrations';

/**
 * No statement asks where in these columns a value lies, and the sample that ANALYZE takes of them was most of what it costs: seconds of a
 * core, again and again, while events come. On several nodes it stays as it is: Citus refuses the statement.
 */
export class Migration20261123184500_fewer_statistics extends Migration {

  override name = 'Migration20261123184500_fewer_statistics';

  override up(): void | Promise<void> {
    this.addSql(`do $$ begin
      if to_regclass('pg_dist_partition') is null then
        alter table usage_event alter column input_tokens set statistics 0, alter column output_tokens set statistics 0, alter column cache_creation_input_tokens set statistics 0, alter column cache_read_input_tokens set statistics 0, alter column reasoning_tokens set statistics 0, alter column cost_override set statistics 0, alter column units set statistics 0, alter column metadata set statistics 0, alter column provider_usage set statistics 0, alter column parent_span_id set statistics 0, alter column account_user_id set statistics 0, alter column api_key_id set statistics 0;
        alter table cost_entry alter column total_cost set statistics 0, alter column input_cost set statistics 0, alter column output_cost set statistics 0, alter column cache_creation_cost set statistics 0, alter column cache_read_cost set statistics 0, alter column reasoning_cost set statistics 0, alter column tier_above set statistics 0, alter column match_rule set statistics 0, alter column explanation set statistics 0, alter column pricing_context set statistics 0;
      end if;
    end $$;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`do $$ begin
      if to_regclass('pg_dist_partition') is null then
        alter table usage_event alter column input_tokens set statistics -1, alter column output_tokens set statistics -1, alter column cache_creation_input_tokens set statistics -1, alter column cache_read_input_tokens set statistics -1, alter column reasoning_tokens set statistics -1, alter column cost_override set statistics -1, alter column units set statistics -1, alter column metadata set statistics -1, alter column provider_usage set statistics -1, alter column parent_span_id set statistics -1, alter column account_user_id set statistics -1, alter column api_key_id set statistics -1;
        alter table cost_entry alter column total_cost set statistics -1, alter column input_cost set statistics -1, alter column output_cost set statistics -1, alter column cache_creation_cost set statistics -1, alter column cache_read_cost set statistics -1, alter column reasoning_cost set statistics -1, alter column tier_above set statistics -1, alter column match_rule set statistics -1, alter column explanation set statistics -1, alter column pricing_context set statistics -1;
      end if;
    end $$;`);
  }

}
