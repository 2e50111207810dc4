/** A peer's fault. The message follows its name: "sent a frame of 9 bytes". */
export class Violation extends Error {}

/** Turns a parser's errors into `Violation`. */
export function parsing<Result>(what: string, parse: () => Result): Result {
  try {
    return parse();
  } catch (cause) {
    if (cause instanceof Violation) throw cause;
    throw new Violation(`sent ${what} that cannot be read`, { cause });
  }
}
