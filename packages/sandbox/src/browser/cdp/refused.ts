/** A command that is answered with an error of the protocol. */
export class Refused extends Error {
  constructor(
    message: string,
    /** The code of JSON-RPC: -32000 cannot be done, -32001 unknown session, -32602 invalid parameters. */
    readonly code: -32000 | -32001 | -32600 | -32602 = -32000,
  ) {
    super(message);
  }
}
