-- The migrations from before version 1.0, which one migration, `version-1`, replaced. They bring a database or a backup of that
-- time to the same schema. Each begins with `-- migration NAME`; a blank line separates its statements.

-- migration 20261121093630-first

create table "customer" ("organization_id" uuid not null, "id" text not null, "name" text null, "metadata_external_id" text null, "linked_external_id" text null, "deleted" boolean not null, "created_at" timestamptz(3) null, "synced_at" timestamptz(3) not null, primary key ("organization_id", "id"));

create table "invoice" ("organization_id" uuid not null, "id" text not null, "customer_id" text null, "status" text not null, "currency" text not null, "tax_minor" bigint not null, "synced_at" timestamptz(3) not null, primary key ("organization_id", "id"));

create table "invoice_payment" ("organization_id" uuid not null, "invoice_id" text not null, "payment_id" text not null, "amount_paid" bigint not null, primary key ("organization_id", "invoice_id", "payment_id"));

create index "invoice_payment_payment_index" on "invoice_payment" ("organization_id", "payment_id");

create table "payment_connection" ("organization_id" uuid not null, "id" uuid not null, "processor" text not null, "api_base" text null, "end_user_key" text not null, "sealed_key" bytea null, "key_ending" text not null, "status" text not null, "connected_at" timestamptz(3) not null, "disconnected_at" timestamptz(3) null, "requested_at" timestamptz(3) null, "requested_full" boolean not null, "events_offered" boolean not null, "due_at" timestamptz(3) not null, "attempt" int not null, "lease_owner" uuid null, "lease_until" timestamptz(3) null, "last_error" text null, "last_error_at" timestamptz(3) null, "last_sync_at" timestamptz(3) null, "last_full_sync_at" timestamptz(3) null, primary key ("organization_id"));

create index "payment_connection_due_index" on "payment_connection" ("due_at");

create table "reduction" ("organization_id" uuid not null, "id" text not null, "kind" text not null, "counts" boolean not null, "invoice_id" text null, "payment_ids" text[] not null, "currency" text not null, "amount_minor" bigint not null, "lines" jsonb not null, "linked_refunds" jsonb not null, "synced_at" timestamptz(3) not null, primary key ("organization_id", "id"));

create index "reduction_invoice_index" on "reduction" ("organization_id", "invoice_id");

create index "reduction_payment_index" on "reduction" using gin ("payment_ids");

create table "revenue_record" ("organization_id" uuid not null, "line_id" text not null, "sequence" int not null, "kind" text not null, "source_id" text not null, "invoice_id" text not null, "position" int not null, "customer_id" text null, "amount" numeric(30,15) not null, "currency" text not null, "period_start" timestamptz(3) not null, "period_end" timestamptz(3) not null, "records" smallint not null, "recorded_at" timestamptz(3) not null, "sync_run_id" uuid null, primary key ("organization_id", "line_id", "sequence"));

create index "revenue_record_invoice_index" on "revenue_record" ("organization_id", "invoice_id");

create index "revenue_record_period_index" on "revenue_record" ("organization_id", "period_end", "period_start");

create table "subscription" ("organization_id" uuid not null, "id" text not null, "customer_id" text null, "status" text not null, "created_at" timestamptz(3) null, "synced_at" timestamptz(3) not null, primary key ("organization_id", "id"));

create table "sync_cursor" ("organization_id" uuid not null, "resource" text not null, "read_until" bigint null, "newest_seen" bigint null, primary key ("organization_id", "resource"));

create table "sync_run" ("organization_id" uuid not null, "id" uuid not null, "mode" text not null, "state" text not null, "stage" text not null, "page_after" text null, "pages" int not null, "customers" int not null, "subscriptions" int not null, "invoices" int not null, "records_created" int not null, "records_updated" int not null, "records_skipped" int not null, "records_in_other_currencies" int not null, "notes" text[] not null, "started_at" timestamptz(3) not null, "finished_at" timestamptz(3) null, primary key ("organization_id", "id"));

