/** A peer has sent what its protocol or a bound does not allow. The message reads on after its name: "sent a frame of 9 bytes". */
export class Violation extends Error {}

/** Runs a parser; whatever it throws is the fault of the bytes. */
export function parsing<Result>(what: string, parse: () => Result): Result {
  try {
    return parse();
  } catch (cause) {
    if (cause instanceof Violation) throw cause;
    throw new Violation(`sent ${what} that cannot be read`, { cause });
  }
}
