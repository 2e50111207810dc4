import { z } from 'zod';

/** Any JSON value. */
export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

/** Like `z.json()`, with a name by which the OpenAPI document can refer to it: it contains itself. */
export const Json: z.ZodType<Json, Json> = z
  .lazy(() => z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(Json), z.record(z.string(), Json)]))
  .meta({ id: 'Json' });
