import { Gauge, Registry } from 'prom-client';

/**
 * Formats gauges for the Prometheus node exporter's textfile collector: `gyre_training_environment_steps`, or
 * `gyre_training_success{of="vault"}` by family. All have the label `run`.
 * @param scalars by path, as `success/vault`; omitted unless finite
 */
export function metricsText(run: string, time: Date, scalars: Readonly<Record<string, number>>): Promise<string> {
  const registry = new Registry();
  registry.setDefaultLabels({ run });
  const gauges = new Map<string, Gauge>();
  const gauge = (name: string, help: string, labelNames: string[] = []): Gauge => {
    const known =
      gauges.get(name) ?? new Gauge({ name: `gyre_training_${name}`, help, labelNames, registers: [registry] });
    gauges.set(name, known);
    return known;
  };
  gauge('updated_seconds', 'Unix time of the end of the last update, in seconds').set(time.getTime() / 1000);
  for (const [path, value] of Object.entries(scalars)) {
    if (!Number.isFinite(value)) continue;
    const [field = '', ...inner] = path.split('/');
    const help = `${field} of the last update`;
    if (inner.length === 0) gauge(snakeCase(field), help).set(value);
    else gauge(snakeCase(field), help, ['of']).set({ of: inner.join('/') }, value);
  }
  return registry.metrics();
}

export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
