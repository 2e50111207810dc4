import type { ProtocolMapping } from 'devtools-protocol/types/protocol-mapping.js';

export type CommandName = keyof ProtocolMapping.Commands;

export type EventParams<Name extends keyof ProtocolMapping.Events> = ProtocolMapping.Events[Name][0];
