/** Machines that gyre starts, with isolation, home and shell. */
export const machineKinds = ['browser', 'desktop', 'shell', 'vm'] as const;

/** Devices that exist without gyre. */
export const deviceKinds = ['phone', 'remote'] as const;

export const kinds = [...machineKinds, ...deviceKinds] as const;

export type MachineKind = (typeof machineKinds)[number];
export type DeviceKind = (typeof deviceKinds)[number];
export type SandboxKind = (typeof kinds)[number];
