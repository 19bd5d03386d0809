/** Cost of an event that arrives as an OpenTelemetry span, compared with the same event in a signed batch of `/v1`. */
import { type Form, batchesAs } from './otlp/otlp-batches.ts';
import { settle } from './support/ask-operator.ts';
import { meterCpu } from './support/cpu-meter.ts';
import { createOrganization } from './support/organization.ts';
import type { BenchOptions } from './support/options.ts';
import type { Report } from './support/report.ts';
import { sendLoad } from './support/send-load.ts';
import { startService } from './support/start-service.ts';
import { median, spread } from './support/statistics.ts';

const FORMS: readonly Form[] = ['v1', 'json', 'protobuf'];
const NAMES: Readonly<Record<Form, string>> = { v1: 'signed /v1', json: 'OTLP JSON', protobuf: 'OTLP protobuf' };
const SECONDS_MAX = 8;
const WARMING_SECONDS = 3;
/** Slow enough that nothing queues up: this measures the cost of an event, not throughput. */
const EVENTS_PER_SECOND = 1_500;

export async function measureOtlp({ rounds, seconds, connections, progress }: BenchOptions): Promise<Report> {
  const service = await startService();
  const { ingestKeys } = await createOrganization(service, 'Telemetry', { ingestKeys: 1 });
  const next = new Map(FORMS.map((form) => [form, batchesAs(form, ingestKeys[0] ?? '')]));
  const send = (form: Form, forSeconds: number) =>
    sendLoad({
      url: service.url,
      next: next.get(form)!,
      connections,
      seconds: forSeconds,
      eventsPerSecond: EVENTS_PER_SECOND,
    });
  for (const form of FORMS) await send(form, WARMING_SECONDS);
  const micros = new Map(FORMS.map((form) => [form, [] as number[]]));
  for (let round = 1; round <= rounds; round++) {
    for (const form of FORMS) {
      await settle(service);
      const used = meterCpu(service);
      const { events } = await send(form, Math.min(seconds, SECONDS_MAX));
      await settle(service);
      const { service: node, postgres } = used();
      micros.get(form)!.push(((node + postgres) / events) * 1_000);
    }
    const described = FORMS.map((form) => `${NAMES[form]} ${Math.round(micros.get(form)!.at(-1)!)} µs`);
    progress(`otlp ${round}/${rounds}: ${described.join(', ')}`);
  }
  await service.stop();
  const ratios = (form: Form) => micros.get(form)!.map((each, round) => each / micros.get('v1')![round]!);
  return {
    benchmark: 'otlp',
    figures: [
      ...(['protobuf', 'json'] as const).map((form) => ({
        name: `${NAMES[form]}, relative to signed /v1`,
        value: median(ratios(form)),
        unit: '',
        spread: spread(ratios(form)),
        ...(form === 'protobuf' ? { atMost: 1.5 } : {}),
      })),
      ...FORMS.map((form) => ({
        name: NAMES[form],
        value: median(micros.get(form)!),
        unit: 'µs of CPU per event',
        spread: spread(micros.get(form)!),
      })),
    ],
    notes: [
      `The same calls in requests of 100, ${EVENTS_PER_SECOND} calls per second, measured until priced and attributed; CPU of the service and of PostgreSQL.`,
    ],
  };
}
