import { type GivenSettings, Settings } from '@gyre/training';

/**
 * Parses `--settings`, which all variants of an experiment share.
 * @throws Error for invalid JSON, or settings that do not fit these families
 */
export function parseSettings(json: string, families: readonly string[]): GivenSettings {
  try {
    const settings = { ...(JSON.parse(json) as GivenSettings), families: [...families] };
    Settings.parse(settings);
    return settings;
  } catch (error) {
    throw new Error('--settings is JSON of some settings, such as {"ppo":{"curriculum":true}}', { cause: error });
  }
}
