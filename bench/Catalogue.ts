/** Every benchmark, its figures and what its floor is. Its code is loaded when it runs. */
import type { Bench } from "./Figure.ts"

export interface Entry {
  readonly name: string
  readonly figures: ReadonlyArray<string>
  readonly about: ReadonlyArray<string>
  /** Set where apps or checks run: what isolates them on this machine costs something. */
  readonly isolates?: true
  readonly load: () => Promise<Bench>
}

export const catalogue: ReadonlyArray<Entry> = [
  {
    name: "promotion",
    figures: [
      "promotion-8-fibers",
      "promotion-32-fibers",
      "promotion-8-fibers-same-rows",
      "promotion-1-fiber",
      "promotion-1-fiber-same-rows"
    ],
    about: [
      "Promotion commits per second on one SQLite file (WAL, `synchronous=FULL`): `swapDecision` on a snapshot, then `Ledger.commit`. 32 Projects; one fiber takes them one after the other, or 8 or 32 fibers take one each. Projects, Changes and Candidates are made before the clock starts. The ledger lets fibers that commit in the same moment share one transaction, so that at 8 fibers it waits for the disk less often than the floors, which wait once for each promotion: on a slow or busy disk its ratio can pass 1. The figures of one fiber show its cost alone.",
      "Floor: better-sqlite3 by hand with the same pragmas, prepared statements and one transaction each (`BEGIN IMMEDIATE`): `UPDATE head SET generation, commit, tree WHERE project_id = ? AND generation = ?`, `INSERT INTO generation` (project, generation, commit, tree, candidate, time), `INSERT INTO outbox` (project, type, JSON). Three tables with a primary key and no other index; no guards, no history, no commands.",
      "Second floor (`same-rows`): as above, with every row that the real commit writes as JSON: generation, head, Candidate and Change (by revision), release, two rows for the event's sequence and the event, two commands. Plain tables with a primary key, no other index, no trigger, no guard."
    ],
    load: async () => (await import("./figures/PromotionCommits.ts")).bench
  },
  {
    name: "generations",
    figures: ["promotion-at-10000-generations"],
    about: [
      "Milliseconds of one promotion commit, one after the other, in a Project with 10,000 generations behind it: a line must not grow heavier with its age.",
      "Floor: the same in a Project with 10 generations, on a database file of its own."
    ],
    load: async () => (await import("./figures/GenerationsGrown.ts")).bench
  },
  {
    name: "queue",
    figures: ["queue-behind-100000", "queue-empty"],
    about: [
      "Commands per second through the queue on one SQLite file (WAL, `synchronous=FULL`): one is sent by `Ledger.commit`, the one whose turn it is is claimed and finished, three transactions in all, of which only the first waits for the disk. With 100,000 others of 100 Projects due before it, and with none.",
      "Floor: for the long queue, the empty one; for the empty one, a table by hand on better-sqlite3 with the same pragmas: INSERT, UPDATE of the first due row, DELETE, each its own transaction. No fairness between Projects, no retries."
    ],
    load: async () => (await import("./figures/CommandQueue.ts")).bench
  },
  {
    name: "event-routing",
    figures: ["event-routing-commands", "event-routing-records"],
    about: [
      "Events per second through `EventRouter.apply` for one consumer group on one SQLite file (WAL, `synchronous=FULL`), from the first event of a log to its last. `commands`: the effect of each event is one command, and up to 100 of them share a commit with the group's place. `records`: the effect of each event is one record, which is a commit of its own.",
      "Floor: better-sqlite3 by hand with the same pragmas and prepared statements: the log read in pages of 100, each event's JSON parsed, and for each event `UPDATE position … WHERE sequence = ?` in a transaction of its own. It has no effect beside the position."
    ],
    load: async () => (await import("./figures/EventRouting.ts")).bench
  },
  {
    name: "workers",
    figures: [
      "promotions-two-workers",
      "promotions-three-workers",
      "changes-two-workers",
      "changes-three-workers",
      "commit-beside-100-idle",
      "claim-beside-100-idle"
    ],
    about: [
      "What two and three worker processes get done per second on one Postgres. Machine-bound work (agents, merges, checks, builds) is a sleep, so that what is measured is what they have in common: claims, leases and commits. `promotions`: promotions alone, each with the commit of a real one. `changes`: a Change from its dispatch over its Candidate and its promotion to its release, four commands of which each sleeps.",
      "Floor: two and three times what one process does, in turn. `beside-100-idle`: a commit that sends a command, and the time from its answer until a worker has begun, with a hundred processes of workers that wait, each with connections and a listener of its own; the floor is one."
    ],
    load: async () => (await import("./figures/WorkersSideBySide.ts")).bench
  },
  {
    name: "postgres",
    figures: ["postgres-swaps-1-fiber", "postgres-swaps-8-fibers", "postgres-swaps-32-fibers"],
    about: [
      "Compare-and-swap commits per second on Postgres with its default durability: `Ledger.commit` of a head's next generation and one event, from 1, 8 or 32 fibers, each on a Project of its own.",
      "Floor: `pg` by hand over as many connections, with named statements: `BEGIN`, `UPDATE head … WHERE project_id = $ AND generation = $`, `INSERT INTO outbox`, `COMMIT`. No dense sequence of events, no lock, no check of a life. It takes four round trips where the ledger takes one."
    ],
    load: async () => (await import("./figures/PostgresCommits.ts")).bench
  },
  {
    name: "compose",
    figures: ["compose-200-files", "compose-ahead"],
    about: [
      "A Candidate's composition on a tree of 200 files: `Repositories.fork` and `Repositories.merge` of one ChangeSet, on a canonical line that has moved on since. The value of `compose-200-files` is milliseconds over the floor. `compose-ahead`: milliseconds of the same on a Candidate that stands before it in the lane, whose commit lies in its own fork alone.",
      "Floors: `git merge-tree --write-tree` and `git commit-tree`, spawned one after the other with the same settings and environment, inside a repository that has all objects already; the same composition on canonical, in turn."
    ],
    load: async () => (await import("./figures/Compose.ts")).bench
  },
  {
    name: "packs",
    figures: ["cold-hot", "cold-base", "merge-warm"],
    about: [
      "Repositories as packs (many machines), on a real Postgres and a real S3 (radosgw): a Project of 200 files and 2,000 merges. `cold-hot`: milliseconds until a machine whose folder is empty knows main and lists its files, while each merge is a row of its own; `cold-base`: the same once these were compacted into one base. `merge-warm`: `Repositories.fork` and `Repositories.merge` of one ChangeSet on a machine that has its copies.",
      "Floor: `git clone --bare` of the same repository, in one pack, from git's own server over loopback; for `merge-warm` the same two calls on repositories in one folder (`PAWL_REPOSITORIES=folder`)."
    ],
    load: async () => (await import("./figures/Packs.ts")).bench
  },
  {
    name: "edit-to-live",
    isolates: true,
    figures: ["edit-to-live"],
    about: [
      "The shop, on a real server over HTTP: from `POST …/candidates` until the page that the edit adds is served on the app's own host. Promoted as soon as the Candidate is verified (asked every 5 ms). Includes composition, build, tests in the sandbox, preview, promotion, source sync and release. A fresh Project each round.",
      "Floor: the raw parts one after the other: `git merge-tree` and `git commit-tree`; esbuild on the same files in a fresh Node process; the shop's `node --test` through the Sandbox port; the first response of the app from AppRuntime's warm pool."
    ],
    load: async () => (await import("./figures/EditToLive.ts")).bench
  },
  {
    name: "packages",
    isolates: true,
    figures: ["install-cold", "install-warm", "packages-of-50-projects", "build-check", "react-edit-to-live"],
    about: [
      "The template `react` from a registry on loopback (verdaccio, which has the archives on its disk). `install-cold`: from its lock to its layer in an empty data folder, archives kept; `install-warm`: the same again, the slowest of the rounds; `packages-of-50-projects`: what the data folder takes on the disk when 50 Projects have these packages.",
      "`build-check`: the build check of a Candidate that has no other, from its beginning to its end as its evidence tells it. `react-edit-to-live`: from `POST …/candidates` until the page that the edit changes is served: composition, build, tests and types in the sandbox, preview, promotion and release.",
      "Floors: `npm ci --ignore-scripts` from the same registry with an empty cache; one Project; `vite build` in the same sandbox on the same layer; for the edit esbuild on the worker in a fresh Node process, and `vite build`, `vitest run` and `tsc --noEmit` in the sandbox one after the other. They leave out git and the first response. Pawl runs the checks of a Candidate beside each other."
    ],
    load: async () => (await import("./figures/Packages.ts")).bench
  },
  {
    name: "agents",
    figures: ["agent-turn", "promotion-beside-8-agents"],
    about: [
      "`agent-turn`: milliseconds from one request of an agent to its next, on a real server on SQLite whose provider of models is a server on loopback that answers at once: the answer is kept and booked, a tool reads a file, money is kept for the next call. The middle of each run of 30 turns.",
      "`promotion-beside-8-agents`: milliseconds from the commit that verified a Candidate of low risk to the one by which its Policy promoted it, the slowest of all rounds, while eight agents wait for a model that never answers.",
      "Floors: the same request from the benchmark's own process, with a transaction before it and one after it on better-sqlite3 by hand (WAL, `synchronous=FULL`; the change and the call, then the change, the call, the run and an event; plain tables, no object is kept); the same promotions without agents."
    ],
    load: async () => (await import("./figures/Agents.ts")).bench
  },
  {
    name: "provenance",
    isolates: true,
    figures: [
      "cold-row",
      "cold-row-reads",
      "promotion-stated",
      "promotion-stated-cpu",
      "verify-quick",
      "verify-quick-data",
      "verify-signatures",
      "verify-signatures-cpu",
      "requests-enforced",
      "promotion-signed",
      "restore-signer-dead"
    ],
    about: [
      "What signed statements cost. `cold-row`: milliseconds in which the router finds out that a row which it meets for the first time may be served, by its signed statement; `cold-row-reads`: how often the ledger was read for 1,000 of them. `promotion-stated`: milliseconds of a promotion commit on SQLite that says and chains its statement, decided, its chain read and committed; 16 Projects, one commit after the other.",
      "`verify-quick`: what `pawl verify --quick` does with a pack of 10,000 generations, each promoted, released and settled in a signed statement, from the folder to the verdict: links, the last signature of each key, the log's root. The start of its process is not in it. `verify-quick-data`: the same of a data folder, whose database keeps these statements. `verify-signatures`: every signature and link of the same statements, read from the file, with what they say of each other; no record and no object is looked at. `requests-enforced`: requests per second of a warm app through a front with `PAWL_PROVENANCE=enforce`. `promotion-signed`: milliseconds from the commit of a promotion on a real server until its statement has its signature, as its database file tells. `restore-signer-dead`: milliseconds from the row that points at a release whose probes fail to the row that points back, its probes among them, while the command that signs fails.",
      "Floors: the bare check of the same signature through Web Crypto; the rows; the same commit as it is without a statement, one of each in turn, each on its own database file; the bare checks of all signatures of the pack through Web Crypto, made ready beforehand, 256 of them at once behind 256 others and on the same threads as the product's; the same front with `off`; what is allowed; the same restore while the signer answers. `-cpu`: the same work by the CPU time of all threads, which other work on the machine shifts less."
    ],
    load: async () => (await import("./figures/Provenance.ts")).bench
  },
  {
    name: "lane-race",
    isolates: true,
    figures: ["lane-20-slots-beyond", "lane-4-slots", "lane-bad-in-front-runs"],
    about: [
      "Twenty Changes that are asked for at once on a real server whose Project has its lane on; the check of each sleeps for 5 s, so that cores matter little. `lane-20-slots-beyond`: with 20 sandboxes at once, milliseconds from the first request until the last has landed, beyond the slowest verification of the same race; the worst of the rounds. `lane-4-slots`: the same with 4 sandboxes, from the first request on. `lane-bad-in-front-runs`: how often the check was run where the first fails and the other 19 land, with 16 sandboxes; the most of the rounds.",
      "Floors, of the same race: its slowest verification, from the beginning of a Candidate's first check to the end of its last; the median of them; one run for each."
    ],
    load: async () => (await import("./figures/LaneRace.ts")).bench
  },
  {
    name: "lane-uneven-race",
    isolates: true,
    figures: ["lane-bad-in-front"],
    about: [
      "The same race where checks do not take as long as each other: each Change has a time of its own, lognormal around 5 s with a sigma of 0.3 and the same ones in each run, and a check that fails ends after 40 to 100 % of it. `lane-bad-in-front`: milliseconds from the first request until the last has landed, where the first fails and the other 19 land, with 16 sandboxes.",
      "Floor: the slowest verification of the same race."
    ],
    load: async () => (await import("./figures/UnevenRace.ts")).bench
  },
  {
    name: "lane",
    isolates: true,
    figures: [
      "promotion-lane-off",
      "promotion-lane-off-cpu",
      "lane-step-p99",
      "lane-step",
      "known-tree",
      "known-tree-used",
      "chain-of-20"
    ],
    about: [
      "What the lane costs. `promotion-lane-off`: milliseconds of a promotion commit on SQLite in a Project whose Policy has the lane off, decided and committed, one of each side in turn. `lane-step-p99` and `lane-step`: the 99th percentile and the mean of `lane.step` on SQLite while at least 100 entries are open, 20 of them with Candidates: all is read, then each step is a commit. Most of them notice what passed, have the first land and compose the next. Git, builds and sandboxes are those in memory, and one command runs at a time.",
      "`known-tree`: from the commit that composed a Candidate to the one that verified it, when its tree was verified before under `evidenceReuse: tree`, on a real server; the slowest of the rounds. `known-tree-used`: what that took of the month's milliseconds in sandboxes and of the day's builds. `chain-of-20`: from the commit by which a paused lane goes on to the last of the 20 swaps by which 20 ready Candidates of an app land, on the same server: real git, and the releases that follow begin beside it. Each landing waits for the disk some five times.",
      "Floors: the same commit, decided as it was before there was a lane (`bench/parts/PromotionBeforeLane.ts`; what both stand on is as it is now: how checks are judged, drafts, statements, the store), on a database file of its own; both commits are held to be the same, row by row; the rows of the same commits by hand on better-sqlite3 (WAL, `synchronous=FULL`; a transaction each, one plain table of records as JSON, one of events, one of commands, no guard, nothing read), for the chain those of `lane.step` and `candidate.promote`; the first verification of the tree; how many checks counted again."
    ],
    load: async () => (await import("./figures/Lane.ts")).bench
  },
  {
    name: "warm-requests",
    isolates: true,
    figures: ["warm-requests", "warm-requests-proxied", "warm-requests-p99"],
    about: [
      "Requests per second of one warm app through NodeFront, Router and WorkerdAppRuntime, over 16 keep-alive connections from another process, and the 99th percentile of their times.",
      "Floors: the same app on bare workerd (one process, same V8 flags, an HTTP socket on loopback), and a bare `node:http` proxy with keep-alive before that workerd (`proxied`)."
    ],
    load: async () => (await import("./figures/WarmRequests.ts")).bench
  },
  {
    name: "workerd-router",
    isolates: true,
    figures: [
      "workerd-router-warm",
      "workerd-router-warm-node",
      "workerd-router-warm-p50",
      "workerd-router-alone-p50",
      "workerd-router-cold",
      "workerd-router-cold-node",
      "workerd-router-cold-failed"
    ],
    about: [
      "The scripts of an installation on Cloudflare, all of them in workerd on this machine, with one live app. `warm`: requests per second of that app over 16 keep-alive connections from another process, and the middle of their times; `alone`: the middle for one connection. `cold`: workerd was killed and started again, and 1,000 visitors come at once, a fifth of whom leave before they are answered: milliseconds from the first of them to the last answer that somebody waited for, and how many of those who stayed were not answered with 200, the worst of the rounds.",
      "Floors: the same app on bare workerd (one process, an HTTP socket on loopback), for a crowd one that has just begun to listen; and the router in Node (`-node`) with the same app, for a crowd one in a fresh folder, whose app does not run yet."
    ],
    load: async () => (await import("./figures/WorkerdRouter.ts")).bench
  },
  {
    name: "workerd-lists",
    figures: [
      "workerd-opened-p99",
      "workerd-opened-worst",
      "workerd-decided-p99",
      "workerd-decided-worst",
      "workerd-opened-unhinted-p99",
      "workerd-opened-unhinted-worst",
      "workerd-decided-unhinted-p99",
      "workerd-decided-unhinted-worst"
    ],
    about: [
      "How far lists across Projects are behind on an installation on Cloudflare, all of it in workerd on this machine: 5 Projects, 25 Changes that are opened in a round, 15 of them at once, and 10 Candidates that are rejected, 5 of them at once. `opened`: from the answer to the kth Change of a Project until `GET /v1/projects?include=counts` counts k more; `decided`: from the answer to a rejection until `GET /v1/inbox` no longer asks for it. A list is read over and over, 2 ms after its last answer, and that read is part of what is told. Of all rounds the 99th percentile and the worst. `unhinted`: where the queue loses every hint, so that Projects tell by themselves what they have.",
      "Floor: the middle time of one read of the same list while nothing moves."
    ],
    load: async () => (await import("./figures/WorkerdLists.ts")).bench
  },
  {
    name: "cached-assets",
    figures: ["cached-assets"],
    about: [
      "Requests per second for one static file of 8 KiB through NodeFront and Router, which has it in memory, over 16 keep-alive connections from another process.",
      "Floor: a `node:http` server that sends the same bytes and headers from memory, and looks at nothing."
    ],
    load: async () => (await import("./figures/CachedAssets.ts")).bench
  },
  {
    name: "api-reads",
    figures: ["api-project", "api-project-p99", "api-100-changes", "api-100-changes-p99"],
    about: [
      "Requests per second of `GET /v1/projects/:id` and of `GET /v1/projects/:id/changes` with 100 Changes, from a real server on SQLite, over 16 keep-alive connections from another process, and the 99th percentile of their times. Each request brings a token and is authenticated, authorized and counted.",
      "Floor: a `node:http` server that sends the same bytes and headers from memory, and looks at nothing."
    ],
    load: async () => (await import("./figures/ApiReads.ts")).bench
  },
  {
    name: "console",
    figures: [
      "console-fcp",
      "console-lcp",
      "console-tbt",
      "console-cls",
      "console-inp",
      "console-10000-generations",
      "console-10000-generations-requests",
      "console-10000-generations-nodes",
      "console-10000-generations-heap",
      "console-diff-first-file",
      "console-commit-to-text-p95",
      "console-commit-to-text-max",
      "console-moves-frame",
      "console-moves-requests",
      "console-takeover",
      "console-takeover-lost",
      "console-idle-requests",
      "console-log-rows",
      "console-killed-told",
      "console-server-memory",
      "console-server-start"
    ],
    about: [
      "The console in Chromium, from a real server on SQLite. `fcp`, `lcp`, `tbt`, `cls`, `inp`: first visits of the Inbox and of a list of 1,000 Changes, signed in, with nothing kept, the processor four times slower, 10 Mbit/s and 40 ms; first and largest paint, blocked time after the first, shifts, and on the list the slowest answer to hands that search, press keys, open a dialog and go to other screens. Told is the slower of the two, in the middle of the rounds.",
      "`10000-generations`: until the newest of 10,000 stand there, S0 over and over as rows of the database say; questions for the list until then; nodes and memory after a jump to the middle. `diff-first-file`: from a click on the tab Diff of an open Change until the first lines of 10,000 in 400 files are drawn. `commit-to-text`: from the moment that a commit bears until its step stands in the open history of its Change, while one Change after the other goes from a ChangeSet to its live page.",
      "`moves`: 200 of 1,000 Changes are cancelled one by one within ten seconds while the list is open; the longest time between two frames, and questions to the API per second. `takeover`: the one of ten tabs that holds the stream is closed; until another's is open, and what nobody heard of Changes that were opened meanwhile. `idle-requests`: of ten tabs in 20 s. `log-rows`: of an app that prints 100 lines in a second, followed for a minute. `killed-told`: from the moment that a server is killed until an open page says that it shows the past. `server`: memory and start of the built package's server with the console, over the same without.",
      "Floors: a bare page of as many files and bytes whose script fills it, over the same line; a Project with ten generations; a bare fetch of the same answer in the same page; the same news read without a page; the same list while nothing moves; a bare lock and stream by hand; `PAWL_CONSOLE=false`; where there is none, what it may be."
    ],
    load: async () => (await import("./figures/Console.ts")).bench
  },
  {
    name: "command",
    figures: ["command-version", "command-whoami"],
    about: [
      "Milliseconds from the spawn of `pawl --version` and of `pawl whoami`, which asks a server on loopback, to their end, over a bare Node; of the built package, without a cache of compiled code.",
      "Floor: `node -e 0`, one of each in turn."
    ],
    load: async () => (await import("./figures/CommandStart.ts")).bench
  },
  {
    name: "app-memory",
    isolates: true,
    figures: ["memory-per-live-app"],
    about: [
      "The memory that each of 40 live apps takes: proportional set size of their workerd processes, each inside its isolation.",
      "Floor: as many bare workerd processes with the same app, without isolation."
    ],
    load: async () => (await import("./figures/AppMemory.ts")).bench
  },
  {
    name: "many-apps",
    isolates: true,
    figures: ["one-of-100-apps", "one-of-1000-apps"],
    about: [
      "Requests per second of one warm app over 4 connections, when it is one of 100 or of 1,000 apps that the router knows, 100 of them live with a process each.",
      "Floor: the same when it is the only one."
    ],
    load: async () => (await import("./figures/ManyApps.ts")).bench
  },
  {
    name: "everywhere",
    figures: ["release-seen-everywhere", "removal-seen-everywhere"],
    about: [
      "Three processes with the role `router` share a Postgres, one of them with `api` and `worker` too. From the moment at which that one shows a release until the others do, and from the API's answer to a removal until all three show it, each asked again 2 ms after its answer; the slowest of the rounds.",
      "Floor: the bound for a router that was cut off, `RouterLimits.pointerCacheMs`."
    ],
    load: async () => (await import("./figures/SeenEverywhere.ts")).bench
  },
  {
    name: "pointer",
    figures: ["pointer-seen-p99"],
    about: [
      "From the answer to the commit that moves a pointer, in one process, until the router's memory in another process has it, which heard of it over Postgres and read the row anew: 100 moves in a round, and of all rounds the 99th percentile.",
      "Floor: the bound for a router that was cut off, `RouterLimits.pointerCacheMs`."
    ],
    load: async () => (await import("./figures/PointerSeen.ts")).bench
  },
  {
    name: "cold-start",
    isolates: true,
    figures: ["cold-start-median", "cold-start-worst"],
    about: [
      "The first response of an app that does not run yet, from AppRuntime's warm pool: the shop's bundle, 20 apps one after the other, each when the pool is full again.",
      "Floor: bare workerd spawned on the same module, without isolation, from spawn to its first response."
    ],
    load: async () => (await import("./figures/ColdStart.ts")).bench
  },
  {
    name: "hostile-neighbours",
    isolates: true,
    figures: ["innocent-p99-beside-attackers", "innocent-refusals", "loop-to-503-median", "loop-to-503-p99"],
    about: [
      "The 99th percentile of an app that does nothing wrong, through the whole front over 4 keep-alive connections, while three others are asked without a pause: one loops, one takes memory until it is stopped, one dies at every start. `innocent-refusals`: how many of its requests were not answered with 200 in all rounds. `loop-to-503`: how long a visitor of a warm app waits that begins to loop.",
      "Floors: the same app alone, in turn; the requests that were served; the CPU time that a request may take. `PAWL_BENCH_LOAD_MS` makes the rounds longer: at 10,000 and 5 rounds over 70,000 requests are made."
    ],
    load: async () => (await import("./figures/HostileNeighbours.ts")).bench
  }
]

/** The benchmarks a name asks for: its own, one of its figures', or all. */
export const asked = (name: string | null): ReadonlyArray<Entry> =>
  name === null ? catalogue : catalogue.filter((entry) => entry.name === name || entry.figures.includes(name))
