export type { CdpEndpoint, CdpOptions } from './browser/cdp/endpoint.js';
export {
  SandboxClient,
  type ClientFiles,
  type ClientOptions,
  type ClientSession,
  type ClientShell,
} from './client/client.js';
export { Checkpoint, type CheckpointOptions } from './lease/checkpoint.js';
export type { ClientDesktop } from './client/clientDesktop.js';
export type { ClientPhone, ClientRemote } from './client/clientDevice.js';
export type { ClientTools } from './client/clientTools.js';
export type { ClientRecording, ClientRecordOptions } from './client/clientRecording.js';
export {
  hostConfinement,
  hostWeakness,
  onWeakness,
  weaknessOf,
  type Confinement,
  type Weakness,
} from './isolation/browser/confinement.js';
export { startBareContexts } from './browser/bare/bareContexts.js';
export { startBareLoop, type BareLoop } from './browser/bare/bareLoop.js';
export type { Box } from './input/box.js';
export { aioHandler, type AioMachine } from './foreign/aio/server.js';
export type {
  CompatDesktop,
  CompatFiles,
  CompatMachine,
  CompatNode,
  CompatRun,
  CompatShell,
  CompatWindow,
} from './foreign/served/machine.js';
export { osworldHandler } from './foreign/osworld/server.js';
export type { CompatAnswer, CompatHandler, CompatRequest } from './foreign/served/request.js';
export type { AccessibleNode, AccessibleProgram } from './desktop/accessibility.js';
export { openBareDesktop, type BareDesktop } from './desktop/bareDesktop.js';
export { Desktop, type DesktopOptions } from './desktop/desktop.js';
export type { Program } from './desktop/programs.js';
export { missingForDesktop, type Requirement } from './desktop/requirement.js';
export type { DesktopWindow } from './desktop/windows.js';
export { wineDesktop, type WineOptions } from './desktop/wine.js';
export type { Control, Takeover } from './lease/control.js';
export type { DeviceEntry, DeviceFiles, DeviceRunOptions, DeviceShell } from './lease/device/device.js';
export type { RemoteTerms } from './lease/device/remoteDevice.js';
export type { PhoneTerms } from './lease/device/phoneDevice.js';
export type { DeviceSession, PhoneSession, RemoteSession } from './lease/device/deviceSession.js';
export type { DeviceKind, MachineKind, SandboxKind } from './lease/kind.js';
export { machineOf } from './lease/machineOf.js';
export { EndReason, SandboxEvent } from './events/event.js';
export type { EventsOptions } from './events/eventStream.js';
export { findBrowser, type Executable } from './browser/executable.js';
export type { Edit } from './files/edit.js';
export type { Entry } from './files/entry.js';
export { Files, type FilesOptions, type Listing } from './files/files.js';
export type { Match, SearchQuery, SearchResult } from './files/search.js';
export type { BinaryFile, TextFile } from './files/text.js';
export type { Change, Watch, WatchOptions } from './files/watch.js';
export { findFfmpeg, type VideoFormat } from './recording/ffmpeg.js';
export type { Clock, Network } from './browser/flags.js';
export { type Frame, frameOf } from './recording/frame.js';
export type { FramesOptions } from './recording/frameFeed.js';
export type { PageSource } from './browser/page.js';
export { adbIsInstalled, type AdbServerOptions } from './phone/adbServer.js';
export type { PhoneApp } from './phone/apps.js';
export type { PhoneFile, PhoneRunOptions, PhoneRunResult } from './phone/link.js';
export { Phone, type PhoneOptions } from './phone/phone.js';
export { phones, type ListedPhone } from './phone/phones.js';
export type { Capture, Geometry, Rotation } from './phone/screen.js';
export type { PhoneNode } from './phone/tree.js';
export type { RecordOptions, Recording } from './recording/recording.js';
export { BrowserPool, type LeaseOptions, type PoolOptions } from './browser/pool.js';
export type { MachineLimits, Maxima, Totals } from './lease/maxima.js';
export { ScreenSize } from './input/screenSize.js';
export { type LentDevice, type QuotaLimits, QuotaReached, type WaitOptions } from './lease/quotas.js';
export { Remote, remoteProtocols, type RemoteOptions, type RemoteProtocol } from './foreign/driven/remote.js';
export type { RemoteAccessibility, RemoteEntry, RemoteRun } from './foreign/driven/driver.js';
export { LogEntry, LogSource, SessionLogs } from './events/sessionLog.js';
export {
  type BrowserSession,
  type BrowserSurface,
  type EvaluateOptions,
  type Screen,
  type Session,
  browserOf,
} from './lease/session.js';
export type { Machines, Sdk, SessionNeeds } from './environment/machines.js';
export { SessionEnvironment, type SessionEnvironmentOptions } from './environment/sessionEnvironment.js';
export type { Verifier } from './environment/verifier.js';
export type { Settle } from './browser/tab/settle.js';
export { programText } from './shell/programText.js';
export type { ChildOptions, Ending } from './shell/child.js';
export type { Console, Executed, ExecuteOptions } from './shell/console.js';
export type { Job, JobOptions } from './shell/job.js';
export type { RunOptions, RunResult } from './shell/run.js';
export type { TerminalScreen, TerminalSize } from './shell/screen.js';
export { Shell, type ShellOptions } from './shell/shell.js';
export { shortened, type Shortened } from './shell/shortened.js';
export type { Terminal, TerminalOptions, Until, Waited } from './shell/terminal.js';
export { type MachineState, type SessionState, transitions } from './lease/state.js';
export type { WarmPoolStats } from './lease/warmPool.js';
export type { WarmTerms } from './lease/warmTerms.js';
export {
  createEnclosure,
  isolations,
  probeIsolation,
  type EnclosureOptions,
  type Isolation,
} from './isolation/createEnclosure.js';
export type { Command, CommandOptions, Enclosure, Hold, Limits } from './isolation/enclosure.js';
export { forward } from './isolation/forward.js';
export type { Outside } from './isolation/outsideProxy.js';
export { collectOrphans } from './isolation/sessionDirectory.js';
export { probeAcceleration, type Acceleration } from './vm/kvm.js';
export { missingForVm, qemuVersion } from './vm/requirement.js';
export { Vm, type VmOptions } from './vm/vm.js';
export {
  Sandbox,
  type AnySession,
  type LeaseTime,
  type MachineLease,
  type PhoneLease,
  type RemoteLease,
  type RestoreOptions,
  type SandboxLease,
  type SandboxOptions,
  type WarmState,
} from './lease/sandbox.js';
export { endNow, shutDown } from './lease/shutdown.js';
export type { SandboxSession } from './lease/sandboxSession.js';
export type { HomeFile, HomeFiles } from './files/homeFiles.js';
export type { MachineTerms } from './lease/machineTerms.js';
export { type Images, readImages } from './server/images.js';
export { Access, type AccessOptions, type ClassifiedRoute, type RouteAccess } from './server/access/access.js';
export { guardedServer, type GuardedServerOptions } from './server/access/guardedServer.js';
export { isLoopback } from './server/access/requestSource.js';
export { endToEnd } from './isolation/endToEnd.js';
export { isOutside } from './isolation/outsideAddress.js';
export { Refusal, withoutPaths } from './server/failures.js';
export { serveSandbox, type SandboxServer, type ServerOptions } from './server/server.js';
export { scopes, type Scope, type Token, Tokens } from './server/tokens.js';
export {
  compatProtocols,
  compatTerms,
  serveCompat,
  type CompatProtocol,
  type CompatServerOptions,
} from './server/compatServer.js';
export { serveMcp, type McpOptions } from './tools/serveMcp.js';
export type { Tool, ToolCallOptions, ToolContent, ToolResult, ToolServer, ToolServerTerms } from './tools/tool.js';
export { Tools, type ToolsOptions } from './tools/tools.js';
