/** Counts the event-loop ticks that other work gets while `work` runs. */
export async function countTurns<Result>(
  work: () => Result | Promise<Result>,
): Promise<{ turns: number; result: Result }> {
  let turns = 0;
  let counting = true;
  const count = () => {
    if (!counting) return;
    turns++;
    setImmediate(count);
  };
  setImmediate(count);
  const result = await work();
  counting = false;
  return { turns, result };
}
