/** Every bound of what speaks to Cloudflare, with its unit at the end of its name and its source beside it. */
const KiB = 1024
const MiB = 1024 * KiB
const second = 1000

/** The bounds themselves; `…Ms` are milliseconds, `…Bytes` bytes, what has no unit is a count. */
export const CloudflareLimits = {
  // Build services (decisions)
  /** One request to a build service (decision). */
  buildServiceTimeoutMs: 30 * second,
  buildServiceBodyBytes: 4 * MiB,
  buildServicePageSize: 50,
  /** Pages of builds that are looked through for a commit, newest first (decision). */
  buildServicePages: 3,

  // Apps (specification, "Limits"; they are those of other runtimes)
  appCpuMs: 50,
  appSubrequests: 20,
  appWallMs: 30 * second,
  /** Versions whose bundle is remembered to be good (decision). */
  appVersionsKnown: 1000,
  /** Of what an app threw, in characters (decision). */
  appReasonLength: 500,

  // What apps print (decisions; they are those of other runtimes)
  /** Of the app of one Project, lines and bytes that are kept in one window of time. */
  tailLines: 100,
  tailBytes: 64 * KiB,
  tailWindowMs: second,

  // R2 (Cloudflare's limits of R2)
  /** Objects that are listed, and deleted, by one request. */
  bucketDeletedAtOnce: 1000,

  // SQLite of a Durable Object (Cloudflare's limits of Durable Objects)
  /** Parameters of one statement. */
  sqlParameters: 100,
  sqlStatementBytes: 100 * KiB,
  /** A row, and so each value in it. */
  sqlRowBytes: 2 * MiB,

  // Between a Project's object and the directory (decisions)
  /** Records whose change is told at once. */
  mirrorRowsAtOnce: 50,
  /** Rows of a Project's history that the directory has: twice what a reader who was away is told one by one. */
  mirroredMoves: 40,
  /** Hints that one message to a queue takes (Cloudflare's limits of Queues). */
  hintsSentAtOnce: 100,
  /** Hints that come to their consumer together: each is one call of an object (decision). */
  hintsBroughtAtOnce: 10,
  /** How often a hint is brought again until it is a dead letter (specification: 1 to 5 retries), and how long after the last time. */
  hintRetries: 5,
  hintAgainMs: 20 * second,
  /** The same for the writing of its dead letter: as often as Cloudflare lets a queue try. */
  deadHintRetries: 100,
  deadHintAgainMs: 60 * second,

  // Builds by Worker Loader
  /** CPU time of one build (decision; Cloudflare allows 30 s, or more where it is asked for). */
  buildCpuMs: 30 * second,
  /** Workers of builds at once: a request may have 4 dynamic Workers in flight (Cloudflare). */
  loaderBuildsAtOnce: 4,
  /** What one order may hold: two Workers of 128 MB hold it, and a message of RPC has 32 MiB (Cloudflare; decision). */
  buildOrderBytes: 16 * MiB,
  /** What the files of one job come to at most: a message of RPC has 32 MiB (Cloudflare), and holds more than files. */
  buildJobBytes: 30 * MiB,
  /** Results of builds that were asked of another script and may be asked for again (decision). */
  remoteResultsKept: 8,

  /** Of the packages of a lock file, what one build may read: the bundler takes about 30 times of it, and has 128 MB (decision). */
  loaderPackageBytes: 4 * MiB,
  /** How often a build may ask for files of packages (decision: Cloudflare lets a Worker through 1,000 times). */
  buildPackageReads: 1000,
  /** A package up to this size is brought whole with the first of its files (decision). */
  packageBroughtBytes: 256 * KiB,
  /** Unpacked packages that are held for the next file of one build (decision: an order may take 16 MiB beside them). */
  packagesHeldBytes: 32 * MiB,

  // Packages of a lock file (decisions: who fetches and who unpacks have 128 MB each, and a message of RPC has 32 MiB)
  /** An archive as it is sent, and what it unpacks to. */
  keptArchiveBytes: 8 * MiB,
  keptPackageBytes: 24 * MiB,
  /** What the registry says of one package. */
  keptPackumentBytes: 8 * MiB,
  /** The packages of one lock, unpacked, and their files. */
  keptLayerBytes: 256 * MiB,
  keptLayerFiles: 30_000,
  /** Archives on their way, and the CPU time of those that one call unpacks. */
  packagesAtOnce: 4,
  packagesCpuMs: 30 * second,
  /** A pnpm-lock.yaml, of some 3,000 packages (decision: it takes 64 MB to be read, and a Worker has 128). */
  keptPnpmLockBytes: MiB,
  /** Archives that one call fetches: each is some five requests, of which a call has 1,000 (Cloudflare). */
  packagesPerCall: 100,
  /** How long one answer of the registry may take, and the first wait before it is asked again. */
  keptAnswerMs: 60 * second,
  keptBackoffMs: second,

  // Checks in containers
  /** How long a container stays that nobody asks (decision: a cold one takes seconds, and a job is asked about each second). */
  containerIdleMs: 60 * second,
  /** What the files of one job come to at most (decision: the object writes them as text, and has 128 MB for some copies). */
  checkJobBytes: 16 * MiB,

  // Repositories without git (decisions)
  /** Lines put in and taken out until a stretch counts as changed throughout: the rows for it are some 4 MB. */
  lineDiffSteps: 700,
  /** The share of a file's bytes that another has as well, from which on it may be the same one moved. git asks for half. */
  movedShare: 0.4,
  /** Unpacked objects of one repository, and of all that are kept for the next call: a Worker has 128 MB (Cloudflare). */
  repositoryBytes: 64 * MiB,
  repositoriesKeptBytes: 32 * MiB,
  /** A pack up to this size stands in its row, which may have 2 MB; a larger one in the bucket. */
  plainPackRowBytes: 64 * KiB,
  /** How often a write begins anew because others wrote first. */
  plainPackConflicts: 20,
  /** A diff up to this size is answered. */
  plainDiffBytes: 16 * MiB,
  /** A piece of a file that is read in pieces. */
  filePieceBytes: 64 * KiB,
  /** Of a line that names the function in which a hunk stands (git). */
  hunkFunctionBytes: 80,
  /** In how many bytes git looks for a NUL, which makes a file a binary one (git). */
  binaryLookBytes: 8000,

  // git over HTTP
  /** Of a pack in one line of an answer, where a client takes long ones, and where it does not (git's own bounds). */
  gitBandBytes: 65_515,
  gitShortBandBytes: 995,
  /** What a push may come to when it is unpacked (decision: what is unpacked is held in memory, with the repository). */
  gitPushUnpackedBytes: 16 * MiB,
  gitPushObjects: 20_000,
  /** Commits of a push that are looked through for the ChangeSet that it goes on from (decision). */
  gitPushCommits: 10_000,

  // Repositories on Artifacts
  /** Of a repository's name (Cloudflare's limits of Artifacts). */
  artifactsNameLength: 63,
  /** How long one request to Artifacts may take (decision). */
  artifactsTimeoutMs: 30 * second,
  /** How long a token to a repository lasts (decision; Cloudflare allows 60 s to a year). */
  artifactsTokenSeconds: 3600,
  /** How often, and how far apart, one asks for a repository that is being made (decision). */
  artifactsReadyTries: 20,
  artifactsReadyMs: 250,
  /** The list of a repository's refs (decision: some 40,000 of them). */
  artifactsRefsBytes: 4 * MiB,
  /** Commits that are named to a repository as known, so that it leaves out what they are made of (decision). */
  artifactsKnownCommits: 256,
  /** Repositories that are deleted at once with the one that they are forks of (decision). */
  artifactsDeletesAtOnce: 4
} as const
