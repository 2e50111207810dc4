import { Action, Part, shownText, Size } from '@gyre/protocol';
import { z } from 'zod';
import { userName } from '../isolation/wallOptions.js';
import { videoFormats } from '../recording/ffmpeg.js';
import { kinds, machineKinds } from '../lease/kind.js';
import { questionKinds } from '../browser/window/question.js';
import { ScreenSize } from '../input/screenSize.js';
import { PhoneLeaseRequest, RemoteLeaseRequest } from './deviceWire.js';
import { leaseTime } from './leaseTime.js';

const positive = z.number().positive();

/** What a machine is asked for. */
export const MachineLeaseRequest = z.strictObject({
  kind: z.enum(machineKinds),
  size: ScreenSize.optional(),
  ...leaseTime,
  clock: z.enum(['stepped', 'free']).optional(),
  touch: z.boolean().optional(),
  stepMs: positive.optional(),
  /** How long the load of a page is waited for, in ms. */
  loadMs: positive.max(600_000).optional(),
  ignoreCertificateErrors: z.boolean().optional(),
  wine: z.array(z.string()).max(64).optional(),
  /** Of a virtual machine: the name of one of the server's images, and what it should have. */
  vm: z
    .strictObject({ image: z.string().min(1), memoryBytes: positive.optional(), cpus: z.int().positive().optional() })
    .optional(),
  limits: z
    .strictObject({
      memoryBytes: positive,
      cpus: positive,
      processes: positive,
      diskBytes: positive,
      outputBytes: positive,
    })
    .partial()
    .optional(),
  /** Name of the user inside, whose home is /home/NAME. */
  user: z.string().regex(userName).optional(),
  /** Files that are in the home before any program starts, by their paths there; folders where these end with /. */
  files: z
    .record(z.string().min(1), z.union([z.string(), z.strictObject({ text: z.string(), executable: z.boolean() })]))
    .optional(),
  network: z.union([z.literal('none'), z.strictObject({ allow: z.array(z.string().min(1)).min(1) })]).optional(),
});

/** What a session is asked for, by its kind. */
export const LeaseRequest = z.discriminatedUnion('kind', [MachineLeaseRequest, PhoneLeaseRequest, RemoteLeaseRequest], {
  error: ({ code }) => (code === 'invalid_union' ? `must be one of ${kinds.join(', ')}` : undefined),
});
export type LeaseRequest = z.infer<typeof LeaseRequest>;

/** Of a browser: the page that it shows, see `PageState`. */
export const PageInfo = z.strictObject({
  url: z.string(),
  loading: z.boolean(),
  failed: z.string().optional(),
  tabs: z.strictObject({ urls: z.array(z.string()), shown: z.int() }).optional(),
  asks: z.enum(questionKinds).optional(),
});

export const SessionInfo = z.strictObject({
  id: z.string(),
  kind: z.enum(kinds),
  state: z.enum(['leased', 'broken', 'released']),
  size: Size,
  page: PageInfo.optional(),
});
export type SessionInfo = z.infer<typeof SessionInfo>;

export const SessionParams = z.strictObject({ id: z.string() });

/** `version` or `list`, with or without a slash at the end. */
export const CdpParams = z.strictObject({ id: z.string(), '*': z.string().regex(/^(version|list)\/?$/) });

export type CdpParams = z.infer<typeof CdpParams>;

const Port = z.coerce.number().int().min(1).max(65_535);

/** A server of a session, and what is asked of it. */
export const PortParams = z.strictObject({ id: z.string(), port: Port, '*': z.string() });

export type PortParams = z.infer<typeof PortParams>;

export const LinkParams = z.strictObject({ ...PortParams.shape, secret: z.string() });

export type LinkParams = z.infer<typeof LinkParams>;

export const LinkRequest = z.strictObject({ port: Port });

export type LinkRequest = z.infer<typeof LinkRequest>;

/** Where the server of a session is reached without a token. */
export const LinkReply = z.strictObject({ path: z.string() });
/** A checkpoint is checked when it is restored. */
export const RestoreRequest = z.strictObject({
  checkpoint: z.looseObject({ terms: z.looseObject({ kind: z.enum(machineKinds) }) }),
  ...leaseTime,
});

