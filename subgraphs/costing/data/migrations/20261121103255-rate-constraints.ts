import { Migration } from '@mikro-orm/migrations';

/** What entities cannot say: one card for a name, no two versions of it in force at once, no version or name without its card. */
export class Migration20261121103255_rate_constraints extends Migration {

  override name = 'Migration20261121103255_rate_constraints';

  override up(): void {
    this.addSql('create extension if not exists btree_gist;');
    this.addSql(`alter table rate_card add constraint rate_card_name_unique
      unique nulls not distinct (organization_id, match_kind, model_slug, provider_slug);`);
    this.addSql(`alter table rate_card_version add constraint rate_card_version_card_foreign
      foreign key (organization_id, rate_card_id) references rate_card (organization_id, id);`);
    this.addSql(`alter table rate_alias add constraint rate_alias_card_foreign
      foreign key (organization_id, rate_card_id) references rate_card (organization_id, id);`);
    this.addSql(`alter table rate_tier add constraint rate_tier_version_foreign
      foreign key (organization_id, rate_card_version_id) references rate_card_version (organization_id, id);`);
    this.addSql(`alter table rate_card_version add constraint rate_card_version_one_in_force
      exclude using gist (organization_id with =, rate_card_id with =, tstzrange(effective_from, effective_to) with &&)
      where (superseded_at is null);`);
  }

  override down(): void {
    this.addSql('alter table rate_card_version drop constraint rate_card_version_one_in_force;');
    this.addSql('alter table rate_tier drop constraint rate_tier_version_foreign;');
    this.addSql('alter table rate_alias drop constraint rate_alias_card_foreign;');
    this.addSql('alter table rate_card_version drop constraint rate_card_version_card_foreign;');
    this.addSql('alter table rate_card drop constraint rate_card_name_unique;');
  }

}
