import assert from 'node:assert/strict';

const tokens = { admin: 'a'.repeat(20), watch: 'w'.repeat(20) };
const outside = { nats: { enabled: false }, externalNats: { servers: ['nats://a:4222', 'nats://b:4222'] } };

const argsOf = (workload) => workload.spec.template.spec.containers[0].args.join(' ');

/** Values that render and validate, with what is expected of the manifests: `(find(kind, name)) => void`. */
export const accepted = [
  [
    'defaults',
    { tokens },
    (find) => {
      const node = find('StatefulSet', 'node');
      const { containers, hostUsers } = node.spec.template.spec;
      assert.equal(node.spec.replicas, 2);
      assert.equal(hostUsers, false);
      assert.deepEqual(containers[0].securityContext.capabilities.drop, ['ALL']);
      assert.equal(containers[0].securityContext.privileged, false);
      assert.match(argsOf(node), /--join nats:\/\/test-nats:4222 .*--advertise http:\/\/\$\(POD_IP\):8700/);
      assert.match(argsOf(find('Deployment', 'front')), /--allow-host test-gyre-front,test-gyre-front.apart,/);
      assert.ok(find('PodDisruptionBudget', 'node') && find('PodDisruptionBudget', 'front'));
      assert.ok(find('NetworkPolicy', 'node') && find('NetworkPolicy', 'front') && find('NetworkPolicy', 'nats'));
      assert.equal(find('Deployment', 'worker'), undefined);
      assert.equal(find('ScaledObject', 'node'), undefined);
      const listed = JSON.parse(find('Secret', 'tokens').stringData['tokens.json']);
      assert.deepEqual(listed, [{ token: tokens.watch, scope: 'watch' }]);
    },
  ],
  [
    'a NATS elsewhere, with credentials',
    { tokens, ...outside, externalNats: { ...outside.externalNats, credentialsSecret: 'nats-login' } },
    (find) => {
      assert.match(argsOf(find('StatefulSet', 'node')), /--join nats:\/\/a:4222,nats:\/\/b:4222 .*--nats-creds \/etc/);
      assert.equal(find('NetworkPolicy', 'nats'), undefined);
    },
  ],
  [
    'a DaemonSet on machines of their own',
    {
      tokens,
      ...outside,
      node: {
        kind: 'DaemonSet',
        nodeSelector: { pool: 'sandboxes' },
        tolerations: [{ key: 'sandboxes', operator: 'Exists', effect: 'NoSchedule' }],
      },
    },
    (find) => {
      assert.ok(find('DaemonSet', 'node'));
      assert.equal(find('PodDisruptionBudget', 'node'), undefined);
    },
  ],
  [
    'autoscaling',
    { tokens, autoscaling: { enabled: true, minReplicas: 0, maxReplicas: 50, freePlaces: 32 }, node: { sessions: 24 } },
    (find) => {
      assert.equal(find('StatefulSet', 'node').spec.replicas, undefined);
      const [{ metadata }] = find('ScaledObject', 'node').spec.triggers;
      assert.equal(metadata.threshold, '24');
      assert.match(metadata.query, /places_taken\{namespace="apart",service="test-gyre-front"\}\).* \+ 32$/);
    },
  ],
  [
    'metrics, dashboard and traces',
    {
      tokens,
      metrics: { serviceMonitor: { enabled: true, labels: { release: 'prometheus' } }, dashboard: { enabled: true } },
      networkPolicy: {
        metrics: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }],
      },
      tracing: { endpoint: 'http://otel-collector.monitoring:4318', ratio: 0.1 },
    },
    (find) => {
      assert.ok(find('ServiceMonitor', 'front') && find('ServiceMonitor', 'node'));
      assert.equal(JSON.parse(find('ConfigMap', 'dashboard').data['gyre.json']).uid, 'gyre');
      const { env } = find('StatefulSet', 'node').spec.template.spec.containers[0];
      assert.equal(env.find(({ name }) => name === 'OTEL_SERVICE_NAME').value, 'gyre-node');
    },
  ],
  [
    'every flag of a node',
    {
      tokens: { ...tokens, more: [{ token: 'o'.repeat(16), scope: 'operate' }] },
      node: {
        labels: { zone: 'a', gpu: 'no' },
        warmBrowsers: 2,
        warmDesktops: 1,
        maxMemory: '4G',
        maxCpus: '2',
        maxTtl: '3600',
        reach: ['example.org', '*.wikipedia.org'],
        extraArgs: ['--recordings', '8G'],
      },
    },
    (find) => {
      const args = argsOf(find('StatefulSet', 'node'));
      assert.match(args, /--label gpu=no,zone=a/);
      assert.match(args, /--max-memory 4G/);
      assert.match(args, /--reach example.org,\*.wikipedia.org/);
    },
  ],
  [
    'clients outside of the cluster',
    {
      tokens,
      front: {
        proxy: true,
        perToken: 64,
        place: 'pack',
        allowHosts: ['gyre.example'],
        service: { type: 'LoadBalancer', port: 80, annotations: { a: 'b' } },
      },
      networkPolicy: { clients: [{ ipBlock: { cidr: '0.0.0.0/0' } }] },
    },
    (find) => {
      const front = argsOf(find('Deployment', 'front'));
      assert.match(front, /--per-token 64 --proxy/);
      assert.match(front, /,gyre.example /);
      // Only fronts reach the nodes.
      assert.equal(find('NetworkPolicy', 'node').spec.ingress[0].from.length, 1);
    },
  ],
  [
    'workers',
    { tokens, worker: { enabled: true, replicas: 3, args: ['--family', 'click'], env: [{ name: 'A', value: 'b' }] } },
    (find) => {
      assert.match(argsOf(find('Deployment', 'worker')), /^worker --join .* --family click$/);
      assert.ok(find('NetworkPolicy', 'worker'));
    },
  ],
  [
    'an existing secret, without policies and budgets',
    {
      ...outside,
      tokens: { existingSecret: 'mine' },
      networkPolicy: { enabled: false },
      node: { podDisruptionBudget: { enabled: false } },
      front: { replicas: 1, podDisruptionBudget: { enabled: false } },
    },
    (find) => {
      assert.equal(find('Secret', 'tokens'), undefined);
      assert.equal(find('NetworkPolicy', 'node'), undefined);
    },
  ],
  [
    'ordinary and privileged nodes',
    {
      tokens,
      ...outside,
      image: { repository: 'registry.example/gyre', tag: 'v1', pullSecrets: ['login'] },
      node: {
        hostUsers: true,
        securityContext: { privileged: true, procMount: 'Default', allowPrivilegeEscalation: true },
      },
    },
    (find) =>
      assert.equal(find('StatefulSet', 'node').spec.template.spec.containers[0].image, 'registry.example/gyre:v1'),
  ],
];

/** Values that are refused, with a part of the message. */
export const refused = [
  ['no tokens', {}, 'tokens.admin is empty: set it, or tokens.existingSecret'],
  ['a short token', { tokens: { ...tokens, admin: 'short' } }, 'admin'],
  ['an unknown value', { tokens, node: { session: 8 } }, 'session'],
  ['an unknown kind', { tokens, node: { kind: 'ReplicaSet' } }, 'kind'],
  ['no NATS', { tokens, nats: { enabled: false } }, 'externalNats.servers is empty'],
  [
    'a DaemonSet that scales',
    { tokens, node: { kind: 'DaemonSet' }, autoscaling: { enabled: true } },
    'autoscaling.enabled needs node.kind=StatefulSet',
  ],
];

/** Values with all kinds of manifests. */
export const everything = {
  tokens,
  worker: { enabled: true },
  autoscaling: { enabled: true },
  metrics: { serviceMonitor: { enabled: true }, dashboard: { enabled: true } },
};
