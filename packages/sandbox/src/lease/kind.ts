/** Kinds of machines that are started here, each with walls, a home and a shell of its own. */
export const machineKinds = ['browser', 'desktop', 'vm'] as const;

/** Kinds of what is there already and is only lent: a phone, a machine elsewhere. */
export const deviceKinds = ['phone', 'remote'] as const;

export const kinds = [...machineKinds, ...deviceKinds] as const;

export type MachineKind = (typeof machineKinds)[number];
export type DeviceKind = (typeof deviceKinds)[number];
export type SandboxKind = (typeof kinds)[number];
