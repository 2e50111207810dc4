import type { CompatDesktop, CompatRun } from './machine.js';
import { quotedWords } from './shellWords.js';

/** Where the video is, in the home. */
export const recordingFile = '.cache/gyre-recording.mp4';

const framesPerSecond = 30;

/** Returns the line of bash that starts to record the session's display, and fails where that is not possible. */
export function startRecording({ size, env }: CompatDesktop): string {
  const { width, height } = size;
  const grab = [
    ...['-f', 'x11grab', '-draw_mouse', '1', '-video_size', `${width}x${height}`, '-framerate', `${framesPerSecond}`],
    // Nothing has to be found out about a display, for which ffmpeg would take seconds.
    ...['-probesize', '32', '-analyzeduration', '0'],
  ];
  const display = env?.['DISPLAY'] ?? '';
  // Colours of half the resolution, which all players read, need an even size.
  const encode = [
    '-vf',
    'crop=trunc(iw/2)*2:trunc(ih/2)*2',
    '-c:v',
    'libx264',
    '-preset',
    'ultrafast',
    '-pix_fmt',
    'yuv420p',
  ];
  const ffmpeg = quotedWords(['ffmpeg', '-loglevel', 'error', '-y', ...grab, '-i', display, ...encode]);
  return `cd && mkdir -p .cache && rm -f ${recordingFile} && { nohup ${ffmpeg} ${recordingFile} </dev/null >${recordingFile}.log 2>&1 &
echo $! >${recordingFile}.pid; sleep 0.5; kill -0 "$(cat ${recordingFile}.pid)" 2>/dev/null || { cat ${recordingFile}.log >&2; false; }; }`;
}

/** Ends the recording and waits until its file is whole. Fails where none is made. */
export const endRecording = `cd && pid=$(cat ${recordingFile}.pid 2>/dev/null) && rm -f ${recordingFile}.pid && kill -INT "$pid" && while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done`;

/** The reason of a failure, as the last line that was written. */
export const reasonOf = ({ stderr }: CompatRun): string => stderr.trim().split('\n').at(-1) ?? '';
