import { Sandbox } from '@gyre/sandbox';
import { expect, test } from 'vitest';
import { LiveView } from './liveView.js';

test('shows a session that is there already to whoever has the link, and to nobody else', async () => {
  const sandbox = await Sandbox.start({ isolation: 'none' });
  const lease = () => sandbox.lease({ kind: 'browser', size: { width: 64, height: 64 } });
  try {
    const [session, otherSession] = await Promise.all([lease(), lease()]);
    const view = new LiveView(sandbox, session);
    // A view that was never linked.
    await new LiveView(sandbox, otherSession).close();
    const link = new URL(await view.link('Anna'));
    expect(await view.link('Anna')).toBe(link.href);
    expect(link.pathname).toBe(`/v1/sessions/${session.id}/view`);
    const parameters = new URLSearchParams(link.hash.slice(1));
    expect([parameters.get('name'), parameters.get('play')]).toEqual(['Anna', 'yes']);

    const ask = (id: string, token: string | null) =>
      fetch(`${link.origin}/v1/sessions/${id}`, { headers: { authorization: `Bearer ${token}` } });
    expect((await fetch(link)).status).toBe(200);
    expect(await (await ask(session.id, parameters.get('token'))).json()).toMatchObject({
      id: session.id,
      kind: 'browser',
    });
    expect((await ask(session.id, 'x'.repeat(32))).status).toBe(401);
    expect((await ask(otherSession.id, parameters.get('token'))).status).toBe(404);
    await view.close();
    await expect(ask(session.id, parameters.get('token'))).rejects.toThrow();
  } finally {
    await sandbox.close();
  }
});
