/**
 * Loaded before a process of the service (`node --import`). Shifts its wall clock by the milliseconds that the parent
 * sends over their channel, invisibly to the service. The monotonic clock stays correct, like the kernel's.
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
// The parent has ended, so nothing else would stop this process.
process.on('disconnect', () => process.exit(1));
process.channel?.unref();

export {};