export const ActRequest = z.strictObject({ actions: z.array(Action).min(1).max(64) });

/** What came of actions that the screen need not show: pages that still load or did not, downloads. */
export const ActReply = z.strictObject({ notices: z.array(z.string()), page: PageInfo.optional() });
export type ActReply = z.infer<typeof ActReply>;

export const FrameQuery = z.strictObject({
  perSecond: z.coerce.number().positive().max(60).default(10),
  /** Whether who watches says when it has shown a frame, by any message: it then gets the next at most two frames later. */
  acks: z.stringbool().default(false),
});

/** What who watches is told of the session, at first and when it changes. */
export interface Watched extends SessionInfo {
  /** Who has taken it over. */
  heldBy?: string;
  /** Whether the token is one that may take it over. */
  mayControl: boolean;
}

export const ControlQuery = z.strictObject({
  /** Shown to others who watch. */
  name: z.string().min(1).max(60).default('a person at the live view').transform(shownText),
});

export const RecordRequest = z.strictObject({
  format: z.enum(videoFormats).default('mp4'),
  fps: z.number().min(1).max(60).default(10),
});

export const RecordingInfo = z.strictObject({
  id: z.string(),
  format: z.enum(videoFormats),
  fps: z.number(),
  state: z.enum(['recording', 'done', 'failed']),
  bytes: z.int(),
  /** Why it failed. What was written until then can be played. */
  error: z.string().optional(),
});
export type RecordingInfo = z.infer<typeof RecordingInfo>;

export const RecordingParams = z.strictObject({ id: z.string(), recording: z.string() });

export const RunRequest = z.strictObject({
  command: z.string().min(1).max(1_000_000),
  timeoutMs: positive.optional(),
  cwd: z.string().optional(),
  stdin: z.string().optional(),
  maxOutput: positive.optional(),
});

export const RunReply = z.object({
  exitCode: z.number().optional(),
  signal: z.string().optional(),
  stdout: z.string(),
  stderr: z.string(),
  timedOut: z.boolean(),
  truncated: z.boolean(),
  leftOut: z.object({ stdout: z.number(), stderr: z.number() }),
  ms: z.number(),
});
export type RunReply = z.infer<typeof RunReply>;

export const PathQuery = z.strictObject({ path: z.string().min(1) });

export const Listing = z.object({
  entries: z.array(
    // What devices do not tell is left out.
    z.object({
      path: z.string(),
      type: z.string(),
      size: z.number().optional(),
      modified: z.iso.datetime().optional(),
      mode: z.number().optional(),
    }),
  ),
  truncated: z.boolean(),
});

export const NavigateRequest = z.strictObject({ url: z.string().min(1) });

/** A page source, see `PageSource`. */
export const OpenRequest = z.strictObject({
  html: z.string(),
  script: z.string().optional(),
  argument: z.json().optional(),
  seed: z.int(),
});

export type Json = z.infer<ReturnType<typeof z.json>>;

export const EvaluateRequest = z.strictObject({
  expression: z.string().min(1),
  tab: z.enum(['shown', 'first']).optional(),
});
export const EvaluateReply = z.strictObject({ value: z.json().optional() });

export const AdvanceRequest = z.strictObject({ ms: z.number().nonnegative().max(3_600_000) });

/** Windows of a desktop, see `DesktopWindow`. */
export const WindowList = z.array(
  z.strictObject({
    id: z.int(),
    title: z.string(),
    program: z.string(),
    pid: z.int().optional(),
    box: z.strictObject({ x: z.number(), y: z.number(), width: z.number(), height: z.number() }),
    focused: z.boolean(),
  }),
);

export const LaunchRequest = z.strictObject({ program: z.string().min(1), args: z.array(z.string()).default([]) });

/** What every request that fails is answered with. */
export const Failure = z.strictObject({
  error: z.strictObject({
    code: z.string(),
    message: z.string(),
    field: z.string().optional(),
    fix: z.string().optional(),
    /** Of an `infra`: what died or did not answer. */
    part: Part.optional(),
  }),
});
export type Failure = z.infer<typeof Failure>;

/** How the schemas of all routes say what a failure is. */
export const answers = { '4xx': Failure, '5xx': Failure };
