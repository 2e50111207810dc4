import { Architecture, architectures } from '../nano/architecture.js';
import { SceneArchitecture, sceneArchitectures } from './architecture.js';

/** A policy or critic that learns from pixels alone, or one with a reader. */
export type NativeArchitecture = Architecture | SceneArchitecture;

/** Sizes with a reader, and from scratch. */
export const nativeArchitectures = { ...sceneArchitectures, scratch: architectures } as const;

/** Throws zod's error for neither. */
export function parseArchitecture(value: unknown): NativeArchitecture {
  const scene = SceneArchitecture.safeParse(value);
  return scene.success ? scene.data : Architecture.parse(value);
}

export function hasReader(architecture: NativeArchitecture): architecture is SceneArchitecture {
  return 'layers' in architecture;
}

/** Returns how many screenshots a decision takes at most. A reader's past is text. */
export function screenshotsOf(architecture: NativeArchitecture): number {
  return hasReader(architecture) ? 1 : architecture.screenshots;
}
