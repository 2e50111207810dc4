import { type GivenSettings, Settings } from '@gyre/training';

/**
 * The settings that all ways of an experiment share, of its flag `--settings`.
 *
 * @throws Error for what is no JSON, or no settings for these families.
 */
export function givenSettings(json: string, families: readonly string[]): GivenSettings {
  try {
    const settings = { ...(JSON.parse(json) as GivenSettings), families: [...families] };
    Settings.parse(settings);
    return settings;
  } catch (error) {
    throw new Error('--settings is JSON of some settings, such as {"ppo":{"curriculum":true}}', { cause: error });
  }
}
