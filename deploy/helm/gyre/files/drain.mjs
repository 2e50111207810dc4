// preStop of a node: takes it out of the fleet, and waits until its sessions have ended or DRAIN_SECONDS are over.
import { setTimeout as pause } from 'node:timers/promises';

const { GYRE_FRONT, GYRE_TOKEN, POD_IP, PORT = '8700', DRAIN_SECONDS = '600' } = process.env;
const deadline = performance.now() + Number(DRAIN_SECONDS) * 1_000;
const url = `http://${POD_IP}:${PORT}`;

async function ask(path, method = 'GET') {
  const headers = { authorization: `Bearer ${GYRE_TOKEN}` };
  const answer = await fetch(new URL(path, GYRE_FRONT), { method, headers, signal: AbortSignal.timeout(5_000) });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status}`);
  return answer.status === 204 ? undefined : answer.json();
}

while (performance.now() < deadline) {
  try {
    const node = (await ask('/v1/nodes')).find((each) => each.url === url);
    if (!node) break;
    if (node.taken + node.starting === 0 && node.draining) break;
    if (!node.draining) await ask(`/v1/nodes/${node.node}/drain`, 'POST');
  } catch (error) {
    // A front that does not answer now may answer later.
    console.error(error.message);
  }
  await pause(1_000);
}
