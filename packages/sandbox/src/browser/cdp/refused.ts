/** A protocol error sent to the client. */
export class Refused extends Error {
  constructor(
    message: string,
    /** JSON-RPC code: -32000 impossible, -32001 unknown session, -32602 invalid parameters. */
    readonly code: -32000 | -32001 | -32600 | -32602 = -32000,
  ) {
    super(message);
  }
}
