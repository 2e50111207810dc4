/** The `gyre bench` commands, loaded on demand. */
export const commands = {
  env: async () => (await import('./commands/env.js')).env,
  platform: async () => (await import('./commands/platform.js')).platform,
  agent: async () => (await import('./commands/agent.js')).agent,
  soak: async () => (await import('./commands/soak.js')).soak,
  drill: async () => (await import('./commands/drill.js')).drill,
  engine: async () => (await import('./commands/engine.js')).engine,
  quantised: async () => (await import('./commands/quantised.js')).quantised,
  decision: async () => (await import('./commands/decision.js')).decision,
  training: async () => (await import('./commands/training.js')).training,
  lake: async () => (await import('./commands/lake.js')).lake,
};