create index "sync_run_started_index" on "sync_run" ("organization_id", "started_at");

alter table "customer" enable row level security;

alter table "customer" force row level security;

create policy "organization" on "customer" to "revenue_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "customer" to "revenue_jobs" using (true) with check (true);

alter table "invoice" enable row level security;

alter table "invoice" force row level security;

create policy "organization" on "invoice" to "revenue_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "invoice" to "revenue_jobs" using (true) with check (true);

alter table "invoice_payment" enable row level security;

alter table "invoice_payment" force row level security;

create policy "organization" on "invoice_payment" to "revenue_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "invoice_payment" to "revenue_jobs" using (true) with check (true);

alter table "payment_connection" add constraint "payment_connection_key_while_connected" check ((sealed_key is not null) = (status = 'connected'));

alter table "payment_connection" add constraint "payment_connection_processor_check" check ("processor" in ('stripe'));

alter table "payment_connection" add constraint "payment_connection_status_check" check ("status" in ('connected', 'disconnected'));

alter table "payment_connection" enable row level security;

alter table "payment_connection" force row level security;

create policy "organization" on "payment_connection" to "revenue_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "payment_connection" to "revenue_jobs" using (true) with check (true);

alter table "reduction" add constraint "reduction_kind_check" check ("kind" in ('credit_note', 'refund', 'dispute'));

alter table "reduction" enable row level security;

alter table "reduction" force row level security;

create policy "organization" on "reduction" to "revenue_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "reduction" to "revenue_jobs" using (true) with check (true);

alter table "revenue_record" add constraint "revenue_record_period" check (period_start <= period_end);

alter table "revenue_record" add constraint "revenue_record_records" check (records >= -1 and records <= 1);

alter table "revenue_record" add constraint "revenue_record_kind_check" check ("kind" in ('invoice_line', 'credit_note', 'refund', 'dispute'));

alter table "revenue_record" enable row level security;

alter table "revenue_record" force row level security;

create policy "organization" on "revenue_record" to "revenue_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "revenue_record" to "revenue_jobs" using (true) with check (true);

alter table "subscription" enable row level security;

alter table "subscription" force row level security;

create policy "organization" on "subscription" to "revenue_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "subscription" to "revenue_jobs" using (true) with check (true);

alter table "sync_cursor" enable row level security;

alter table "sync_cursor" force row level security;

create policy "organization" on "sync_cursor" to "revenue_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "sync_cursor" to "revenue_jobs" using (true) with check (true);

alter table "sync_run" add constraint "sync_run_mode_check" check ("mode" in ('full', 'incremental'));

alter table "sync_run" add constraint "sync_run_state_check" check ("state" in ('running', 'finished', 'abandoned'));

alter table "sync_run" enable row level security;

alter table "sync_run" force row level security;

create policy "organization" on "sync_run" to "revenue_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "sync_run" to "revenue_jobs" using (true) with check (true);

-- migration 20261121103259-audit

create table "audit_record" ("organization_id" uuid not null, "id" uuid not null, "at" timestamptz(3) not null, "act" text not null, "actor_kind" text not null, "account_user_id" uuid null, "credential_id" uuid null, "subject_id" text null, "detail" text null, primary key ("organization_id", "id"));

alter table "audit_record" enable row level security;

alter table "audit_record" force row level security;

create policy "organization" on "audit_record" to "revenue_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "audit_record" to "revenue_jobs" using (true) with check (true);

-- migration 20261122013449-set-aside

create table "set_aside_object" ("organization_id" uuid not null, "kind" text not null, "object_id" text not null, "cause" text not null, "reason" text not null, "first_seen_at" timestamptz(3) not null, "last_seen_at" timestamptz(3) not null, primary key ("organization_id", "kind", "object_id", "cause"));

