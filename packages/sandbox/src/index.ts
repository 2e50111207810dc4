export type { CdpEndpoint, CdpOptions } from './cdp/endpoint.js';
export { SandboxClient, type ClientFiles, type ClientOptions, type ClientSession, type ClientShell } from './client.js';
export { Checkpoint, type CheckpointOptions } from './checkpoint.js';
export type { ClientDesktop } from './clientDesktop.js';
export type { ClientPhone, ClientRemote } from './clientDevice.js';
export type { ClientTools } from './clientTools.js';
export type { ClientRecording, ClientRecordOptions } from './clientRecording.js';
export {
  hostConfinement,
  hostWeakness,
  onWeakness,
  weaknessOf,
  type Confinement,
  type Weakness,
} from './confinement.js';
export { startBareContexts } from './bareContexts.js';
export { startBareLoop, type BareLoop } from './bareLoop.js';
export type { Box } from './box.js';
export { aioHandler, type AioMachine } from './compat/aio.js';
export type {
  CompatDesktop,
  CompatFiles,
  CompatMachine,
  CompatNode,
  CompatRun,
  CompatShell,
  CompatWindow,
} from './compat/machine.js';
export { osworldHandler } from './compat/osworld.js';
export type { CompatAnswer, CompatHandler, CompatRequest } from './compat/request.js';
export type { AccessibleNode, AccessibleProgram } from './desktop/accessibility.js';
export { openBareDesktop, type BareDesktop } from './desktop/bareDesktop.js';
export { Desktop, type DesktopOptions } from './desktop/desktop.js';
export type { Program } from './desktop/programs.js';
export { missingForDesktop, type Requirement } from './desktop/requirement.js';
export type { DesktopWindow } from './desktop/windows.js';
export { wineDesktop, type WineOptions } from './desktop/wine.js';
export type { Control, Takeover } from './control.js';
export type { DeviceEntry, DeviceFiles, DeviceRunOptions, DeviceShell } from './device/device.js';
export type { RemoteTerms } from './device/remoteDevice.js';
export type { PhoneTerms } from './device/phoneDevice.js';
export type { DeviceSession, PhoneSession, RemoteSession } from './device/deviceSession.js';
export type { DeviceKind, MachineKind, SandboxKind } from './kind.js';
export { machineOf } from './machineOf.js';
export { EndReason, SandboxEvent } from './event.js';
export type { EventsOptions } from './eventStream.js';
export { findBrowser, type Executable } from './executable.js';
export type { Edit } from './files/edit.js';
export type { Entry } from './files/entry.js';
export { Files, type FilesOptions, type Listing } from './files/files.js';
export type { Match, SearchQuery, SearchResult } from './files/search.js';
export type { BinaryFile, TextFile } from './files/text.js';
export type { Change, Watch, WatchOptions } from './files/watch.js';
export { findFfmpeg, type VideoFormat } from './ffmpeg.js';
export type { Clock, Network } from './flags.js';
export { type Frame, frameOf } from './frame.js';
export type { FramesOptions } from './frameFeed.js';
export type { PageSource } from './page.js';
export { adbIsInstalled, type AdbServerOptions } from './phone/adbServer.js';
export type { PhoneApp } from './phone/apps.js';
export type { PhoneFile, PhoneRunOptions, PhoneRunResult } from './phone/link.js';
export { Phone, type PhoneOptions } from './phone/phone.js';
export { phones, type ListedPhone } from './phone/phones.js';
export type { Capture, Geometry, Rotation } from './phone/screen.js';
export type { PhoneNode } from './phone/tree.js';
export type { RecordOptions, Recording } from './recording.js';
export { BrowserPool, type LeaseOptions, type PoolOptions } from './pool.js';
export type { MachineLimits, Maxima, Totals } from './maxima.js';
export { ScreenSize } from './screenSize.js';
export { type LentDevice, type QuotaLimits, QuotaReached, type WaitOptions } from './quotas.js';
export { Remote, remoteProtocols, type RemoteOptions, type RemoteProtocol } from './remote/remote.js';
export type { RemoteAccessibility, RemoteEntry, RemoteRun } from './remote/server.js';
export { LogEntry, LogSource, SessionLogs } from './sessionLog.js';
export {
  type BrowserSession,
  type BrowserSurface,
  type EvaluateOptions,
  type Screen,
  type Session,
  browserOf,
} from './session.js';
export type { Settle } from './settle.js';
export type { ChildOptions, Ending } from './shell/child.js';
export type { Console, Executed, ExecuteOptions } from './shell/console.js';
export type { Job, JobOptions } from './shell/job.js';
export type { RunOptions, RunResult } from './shell/run.js';
export type { TerminalScreen, TerminalSize } from './shell/screen.js';
export { Shell, type ShellOptions } from './shell/shell.js';
export { shortened, type Shortened } from './shell/shortened.js';
export type { Terminal, TerminalOptions, Until, Waited } from './shell/terminal.js';
export { type MachineState, type SessionState, transitions } from './state.js';
export type { WarmPoolStats } from './warmPool.js';
export type { WarmTerms } from './warmTerms.js';
export {
  createEnclosure,
  isolations,
  probeIsolation,
  type EnclosureOptions,
  type Isolation,
} from './enclosure/createEnclosure.js';
export type { Command, CommandOptions, Enclosure, Hold, Limits } from './enclosure/enclosure.js';
export { forward } from './enclosure/forward.js';
export type { Outside } from './enclosure/outsideProxy.js';
export { collectOrphans } from './enclosure/sessionDirectory.js';
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
} from './sandbox.js';
export { endNow, shutDown } from './shutdown.js';
export type { SandboxSession } from './sandboxSession.js';
export type { HomeFile, HomeFiles } from './homeFiles.js';
export type { MachineTerms } from './machineTerms.js';
export { type Images, readImages } from './server/images.js';
export { Access, type AccessOptions, type ClassifiedRoute, type RouteAccess } from './access/access.js';
export { guardedServer, type GuardedServerOptions } from './access/guardedServer.js';
export { isLoopback } from './access/requestSource.js';
export { endToEnd } from './enclosure/endToEnd.js';
export { isOutside } from './enclosure/outsideAddress.js';
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
