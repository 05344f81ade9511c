/** What `npm run test:long` can run. */
export interface Piece {
  readonly name: string
  readonly about: string
  /** Parts of paths of test files, as they are in their package: `test/…`. */
  readonly files: ReadonlyArray<string>
}

export const pieces: ReadonlyArray<Piece> = [
  { name: "histories", about: "a million histories of promotions", files: ["promotion/Promotions.prop.test.ts"] },
  {
    name: "interleavings",
    about: "150,000 interleavings of promoters",
    files: ["promotion/Promotions.interleaving.test.ts"]
  },
  {
    name: "swaps",
    about: "swaps of one head from many connections, and Postgres killed 200 times",
    files: ["sqlite/LinearHistory.test.ts", "test/LinearHistory.test.ts", "PgKills.test.ts"]
  },
  { name: "fuzz", about: "60,000 requests that nobody should send", files: ["Fuzz.test.ts"] },
  {
    name: "turns",
    about: "agents at work whose server is killed some 200 times, on SQLite and on Postgres",
    files: ["TurnCrash.test.ts", "AgentsPostgres.test.ts"]
  },
  {
    name: "spending",
    about: "2,300 interleavings of those who spend one budget",
    files: ["agent/Spending.interleaving.test.ts"]
  },
  {
    name: "lane-kills",
    about: "a lane of three whose server is killed at every write, on SQLite",
    files: ["LaneCrash.test.ts"]
  },
  {
    name: "lane-postgres",
    about: "a lane of three whose server is killed at 120 writes, on Postgres",
    files: ["LanePostgres.test.ts"]
  },
  {
    name: "screens",
    about: "all screens of the console in both themes, wide, narrow and as narrow as any page must fit",
    files: ["test/browser/"]
  },
  {
    name: "flips",
    about: "a thousand bytes of packs, each another one, in both verifiers",
    files: ["proof/Flips.test.ts"]
  },
  {
    name: "lanes",
    about: "40,000 orders of a lane of three, with cancels too, and sixty races",
    files: ["lane/LaneAlone.interleaving.test.ts", "lane/LaneCancels.interleaving.test.ts", "lane/SeededRace.test.ts"]
  },
  {
    name: "lane-policies",
    about: "20,000 orders of a lane of three with Policies, and all of its states",
    files: ["lane/LanePolicies.interleaving.test.ts", "lane/Lane.explore.test.ts"]
  },
  {
    name: "lane-rollbacks",
    about: "20,000 orders of a lane of three with rollbacks",
    files: ["lane/LaneRollbacks.interleaving.test.ts"]
  },
  {
    name: "lane-holds",
    about: "40,000 orders of a lane of three that somebody pauses, or that one is taken out of",
    files: ["lane/LanePauses.interleaving.test.ts", "lane/LaneWaysOut.interleaving.test.ts"]
  },
  {
    name: "lane-flakes",
    about: "20,000 orders of a lane of three with checks that are flaky",
    files: ["lane/LaneFlakes.interleaving.test.ts"]
  },
  {
    name: "workers",
    about: "an installation in workerd that is killed at fifty moments",
    files: ["workers/Workerd.test.ts"]
  },
  {
    name: "fleet",
    about: "200 Changes on three machines without a shared folder, of which every three seconds something fails",
    files: ["fleet/Fleet.test.ts"]
  },
  {
    name: "compaction",
    about: "300 writes of a repository whose packs are joined meanwhile, beside readers with copies and without",
    files: ["packs/Compaction.test.ts"]
  },
  {
    name: "artifacts",
    about: "500 random merges on Artifacts, and the contract of repositories on its simulator",
    files: ["ArtifactsMerges.prop.test.ts", "ArtifactsSimulator.test.ts"]
  },
  {
    name: "repositories",
    about: "forty generations and twenty racers on every store of repositories",
    files: [
      "PackRepositories.test.ts",
      "GitRepositories.test.ts",
      "ArtifactsRepositories.test.ts",
      "PacksOnPostgres.test.ts"
    ]
  },
  {
    name: "scripts",
    about: "10,000 scripts of a model, and patches of thousands of files",
    files: ["BuiltIn.prop.test.ts", "FilePatch.test.ts", "Patch.prop.test.ts"]
  },
  { name: "soak", about: "fifty apps under mixed load for ten minutes", files: ["soak/Soak.test.ts"] },
  {
    name: "models",
    about: "random graphs of Tasks, audits, merges, lists and stores, ten times as many",
    files: [
      "WorkGraphs.prop",
      "WorkGraph.prop",
      "Audit.prop",
      "Listing.prop",
      "TreeMerge.prop",
      "CommitPlan.prop",
      "SqliteStores",
      "PgStores"
    ]
  }
]
