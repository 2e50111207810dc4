export { Sandbox, type MachineLease, type SandboxLease, type SandboxOptions } from './lease/sandbox.js';
export type { SandboxSession } from './lease/sandboxSession.js';
export { kinds, type MachineKind, type SandboxKind } from './lease/kind.js';
export { Checkpoint } from './lease/checkpoint.js';
export { QuotaReached } from './lease/quotas.js';
export { endMachines, endMachinesNow } from './lease/shutdown.js';
export { SandboxEvent } from './events/event.js';
export type { SessionLogs } from './events/sessionLog.js';

export { browserOf, type BrowserSession, type BrowserSurface, type Screen, type Session } from './lease/session.js';
export { machineOf } from './lease/machineOf.js';
export type { SessionControl } from './lease/control.js';
export { type Frame, frameOf } from './recording/frame.js';
export type { Recording, RecordOptions } from './recording/recording.js';
export { findFfmpeg } from './recording/ffmpeg.js';
export { type HarRecording, recordHar } from './recording/har/recordHar.js';
export type { Har } from './recording/har/harLog.js';

export type { Machines, Sdk, SessionNeeds } from './environment/machines.js';
export { SessionEnvironment, type SessionEnvironmentOptions } from './environment/sessionEnvironment.js';
export type { Verifier } from './environment/verifier.js';

export { BrowserPool, type LeaseOptions, type PoolOptions } from './browser/pool.js';
export type { PageSource } from './browser/page.js';
export { findBrowser } from './browser/executable.js';
export { startBareContexts } from './browser/bare/bareContexts.js';
export { startBareLoop } from './browser/bare/bareLoop.js';

export { Desktop } from './desktop/desktop.js';
export type { DesktopWindow } from './desktop/windows.js';
export { openBareDesktop } from './desktop/bareDesktop.js';
export { missingForDesktop, type Requirement } from './desktop/requirement.js';
export { type Key, hotkeyOf, keyNamed } from './input/keys.js';
export { ScreenSize } from './input/screenSize.js';

export { Vm } from './vm/vm.js';
export { missingForVm, qemuVersion } from './vm/requirement.js';
export { probeVmAcceleration, type VmAcceleration } from './vm/kvm.js';
export { pixelAt } from './browser/viewport.js';
export { Phone } from './phone/phone.js';
export { listPhones } from './phone/phones.js';
export { adbIsInstalled } from './phone/adbServer.js';
export { Remote } from './foreign/driven/remote.js';

export { Shell } from './shell/shell.js';
export type { RunOptions, RunResult } from './shell/run.js';
export type { Job } from './shell/job.js';
export type { Terminal } from './shell/terminal.js';
export type { ConsoleResult, ShellConsole } from './shell/console.js';
export { shortenText } from './shell/shortened.js';
export { programText } from './shell/programText.js';
export { Files } from './files/files.js';
export type { FileEntry } from './files/entry.js';
export { Tools } from './tools/tools.js';
export type { Tool, ToolContent, ToolResult, ToolServer, ToolServerTerms } from './tools/tool.js';
export { serveMcp } from './tools/serveMcp.js';

export { createEnclosure, type Isolation, isolations, probeIsolation } from './isolation/createEnclosure.js';
export type { Enclosure, EnclosureHold } from './isolation/enclosure.js';
export { collectOrphans } from './isolation/sessionDirectory.js';
export { hostConfinement, hostWeakness, onWeakness, weaknessOf } from './isolation/browser/confinement.js';
export { endToEndHeaders } from './isolation/endToEnd.js';
export { unpackImage, type UnpackOptions } from './isolation/unpackImage.js';
export { isOutsideAddress } from './isolation/outsideAddress.js';

export { serveSandbox, type SandboxServer, type ServerOptions } from './server/server.js';
export { type AccessToken, AccessTokens, isTokenProtocol, type TokenScope, tokenScopes } from './server/tokens.js';
export type { Leases } from './server/leases.js';
export { ServerAccess, type ServerAccessOptions } from './server/access/access.js';
export { delegatedHeaders, Delegation, ownerName } from './server/access/delegation.js';
export { apiServer, type ApiServerOptions } from './server/apiServer.js';
export { createServe, fastifyRoute, type RequestTo } from './server/serve.js';
export { type ProxyTarget, proxyRequest, proxyUpgrade } from './server/reverseProxy.js';
export { sessionInfo } from './server/sessionRoutes.js';
export { checkWait, WaitingLine } from './lease/waitingLine.js';
export { routes } from './wire/routes.js';
export type { Route } from './wire/route.js';
export { Failure } from './wire/failure.js';
export { Labels, LeaseRequest } from './wire/lease.js';
export { SessionInfo } from './wire/session.js';
export { guardedServer, listen } from './server/access/guardedServer.js';
export { errorReply, HttpRefusal, withoutHostPaths } from './server/failures.js';
export { readRoots, readVmImages } from './server/images.js';
export { SandboxClient } from './client/client.js';
export type { ClientSession } from './client/clientSession.js';
export type { ClientOptions } from './client/link.js';

export { type CompatProtocol, compatTerms, serveCompat } from './server/compatServer.js';
export { osworldHandler } from './foreign/osworld/server.js';
export { aioHandler } from './foreign/aio/server.js';
export type { CompatMachine } from './foreign/served/machine.js';
