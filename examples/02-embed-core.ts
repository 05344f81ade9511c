/**
 * The rules of Pawl inside another program, without its server: the core over layers that live in memory, from a new
 * Project to a live release. Swap the layers and the same program runs on a disk.
 *
 *   node_modules/.bin/node --conditions=pawl-source examples/02-embed-core.ts
 */
import { user } from "@pawl/core/model/Actor"
import * as MemoryAppBuilder from "@pawl/adapters-memory/MemoryAppBuilder"
import * as Candidates from "@pawl/core/candidate/Candidates"
import * as MemorySandbox from "@pawl/adapters-memory/MemorySandbox"
import * as Changes from "@pawl/core/change/Changes"
import * as ChangeSets from "@pawl/core/changeset/ChangeSets"
import { Commands } from "@pawl/core/work/Commands"
import { EventLog } from "@pawl/core/event/EventLog"
import { handlers } from "@pawl/core/worker/Handlers"
import * as MemoryWebhookSender from "@pawl/adapters-memory/MemoryWebhookSender"
import { demand } from "@pawl/core/ledger/Decision"
import * as MemoryLedger from "@pawl/adapters-memory/MemoryLedger"
import { execute } from "@pawl/core/work/Processes"
import * as MemoryObjectStore from "@pawl/adapters-memory/MemoryObjectStore"
import { Limits } from "@pawl/core/primitives/Limits"
import * as MemoryPackageStore from "@pawl/adapters-memory/MemoryPackageStore"
import * as MemoryRepositories from "@pawl/adapters-memory/MemoryRepositories"
import * as MemorySignedHeads from "@pawl/adapters-memory/MemorySignedHeads"
import * as MemorySigner from "@pawl/adapters-memory/MemorySigner"
import * as Projects from "@pawl/core/project/Projects"
import * as Promotions from "@pawl/core/promotion/Promotions"
import * as MemoryRouteReader from "@pawl/adapters-memory/MemoryRouteReader"
import { ProbeClient } from "@pawl/core/release/ProbeClient"
import { Console, Effect, Layer } from "effect"

/** There is no machine to run commands on, so a script says how each check ends: by what the file `verdict.txt` holds. */
const sandbox = MemorySandbox.layerMemory((job) => {
  const verdict = new TextDecoder().decode(job.files.get("verdict.txt")?.content)
  return { outcome: { _tag: "Exited", code: verdict === "good" ? 0 : 1 }, output: `verdict.txt says ${verdict}` }
})

/** Nor is there a router: the program itself answers the probes of a release. */
const probes = Layer.succeed(ProbeClient, {
  get: () => Effect.succeed({ status: 200, contentType: "text/html", body: new TextEncoder().encode("<p>hello") })
})

const pawl = Layer.mergeAll(
  MemoryLedger.layerMemory,
  MemoryObjectStore.layerMemory,
  // Nobody outside is told of anything.
  MemoryWebhookSender.layerMemory(new Map()),
  MemoryRepositories.layerMemory,
  MemoryAppBuilder.layerMemory,
  // Sources without a lock file need no packages.
  MemoryPackageStore.layerMemory(),
  MemoryRouteReader.layerMemory,
  // Statements of what was done are signed with keys that last as long as the program.
  MemorySignedHeads.layerMemory,
  MemorySigner.layerMemory,
  sandbox,
  probes
)

/** Durable work waits as commands. A server has workers that run for ever; here it runs until nothing is due. */
const work = Effect.gen(function* () {
  const commands = yield* Commands
  const kinds = Object.keys(handlers) as Array<keyof typeof handlers>
  for (;;) {
    const claimed = yield* commands.claim({ worker: "example", kinds, limit: 10, leaseMs: Limits.commandLeaseMs })
    if (claimed.length === 0) return
    yield* Effect.forEach(claimed, (leased) => execute(leased, handlers), { discard: true })
  }
})

const person = user("usr_00000000-0000-4000-8000-000000000001")

const program = Effect.gen(function* () {
  const project = yield* Projects.create(person, {
    organizationId: "org_00000000-0000-4000-8000-000000000001",
    slug: "corner",
    files: {
      "pawl.json": JSON.stringify({
        checks: [{ id: "verdict", command: "test -f verdict.txt" }],
        probes: [{ path: "/" }]
      }),
      "src/index.js": "export default { fetch: () => new Response('one') }",
      "verdict.txt": "good"
    }
  })
  yield* work

  const { change } = yield* Changes.open(person, {
    projectId: project.id,
    clientRequestId: "1",
    goal: "Say two",
    budgetUsd: 1
  })
  yield* ChangeSets.record(person, {
    changeId: change.id,
    message: "Say two",
    files: { "src/index.js": "export default { fetch: () => new Response('two') }" }
  })
  const { candidate } = yield* Candidates.request(person, { changeId: change.id })
  yield* work
  const verified = (yield* demand("candidate", candidate.id)).record
  yield* Console.log(`${verified.id} is ${verified.status}:`)
  for (const check of verified.score?.checks ?? []) yield* Console.log(`  ${check.checkId}: ${check.verdict}`)

  const promoted = yield* Promotions.promote(person, candidate.id)
  yield* work
  const release = (yield* demand("release", `rel_${project.id}_${promoted.generation}`)).record
  yield* Console.log(`S${promoted.generation} is ${release.status}`)
  const events = yield* (yield* EventLog).read(project.id, 0, Limits.eventsPageSize)
  for (const event of events) yield* Console.log(`  ${event.sequence} ${event.type}`)
})

await Effect.runPromise(Effect.provide(program, pawl))
