import { z } from 'zod';

export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

/** `z.json()`, with the name that a recursive schema needs in OpenAPI. */
export const Json: z.ZodType<Json, Json> = z
  .lazy(() => z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(Json), z.record(z.string(), Json)]))
  .meta({ id: 'Json' });
