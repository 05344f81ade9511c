/** The steps of every durable process: what they write is read back, by this version and as older ones left it. */
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Effect, Result, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { auditPasses } from "@pawl/core/audit/AuditRequests"
import { takenStep } from "@pawl/core/bundle/Builds"
import { mergeStep, planStep as candidatePlan } from "@pawl/core/candidate/Composer"
import { begunStep } from "@pawl/core/candidate/CheckHistory"
import { checkedStep, ranStep } from "@pawl/core/candidate/CheckRuns"
import { planStep as graphPlan } from "@pawl/core/change/Compilation"
import { effectStep } from "@pawl/core/event/EventRouter"
import type { CommandKind } from "@pawl/core/model/Command"
import {
  buildSinceStep,
  builtStep,
  confirmedStep,
  deploymentSinceStep,
  pushedStep
} from "@pawl/core/release/BuildServicePath"
import { servedBeforeStep } from "@pawl/core/release/AppProvision"
import { movedStep } from "@pawl/core/release/Releases"
import { shownStep } from "@pawl/core/harness/OutsideChecks"
import { workStep } from "@pawl/core/task/Dispatch"
import { forkPasses } from "@pawl/core/upkeep/ForkSweep"
import { retentionPasses } from "@pawl/core/upkeep/RetentionSweep"
import { adoptedStep } from "@pawl/core/webhook/WebhookDelivery"
import * as JournalStep from "@pawl/core/work/JournalStep"

const commit = "49941ed526f7d6339ad23c002c975beb75de3ada"
const tree = "60ecbcf67d39e9bf70416f0c81bb834e12245223"
const digest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
const at = "2026-11-22T10:00:00.000Z"
const run = "run_tsk_chg_00000001-0000-4000-8000-000000000000_edit-1_1"
const usage = { modelCalls: 2, cost_usd: 0.0375 }
const cut = { filesTotal: 9000, intentsTotal: 9001, digest }
const listing = {
  files: [{ path: "public/hard.txt", status: "added", additions: 1, deletions: 0 }],
  intents: [{ kind: "path", value: "public/hard.txt", mode: "write" }]
}
const check = { id: "build", kind: "build", title: "The app builds", required: true, timeoutMs: 60000 }
const plan = { policyVersion: 1, riskTier: "medium", approvalRequired: false, checks: [check] }
const task = {
  key: "one",
  title: "One",
  kind: "implement",
  complexity: "small",
  instructions: "",
  dependsOn: [],
  writes: []
}
const graph = { version: 1, changeId: "chg_471945d6-bd48-866e-8a76-1bdae8aee12d", baseGeneration: 3, tasks: [task] }
const finding = {
  status: "checked_supported",
  result: "pass",
  summary: "passed in 1 s",
  output: "cmFu",
  runner: { isolation: "memory", version: "1", guarantees: ["no-network"] },
  worthAnotherTry: false
}
const kept = { finding, attempt: 1, startedAt: at, finishedAt: at }
const base = { id: "test@base", kind: "command", title: "test", command: "node --test", required: false, timeoutMs: 1 }
const awaited = [
  { _tag: "Done", id: "b1" },
  { _tag: "Failed", reason: "no build" }
]

/** A step, and every form that its results have had, as the journal holds them. */
const is = <A>(step: JournalStep.JournalStep<A>, ...found: ReadonlyArray<unknown>) => ({
  name: step.name,
  found,
  /** Reads what was found, and writes it again. */
  rewritten: (each: unknown) => Effect.map(step.read("p", each), step.write)
})

