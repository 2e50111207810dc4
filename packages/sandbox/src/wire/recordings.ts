import { z } from 'zod';
import { videoFormats } from '../recording/ffmpeg.js';
import { route } from './route.js';
import { SessionParams } from './session.js';

export const RecordingInfo = z.strictObject({
  id: z.string(),
  format: z.enum(videoFormats),
  fps: z.number(),
  state: z.enum(['recording', 'done', 'failed']),
  bytes: z.int(),
  /** The video remains playable. */
  error: z.string().optional(),
});
export type RecordingInfo = z.infer<typeof RecordingInfo>;

const params = z.strictObject({ id: z.string(), recording: z.string() });

export const recordings = {
  begin: route({
    method: 'POST',
    path: '/v1/sessions/:id/recordings',
    scope: 'operate',
    summary: 'Starts a recording',
    params: SessionParams,
    body: z.strictObject({
      format: z.enum(videoFormats).default('mp4'),
      fps: z.number().min(1).max(60).default(10),
    }),
    reply: RecordingInfo,
    status: 201,
  }),
  list: route({
    method: 'GET',
    path: '/v1/sessions/:id/recordings',
    scope: 'operate',
    summary: 'Lists the videos of a session, also after its end',
    params: SessionParams,
    reply: z.array(RecordingInfo),
  }),
  stop: route({
    method: 'POST',
    path: '/v1/sessions/:id/recordings/:recording/stop',
    scope: 'operate',
    summary: 'Stops a recording',
    params,
    reply: RecordingInfo,
  }),
  download: route({
    method: 'GET',
    path: '/v1/sessions/:id/recordings/:recording',
    scope: 'operate',
    summary: 'Downloads a video',
    params,
    reply: 'video/*',
  }),
  remove: route({
    method: 'DELETE',
    path: '/v1/sessions/:id/recordings/:recording',
    scope: 'operate',
    summary: 'Removes a video',
    params,
  }),
};
