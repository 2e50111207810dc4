import { commands, maxData, type Packet } from './packet.js';

/** Each write waits for the previous acknowledgement. */
export class DoubleStream {
  onData: (data: Buffer) => void = () => {};
  onClose: () => void = () => {};
  readonly #send: (packet: Packet) => void;
  readonly #waiting: Buffer[] = [];
  #sent = false;
  #ending = false;
  #closed = false;

  /**
   * @param id local.
   * @param peer remote.
   */
  constructor(
    readonly id: number,
    readonly peer: number,
    send: (packet: Packet) => void,
  ) {
    this.#send = send;
  }

  write(data: Buffer): void {
    for (let at = 0; at < data.length; at += maxData) this.#waiting.push(data.subarray(at, at + maxData));
    this.#go();
  }

  /** Closes once everything is acknowledged. */
  end(): void {
    this.#ending = true;
    this.#go();
  }

  take({ command, data }: Packet): void {
    if (command === commands.okay) {
      this.#sent = false;
      this.#go();
    } else if (command === commands.write) {
      this.#send({ command: commands.okay, arg0: this.id, arg1: this.peer, data: Buffer.alloc(0) });
      this.onData(data);
    } else if (command === commands.close) this.#close(false);
  }

  #go(): void {
    if (this.#closed || this.#sent) return;
    const data = this.#waiting.shift();
    if (data !== undefined) {
      this.#sent = true;
      this.#send({ command: commands.write, arg0: this.id, arg1: this.peer, data });
    } else if (this.#ending) this.#close(true);
  }

  #close(tell: boolean): void {
    if (this.#closed) return;
    this.#closed = true;
    if (tell) this.#send({ command: commands.close, arg0: this.id, arg1: this.peer, data: Buffer.alloc(0) });
    this.onClose();
  }
}