/** Every step of every process. Forms that stand in the data folder of version 3 are marked. */
const processes: Partial<Readonly<Record<CommandKind, ReadonlyArray<ReturnType<typeof is>>>>> = {
  "candidate.create": [
    is(
      mergeStep,
      { _tag: "Composed", commit, tree }, // version 3
      {
        _tag: "Composed",
        commit,
        tree,
        derived: [{ path: "package-lock.json", changeSet: `cs_${run}`, why: "made", sha256: digest }]
      },
      { _tag: "Refused", reason: "merge conflict in a.txt", conflicts: ["a.txt"] }
    ),
    is(
      candidatePlan,
      { _tag: "Planned", plan }, // version 3
      {
        _tag: "Planned",
        plan: {
          ...plan,
          checks: [
            { ...check, id: "tree-equals", kind: "tree-equals", tree },
            { ...base, base: { check: "test", globs: ["test/**"], paths: ["test/a.ts"], count: 1 } },
            { ...base, waived: { reason: "known", until: at } },
            {
              ...base,
              base: { check: "test", globs: [], paths: [], count: 0, scripts: [{ name: "test", command: "true" }] }
            }
          ]
        }
      },
      { _tag: "Refused", reason: "pawl.json cannot be read" }
    ),
    is(takenStep("app-previews"), "2026-11-22"), // version 3
    is(begunStep("test@1"), null),
    is(checkedStep("test@1"), { evidenceId: "evd_01M80Z6QXACW7EFZ06CEZ18T6K" }), // version 3
    is(ranStep("test@1"), kept, { ...kept, finding: { ...finding, bundleDigest: digest, inputs: ["a.json"] } })
  ],
  "change.dispatch": [is(graphPlan, { _tag: "Planned", graph }, { _tag: "Failed", reason: "the plan cannot be used" })],
  "agent.wake": [
    is(
      workStep(1),
      { _tag: "Escalate", reason: "too hard for me", usage }, // version 3
      {
        _tag: "Published",
        made: { commit, tree, listing },
        base: { generation: 0, commit },
        message: "done",
        usage
      }, // version 3
      {
        _tag: "Published",
        made: { commit, tree, listing: { ...listing, cut } },
        base: { generation: 0, commit },
        message: "done",
        usage
      },
      { _tag: "Answered", objectKey: null, usage },
      { _tag: "Answered", objectKey: "context/p/r", usage },
      ...["Retry", "Failed", "Stopped"].map((_tag) => ({ _tag, reason: "why", usage }))
    )
  ],
  "run.checks": [
    is(shownStep("1:test"), {
      checkId: "test",
      title: "The tests",
      required: true,
      result: "fail",
      summary: "exit 1 after 1 s",
      output: "broken"
    })
  ],
  "release.run": [
    is(takenStep("apps"), "2026-11-22"),
    is(movedStep, { _tag: "Moved" }), // version 3
    is(pushedStep, { _tag: "Pushed" }, { _tag: "Refused", reason: "diverged" }),
    is(buildSinceStep, 1_790_000_000_000),
    is(builtStep, ...awaited),
    is(deploymentSinceStep, 1_790_000_000_000),
    is(confirmedStep, ...awaited)
  ],
  "app.provision": [
    is(takenStep("apps"), "2026-11-22"), // version 3
    is(
      servedBeforeStep,
      null,
      { commit, generation: 3, bundle_key: "apps/p/c/bundle.json", bundle_digest: digest },
      { commit, generation: null, bundle_key: "apps/p/c/bundle.json", bundle_digest: digest }
    )
  ],
  "retention.sweep": [
    is(
      retentionPasses(1),
      ...["apps", "projects", "archive"].map((stage) => ({ stage, prefix: 0, after: null })), // version 3
      ...["previews", "bundles", "objects", "packs", "letters", "deliveries", "records"].map((stage) => ({
        stage,
        prefix: 1,
        after: "x"
      })),
      null
    )
  ],
  "forks.sweep": [is(forkPasses(1), { stage: "candidates", after: "x" }, { stage: "runs", after: null }, null)],
  "project.audits": [is(auditPasses(1), { after: "x" }, null)],
  "project.audit": [is(takenStep("again"), "2026-11-22")],
  "event.consume": [is(effectStep, null)],
  "webhook.deliver": [is(adoptedStep, null)]
}

const all = Object.entries(processes).flatMap(([kind, steps]) => steps.map((step) => ({ kind, ...step })))

const sources = fileURLToPath(new URL("../../src", import.meta.url))

describe("A journal step", () => {
  it.each(all)("of $kind reads what $name has left, and writes the same", ({ found, rewritten }) =>
    Effect.runPromise(
      Effect.gen(function* () {
        // Through text, as a store keeps it.
        for (const each of found) expect(yield* rewritten(JSON.parse(JSON.stringify(each)))).toEqual(each)
      })
    )
  )

  it("has a name of its own in its process, which no step with a number comes upon either", () => {
    for (const steps of Object.values(processes)) {
      const names = steps.map(({ name }) => name)
      expect(new Set(names).size).toBe(names.length)
      for (const name of names.filter((each) => each.includes(":"))) {
        const begin = name.slice(0, name.lastIndexOf(":") + 1)
        expect(names.filter((other) => other !== name && other.startsWith(begin))).toEqual([])
      }
    }
  })

  it("stands in this list, wherever it is made", () => {
    const made = readdirSync(sources, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts"))
      .flatMap(
        (path) => readFileSync(`${sources}/${path}`, "utf8").match(/JournalStep\.(make|each)\(| = passes\(/g) ?? []
      )
    // `Pass` makes its steps in one place, for those who pass through records.
    const passing = 1
    const listed = new Set(all.map(({ kind, name }) => (name.startsWith("taken:") ? "taken" : `${kind} ${name}`)))
    expect(made.length - passing).toBe(listed.size)
  })

  it("is not read from what does not fit: it says which step of which process, and where", () => {
    const read = Effect.runSync(Effect.result(workStep(2).read("agent.wake:t", { _tag: "Retry", usage })))
    expect(Result.isFailure(read) && read.failure).toMatchObject({
      _tag: "JournalUnreadable",
      process: "agent.wake:t",
      step: "work:2"
    })
    expect(Result.isFailure(read) && read.failure.why).toContain("reason")
  })

  it("does not write what it could not read", () => {
    expect(() => JournalStep.make("s", Schema.Finite).write(Number.NaN)).toThrow()
  })
})
