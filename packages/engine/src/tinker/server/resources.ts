import type { IncomingMessage } from 'node:http';
import { checked, HttpError } from './httpError.js';
import { jsonOf } from './requestBody.js';
import { TimeToLive } from './requests.js';
import type { ServedModel } from './servedModel.js';
import type { Sessions } from './sessions.js';
import type { TrainingRuns } from './trainingRuns.js';

interface Call {
  readonly request: IncomingMessage;
  readonly body: Buffer;
}

/** Method, path after `/api/v1/`, and the answer to its groups. */
export type Resource = readonly [
  method: string,
  path: RegExp,
  answer: (parts: string[], call: Call) => object | Promise<object>,
];

interface ResourceParts {
  readonly name: string;
  readonly model: ServedModel;
  readonly runs: TrainingRuns;
  readonly sessions: Sessions;
  readonly finish: (session: string) => void;
}

const checkpoint = '^training_runs/([^/]+)/checkpoints/((?:sampler_)?weights/[^/]+)';

/** Builds the routes of Tinker's REST API that name a resource. */
export function resourcesOf({ name, model, runs, sessions, finish }: ResourceParts): readonly Resource[] {
  return [
    ['GET', /^healthz$/, () => ({ status: 'ok' })],
    ['GET', /^get_server_capabilities$/, () => ({ supported_models: [{ model_name: name }] })],
    [
      'GET',
      /^samplers\/([^/]+)$/,
      ([id = '']) => ({ sampler_id: id, base_model: name, model_path: model.samplerPath(id) ?? null }),
    ],
    ['GET', /^training_runs$/, async (_, call) => paged('training_runs', await runs.list(), call)],
    ['GET', /^training_runs\/([^/]+)$/, ([id = '']) => runs.get(id)],
    [
      'GET',
      /^training_runs\/([^/]+)\/checkpoints$/,
      async ([id = '']) => ({ checkpoints: await runs.checkpoints(id) }),
    ],
    ['GET', /^checkpoints$/, async (_, call) => paged('checkpoints', await runs.checkpoints(), call)],
    [
      'DELETE',
      new RegExp(`${checkpoint}$`),
      async ([id = '', checkpointId = '']) => {
        await runs.remove(id, checkpointId);
        return {};
      },
    ],
    [
      'PUT',
      new RegExp(`${checkpoint}/ttl$`),
      (_, { request, body }) => {
        checked(TimeToLive, jsonOf(request, body));
        return {};
      },
    ],
    [
      'GET',
      new RegExp(`${checkpoint}/archive$`),
      refuse('this server trains all weights: there is no adapter to archive'),
    ],
    ['POST', new RegExp(`${checkpoint}/publish$`), refuse('weights of this server are never public')],
    ['DELETE', new RegExp(`${checkpoint}/publish$`), refuse('weights of this server are never public')],
    ['GET', /^sessions$/, () => ({ sessions: sessions.ids() })],
    [
      'GET',
      /^sessions\/([^/]+)$/,
      ([id = '']) => ({
        user_metadata: sessions.require(id).metadata ?? null,
        training_run_ids: runs.idsOf(id),
        sampler_ids: model.samplerIds.filter((sampler) => sampler.startsWith(`${id}:`)),
      }),
    ],
    [
      'POST',
      /^sessions\/([^/]+)\/finish$/,
      ([id = '']) => {
        finish(id);
        return {};
      },
    ],
  ];
}

function refuse(message: string): Resource[2] {
  return () => {
    throw new HttpError(405, message);
  };
}

function paged(key: string, listed: readonly object[], { request }: Call): object {
  const query = new URLSearchParams((request.url ?? '').split('?')[1]);
  const numberOf = (field: string, otherwise: number) => {
    const text = query.get(field);
    if (text === null) return otherwise;
    if (/^\d{1,9}$/.test(text)) return Number(text);
    throw new HttpError(422, `${field}: use a whole number`, field);
  };
  const [offset, limit] = [numberOf('offset', 0), numberOf('limit', 100)];
  return { [key]: listed.slice(offset, offset + limit), cursor: { offset, limit, total_count: listed.length } };
}
