import type { Size } from '@gyre/protocol';
import type { Box, DesktopWindow } from './windows.js';
export interface AccessibleProgram { readonly program: string; readonly box?: Box }
export class Accessibility {
  constructor(_bus: string | undefined, _size: Size) {}
  programs(_windows: readonly DesktopWindow[]): Promise<AccessibleProgram[]> { return Promise.resolve([]); }
  close(): void {}
}
