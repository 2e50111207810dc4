/** The part of npm `@homebridge/dbus-native` that the desktop uses; its own types leave out how to connect. */
declare module '@homebridge/dbus-native' {
  import type { EventEmitter } from 'node:events';
  import type { Duplex } from 'node:stream';
  import type { Call } from './bus.js';

  export interface MessageBus {
    readonly connection: EventEmitter & { readonly stream: Duplex };
    invoke(call: Call, reply: (error: { readonly name: string } | null | undefined, value: unknown) => void): void;
  }

  const dbus: {
    createClient(options: { stream: Duplex; authMethods: readonly string[] }): MessageBus;
  };
  export default dbus;
}
