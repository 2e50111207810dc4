/** A command that is answered with an error, in the words of the protocol. */
export class Refused extends Error {
  constructor(
    message: string,
    /** Of JSON-RPC: -32000 what cannot be done, -32001 a session that there is not, -32602 parameters that do not fit. */
    readonly code: -32000 | -32001 | -32600 | -32602 = -32000,
  ) {
    super(message);
  }
}
