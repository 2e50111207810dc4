import { delimiter, extname, join } from 'node:path';
import { GyreError } from '@gyre/protocol';
import { runs } from '../browser/executable.js';

/** Finds ffmpeg on the PATH; throws `missing`. */
export function findFfmpeg(env: NodeJS.ProcessEnv = process.env): string {
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const executable = folders.map((folder) => join(folder, 'ffmpeg')).find(runs);
  if (executable !== undefined) return executable;
  throw new GyreError('missing', 'ffmpeg is not installed', { field: 'ffmpeg', fix: 'run `apt-get install ffmpeg`' });
}

export const videoFormats = ['mp4', 'webm'] as const;
export type VideoFormat = (typeof videoFormats)[number];

/** Returns a file's format; throws `bad_input`. */
export function formatOf(path: string): VideoFormat {
  const ending = extname(path).slice(1).toLowerCase();
  const format = videoFormats.find((one) => one === ending);
  if (format !== undefined) return format;
  throw new GyreError('bad_input', `${path} is not a supported video name`, {
    field: 'path',
    fix: `use a name that ends with ${videoFormats.map((one) => `.${one}`).join(' or ')}`,
  });
}

/** Fragmented, so that interrupted files are playable. */
const encoders: Readonly<Record<VideoFormat, readonly string[]>> = {
  mp4: [
    ...['-c:v', 'libx264', '-preset', 'veryfast', '-tune', 'zerolatency', '-crf', '25', '-pix_fmt', 'yuv420p'],
    ...['-movflags', '+frag_keyframe+empty_moov+default_base_moof', '-f', 'mp4'],
  ],
  webm: [
    ...['-c:v', 'libvpx', '-deadline', 'realtime', '-cpu-used', '8', '-crf', '20', '-b:v', '2M'],
    ...['-f', 'webm'],
  ],
};

export function recordingArguments(path: string, fps: number, maxBytes: number): string[] {
  const format = formatOf(path);
  return [
    ...['-hide_banner', '-loglevel', 'error', '-y'],
    // Untrusted input: decodes only PNG.
    ...['-probesize', '32', '-analyzeduration', '0', '-f', 'ivf', '-c:v', 'png', '-i', 'pipe:0'],
    // Encoders require even sides. A key frame starts a fragment each second.
    ...['-vf', `fps=${fps},pad=ceil(iw/2)*2:ceil(ih/2)*2`, '-vsync', 'passthrough', '-g', String(Math.ceil(fps))],
    ...['-threads', '1', '-an', ...encoders[format], '-flush_packets', '1', '-fs', String(maxBytes)],
    `file:${path}`,
  ];
}