alter table "set_aside_object" add constraint "set_aside_object_kind_check" check ("kind" in ('event', 'customer', 'subscription', 'invoice', 'credit_note', 'refund', 'dispute'));

alter table "set_aside_object" add constraint "set_aside_object_cause_check" check ("cause" in ('unreadable', 'other_currency'));

alter table "set_aside_object" enable row level security;

alter table "set_aside_object" force row level security;

create policy "organization" on "set_aside_object" to "revenue_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "set_aside_object" to "revenue_jobs" using (true) with check (true);

-- migration 20261122020416-erasure

alter table "customer" add "erased_at" timestamptz(3) null;

-- migration 20261122024529-closed-months

create table "revenue_closing" ("organization_id" uuid not null, "closed_until" timestamptz(3) null, primary key ("organization_id"));

alter table "revenue_record" add "recognized_from" timestamptz(3) null;

create index "revenue_record_late_index" on "revenue_record" ("organization_id", "recognized_from") where recognized_from is not null;

alter table "revenue_closing" enable row level security;

alter table "revenue_closing" force row level security;

create policy "organization" on "revenue_closing" to "revenue_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "revenue_closing" to "revenue_jobs" using (true) with check (true);

-- migration 20261122141820-key-mode

alter table "payment_connection" add "key_mode" text null;

alter table "payment_connection" add constraint "payment_connection_key_mode_check" check ("key_mode" in ('live', 'test'));

-- migration 20261126203632-charges-and-bounds

create table "charge" ("organization_id" uuid not null, "id" text not null, "payment_intent_id" text null, "captured_minor" bigint not null, "not_revenue_minor" bigint null, primary key ("organization_id", "id"));

create index "charge_payment_intent_index" on "charge" ("organization_id", "payment_intent_id");

alter table "invoice" add "is_charge" boolean not null default false, add "overpaid_minor" bigint not null default '0', add "remaining_minor" bigint not null default '0', add "received_minor" bigint not null default '0', add "balance_minor" bigint not null default '0', add "given_credit_minor" bigint null, add "period_start" timestamptz(3) null, add "period_end" timestamptz(3) null;

alter table "invoice" rename column "tax_minor" to "not_revenue_minor";

create index "invoice_uncounted_index" on "invoice" ("organization_id", "period_start") where status = 'open' or balance_minor > 0 or is_charge and customer_id is null;

alter table "reduction" add "out_of_band_minor" bigint not null default '0';

alter table "set_aside_object" drop constraint "set_aside_object_kind_check";

alter table "set_aside_object" add constraint "set_aside_object_kind_check" check ("kind" in ('event', 'customer', 'subscription', 'invoice', 'charge', 'credit_note', 'refund', 'dispute'));

alter table "charge" enable row level security;

alter table "charge" force row level security;

create policy "organization" on "charge" to "revenue_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "charge" to "revenue_jobs" using (true) with check (true);

-- migration 20261127045700-constraint-names

alter table "invoice" rename constraint "invoice_tax_minor_not_null" to "invoice_not_revenue_minor_not_null";

-- migration 20261127045755-version-1

-- migration 20261127214309-exchange-rates

create table "fx_rate" ("quote" text not null, "day" date not null, "source" text not null, "imported_at" timestamptz(3) not null, "rate" numeric(20,10) not null, primary key ("quote", "day", "source", "imported_at"));

create index "fx_rate_day_index" on "fx_rate" ("day", "quote");

alter table "fx_rate" add constraint "fx_rate_positive" check (rate > 0);

alter table "fx_rate" add constraint "fx_rate_source_check" check ("source" in ('ecb'));

alter table "fx_rate" enable row level security;

alter table "fx_rate" force row level security;

create policy "read" on "fx_rate" for select to "revenue_serving" using (true);

create policy "jobs" on "fx_rate" to "revenue_jobs" using (true) with check (true);

-- migration 20261127220036-reporting-currencies

