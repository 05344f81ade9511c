/** The core over memory with a sandbox that says it is closed, so that what it ran may count again. */
import { Effect, Layer } from "effect"
import type { Check } from "@pawl/core/model/Plan"
import type { Evidence } from "@pawl/core/model/Evidence"
import { Records } from "@pawl/core/ledger/Records"
import * as Policies from "@pawl/core/approval/Policies"
import type { EvidenceReuse } from "@pawl/core/model/Policy"
import { type Isolation, Sandbox, type SandboxJob } from "@pawl/core/verification/Sandbox"
import { layer, person, run } from "./MemoryPawl.ts"
import * as Projects from "@pawl/core/project/Projects"
import { organizationId, settle } from "./MemoryPawl.ts"
import { files } from "./Scenes.ts"

/** A sandbox, and what it ran. */
export interface Closed {
  /** What it says of itself from now on. */
  isolation: Isolation
  readonly jobs: Array<SandboxJob>
}

const textIn = (job: SandboxJob, path: string): string =>
  new TextDecoder().decode(job.files.get(path)?.content ?? new Uint8Array())

/** A command fails where `result.txt` says `broken`. */
const layerOf = (closed: Closed) => {
  const jobs = new Map<string, SandboxJob>()
  return Layer.succeed(Sandbox, {
    isolation: Effect.sync(() => closed.isolation),
    start: (job) => Effect.sync(() => (jobs.set(job.id, job), closed.jobs.push(job), { id: job.id })),
    poll: ({ id }) =>
      Effect.sync(() => {
        const job = jobs.get(id)!
        const code = textIn(job, "result.txt").trim() === "broken" ? 1 : 0
        const { isolation } = closed
        const output = new TextEncoder().encode(`ran ${id}`)
        const outcome = { _tag: "Exited" as const, code }
        return {
          _tag: "Finished" as const,
          result: { outcome, output, outputTruncated: false, isolation, startedAtMs: 0, finishedAtMs: 1_000 }
        }
      }),
    cancel: () => Effect.void
  })
}

/** Runs a program where checks run in a closed sandbox. */
export const inClosed = <A, E>(
  program: (closed: Closed) => Effect.Effect<A, E, Layer.Success<typeof layer>>
): Promise<A> => {
  const isolation: Isolation = {
    name: "memory",
    version: "1",
    guarantees: ["clean-environment", "network-denied"],
    tools: "a1".repeat(32)
  }
  const closed: Closed = { isolation, jobs: [] }
  return run(program(closed), Layer.merge(layer, layerOf(closed)))
}

/** A Project whose Policy lets evidence of before count. */
export const reusing = (
  evidenceReuse: EvidenceReuse,
  {
    checks = [{ id: "test", command: "node --test" }],
    ...more
  }: {
    readonly checks?: ReadonlyArray<Partial<Check>>
    readonly source?: Readonly<Record<string, string>>
  } = {}
) =>
  Effect.gen(function* () {
    const source = { ...files, "pawl.json": JSON.stringify({ checks, probes: [{ path: "/" }] }), ...more.source }
    const project = yield* Projects.create(person, { organizationId, slug: "corner", files: source })
    yield* settle
    if (evidenceReuse !== "none") yield* Policies.change(person, project.id, { evidenceReuse })
    return project
  })

/** The rows of a Candidate by their checks. */
export const rowsOf = (candidateId: string) =>
  Effect.gen(function* () {
    const page = yield* (yield* Records).list("evidence", { where: { subject: candidateId }, limit: "all" })
    return Object.fromEntries(page.items.map(({ record }) => [record.checkId, record])) as Readonly<
      Record<string, Evidence | undefined>
    >
  })
