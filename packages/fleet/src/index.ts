export { connectNats, type NatsOptions } from './nats/connect.js';
export { newInstance } from './wire/names.js';
export type { Offer } from './wire/member.js';
export { FleetNode, type NodeOptions } from './node/node.js';
export { type NodeHost, serverHost } from './node/host.js';
export { strategies, type Strategy } from './front/placement.js';
export { type FleetServer, type FleetServerOptions, serveFleet } from './front/server.js';