create table "closed_rates" ("organization_id" uuid not null, "closed_until" timestamptz(3) not null, "known_at" timestamptz(3) not null, primary key ("organization_id", "closed_until"));

create table "conversion_queue" ("organization_id" uuid not null, "after_invoice" text not null, primary key ("organization_id"));

create table "converted_entry" ("organization_id" uuid not null, "line_id" text not null, "sequence" int not null, "currency" text not null, "amount" numeric(30,15) not null, primary key ("organization_id", "line_id", "sequence", "currency"));

create table "invoice_rate" ("organization_id" uuid not null, "invoice_id" text not null, "from_currency" text not null, "to_currency" text not null, "rate" numeric(30,20) not null, "rate_day" date not null, "source" text not null, "fixed_at" timestamptz(3) not null, primary key ("organization_id", "invoice_id", "from_currency", "to_currency"));

create table "organization_currency" ("organization_id" uuid not null, "from_month" date not null, "currency" text not null, primary key ("organization_id", "from_month"));

alter table "charge" add "settled_currency" text null, add "settled_rate" numeric(30,20) null, add "settled_at" timestamptz(3) null;

alter table "invoice" add "issued_at" timestamptz(3) null;

alter table "closed_rates" enable row level security;

alter table "closed_rates" force row level security;

create policy "organization" on "closed_rates" to "revenue_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "closed_rates" to "revenue_jobs" using (true) with check (true);

alter table "conversion_queue" enable row level security;

alter table "conversion_queue" force row level security;

create policy "organization" on "conversion_queue" to "revenue_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "conversion_queue" to "revenue_jobs" using (true) with check (true);

alter table "converted_entry" enable row level security;

alter table "converted_entry" force row level security;

create policy "organization" on "converted_entry" to "revenue_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "converted_entry" to "revenue_jobs" using (true) with check (true);

alter table "invoice_rate" add constraint "invoice_rate_positive" check (rate > 0);

alter table "invoice_rate" add constraint "invoice_rate_source_check" check ("source" in ('settlement', 'ecb'));

alter table "invoice_rate" enable row level security;

alter table "invoice_rate" force row level security;

create policy "organization" on "invoice_rate" to "revenue_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "invoice_rate" to "revenue_jobs" using (true) with check (true);

alter table "organization_currency" enable row level security;

alter table "organization_currency" force row level security;

create policy "organization" on "organization_currency" to "revenue_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "organization_currency" to "revenue_jobs" using (true) with check (true);

-- migration 20261127223443-processor-fees

alter table "charge" add "customer_id" text null, add "charged_at" timestamptz(3) null, add "fee_minor" bigint null, add "fee_currency" text null;

create index "charge_time_index" on "charge" ("organization_id", "charged_at");

-- migration 20261128161735-exchange-differences-and-own-rates

alter table "fx_rate" drop constraint "fx_rate_source_check";

alter table "fx_rate" add constraint "fx_rate_source_check" check ("source" in ('ecb', 'own'));

alter table "invoice_rate" drop constraint "invoice_rate_source_check";

alter table "invoice_rate" add constraint "invoice_rate_source_check" check ("source" in ('settlement', 'ecb', 'own'));

alter table "reduction" add "settled_currency" text null, add "settled_rate" numeric(30,20) null, add "settled_at" timestamptz(3) null;

create index "reduction_settled_index" on "reduction" ("organization_id", "settled_currency", "settled_at") where settled_at is not null;

create index "revenue_record_refund_index" on "revenue_record" ("organization_id", "source_id") where kind = 'refund';

-- migration 20261128201134-exchange-differences-of-disputes-and-credit-notes

alter table "reduction" add "gross_minor" bigint null;

create index "reduction_linked_index" on "reduction" ("organization_id") where kind = 'credit_note' and linked_refunds <> '[]';

drop index "revenue_record_refund_index";

create index "revenue_record_reduction_index" on "revenue_record" ("organization_id", "source_id") where kind <> 'invoice_line';
