import { useRouter } from '@tanstack/react-router';
import type { MouseEvent } from 'react';
import { sankey } from '../../src/charts/sankey.js';
import { flowColours, flowColumns } from '../../src/report/flowDiagram.js';
import type { CyclePoint, RouteFilter } from '../../src/server/trainingWire.js';

interface CyclesProps {
  readonly run: string;
  readonly cycles: readonly CyclePoint[];
}

/** Shows where the episodes of each cycle went. A band leads to its episodes. */
export function Cycles({ run, cycles }: CyclesProps) {
  const router = useRouter();
  const flowing = cycles.filter(({ links }) => links.length > 0);
  if (flowing.length === 0) return null;
  const follow = (event: MouseEvent): void => {
    const href = (event.target as Element).closest('a')?.getAttribute('href');
    if (typeof href !== 'string' || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    router.history.push(href);
  };
  return (
    <section aria-labelledby="flows">
      <h2 id="flows">Data flow</h2>
      <p className="fine">Number of episodes that each cycle sent to the pools. A band leads to its episodes.</p>
      {[...flowing].reverse().map(({ cycle, links, leftOut, pools }, i) => (
        <details key={cycle} className="flow-of" open={i === 0}>
          <summary>{cycle === 0 ? 'Before the first cycle' : `Cycle ${cycle}`}</summary>
          {/* Every value in it is escaped by its template. */}
          <div
            onClick={follow}
            dangerouslySetInnerHTML={{
              __html: sankey({
                columns: flowColumns,
                links: links.map(({ from, to, n, filter }) => ({ from, to, n, href: addressOf(run, filter) })),
                colours: flowColours,
              }).text,
            }}
          />
          <p className="fine">
            {pools && `The pools then hold ${pools.sft} samples for SFT, ${pools.ct} for CT and ${pools.rl} for RL. `}
            {Object.entries(leftOut).map(([why, n]) => `${n} left out: ${why}. `)}
          </p>
        </details>
      ))}
    </section>
  );
}

function addressOf(run: string, { cycle, origin, verdict, to }: RouteFilter): string {
  const search = new URLSearchParams({ cycle: String(cycle) });
  for (const [name, value] of [
    ['origin', origin],
    ['verdict', verdict],
    ['route', to],
  ] as const)
    if (value !== undefined) search.set(name, value);
  return `/runs/${encodeURIComponent(run)}/episodes?${search.toString()}`;
}
