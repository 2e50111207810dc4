/** A peer's fault. The message follows its name: "sent a frame of 9 bytes". */
export class Violation extends Error {}

/** Turns a parser's errors into `Violation`. */
export function parsing<Result>(subject: string, parse: () => Result): Result {
  try {
    return parse();
  } catch (cause) {
    if (cause instanceof Violation) throw cause;
    throw new Violation(`sent ${subject} that cannot be read`, { cause });
  }
}
