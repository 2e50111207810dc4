/** Values with which the chart is rendered and validated, by name. */
export const cases = {
  defaults: [],
  'all parts': [
    ...['monitoring.serviceMonitors=true', 'monitoring.dashboard=true', 'monitoring.traces=http://collector:4318'],
    ...['autoscaling.enabled=true', 'worker.enabled=true', 'worker.store=s3://runs/one'],
    ...['natsCredsSecret=nats', 'front.perToken=64', 'front.proxy=true', 'front.hosts={gyre.example}'],
    ...['node.labels.zone=a', 'node.reach={example.org}', 'image.pullSecrets={registry}'],
  ],
  'an autoscaler without KEDA': ['autoscaling.enabled=true', 'autoscaling.by=hpa'],
  'a DaemonSet as root': ['node.kind=DaemonSet', 'node.privileges=root', 'node.nodeSelector.gyre=yes'],
  privileged: ['node.privileges=privileged', 'node.userNamespace=false'],
  'no user namespace, a seccomp profile': ['node.userNamespace=false', 'node.seccompProfile=gyre.json'],
  'no policies or budgets': ['networkPolicy.enabled=false', 'disruption.enabled=false'],
  'no internet, a share of nodes away': ['networkPolicy.internet=false', 'disruption.nodes=20%'],
  'IPv6 and a load balancer': ['listen=::', 'front.serviceType=LoadBalancer', 'monitoring.serviceMonitors=true'],
};

/** Values that Helm must refuse, with a part of its message. */
export const refused = {
  'replica=3': "'replica' not allowed",
  'front.place=random': "'/front/place'",
  'node.sessions=many': "'/node/sessions'",
  'node.kind=DaemonSet,autoscaling.enabled=true': 'a DaemonSet has no replicas',
  'tokensSecret=': 'tokensSecret: name the Secret',
  'worker.enabled=true': 'worker.store: name the place',
  'natsUrl=': 'natsUrl: name the NATS servers',
};

/** Versions of Kubernetes: the oldest with user namespaces by default, and the newest whose schemas are known. */
export const versions = ['1.33.0', '1.37.0'];

/** Fields of a Deployment, a ScaledObject and a ServiceMonitor, misspelt as the schemas must refuse. */
export const misspellings = { hostUsers: 'hostUser', maxReplicaCount: 'maxReplicasCount', endpoints: 'endpoint' };
