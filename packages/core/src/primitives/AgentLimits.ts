/** The bounds of models, agents, claims and reviews. Others read them as `Limits`: they are part of those. */
const KiB = 1024
const second = 1000
const minute = 60 * second

/** Each bound by its name, as in `Limits`. */
export const AgentLimits = {
  // Models and agents
  /** Model calls of a day (specification: `AGENT_DAILY_CALL_CAP`; the number is a decision). */
  modelCallsPerDay: 500,
  /** Tokens of an answer below which no budget shortens it (decision: a tool call with a few lines of code). */
  modelOutputLeast: 1024,
  /** Tokens that a provider puts around a request (decision). */
  modelInputSlack: 64,
  /** Where no tokens are told: bytes of one (decision: English and code have 3 to 4). */
  modelBytesPerToken: 3,
  /** How often a turn is asked again whose call was lost (decision). */
  modelRepeats: 3,
  /** The pause after the first call of a turn that was lost, and how much longer each later one is: 2 s, 1 min, 30 min (decision). */
  modelAgainMs: 2 * second,
  modelAgainFactor: 30,
  /** The longest that a provider's `Retry-After` is taken at its word (decision). */
  modelRetryAfterMaxMs: 60 * minute,
  /** How long a call waits that other calls of its Change have no money left for (decision). */
  modelBudgetWaitMs: 5 * second,
  /** How often one looks whether calls that a limit had stopped may be made again: it asks no model (decision). */
  modelCapLookMs: minute,
  /** How often a planner asks a provider again that refused its call (decision: seldom, as nobody may have mended it). */
  modelRefusedLookMs: 15 * minute,
  /** Tries to book what was paid while the store is away: at once, and then as many a second apart (decision). */
  modelBookTries: 20,
  /** How long a call can be on its way: then whoever waited for it is gone (decision: its request ends after 5 minutes). */
  modelCallMaxMs: 60 * minute,
  /** Calls that one look counts as lost (decision). */
  modelCallsPerSweep: 100,
  /** Calls of a model in a run of a small or medium Task, and of a large one (specification). */
  agentTurns: 16,
  agentTurnsLarge: 32,
  /** Calls that are left when an agent is told so (decision). */
  agentTurnsTold: 2,
  /** Runs of a Task that an upgrade ended and that use up no try (decision: nobody upgrades that often in one Task). */
  divergedRuns: 8,
  /** Calls of tools in one answer that are looked at (decision). */
  agentCallsPerTurn: 16,
  /** Answers in a row without a call that can be read, until a run comes to nothing (decision). */
  agentMalformedTurns: 3,
  /** Times that the same calls may have the same results: then the agent is warned, then its run comes to nothing (decision). */
  agentRepeatsWarned: 3,
  agentRepeats: 5,
  /** Files that one listing tells an agent (decision). */
  agentListed: 1_000,
  /** Lines, and characters, that one reading of a file tells (decision). */
  agentReadLines: 400,
  agentReadChars: 32 * 1024,
  /** Lines that one search tells, over all files, and characters of each (decision). */
  agentSearchMatches: 50,
  agentSearchLineChars: 200,
  /** Lines that a file may have to be written anew: longer ones are edited (decision). */
  agentWriteLines: 200,
  /** Bytes of chance in the name of a run's fence (decision: nobody guesses it within a run). */
  fenceBytes: 8,
  /** Contents of files that a run begins with, when all of them come to no more (decision). */
  agentStartBytes: 48 * KiB,
  /** Names that a file exports, as the listing of a run's beginning tells them, and how long a file that is looked at for them may be (decision). */
  agentExports: 12,
  agentExportsBytes: 64 * KiB,
  /** Characters of a Project's own rules, and of each finding of a Task before, that a run is told (decision). */
  agentRulesChars: 16 * KiB,
  agentFindingChars: 16 * KiB,
  /** Characters of one result of a tool: of what a command or a check printed, and of anything else (decision). */
  agentOutputChars: 16 * KiB,
  agentResultChars: 40 * KiB,
  /** Wall time of a command that an agent runs (decision). */
  agentCommandMs: 2 * minute,
  /** Checks that an agent runs side by side: half of the sandboxes of its Change are left to its other Tasks (decision). */
  agentChecksAtOnce: 2,
  /** Lines of the app's log that an agent is told (decision). */
  agentLogLines: 100,
  /** Tokens of one answer (decision). */
  agentOutputTokens: 8_192,
  /** Results of tools that stay in a talk, in characters, three to a token; and how many must go at once, so that a provider's
      cache is lost seldom (opencode keeps 40,000 tokens and lets go 20,000). */
  agentPruneKeepChars: 120_000,
  agentPruneLeastChars: 60_000,
  /** Characters of what a read-only Task found (decision). */
  agentAnswerChars: 64 * KiB,
  /** Notes of people that one turn tells (decision). */
  agentNotesPerTurn: 20,
  /** Of a review: calls that it may take in all, characters of its answer (a quarter as many tokens), bytes of the patches that it looks at (decisions). */
  reviewCalls: 4,
  reviewLength: 4_000,
  reviewPatchBytes: 48 * KiB,
  /** How long a claim is held, how old it is when it is renewed, and how long a Task waits for another's; how many a Task has (decisions). */
  claimLeaseMs: 5 * minute,
  claimRenewMs: 2 * minute,
  claimWaitMs: 10 * minute,
  claimsPerTask: 100,
  /**
   * How long a Task that is worked outside stays so without a word, and how often a Task that is kept for agents outside
   * looks at its Policy again (decisions: a Task whose worker is gone is ready again within 2 minutes).
   */
  outsideLeaseMs: 100 * second,
  outsideLookMs: minute,
  /** How often a run that is worked outside has the checks run on what it pushed (decision: its Candidate is checked anyway). */
  outsideCheckRuns: 10,
  /** Characters of why a Task is given up (decision). */
  giveUpReasonLength: 1_000,
  /** Of overlaps: how many are told, and as many files are read, and Changes looked at, for them; generations that are compared; of a symbol's name its characters (decisions). */
  overlapsTold: 50,
  overlapGenerations: 20,
  symbolLength: 200,
  /** Lines that an ambiguous edit is told (decision). */
  editPlacesShown: 10,
  /** Lines before and after the one that is nearest to an edit that found nothing (decision). */
  editLinesAround: 3,
  /** Characters of a line that are compared, and shown (decision). */
  editLineCompared: 200,
  /** What a token that is written to a cache costs, of one that is not (Anthropic's pricing; others charge nothing more). */
  cacheWriteFactor: 1.25,
  /** What a repair is shown of what failed: of outputs together, of one, and of the files that they name (decisions). */
  repairOutputChars: 16 * KiB,
  repairDiffChars: 16 * KiB,
  /** Calls of a planner: the first, and one for each time that its mistakes go back (decision). */
  planCalls: 3,
  /** Tokens that a planner's answer may have (decision). */
  planOutputTokens: 8_192
} as const
