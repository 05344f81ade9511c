/**
 * Every bound of this package, by name, with its unit in the name and its source beside it. Those that others share stand
 * in core's `Limits`. "Specification" is the table "Limits" of the specification; "decisions" are Pawl's own choices.
 */
const KiB = 1024
const MiB = 1024 * KiB
const second = 1000
const minute = 60 * second

/** The bounds themselves; `…Ms` are milliseconds, `…Bytes` bytes, what has no unit is a count. */
export const ServerLimits = {
  // git over HTTP (decisions: a push is bounded as the files of one API call are)
  /** How much of a push that is too large is read on, so that its sender is told so. */
  gitDiscardBytes: 64 * MiB,
  /** What a clone or a fetch may ask in one request. */
  gitFetchBytes: 1 * MiB,
  /** Refs that one push may update, each of which is answered, and the name of one beyond `refs/`. */
  gitPushUpdates: 100,
  gitRefLength: 300,
  /** What one line of git's framing carries (git's own bound). */
  gitLineBytes: 65_516,
  /** Requests that are worked on at once, and that have their caller's turn: worked on, or waiting for their Project's. */
  gitRequestsAtOnce: 16,
  gitRequestsWaiting: 32,
  /** Of one caller: those that wait for his turn, and how long a request waits before it is turned away. */
  gitRequestsWaitingPerCaller: 32,
  gitWaitMs: 30 * second,
  /** The same of an object on Cloudflare, whose memory is one Worker's (decision), and how long one of its answers may take. */
  gitObjectRequestsAtOnce: 4,
  gitObjectAnswerMs: 5 * 60 * second,
  /** The body of a push there (decision: as on a machine). */
  gitObjectPushBytes: 10 * MiB,
  /** The newest ChangeSets of a Project, out of which a fetch is shown the caller's own. */
  gitChangeSetsShown: 50,
  /** Verified Candidates of a Project, the newest, that a fetch may ask for: each is a repository to look into (decision). */
  gitCandidatesShown: 50,

  /** For how long what a host says of its release is not read anew while no checkpoint covers it (a checkpoint: 10 s). */
  provenancePageMs: 1 * second,
  /** Characters of the history of keys in it: a longer one is told by the API alone (half of what is read of a page). */
  provenanceKeysLength: 128 * KiB,
  /** Credentials that are looked up at a time for what only members of a Project are told (decision). */
  provenanceCallersAtOnce: 4,

  // The Model Context Protocol (decisions: what a model is told at a time fits into what hosts show it)
  /** Characters of a file, a listing or a diff in one answer, and of the end of what a check said. */
  mcpTextLength: 32 * KiB,
  mcpOutputLength: 4 * KiB,
  /** What a list has when nobody says how many, and what it may have. */
  mcpItems: 20,
  mcpItemsMost: 50,
  /** How long `wait` waits, and how often it looks. */
  mcpWaitMs: 50 * second,
  mcpLookMs: 1 * second,

  // pawl approve
  /** Random bytes of the id of a passkey in a file (Web Authentication: at least 100 bits of entropy). */
  approverCredentialBytes: 24,
  /** What a Candidate's `git diff --stat` may come to: a source has at most 10,000 entries (decision). */
  diffStatBytes: 16 * MiB,
  /** Its width, so that whole paths are seen (decision). */
  diffStatColumns: 160,

  // Provenance
  /** How long a router goes on with the keys that it has read: a key that was revoked counts no longer after it. */
  trustedKeysMs: 60 * second,
  /** How often it reads them at most because of a key that it does not know. */
  unknownKeyMs: 5 * second,

  // Commands (specification: 1 to 5 retries; leases and backoff are decisions)
  /** Commands that one process works on at a time, by lane; a Project that has none in a full lane may go beyond, up to twice as many (decisions). */
  canonicalSlots: 4,
  /** Promotions, and steps of lanes: the releases that follow have slots of their own. */
  landingSlots: 16,
  verificationSlots: 4,
  provisioningSlots: 2,
  /** Plans that are made, and Candidates that are asked for: beside agents, which may all be waiting for a model. */
  planningSlots: 4,
  /** Chains whose statements are signed: a signature takes less than a millisecond where the key is a file. */
  signingSlots: 4,
  /** How often an object on Cloudflare that works looks whether all is done (decision). */
  idleLookMs: 50,
  /** How often an object on Cloudflare that works for long looks after what is due by its own rows (decision). */
  ownClockMs: 60_000,
  /** Projects that are woken at once by the clock of the directory (Cloudflare: 6 connections of a Worker at a time). */
  projectsWokenAtOnce: 6,
  /** How old an id must be that was reserved for a record, until it is looked for (decision). */
  reservationMs: 86_400_000,
  reservationsAtOnce: 100,
  /** When it is looked for again where its record may be deleted, as a dead letter is (decision). */
  reservationAgainMs: 604_800_000,
  /** Labels whose Projects an isolate on Cloudflare remembers (decision). */
  labelsKnown: 10_000,
  /** When a Project tells the directory by itself what no hint had it tell (decision: lists are a second behind at most). */
  tellUnhintedMs: 250,
  /** When its alarm tells what was not told even so, and how long a hint may be on its way until another is sent (decision). */
  tellAgainMs: 1000,
  /** How late work of a Project may be before the directory wakes it (decision). */
  overdueMs: 60_000,
  /** As many as one Change may have agents at work (`agentsAtOnce` says otherwise). */
  agentSlots: 8,
  /** The same in an object on Cloudflare, which has 6 connections that wait at once: each agent at work has one (decision). */
  agentObjectSlots: 4,
  /** Containers for checks on Cloudflare: the checks of a Project run in one of them (decision). */
  checkContainers: 4,
  /** Claims of other Changes that a planner is told (decision). */
  claimsTold: 100,
  /** What request and answer of a model may have together, when it is not said (decisions, "Agents"). */
  modelContextTokens: 128_000,
  /** How long a stopping server lets requests end; all of it must be over within 10 s (decisions, "Running it"). */
  drainMs: 5 * second,
  /** How often it closes those that have been answered meanwhile. */
  drainLookMs: 50,
  /** How long it may be told to go on before that: nobody's load balancer looks more seldom (decision). */
  drainDelayMostMs: 10 * minute,
  /** When a stopping server leaves whatever still hangs (same source); what it is told to go on before comes on top. */
  stopMs: 9 * second,

  // `pawl import` (decisions)
  /** What git may list of a folder, and what a request has beside its files. */
  importListingBytes: 16 * MiB,
  importRoomBytes: 1 * KiB,
  /** How long the command waits for the app of a new Project, and how often it looks. */
  importWaitMs: 15 * minute,
  importLookMs: 500,

  // Events and webhooks (decisions)
  /** Deliveries that one process makes at a time: the slots of their lane. */
  webhooksAtOnce: 8,

  // Server processes (decision: two of one host and number share the letters once in 10^12)
  /** Letters by chance in the id of a process. */
  processMarkLength: 8,

  // Whether it is ready (decisions: anyone may ask, as often as they like)
  /** How long what holds the state may be silent (decision: a stall of some seconds takes no process away). */
  readyAskMs: 5 * second,
  /** What must be left on the disk of the data folder: as much as SQLite's log grows to, so that what is begun can end. */
  readyDiskBytes: 16 * MiB,
  readyDiskFiles: 1000,
  /** How old an answer may be. */
  readyAgeMs: 1 * second,
  /** Bundles that a router looks at, until one of them can be read: the rest may have been lost (decision). */
  readyBundles: 3,

  // API (decisions)
  bodyBytes: 1 * MiB,
  /** What of a body that is too large, or that nobody asked for, is read on once it is answered, and for how long. */
  bodyDiscardBytes: 64 * MiB,
  bodyDiscardMs: 1 * minute,
  /** A parameter of a path: ids of dead letters and ChangeSets are longer than what the router takes by itself. */
  parameterLength: 500,
  /** Of the words, and of an id or a label, that a list is asked for: in characters. */
  searchLength: 200,
  /** Fields that a refusal of a body names. */
  fieldsNamed: 10,
  waiverReasonLength: 1000,
  // Providers of identities (decisions)
  /** How long one of its answers may take, and how long what it says of itself and its keys count as known. */
  oidcAnswerMs: 5 * second,
  oidcKnownMs: 10 * minute,
  /** How long after its keys were fetched they are fetched again for a token that none of them signed. */
  oidcKeysAgainMs: 1 * second,
  /** By how much clocks may differ. */
  oidcClockSeconds: 5,
  /** A path of the console that a sign-in comes back to, in characters: it waits in a cookie. */
  returnPathLength: 1000,
  requestsPerMinute: 600,
  /** The span that `requestsPerMinute` counts in. */
  rateWindowMs: minute,
  /** Callers whose requests are counted at once; beyond, the longest quiet ones are forgotten. */
  rateCallers: 10_000,
  /** Of one evidence row's output in a list of evidence; the whole is at `/v1/evidence/:id/output`. */
  evidenceOutputBytes: 64 * KiB,
  /** An open event stream says so this often when there is nothing to tell, and looks whether its reader may still read. */
  eventHeartbeatMs: 15 * second,
  eventStreamsPerCaller: 20,
  /** When a reader whose stream broke off comes back: the stream tells it so. */
  eventRetryMs: 1 * second,
  /** How long an open stream trusts that its reader may read before it tells the next item (decision: as the rights of others end). */
  eventTrustMs: 1 * second,

  // The stream of changes of state (decisions: Projects that it looks at; those beyond are asked for by themselves)
  stateProjects: 500,
  /** Rows that one look takes. */
  stateRows: 200,
  /** How often it looks for Projects that came or went. */
  stateProjectsMs: 5 * second,
  /** Of what was missed while a reader was away: rows of one Project, and how far back before what it saw last. */
  stateRowsMissed: 20,
  stateMissedMs: 10 * second,

  // Slow readers of the API and of git (decisions: as slow visitors of apps; what is beyond waits, or is cut off)
  /** Answers of one caller that are made or not yet read, what of them may be in memory, and requests that wait for them. */
  answersPerCaller: 16,
  answerBytesPerCaller: 4 * MiB,
  answersWaiting: 128,
  /** A diff, or a file, up to this size is answered whole; a longer one is made while it is read. */
  answerWholeBytes: 256 * KiB,
  /** An answer goes out in pieces of this size; whoever does not take one keeps no more in memory. */
  answerPieceBytes: 64 * KiB,
  /** In which time a reader that is waited for must take `answerStallBytes`; and when others wait for its place. */
  answerStallMs: 10 * second,
  answerStallWaitedMs: 2 * second,
  answerStallBytes: 16 * KiB,
  /** How often it is looked whether readers go on. */
  answerWatchMs: 500,
  /** Diffs that git makes at once. */
  diffsAtOnce: 8,

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

  // Repositories (decision)
  /** Projects that a start looks at, whether their repositories are of the kind that the options name. */
  repositoryKindLooks: 20,

  // Passkeys
  /** Characters of each field of a passkey's answer, base64url (decision: a browser's has some hundred). */
  assertionFieldLength: 4096,

  // Commands for people (decisions)
  /** How long `pawl verify` waits for one answer of a server or a host, and how many files of an app it asks for at once. */
  verifyAnswerMs: 30 * second,
  verifyFilesAtOnce: 8,
  /** Files and folders of a repository at which `pawl verify` looks before it asks git: a link may lead anywhere. */
  verifyNamesLooked: 2_000_000,
  /** Between two looks of `pawl verify` at what a server may be changing meanwhile. */
  verifyLookMs: 1 * second,
  /** How often `pawl audit --rebuild` looks whether the build is done, and for how long. */
  rebuildLookMs: 1 * second,
  rebuildWaitMs: 20 * minute,
  /** How long a verb waits for a server that says nothing (decision: as long as Node's own `fetch`). */
  verbSilenceMs: 5 * minute,
  /** How often a verb that waits asks again: a tenth of what a caller may ask in a minute (decision). */
  waitingPollMs: 1 * second,
  /** Open Changes, the newest, that `pawl status` shows of a Project; it says when there are more (decision). */
  statusChanges: 1000,
  /** Steps of a Change's history, the newest, that `pawl why` shows; it says when there are more (decision). */
  whySteps: 1000,
  /**
   * Of `pawl work`: how often it looks for a ready Task and at how many, how often it renews a lease, how long an agent may
   * take in all and for its end when it is told to stop; characters of a line of an agent's and of what it says last, and
   * bytes of a file that it reads by this command (decisions).
   */
  workLookMs: 3 * second,
  workTasksLooked: 50,
  workRenewMs: 30 * second,
  workAgentMs: 60 * minute,
  workCancelMs: 5 * second,
  workLineLength: 2_000,
  workTextLength: 64 * KiB,
  workFileBytes: 10 * MiB,
  /** How often in a row a stream that ended is asked for again, and the pause before (decision: a server that restarts). */
  streamTries: 10,
  streamPauseMs: 1 * second,

  // Backups (decisions: what is held in memory at a time)
  /** Characters of lines that make a file, about. */
  backupFileChars: 4_194_304,
  /** Objects that are copied at a time. */
  backupObjectsAtOnce: 8
} as const
