/**
 * Loaded before a process of the service (`node --import`): its wall clock goes wrong as the parent tells, in milliseconds over
 * the channel between them. Nothing of the service knows it. The clock for durations stays right, as the kernel's does.
 */
const RealDate = Date;
let shift = 0;

const ShiftedDate: DateConstructor = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(
      target,
      args.length === 0 ? [RealDate.now() + shift] : args,
      newTarget === ShiftedDate ? target : newTarget,
    ) as object,
  apply: () => new RealDate(RealDate.now() + shift).toString(),
  get: (target, property, receiver) =>
    property === 'now' ? () => RealDate.now() + shift : (Reflect.get(target, property, receiver) as unknown),
});
RealDate.prototype.constructor = ShiftedDate;
globalThis.Date = ShiftedDate;

process.on('message', (message) => {
  shift = (message as { shift: number }).shift;
});
// The parent is gone, and no one is left to stop this process.
process.on('disconnect', () => process.exit(1));
process.channel?.unref();

export {};
