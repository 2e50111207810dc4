import { fileURLToPath } from 'node:url';

const packageFile = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** The policy that reads the screen, from `gyre train base`. The default. */
export const basePolicyName = 'base';
/** The policy that takes pixels alone, from `gyre train ct`. For what takes no reader. */
export const pixelPolicyName = 'pixels';

/** A model card is next to each file. */
const files: Readonly<Record<string, string>> = {
  [basePolicyName]: packageFile('base/nano.safetensors'),
  [pixelPolicyName]: packageFile('pixels/nano.safetensors'),
};

/** Names of the weights that come with gyre. */
export const builtInPolicyNames = [basePolicyName, pixelPolicyName] as const;

/** Returns the file of weights that come with gyre; every other name is a path. */
export function weightsFile(name: string): string {
  return Object.hasOwn(files, name) ? files[name]! : name;
}
