import type { ProtocolMapping } from 'devtools-protocol/types/protocol-mapping.js';

/** The name of a command of the Chrome DevTools Protocol. */
export type CommandName = keyof ProtocolMapping.Commands;

/** The parameters of an event, as the protocol promises them. */
export type EventParams<Name extends keyof ProtocolMapping.Events> = ProtocolMapping.Events[Name][0];
