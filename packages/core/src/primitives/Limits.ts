/**
 * Every bound of Pawl, by name, with its unit in the name and its source beside it.
 * "Specification" is the table "Limits" of the specification; "decisions" are Pawl's own choices.
 */
const KiB = 1024
const MiB = 1024 * KiB
const second = 1000
const minute = 60 * second

export const Limits = {
  // Hosts (specification)
  labelLength: 50,
  previewIdLength: 8,
  versionDigits: 7,
  /** Of a `Host` header: 253 characters of a name (RFC 1035), a dot, and a port. */
  hostLength: 260,
  pointerCacheMs: 10 * second,

  // Router (decisions: what one process may keep in memory, and for how long a source may keep it waiting)
  pointerCacheEntries: 10_000,
  pointerLookupMs: 5 * second,
  objectReadMs: 10 * second,
  routerBundles: 500,
  routerAssetCacheBytes: 64 * MiB,
  /** Characters of paths and rules of a bundle that count as one more of `routerBundles`. */
  routerBundleLength: 64 * KiB,
  /** Paths of a bundle for which it is remembered which of its header rules fit. */
  routerRulePaths: 256,
  /** Assets read from the object store at once; each is at most `buildAssetBytes`. */
  routerAssetReads: 32,
  requestHeaderBytes: 16 * KiB,
  /** The path and query of a request; RFC 9110 asks for 8,000 at least. */
  requestTargetBytes: 8 * KiB,
  requestHeadersMs: 15 * second,
  /** A whole request, its body too. */
  requestMs: 5 * minute,
  connectionIdleMs: 65 * second,

  // Projects and files (decisions)
  slugLength: 50,
  projectNameLength: 100,
  sourceEntries: 10_000,
  sourceFileBytes: 10 * MiB,
  sourceTotalBytes: 64 * MiB,
  pathLength: 1024,
  pathSegmentBytes: 255,
  /** Paths that a reason names, and that a Candidate keeps as its conflicts; the rest is counted. */
  pathsNamed: 50,
  /** What one diff may take as text. */
  diffBytes: 32 * MiB,

  // Objects (S3's own bounds)
  objectKeyBytes: 1024,
  objectListLimit: 1000,
  /** Pieces that an object is streamed in (decision). */
  objectChunkBytes: 64 * KiB,

  // git (decisions)
  /** Long-lived `cat-file` readers at once, and how long an idle one stays. */
  gitReaders: 32,
  gitReaderIdleMs: 30 * second,
  /** The longest that one git process may run, or one answer of a reader may take. */
  gitTimeoutMs: 2 * minute,
  /** Trees remembered as within bounds. */
  gitKnownTrees: 10_000,
  /** Packs in a canonical repository before they are rolled up. */
  gitPacks: 32,
  /** What git may say on standard error before the rest is dropped. */
  gitErrorBytes: 16 * KiB,
  /** What one listing of a tree may take as text: `sourceEntries` of the longest paths. */
  gitListingBytes: 32 * MiB,

  // git over HTTP (decisions: a push is bounded as the files of one API call are)
  /** A push as it is sent, and what its objects come to when they are unpacked. */
  gitPushBytes: 10 * MiB,
  gitPushUnpackedBytes: 64 * MiB,
  gitPushObjects: 20_000,
  /** Commits of a push that are looked through for the ChangeSet that it goes on from. */
  gitPushCommits: 10_000,
  /** How much of a push that is too large is read on, so that its sender is told so. */
  gitDiscardBytes: 64 * MiB,
  /** What a clone or a fetch may ask in one request. */
  gitFetchBytes: 1 * MiB,
  /** How long one answer to a clone or a fetch may take. */
  gitServeMs: 5 * minute,
  /** The largest piece of memory that git may take at once for a push. */
  gitPushAllocationBytes: 64 * MiB,
  /** Requests that are worked on at once: of one caller, and of all. */
  gitRequestsPerCaller: 4,
  gitRequestsAtOnce: 16,
  /** The newest ChangeSets of a Project, out of which a fetch is shown the caller's own. */
  gitChangeSetsShown: 50,

  // Builds (specification)
  buildSourceFiles: 400,
  buildSourceBytes: 8 * MiB,
  buildModuleBytes: 10 * MiB,
  buildAssets: 500,
  buildAssetBytes: 5 * MiB,
  buildsPerDay: 60,
  /** Wall time of one build (decision: an honest build of 400 files takes under a second). */
  buildTimeoutMs: 60 * second,
  /** Builds that run at one time on a machine; others wait (decision). */
  buildsAtOnce: 2,
  /** Finished builds whose result is kept for a caller that has not cancelled them yet (decision). */
  buildResultsKept: 8,
  /** JavaScript heap of the process of one build (decision). */
  buildHeapBytes: 512 * MiB,
  /** All data of each process of one build; esbuild takes about 50 times the source (decision). */
  buildMemoryBytes: 1536 * MiB,
  /** Problems and warnings told of one build (decision). */
  buildProblems: 50,
  /** A larger file is looked through for real login without being parsed (decision). */
  buildAuthParseCharacters: MiB,
  /** A module up to this size stands in bundle.json itself, a larger one is an object of its own (decision). */
  bundleInlineBytes: 256 * KiB,
  /** Rules of a `_headers` file, of a `_redirects` file, and a line of either (Cloudflare's own bounds). */
  assetHeaderRules: 100,
  assetRedirectsStatic: 2000,
  assetRedirectsDynamic: 100,
  assetRuleLineLength: 2000,
  /** Patterns of `run_worker_first`, and each of them (Cloudflare's own bounds). */
  workerFirstRules: 100,
  workerFirstRuleLength: 100,
  /** Placeholders in one pattern of a rule (decision). */
  assetRulePlaceholders: 16,
  /** A `_headers`, `_redirects` or `.assetsignore` file: routers keep the first two in memory (decision). */
  assetRulesBytes: 256 * KiB,
  /** Comparisons of characters that an `.assetsignore` may take for all files (decision: well under a second). */
  assetsIgnoreSteps: 20_000_000,
  /** A wrangler file (decision). */
  appSettingsBytes: 64 * KiB,

  // Apps (specification; wall time, memory and start-up are decisions)
  appCpuMs: 50,
  /** Until a process has its app running; then of its first request, which compiles what it calls. */
  appColdCpuMs: 1000,
  appFirstCpuMs: 150,
  appSubrequests: 20,
  appMemoryBytes: 192 * MiB,
  /** A process that holds this much makes way for a fresh one between two requests. */
  appHeavyBytes: 128 * MiB,
  /** One that came to it within so few requests counts as one that died. */
  appHeavyRequests: 3,
  appWallMs: 30 * second,
  appStartMs: 5 * second,
  // App processes (decisions: one process is about 10 MiB of its own and serves one request at a time)
  appProcesses: 128,
  /** The share of those that is kept for apps that have none yet: apps with many visitors do not take the last. */
  appProcessesKept: 0.25,
  appWarmHosts: 2,
  appReplicas: 4,
  /** When requests have been waiting this long without a break, the app is started once more beside itself. */
  appReplicaAfterMs: 25,
  appQueue: 128,
  appQueueWaitMs: 5 * second,
  appIdleMs: 5 * minute,
  /** How often a process is looked at while it serves, and while it does not. */
  appWatchMs: 4,
  appWatchIdleMs: 64,
  /** How often an app may die in a row, and how long until it is owed another start. */
  appCrashBurst: 5,
  appCrashRefillMs: 10 * second,
  /** Answers of known length up to this are awaited whole, so that what breaks off is a failure and not half an answer. */
  appHeldBodyBytes: 64 * KiB,
  // Slow visitors (decisions: what a process does for one is bounded; what is beyond is cut off)
  /** Of a request's body that is longer than `appLongUploadBytes`, or of unknown length, this much is held before a process is asked for. */
  appHeldUploadBytes: 1 * MiB,
  /** One of known length up to this is held whole. All that is held together takes at most `appUploadsBytes`. */
  appLongUploadBytes: 16 * MiB,
  appUploadsBytes: 128 * MiB,
  /** How long a longer body, or one of unknown length, is held before a process is asked for. */
  appUploadHoldMs: 1 * second,
  /** Of one answer, what the visitor has not read yet; and of all, after which each keeps only `appHeldBodyBytes`. */
  appBodyBytes: 8 * MiB,
  appBodiesBytes: 128 * MiB,
  /** How long an answer that is kept to the brim waits for its visitor, and in which time an upload must bring `appStallBytes`. */
  appStallMs: 5 * second,
  appStallBytes: 16 * KiB,
  /** How long a process may have waited for its visitor when others wait for it. Below: the body of one answer. */
  appVisitorMs: 500,
  appResponseBytes: 512 * MiB,
  appHeaderBytes: 64 * KiB,
  /** How much of what an app threw is kept as the reason. */
  appReasonLength: 500,
  /** Versions whose state is remembered without a process. */
  appVersionsKnown: 1000,
  appDataKeyLength: 512,
  appDataValueBytes: 128 * KiB,
  appDataKeys: 10_000,
  appDataListLimit: 1000,
  /** What an app printed (specification: the last 1,000 lines; the others are decisions). */
  appLogLines: 1000,
  /** A line in UTF-8; what is longer is cut and says so. */
  appLogLineBytes: 4 * KiB,
  /** Taken of one app within a second, whatever it prints; the rest is counted. */
  appLogLinesPerSecond: 100,
  appLogBytesPerSecond: 64 * KiB,
  /** Read of one process within a second; beyond, what it prints waits in its pipe, and so does the app. */
  appLogReadBytesPerSecond: 1 * MiB,
  /** Lines of all apps that wait for the database; the rest is counted. */
  appLogWaitingLines: 4000,
  /** How long lines wait for each other before they are stored, and how many are stored at once. */
  appLogFlushMs: 250,
  appLogBatchLines: 100,
  appLogStoreMs: 5 * second,
  /** Requests turned away for one reason are told together, once in this time. */
  appLogRefusalsMs: 10 * second,

  // Changes and Candidates (specification)
  candidatesPerChange: 3,
  recompositions: 2,
  previewsPerChange: 3,
  tasksPerChange: 12,
  activeAgentsPerChange: 8,
  activeSandboxesPerChange: 4,
  attemptsPerTier: 2,
  budgetMaxUsd: 100,
  goalLength: 10_000,
  messageLength: 10_000,
  /** Of a planned Task (decision). */
  taskTitleLength: 200,
  taskInstructionsLength: 20_000,
  taskWrites: 100,
  /** How often it is looked whether a run is still wanted while its agent works (decision: a cancel saves what it can). */
  agentWatchMs: 5 * second,
  /** Intents that an agent may declare of one ChangeSet, and those that its event names (decision). */
  intentsPerChangeSet: 2_000,
  intentsPerEvent: 100,
  clientRequestIdLength: 200,
  changeSetFiles: 2_000,
  /** Of the files, and of the intents, that a ChangeSet's record holds; the whole of a longer list is an object (decision). */
  changeSetListBytes: 128 * KiB,
  changeSetsPerCandidate: 64,

  // Checks (decisions)
  checksPerPlan: 32,
  checkTimeoutMs: 5 * minute,
  checkTimeoutMaxMs: 15 * minute,
  checkCommandLength: 4_000,
  checkOutputBytes: 1 * MiB,
  checkMemoryBytes: 1024 * MiB,
  checkDiskBytes: 512 * MiB,
  checkProcesses: 256,
  checkCpuSeconds: 600,
  /** A check that could not run is tried twice more before the gate sees a gap. */
  checkGapAttempts: 3,

  // Sandbox (the time of a month is the specification's, per environment; the others are decisions)
  sandboxMsPerMonth: 5 * 60 * minute,
  /** How often a job's CPU time is read, and its memory where no cgroup keeps it. */
  sandboxWatchMs: 50,
  /** How long a killed sandbox may take until nothing of it is left. */
  sandboxEndMs: 10 * second,
  /** Wall time of one run of the battery that proves an isolation. */
  sandboxProofMs: 10 * second,
  /** Of what a sandbox that did not start has to say. */
  sandboxDiagnosisBytes: 4 * KiB,

  // Probes (specification; the time one probe may take is a decision)
  probesPerProject: 20,
  addedRouteProbes: 2,
  probeRetryMs: 20 * second,
  probeTimeoutMs: 10 * second,
  probeBodyBytes: 1 * MiB,

  // Releases (specification)
  releaseStuckAfterMs: 45 * minute,
  // Builds of a release target are asked for at these waits (specification)
  buildPollFirstMs: 15 * second,
  buildPollSecondMs: 30 * second,
  buildPollMs: 60 * second,
  buildPollForMs: 15 * minute,
  // Then its newest deployment must be of that build (decisions: the specification says "after retries")
  deploymentConfirmMs: 15 * second,
  deploymentConfirmForMs: 3 * minute,
  /** One request to a build service (decision). */
  buildServiceTimeoutMs: 30 * second,
  /** The longest that a build service's `Retry-After` is taken at its word (decision). */
  buildServiceRetryMaxMs: 5 * minute,
  buildServiceBodyBytes: 4 * MiB,
  buildServicePageSize: 50,
  /** Pages of builds that are looked through for a commit, newest first (decision). */
  buildServicePages: 3,
  releaseTargetNameLength: 63,
  releaseTargetTagLength: 64,
  releaseTargetUrlLength: 300,

  // Commands (specification: 1 to 5 retries; leases and backoff are decisions)
  commandAttempts: 4,
  commandLeaseMs: 30 * second,
  commandBackoffMs: 1 * second,
  commandBackoffMaxMs: 5 * minute,
  /** Commands that one process works on at a time (decision: this is what two cores carry). */
  workerConcurrency: 4,
  /** How long a stopping server lets requests end; all of it must be over within 10 s (decisions, "Running it"). */
  drainMs: 5 * second,
  /** When a stopping server leaves whatever still hangs (same source). */
  stopMs: 9 * second,
  /** How often a decision is taken anew after a Conflict before it gives up. */
  commitAttempts: 20,
  commitRows: 500,
  commitBytes: 4 * MiB,
  /** How long a repeated commit key is recognised (decision: far longer than any retry). */
  commitKeyDays: 30,
  /** How often a store looks for what other processes committed (decision: events within a second). */
  storePollMs: 500,

  // Events and webhooks (decisions)
  /** Tries of one event by a consumer group before it is left behind and the group goes on. */
  consumerAttempts: 5,
  /** Events whose effects share one commit. */
  consumerBatch: 100,
  /** How long a consumer may take to decide on one event. */
  consumerDecideMs: 30 * second,
  webhooksPerProject: 20,
  webhookUrlLength: 2048,
  /** Standard Webhooks asks for 24 to 64. */
  webhookSecretBytes: 32,
  /** Tries of one delivery (specification: 1 to 5 retries). */
  webhookAttempts: 5,
  webhookTimeoutMs: 15 * second,
  /** Of the receiver's answer; the rest is not read. */
  webhookAnswerBytes: 64 * KiB,
  /** After this a delivery that never ended is not waited for: longer than all its tries, pauses and leases. */
  webhookDeliveryMs: 5 * minute,
  /** Deliveries that one process makes at a time, beside its other work. */
  webhooksAtOnce: 8,
  /** Names that one process looks up at a time: a name server that hangs holds a thread that files need too. */
  webhookLookups: 2,

  // API (decisions)
  bodyBytes: 1 * MiB,
  sourceBodyBytes: 10 * MiB,
  requestsPerMinute: 600,
  pageSize: 100,
  eventsPageSize: 100,
  retentionDaysEvents: 365,
  /** The span that `requestsPerMinute` counts in. */
  rateWindowMs: minute,
  /** Callers whose requests are counted at once; beyond, the longest quiet ones are forgotten. */
  rateCallers: 10_000,
  /** Of one evidence row's output in a list of evidence; the whole is at `/v1/evidence/:id/output`. */
  evidenceOutputBytes: 64 * KiB,
  /** An open event stream says so this often when there is nothing to tell, and looks whether its reader may still read. */
  eventHeartbeatMs: 15 * second,
  eventStreamsPerCaller: 20,
  /** Of the end of one check's output in an answer to `why`. */
  whyOutputBytes: 4 * KiB,
  /** Differences, and notes, that one audit's report holds. */
  auditFindings: 500,
  /** How often an audit looks before a difference counts: others write while it reads. */
  auditLooks: 3,
  /** Pairs of an old and a new name that an audit tries where a merge by path does not hold. */
  auditMoves: 1000,
  /** Places that an audit tries when it reads a merged text beside those it was made of. */
  auditLineSteps: 100_000,
  tokenNameLength: 100,
  tokenBytes: 32,
  tokensPerUser: 100,
  userNameLength: 100,
  organizationNameLength: 100,
  /** Of one Project, and of one organization. */
  membersPerList: 200,
  /** How long a preview lives (specification, retention). */
  previewDays: 7,

  // Telemetry (decisions: spans that wait beyond the first bound are dropped and counted)
  spansWaiting: 10_000,
  spansAtOnce: 500,
  spansEveryMs: 2 * second,
  /** How long a collector may take for one batch, and how long it is waited for at the end. */
  spanSendMs: 10 * second,
  spanFlushMs: 2 * second,
  /** The longest pause before a collector that did not answer is asked again. */
  spanRetryMs: 1 * minute,
  /** How old queue depth and event lag may be that a scrape is told. */
  backlogAgeMs: 5 * second,
  backlogReadMs: 5 * second,

  // Upkeep (specification, "Scheduling" and "Retention")
  /** How long forks stay after completion, by environment. */
  forkDaysDevelopment: 7,
  forkDaysProduction: 30,
  /** Production: `retentionDaysEvents`. */
  eventDaysDevelopment: 30,
  /** In production evidence stays for ever. */
  evidenceDaysDevelopment: 30,
  temporaryDays: 7,
  /** Forks that one message of a cleanup or a sweep deletes. */
  sweepRepositories: 20,
  /** Pages of forks that stay for now that one message looks at, before it makes room for other work (decision). */
  sweepPages: 50,
  /** Open Changes that one message of a cleanup cancels, before anything is deleted (decision). */
  changesPerCleanup: 20,
  /** Archived Projects with leftovers that one tick looks after. */
  cleanupsPerTick: 10,
  /** How long what serves waits while an app that was removed is being cleaned away (decision). */
  removalWaitMs: 1 * second
} as const
