/**
 * Every bound of this package, by name, with its unit in the name and its source beside it. Those that others share stand
 * in core's `Limits`. "Specification" is the table "Limits" of the specification; "decisions" are Pawl's own choices.
 */
import { PackLimits } from "./PackLimits.ts"
import { PriorityLimits } from "./PriorityLimits.ts"

const KiB = 1024
const MiB = 1024 * KiB
const second = 1000
const minute = 60 * second

/** The bounds themselves; `…Ms` are milliseconds, `…Bytes` bytes, what has no unit is a count. */
export const LocalLimits = {
  // Projects and files (decisions)
  /** What one diff may take as text. */
  diffBytes: 32 * MiB,
  /** A diff up to this size is kept while it is answered; a longer one is made again, at the pace of its reader. */
  diffKeptBytes: 256 * KiB,

  // git (decisions)
  /** Long-lived `cat-file` readers at once, and how long an idle one stays. */
  gitReaders: 32,
  gitReaderIdleMs: 30 * second,
  /** The longest that one git process may run, or one answer of a reader may take. */
  gitTimeoutMs: 2 * minute,
  /** How long one write, a few git processes, may hold a Project's sources before those of others that wait give up. Waiting for one's turn has no bound of its own. */
  repositoryHeldMs: 5 * minute,
  /** How often one that waits looks, and how long the next one may leave free sources alone before it is passed over. */
  repositoryLookMs: 10,
  repositoryPassedOverMs: 2 * second,
  /** Trees remembered as within bounds. */
  gitKnownTrees: 10_000,
  /** Entries of the trees whose listing is kept: some 5 MiB, a few trees of the largest. */
  gitListedEntries: 25_000,
  /** What git may say on standard error before the rest is dropped; of a long-lived reader, its last words. */
  gitErrorBytes: 16 * KiB,
  gitReaderErrorLength: 1000,
  /** What one listing of a tree may take as text: `sourceEntries` of the longest paths. */
  gitListingBytes: 32 * MiB,

  ...PackLimits,

  ...PriorityLimits,

  // A command that signs (decisions)
  /** What it may answer: a public key in PEM, or a signature. */
  signerAnswerBytes: 4 * KiB,
  /** How long it may take; and how long it is left alone after it failed. Together within 5 s of its return (issue). */
  signerTimeoutMs: 3 * second,
  signerSpareMs: 1 * second,

  // Processes started for the server (decision)
  /** How long the spawner may take until a process runs that it was asked for. */
  spawnMs: 15 * second,
  /** Of what a spawner that ended had to say. */
  spawnerReasonLength: 1000,

  // git over HTTP (decisions: a push is bounded as the files of one API call are)
  gitPushUnpackedBytes: 64 * MiB,
  gitPushObjects: 20_000,
  /** Commits of a push that are looked through for the ChangeSet that it goes on from. */
  gitPushCommits: 10_000,
  /** How long one answer to a clone or a fetch may take. */
  gitServeMs: 5 * minute,
  /** The largest piece of memory that git may take at once for a push. */
  gitPushAllocationBytes: 64 * MiB,
  /** Sources that are imported from elsewhere at once, how long one may take, and what its pack may have. */
  importsAtOnce: 2,
  importMs: 20 * second,
  importPackBytes: 64 * MiB,
  /** How much of a pack is looked through until others have their turn. */
  gitPackTurnBytes: 1 * MiB,
  gitPackTurnObjects: 256,

  // SQLite (decisions)
  /** How long a statement waits for another process that writes, and how often it is tried where SQLite itself does not wait. */
  sqliteBusyMs: 5 * second,
  sqliteLookMs: 10,
  /** Prepared statements that are kept; the one that was used longest ago goes first. */
  sqliteStatements: 512,
  /** Pages (of 4 KiB) in the log after which they are brought into the database: 16 MiB. A commit writes about 25, many of
      them again and again: with SQLite's own 1,000 every 40th commit would wait for two more syncs. */
  sqliteLogPages: 4000,
  /** A log that grew beyond this while somebody read is cut back to it. */
  sqliteLogBytes: 32 * MiB,
  /** How long a start in a shared data folder waits for the one before it, and how often it looks. */
  folderStartMs: 1 * minute,
  folderLookMs: 50,
  /** Characters of queries and of what they answered that are kept while nobody writes, and of one of them at most. */
  knownReadsChars: 4 * MiB,
  knownReadChars: 256 * KiB,

  // Builds (specification)
  buildSourceFiles: 400,
  buildSourceBytes: 8 * MiB,
  buildModuleBytes: 10 * MiB,
  buildAssets: 500,
  buildAssetBytes: 5 * MiB,
  /** Builds that run at one time on a machine; others wait (decision). */
  buildsAtOnce: 2,
  /** Builds that are begun while their build command still runs; others begin after it (decision). */
  buildsBegunEarly: 2,
  /** How long such a beginning may take (decision: an honest build of 400 files takes under a second). */
  buildBeginningMs: 10_000,
  /** How long after a build the process for the next one is started (decision: once the bundle is stored). */
  buildSpareAfterMs: 50,
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
  /** The name of a package that is looked at for real login: longer ones than any package has are not (decision). */
  buildAuthNameLength: 500,
  /** How far before the word `password` its element may begin, where a file is looked through as text (decision). */
  buildAuthBackLength: 240,
  /** Of an expression that is imported at run time, what is looked through for real login (decision). */
  buildImportLength: 2000,
  /** What a compressed asset is unpacked to at most, when it is looked through for real login (as one asset's bound). */
  buildUnpackedBytes: 25 * MiB,
  /** Wall time and heap of the process that parses a release's sources for added routes, and how many there are at a time. */
  routesMs: 10 * second,
  routesHeapBytes: 256 * MiB,
  routesAtOnce: 2,
  /** Nodes of the syntax that are looked at below one expression. */
  routesNodes: 200,
  /** Wall time of one reading of files for their symbols, heap of the process that reads, and how long it is kept without work (decision). */
  symbolsMs: 10 * second,
  symbolsHeapBytes: 256 * MiB,
  symbolsKeptMs: 60 * second,
  /** A longer file is not read for its symbols, nor what goes beyond so many characters in one reading (decision). */
  symbolsFileCharacters: MiB,
  symbolsCharacters: 16 * MiB,
  /** A module up to this size stands in bundle.json itself, a larger one is an object of its own (decision). */
  bundleInlineBytes: 256 * KiB,
  /** Of the packages of a lock file, what one build may read; esbuild takes about 30 times of it (decision). */
  buildPackageBytes: 32 * MiB,
  /** Modules of a Worker that another program bundled, and their bytes together (decision). */
  buildModules: 1000,
  buildModulesBytes: 32 * MiB,
  /** Globs of the `rules` of a wrangler file (decision). */
  buildRuleGlobs: 50,
  /** A source map as JSON, and all of a bundle together; its sources and names, and the path of a source (decision). */
  buildMapBytes: 20 * MiB,
  buildMapSources: 20_000,
  buildMapSourceLength: 1000,
  /** Rules of a `_headers` file, of a `_redirects` file, and a line of either (Cloudflare's own bounds). */
  assetHeaderRules: 100,
  assetRedirectsStatic: 2000,
  assetRedirectsDynamic: 100,
  assetRuleLineLength: 2000,
  /** Patterns of `run_worker_first`, and each of them (Cloudflare's own bounds). */
  workerFirstRules: 100,
  workerFirstRuleLength: 100,
  /** A `_headers`, `_redirects` or `.assetsignore` file: routers keep the first two in memory (decision). */
  assetRulesBytes: 256 * KiB,
  /** Comparisons of characters that an `.assetsignore` may take for all files (decision: well under a second). */
  assetsIgnoreSteps: 20_000_000,
  /** A wrangler file (decision). */
  appSettingsBytes: 64 * KiB,

  // Archives of packages (decisions: the largest in common use hold one program of some 130 MB)
  /** What one archive is unpacked to at most, with its headers. */
  packageUnpackedBytes: 256 * MiB,
  /** Headers of one archive: the files of a whole layer, its folders, and headers that tell more of an entry. */
  packageEntries: 80_000,
  /** What one entry may say of itself before its content (pax headers, long names). */
  packageHeaderBytes: 64 * KiB,
  /** A part of a name, as file systems have it, and a whole name below the package's folder. */
  packageNameBytes: 255,
  packagePathBytes: 1024,
  /** A package.json, and how deep its JSON goes. */
  packageManifestBytes: 4 * MiB,
  packageJsonDepth: 100,
  /** How much of an archive is unpacked until others have their turn. */
  packagePieceBytes: 128 * KiB,

  // Layers of packages (specification: bytes and files of one; the others are decisions)
  layerBytes: 400 * MiB,
  layerFiles: 60_000,
  /** A pnpm-lock.yaml: a parser of YAML takes its time (decision: one of 2,000 packages has some 700 KB). */
  pnpmLockBytes: 2 * MiB,
  /** Programs (`bin`) that one package may have. */
  packagePrograms: 500,
  /** Wall time, heap and all data of the process that fetches and unpacks the packages of one layer, and how many there are. */
  installMs: 10 * minute,
  installHeapBytes: 768 * MiB,
  installMemoryBytes: 3072 * MiB,
  installsAtOnce: 2,
  /** Archives that one such process unpacks at a time, in memory. */
  packagesUnpackedAtOnce: 3,
  /** Archives that are read from or written to the store of objects at a time. */
  packageObjectsAtOnce: 16,
  /** What unpacked packages may take on the disk before those go that nobody used for a day; how often that is looked at. */
  packageCacheBytes: 10 * 1024 * MiB,
  packageCacheKeptMs: 24 * 60 * minute,
  packageCacheLookMs: 60 * minute,
  /** Layers whose list of packages is kept in memory. */
  layersKnown: 64,
  /** Locks that are kept as they were read. */
  locksKnown: 8,

  // The registry of packages (decisions)
  /** Until a connection stands; until an answer begins; between two pieces of it; and until it is whole. */
  registryConnectMs: 10 * second,
  registryFirstByteMs: 30 * second,
  registryPauseMs: 30 * second,
  registryWholeMs: 5 * minute,
  /** The first wait after an answer that may be better the next time, which doubles; and how often it is asked in all. */
  registryBackoffMs: second,
  registryTries: 3,
  /** Answers at once. */
  registryConnections: 16,
  /** An archive as it is sent. */
  registryArchiveBytes: 64 * MiB,
  /** What the registry says of one package to installers, and in full (which is read in pieces); unpacked. A package with
      more has no facts. */
  registryPackumentBytes: 64 * MiB,
  registryHistoryBytes: 256 * MiB,
  /** The longest text that is read of what the registry says in full. */
  registryTextBytes: 64 * KiB,
  /** The known advisories of the packages of one question. */
  registryAdvisoriesBytes: 8 * MiB,
  /** How often an answer may lead elsewhere. */
  registryRedirects: 3,
  /** How long facts are kept, and of how many versions. */
  registryFactsMs: 10 * minute,
  registryFactsKept: 4000,
  /** Advisories told of one version, and characters of what the registry says of one in words. */
  registryAdvisories: 50,
  registryWordsLength: 500,

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
  /** How often it is looked whether the wrappers of a process have made way for workerd (decision). */
  appStartLookMs: 2,
  /** How long one way of confining workerd may take to show that it works here (decision). */
  isolationTrialMs: 10 * second,

  // App processes (decisions: one process is about 10 MiB of its own and serves one request at a time)
  /** The share of those that is kept for apps that have none yet: apps with many visitors do not take the last. */
  appProcessesKept: 0.25,
  /** Since when nobody has asked for an app's process when it is given to another app that is short of them. */
  appRestMs: 10 * second,
  appWarmHosts: 2,
  /** After an app has started until the next process is started ahead: its first answer goes first. */
  appRefillAfterMs: 50,
  appReplicas: 4,
  /** When requests have been waiting this long without a break, the app is started once more beside itself. */
  appReplicaAfterMs: 25,
  appQueue: 128,
  appQueueWaitMs: 5 * second,
  /** When a visitor who was turned away because an app is busy may come again. */
  appBusyRetryMs: 1 * second,
  appIdleMs: 5 * minute,
  /** How often a process is looked at while it serves, and while it does not. */
  appWatchMs: 4,
  appWatchIdleMs: 64,
  /** How long a kept connection to a process is used again: workerd closes it 5 seconds after its last answer. */
  appConnectionKeptMs: 2 * second,
  /** How long a broken connection waits to hear that its process died. */
  appDeathNoticeMs: 500,
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
  /** A line of an answer that says how long a piece is, or that stands behind the last. */
  appAnswerLineBytes: 1 * KiB,
  /** How much of what an app threw is kept as the reason. */
  appReasonLength: 500,
  /** Versions whose state is remembered without a process. */
  appVersionsKnown: 1000,
  /** The second that the bounds of lines count in. */
  appLogWindowMs: 1 * second,
  /** How many lines back the other half of something is looked for. */
  appLogHalfLines: 200,
  /** Taken of one app within a second, whatever it prints; the rest is counted. */
  appLogLinesPerSecond: 100,
  appLogBytesPerSecond: 64 * KiB,
  /** Read of one process within a second; beyond, what it prints waits in its pipe, and so does the app. */
  appLogReadBytesPerSecond: 1 * MiB,
  /** Lines of all apps that wait for the database; the rest is counted. */
  appLogWaitingLines: 4000,
  /** How long lines wait for each other before they are stored, and how many are stored at once. */
  appLogFlushMs: 250,
  appLogStoreMs: 5 * second,
  /** Requests turned away for one reason are told together, once in this time. */
  appLogRefusalsMs: 10 * second,

  // Stacks in logs (decisions): the process that reads source maps, and what is remembered of versions
  /** How long one reading of maps may take; what takes longer is not read again. */
  stackMs: 5 * second,
  stackHeapBytes: 256 * MiB,
  /** How long the process is kept without work, and the maps that it has, in bytes of JSON. */
  stackKeptMs: 60 * second,
  stackMapsBytes: 40 * MiB,
  /** Frames of one line that are looked up. */
  stackFrames: 50,
  /** Versions whose maps are known by name. */
  stackVersions: 200,

  // Syntax (decision)
  /** How long the syntax of one text is looked at: an agent waits for it. */
  syntaxMs: 3 * second,
  /** Characters of the line in which the first error of a text stands, as an agent is told it. */
  syntaxLineShown: 200,

  // Sandbox (the time of a month is the specification's, per environment; the others are decisions)
  /** How often a job's CPU time is read, and its memory where no cgroup keeps it. */
  sandboxWatchMs: 50,
  /** How long a killed sandbox may take until nothing of it is left. */
  sandboxEndMs: 10 * second,
  /** Wall time of one run of the battery that proves an isolation. */
  sandboxProofMs: 10 * second,
  /** Of what a sandbox's probe said that did not prove anything. */
  sandboxProofLength: 500,
  /** Names of any kind that are looked at for each file that may be collected from a job. */
  sandboxEntriesPerFile: 4,
  /** Of a name that a job chose, in a sentence about it. */
  sandboxNameShown: 200,
  /** Of what a sandbox that did not start has to say. */
  sandboxDiagnosisBytes: 4 * KiB,

  // Locks of npm packages (decisions)
  /** Wall time, heap and all data of the process that makes a lock, and how many there are at a time. */
  lockMs: 3 * minute,
  lockHeapBytes: 1024 * MiB,
  lockMemoryBytes: 1536 * MiB,
  locksAtOnce: 2,
  /** A package.json, and a lock file. */
  manifestBytes: 1 * MiB,
  lockBytes: 10 * MiB,
  /** Packages of a lock, with those of other machines' kinds. */
  lockPackages: 5_000,
  /** Of a line that pnpm says while it makes a lock: one tells why it could not. */
  pnpmLineLength: 256 * KiB,
  /** What the registry says of a package, and of all of one lock; the largest documents of the public one have some 30 MiB. */
  packumentBytes: 64 * MiB,
  packumentsBytes: 1024 * MiB,
  /** Wall time of one answer, how many are asked for at a time, and how often the registry may send on to itself. */
  packumentMs: 30 * second,
  packumentsAtOnce: 16,
  packumentRedirects: 3,

  // Verifying (decisions: a thread starts in less than a batch of fewer takes)
  /** Threads that verify signatures, and how many make a batch for one. */
  signatureThreads: 8,
  signatureBatch: 64,

  // Events and webhooks (decisions)
  /** Of the receiver's answer; the rest is not read. */
  webhookAnswerBytes: 64 * KiB,
  /** Names that one process looks up at a time: a name server that hangs holds a thread that files need too. */
  webhookLookups: 2,

  // git over HTTP (decisions: a push is bounded as the files of one API call are)
  /** A push as it is sent, and what its objects come to when they are unpacked. */
  gitPushBytes: 10 * MiB,

  // App processes (decisions: one process is about 10 MiB of its own and serves one request at a time)
  appProcesses: 128
} as const
