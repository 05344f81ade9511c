/**
 * The bounds that packages share, by name, with the unit in the name and the source beside it; what concerns one package
 * alone stands in its own file of limits. "Specification" is the table "Limits" of the specification; "decisions" are
 * Pawl's own choices. What concerns models and agents stands in `AgentLimits`, what concerns statements in
 * `ProvenanceLimits`, what concerns machines that share a store in `FleetLimits`, what concerns Policies and what people say
 * as they decide in `PolicyLimits`, how people sign in in `SignInLimits`; all are among these.
 */
import { AgentLimits } from "./AgentLimits.ts"
import { FleetLimits } from "./FleetLimits.ts"
import { PolicyLimits } from "./PolicyLimits.ts"
import { SignInLimits } from "./SignInLimits.ts"
import { ProvenanceLimits } from "./ProvenanceLimits.ts"

const KiB = 1024
const MiB = 1024 * KiB
const second = 1000
const minute = 60 * second

/** Each bound by its name; the unit stands at the end of the name. */
export const Limits = {
  // Hosts (specification)
  labelLength: 50,
  previewIdLength: 8,
  versionDigits: 7,
  /** Of a `Host` header: 253 characters of a name (RFC 1035), a dot, and a port. */
  hostLength: 260,

  // Projects and files (decisions)
  slugLength: 50,
  projectNameLength: 100,
  sourceEntries: 10_000,
  sourceFileBytes: 10 * MiB,
  sourceTotalBytes: 64 * MiB,
  /** Of the name of a branch or a tag that a source is imported from. */
  importRefLength: 200,
  pathLength: 1024,
  pathSegmentBytes: 255,
  /** Of what a caller sent or a tool said, in a message that repeats it; and of a line or a name that should be short. */
  repeatedLength: 200,
  repeatedNameLength: 100,
  /** Paths that a reason names, and that a Candidate keeps as its conflicts; the rest is counted. */
  pathsNamed: 50,

  // Objects (S3's own bounds)
  objectKeyBytes: 1024,
  objectListLimit: 1000,
  /** Pieces that an object is streamed in (decision). */
  objectChunkBytes: 64 * KiB,

  // Packs of repositories (decisions, after what was measured)
  /** Packs of a repository beside its base, and their bytes, above which they become one. */
  hotPacks: 64,
  hotPackBytes: 1 * MiB,
  /** How long bytes that no pack names any more wait for those who read an older list. */
  packGraceMs: 60 * minute,
  /** How long bytes that no row ever named wait for whoever may be about to write it. */
  packLitterDays: 1,
  packDeletionsAtOnce: 8,

  // Builds (specification)
  buildsPerDay: 60,
  /** Wall time of one build (decision: an honest build of 400 files takes under a second). */
  buildTimeoutMs: 60 * second,
  /** How long a builder may take to say how a build ended (decision: twice the build's own time). */
  buildAnswerMs: 120 * second,
  /** Wall time of a build command (decision: as a check's). */
  buildCommandMs: 5 * minute,
  /** What a build command may leave to be bundled and served, in all (decision: 500 assets and their source maps). */
  buildOutputBytes: 128 * MiB,
  buildOutputFiles: 4_000,
  /** Of what a build command said, the last lines and characters that a refusal repeats (decision). */
  buildSaidLines: 20,
  buildSaidLength: 2_000,

  // Packages (specification: the count; the others are decisions, npm's own where it has one)
  packagesPerLock: 2_000,
  /** A lock file, and entries of it: those of other machines count here. */
  packageLockBytes: 8 * MiB,
  packageLockEntries: 10_000,
  packageNameLength: 214,
  packageVersionLength: 256,
  packageRangeLength: 1_000,
  /** Problems told of one lock. */
  packageProblems: 50,

  // Trust in packages (decisions)
  /** Names in `deny` and in `allow` of a Policy. */
  packagesPerPolicy: 200,
  packageAgeDaysMax: 365,
  /** Packages that a plan names as concerns; the rest is counted. */
  packagesNamed: 20,
  /** How long the registry may take to say when packages were published: composing goes on without. */
  packageFactsMs: 10 * second,

  // What an app keeps (specification)
  appDataKeyLength: 512,
  appDataValueBytes: 128 * KiB,
  appDataKeys: 10_000,
  appDataListLimit: 1000,
  /** What an app printed (specification: the last 1,000 lines; the others are decisions). */
  appLogLines: 1000,
  /** A line in UTF-8; what is longer is cut and says so. */
  appLogLineBytes: 4 * KiB,
  appLogBatchLines: 100,

  // Changes and Candidates (specification)
  candidatesPerChange: 3,
  recompositions: 2,
  previewsPerChange: 3,
  tasksPerChange: 12,
  activeAgentsPerChange: 8,
  /** Repairs of one Change (decision: with the first, they are as many Candidates as it may have). */
  repairsPerChange: 2,
  activeSandboxesPerChange: 4,
  attemptsPerTier: 2,
  budgetMaxUsd: 100,
  goalLength: 10_000,
  messageLength: 10_000,
  /** Of a planned Task (decision). */
  taskTitleLength: 200,
  taskInstructionsLength: 20_000,
  taskWrites: 100,
  /** Of people's notes for the agent of a Task: of one, and how many it may have (decision: its model reads them all). */
  noteLength: 4_000,
  notesPerTask: 100,
  /** Of the turns of a run that are read at once (decision: a turn may hold whole files). */
  turnsPageBytes: 4 * MiB,
  /** How often it is looked whether a run is still wanted while its agent works (decision: a cancel saves what it can). */
  agentWatchMs: 5 * second,
  /** Intents that an agent may declare of one ChangeSet, and those that its event names (decision). */
  intentsPerChangeSet: 2_000,
  intentsPerEvent: 100,
  clientRequestIdLength: 200,
  /** What a dead letter, a line of the log, a Change that cannot be planned and a failed build keep of a problem. */
  problemLength: 2_000,
  changeSetFiles: 2_000,
  /** Comparisons of lines while hunks of a patch are looked for that are not where they say (decision: under a second). */
  patchComparisons: 10_000_000,
  /** Of people and agents together (decision): each request on a Change reads them all. */
  changeSetsPerChange: 100,
  /** Of the files, and of the intents, that a ChangeSet's record holds; the whole of a longer list is an object (decision). */
  changeSetListBytes: 128 * KiB,
  changeSetsPerCandidate: 64,

  // Lane (decisions)
  /** How many entries are predicted at once, at most: more is learned by nobody, and a Policy may ask for no more. */
  laneDepth: 20,
  /** How many generations beyond canonical a Candidate may be made on, whatever the line. */
  laneDepthMax: 64,
  /** Decided Changes that the depth is learned from. */
  laneOutcomes: 50,
  /**
   * Refuted predictions of an entry: after more it waits until it stands first. Of twenty that race, a tenth of them bad
   * and retried, one in thirty falls more than 8 times: with 8 the slowest twentieth takes 5.5 medians, and not 4.8.
   */
  lanePredictions: 16,
  /** How long a lane waits for builds or sandbox time before it looks again: to the next full hour (decision). */
  laneMeansLookMs: 60 * minute,
  /** Checks of a Project, the newest, by which the lane reckons what one verification takes. */
  laneMeansChecks: 40,
  /** How often others may be let before an entry. */
  lanePassedMax: 3,

  // Checks (decisions)
  checksPerPlan: 32,
  /** How often one looks whether a check that runs is still needed: a Candidate that is stale gives its sandbox back. */
  checkNeededMs: 2 * second,
  checkTimeoutMs: 5 * minute,
  checkTimeoutMaxMs: 15 * minute,
  checkTitleLength: 200,
  checkCommandLength: 4_000,
  /** Globs of the files that a check declares, and their length. */
  checkFiles: 16,
  checkFilesLength: 200,
  /** How old evidence may be that counts again, from the end of its check on (design of the lane). */
  evidenceReuseMs: 24 * 60 * minute,
  /** Candidates of one tree, and rows of a Project, the newest, among which evidence of before is looked for (decision). */
  reuseCandidates: 50,
  reuseRows: 500,
  /** Segments of a glob, and of a path that a glob with wildcards is matched against. */
  globSegments: 16,
  globPathSegments: 64,
  /** Words with wildcards that a command names files by. */
  checkCommandGlobs: 16,
  /** Altered files of the base among which those of checks are looked for; with more, the risk is high. */
  alteredFiles: 2_000,
  /** Files that a check with the base's form of them names; the rest is counted. */
  baseFilesNamed: 10,
  /** Scripts of package.json that are followed from one command. */
  checkScripts: 32,
  /** Changed files that are looked at for scripts before a risk is low; of more, it is medium. */
  riskFiles: 500,
  /** Changed files, and their bytes before and after, up to which a plan asks for no diff: it could not be too large. */
  listedChanges: 500,
  listedChangeBytes: 4 * MiB,
  fileReadsAtOnce: 8,
  checkOutputBytes: 1 * MiB,
  /** Of the end of an output, what its last lines are looked for in, and how many of them a summary has. */
  checkTailBytes: 4_000,
  checkTailLines: 5,
  /** Of what a builder or a command said, in the summary of an evidence row. */
  checkSummaryLength: 1_000,
  checkMemoryBytes: 1024 * MiB,
  checkDiskBytes: 512 * MiB,
  checkProcesses: 256,
  checkCpuSeconds: 600,
  /** A check that could not run is tried twice more before the gate sees a gap. */
  checkGapAttempts: 3,
  /** Rows of Evidence that the rates of flaky checks are counted from (design). */
  flakeRowsLookedAt: 500,
  /** Of a quarantine, in days (design). */
  quarantineDaysMax: 14,

  // Sandbox (the time of a month is the specification's, per environment; the others are decisions)
  sandboxMsPerMonth: 5 * 60 * minute,
  /** Sandboxes of one process where it is not said how many (a host program's own number; the server counts cores). */
  sandboxesAtOnce: 4,
  /** How long a check waits for a sandbox before its command, when none of its checks runs, makes room for others. */
  sandboxWaitMs: 10 * second,
  /** How long such a command stays away, and how often one looks whether its Change has a sandbox left. */
  sandboxLookMs: 500,
  /** How long it is waited, beyond a job's own time, for a sandbox that should say how the job ended. */
  sandboxAnswerMs: 1 * minute,
  /** How long a builder or a sandbox is asked at a time whether its job has ended. */
  jobPollMs: 1 * second,
  /** The life of a sandbox's place in the store; who dies gives it back after this. */
  sandboxLeaseMs: 30 * second,

  // Probes (specification; the time one probe may take is a decision)
  probesPerProject: 20,
  addedRouteProbes: 2,
  /** Probes of one release that are asked side by side: an app that hangs keeps its release no longer than it must (decision). */
  probesAtOnce: 4,
  /** Added routes that are told of one Change (decision); more than are asked, because the tree's own probes may name some. */
  addedRoutes: 32,
  probeRetryMs: 20 * second,
  probeTimeoutMs: 10 * second,
  probePathLength: 1024,
  probeBodyBytes: 1 * MiB,

  // Releases (specification)
  releaseStuckAfterMs: 45 * minute,
  /** Spans in which a worker could work that are kept to tell whether a release is stuck (decision: more than 45 minutes of ticks have). */
  workedSpans: 100,

  // Builds of a release target are asked for at these waits (specification)
  buildPollFirstMs: 15 * second,
  buildPollSecondMs: 30 * second,
  buildPollMs: 60 * second,
  buildPollForMs: 15 * minute,

  // Then its newest deployment must be of that build (decisions: the specification says "after retries")
  deploymentConfirmMs: 15 * second,
  deploymentConfirmForMs: 3 * minute,
  /** The longest that a build service's `Retry-After` is taken at its word (decision). */
  buildServiceRetryMaxMs: 5 * minute,
  releaseTargetNameLength: 63,
  releaseTargetTagLength: 64,
  releaseTargetUrlLength: 300,

  // Commands (specification: 1 to 5 retries; leases and backoff are decisions)
  commandAttempts: 4,
  commandLeaseMs: 30 * second,
  /** How long a worker with nothing to do waits for a notice of work before it looks by itself (decision). */
  workLookMs: 1 * second,
  commandBackoffMs: 1 * second,
  commandBackoffMaxMs: 5 * minute,
  /** How long work waits for machinery that is away before a person is asked (decision). */
  outageMaxMs: 24 * 60 * minute,
  /** How often a process may die while it runs one command, before a person is asked (decision: far more than any series of restarts). */
  commandDeaths: 32,
  /** How often a decision is taken anew after a Conflict before it gives up. */
  commitAttempts: 20,
  /** All members of a list replaced at once: 200 leave with a departure each, 200 come and are looked at. */
  commitRows: 1000,
  /** How long a dead letter waits for a person; then it is dismissed (decision: a quarter). */
  deadLetterDays: 90,
  commitBytes: 4 * MiB,
  /** Rows of one INSERT: few enough forms of a statement to keep them all prepared, and for the 100 parameters that a Durable Object takes (decision). */
  insertRows: 10,
  /** How long counters of a day or a month are kept: this month's and the last one's are looked at (decision). */
  counterDays: 62,
  /** How often a store looks for what other processes committed (decision: events within a second). */
  storePollMs: 500,

  // Events and webhooks (decisions)
  /** Tries of one event by a consumer group before it is left behind and the group goes on. */
  consumerAttempts: 5,
  /** Events whose effects share one commit. */
  consumerBatch: 100,
  /** How long a consumer may take to decide on one event. */
  consumerDecideMs: 30 * second,
  /** How often a router looks which groups are behind, beside the notices that it gets: one may be lost with a process. */
  routerLookMs: 30 * second,
  webhooksPerProject: 20,
  webhookUrlLength: 2048,
  /** Standard Webhooks asks for 24 to 64. */
  webhookSecretBytes: 32,
  /** Tries of one delivery, over three days (Standard Webhooks: hours and days, for receivers that are away). */
  webhookAttempts: 10,
  webhookTimeoutMs: 15 * second,
  /** How long a secret signs beside the one that took its place. */
  webhookSecretMs: 24 * 60 * minute,
  /** Secrets of one webhook that still sign beside the newest. */
  webhookFormerSecrets: 4,
  /** Deliveries of one webhook that are listed; older ones go, but for those that wait for something. */
  webhookDeliveriesKept: 500,
  /** How long a delivery is listed: as long as its dead letter waits. */
  webhookDeliveryDays: 90,

  // API (decisions)
  sourceBodyBytes: 10 * MiB,
  /** Lists and objects in each other, in any JSON that people send and in settings of a source (decisions). */
  jsonDepth: 64,
  pageSize: 100,
  /** Records that are looked through for one page of a search. */
  searchedRecords: 1000,
  eventsPageSize: 100,
  // What waits for a person (decisions: Projects that are looked through, and Changes and dead letters of each)
  inboxProjects: 100,
  inboxChanges: 50,
  inboxLetters: 20,
  /** A failure that is older is history. */
  inboxFailureMs: 7 * 24 * 60 * 60 * second,
  retentionDaysEvents: 365,
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
  /** What a person may choose behind a token's prefix: at least, and at most. */
  tokenChosenMinLength: 3,
  tokenChosenLength: 195,
  tokensPerUser: 100,
  userNameLength: 100,
  organizationNameLength: 100,
  /** Of one Project, and of one organization. */
  membersPerList: 200,
  /** Organizations that a user makes, and those that whoever is made in these makes. */
  organizationsPerUser: 100,
  /** Users made in these organizations who are not disabled. */
  usersPerUser: 500,
  /** Users made in an organization of the installation's own who are not disabled. */
  usersPerOrganization: 1000,
  /** How long a preview lives (specification, retention). */
  previewDays: 7,

  // What is read again and again (decisions: records and pages by their text; each of the two keeps up to twice as much)
  /** Characters of texts that were read lately; those that were read before them go when it is full. */
  knownTextsChars: 1024 * 1024,
  /** A longer text is decoded each time it is read. */
  knownTextChars: 128 * 1024,

  // Telemetry (decisions: spans that wait beyond the first bound are dropped and counted)
  /** A longer text of a span is cut. */
  spanAttributeLength: 200,

  // Upkeep (specification, "Scheduling" and "Retention")
  /** How long forks stay after completion, by environment. */
  forkDaysDevelopment: 7,
  forkDaysProduction: 30,
  /** Production: `retentionDaysEvents`. */
  eventDaysDevelopment: 30,
  /** In production evidence stays for ever. */
  evidenceDaysDevelopment: 30,
  temporaryDays: 7,
  /** Events of one object of the archive, and Projects that one message of the daily sweep looks at (decisions). */
  eventsPerArchive: 1000,
  projectsPerMessage: 20,
  /** Rows that one statement of the retention deletes: nobody waits long for the writer (decision). */
  retentionRows: 1000,
  /** Bytes that the stored bundles of one Project may come to before somebody is told, and at which share of them
      (the share is the specification's, "Cost alert"). Nothing is refused. */
  bundleBytesPerProject: 5 * 1024 * MiB,
  bundleAlertShare: 0.8,

  // Upkeep (specification, "Scheduling" and "Retention")
  /** Forks that one message of a cleanup or a sweep deletes. */
  sweepRepositories: 20,
  /** Pages of forks that stay for now that one message looks at, before it makes room for other work (decision). */
  sweepPages: 50,
  /** Open Changes that one message of a cleanup cancels, before anything is deleted (decision). */
  changesPerCleanup: 20,
  /** Archived Projects with leftovers that one tick looks after. */
  cleanupsPerTick: 10,
  /** How long what serves waits while an app that was removed is being cleaned away (decision). */
  removalWaitMs: 1 * second,
  ...AgentLimits,
  ...ProvenanceLimits,
  ...FleetLimits,
  ...PolicyLimits,
  ...SignInLimits
} as const
