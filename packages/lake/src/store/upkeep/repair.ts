import { basename, join } from 'node:path';
import { acceptLosses } from './audit.js';
import { type Census, missingReason, fileOf, listed, screenshotsOf, verifyLake, manifestDamage } from '../census.js';
import { messageOf } from '../episodeFiles.js';
import { isMissing, makeFolder, storageError } from '../fileSystem.js';
import { type LakeContext, withMaintenanceLock } from './maintenance.js';

/**
 * Moves damaged screenshots, recordings, updates, reviews, speech and Parquet files to `damaged/`, and those with damaged or missing screenshots.
 * Their intact episodes move to a new file. Then corrects the manifest.
 */
export function repair(context: LakeContext): Promise<Census> {
  return withMaintenanceLock(context, async () => {
    const { fs, layout, names, files, screenshots, manifest } = context;
    const report: Census['damaged'] = [];
    let damage = await verifyLake(context);
    const renamed = damage.audit.lost.flatMap((each) =>
      each.renamed === undefined ? [] : [{ ...each, from: each.renamed }],
    );
    for (const { file, reason, from } of renamed) {
      await fs.rename(join(layout.root, from), join(layout.root, file)).catch((error: unknown) => {
        throw storageError(error, file);
      });
      report.push({ file, reason: `${reason}; its name was restored`, accepted: true });
    }
    if (renamed.length > 0) damage = await verifyLake(context);
    const { damaged, missing, audit } = damage;
    const altered = new Set(audit.altered.map(({ file }) => file));
    const setAside = async (file: string, reason: string): Promise<string> => {
      await makeFolder(fs, layout.damaged);
      const place = join('damaged', `${names.aside()}.${basename(file)}`);
      if (!/^(blobs|audio)\b/.test(file))
        await manifest.record([], [{ file: file.replaceAll('\\', '/'), why: 'set aside' }]);
      await fs.rename(join(layout.root, file), join(layout.root, place)).catch((error: unknown) => {
        throw storageError(error, file);
      });
      report.push({ file, reason, setAside: place });
      return place;
    };

    const lost = new Map<string, string | undefined>();
    for (const { file, reason } of damaged) {
      if (/^(updates|reviews|speech|audio)\b/.test(file)) await setAside(file, reason);
      if (file.startsWith('blobs')) lost.set(basename(file, '.png'), await setAside(file, reason));
    }
    // May have been stored again.
    for (const hash of missing.keys()) if (!(await screenshots.look(hash))) lost.set(hash, undefined);

    for (const name of await files.files()) {
      const file = join('episodes', name);
      const reasons = damaged.flatMap((each) => (each.file === file ? [each.reason] : []));
      if (lost.size === 0 && reasons.length === 0) continue;
      const stored = await files.episodesOf(name).catch((error: unknown) => {
        if (isMissing(error)) return [];
        return [{ damage: messageOf(error) }];
      });
      const read = stored.flatMap((each) => ('episode' in each ? [each.episode] : []));
      const blind = read.filter((episode) => screenshotsOf(episode).some((hash) => lost.has(hash)));
      const whole = read.filter((episode) => !blind.includes(episode));
      if (whole.length === stored.length && !altered.has(file)) continue;
      if (blind.length > 0) reasons.push(`${blind.length} of its episodes refer to a lost screenshot`);
      if (whole.length > 0 && !altered.has(file)) await files.writeInPlaceOf(name, whole);
      const place = await setAside(file, reasons.join('; '));
      for (const hash of blind.flatMap(screenshotsOf)) if (lost.has(hash)) lost.set(hash, lost.get(hash) ?? place);
    }
    for (const [hash, id] of missing) {
      const place = lost.get(hash);
      report.push({ file: fileOf(hash), reason: missingReason(id), ...(place !== undefined && { setAside: place }) });
    }
    for (const each of manifestDamage(audit)) report.push({ ...each, accepted: true });
    await acceptLosses(context);
    const rows = await files.find({});
    const cut = rows.filter(({ row }) => row.state === 'cut').length;
    return { episodes: rows.length, cut, damaged: report, setAside: await listed(fs, layout.damaged) };
  });
}
