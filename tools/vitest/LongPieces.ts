/** What `npm run test:long` can run. There are at most ten, for a commit takes one by the last digit of its number. */
export interface Piece {
  readonly name: string
  readonly about: string
  /** Parts of paths of test files. */
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
    files: ["sqlite/LinearHistory.test.ts", "adapters-pg/test/LinearHistory.test.ts", "PgKills.test.ts"]
  },
  { name: "fuzz", about: "60,000 requests that nobody should send", files: ["Fuzz.test.ts"] },
  {
    name: "turns",
    about: "agents at work whose server is killed over 200 times, on SQLite and on Postgres",
    files: ["TurnCrash.test.ts", "AgentsPostgres.test.ts"]
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
