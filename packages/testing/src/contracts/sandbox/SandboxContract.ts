/**
 * What every `Sandbox` promises. A sandbox that really runs commands also gives `host`: what a command must never
 * reach. `SandboxAttempts` are the ways out that are tried, `SandboxTools` what an honest check finds.
 */
import { Effect, Fiber, type Layer, ManagedRuntime } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Sandbox } from "@pawl/core/verification/Sandbox"
import { type Attempt, attempts, limitAttempts } from "./SandboxAttempts.ts"
import { checkCollection, checkHostileCollection } from "./SandboxCollection.ts"
import { jobOf, runJob, type RunPromise, type SandboxHost, textOf } from "./SandboxJobs.ts"
import { checkSystemCalls } from "./SandboxSystemCalls.ts"
import { checkTools } from "./SandboxTools.ts"

/** How an adapter's test makes a sandbox for this contract. */
export interface SandboxFixture {
  readonly layer: Layer.Layer<Sandbox>
  /** Absent for one that runs nothing: only the life of a job is then tried. */
  readonly host?: () => Promise<SandboxHost>
  /** Another fixture of this adapter is tried with everything, and this one holds nothing but limits in another way. */
  readonly differsInLimits?: true
}

const lives = (run: RunPromise) => {
  it("tells the exit code and both outputs of a command that ends", async () => {
    const result = await run(runJob(jobOf("echo out; echo err >&2; exit 3")))
    expect(result.outcome).toEqual({ _tag: "Exited", code: 3 })
    expect(textOf(result)).toBe("out\nerr\n")
    expect(result.outputTruncated).toBe(false)
    expect(result.finishedAtMs).toBeGreaterThanOrEqual(result.startedAtMs)
  })

  it("names the isolation that a job ran in", async () => {
    const result = await run(runJob(jobOf("true")))
    expect(result.isolation).toEqual(await run(Effect.flatMap(Sandbox, (sandbox) => sandbox.isolation)))
    expect([...result.isolation.guarantees]).toEqual([...result.isolation.guarantees].sort())
  })

  it("answers the same handle when a job is started twice, and runs it once", async () => {
    const job = jobOf("sleep 600")
    const handles = await run(
      Effect.gen(function* () {
        const sandbox = yield* Sandbox
        const both = yield* Effect.all([sandbox.start(job), sandbox.start(job)], { concurrency: "unbounded" })
        yield* sandbox.cancel(both[0])
        const after = yield* Effect.result(sandbox.poll(both[1], 0))
        return { both, after }
      })
    )
    expect(handles.both[0]).toEqual(handles.both[1])
    expect(handles.after._tag).toBe("Failure")
  })

  it("says Running while a job runs, and Finished again and again once it has ended", async () => {
    const states = await run(
      Effect.gen(function* () {
        const sandbox = yield* Sandbox
        const long = yield* sandbox.start(jobOf("sleep 600"))
        const running = yield* sandbox.poll(long, 20)
        yield* sandbox.cancel(long)
        const short = yield* sandbox.start(jobOf("exit 3"))
        const first = yield* sandbox.poll(short, 60_000)
        const second = yield* sandbox.poll(short, 0)
        yield* sandbox.cancel(short)
        return { running, first, second }
      })
    )
    expect(states.running._tag).toBe("Running")
    expect(states.first).toEqual(states.second)
    expect(states.first).toMatchObject({ _tag: "Finished", result: { outcome: { _tag: "Exited", code: 3 } } })
  })

  it("lets cancelling what is gone succeed, and polling it fail", async () => {
    const gone = { id: "never-started" }
    await run(Effect.flatMap(Sandbox, (sandbox) => sandbox.cancel(gone)))
    const polled = await run(Effect.result(Effect.flatMap(Sandbox, (sandbox) => sandbox.poll(gone, 0))))
    expect(polled).toMatchObject({ _tag: "Failure", failure: { _tag: "SandboxUnavailable" } })
  })

  it("cuts the output at its limit and says so", async () => {
    const result = await run(runJob(jobOf("echo 0123456789", { limits: { outputBytes: 4 } })))
    expect(textOf(result)).toBe("0123")
    expect(result.outputTruncated).toBe(true)
  })

  it("keeps a waiting poll interruptible, and the job alive", async () => {
    const state = await run(
      Effect.gen(function* () {
        const sandbox = yield* Sandbox
        const handle = yield* sandbox.start(jobOf("sleep 600"))
        const waiting = yield* Effect.forkChild(sandbox.poll(handle, 60_000))
        yield* Fiber.interrupt(waiting)
        const after = yield* sandbox.poll(handle, 0)
        yield* sandbox.cancel(handle)
        return after
      })
    )
    expect(state._tag).toBe("Running")
  })
}

const judge = async (run: RunPromise, host: SandboxHost, attempt: Attempt) => {
  const visits = host.visits()
  const result = await run(
    runJob(jobOf(attempt.command(host), { limits: attempt.limits ?? {}, files: attempt.files ?? {} }))
  )
  const seen = { ...result.outcome, text: textOf(result).slice(0, 2000) }
  if (attempt.outcome !== undefined) expect(seen).toMatchObject(attempt.outcome)
  if (attempt.prints !== undefined) expect(seen.text.trim()).toMatch(attempt.prints)
  expect(seen.text).not.toContain("ESCAPED")
  expect(seen.text).not.toContain(host.secret)
  expect(host.visits()).toBe(visits)
  attempt.after?.(result, host)
}

/** Declares the suite. One layer serves all tests of it. */
export const sandboxContract = (name: string, fixture: SandboxFixture): void => {
  describe(`Sandbox: ${name}`, () => {
    const runtime = ManagedRuntime.make(fixture.layer)
    const run: RunPromise = (effect) => runtime.runPromise(effect)
    afterAll(() => runtime.dispose())
    lives(run)
    checkCollection(run)

    const makeHost = fixture.host
    if (makeHost === undefined) return
    let host: SandboxHost
    beforeAll(async () => {
      host = await makeHost()
    })
    const differs = fixture.differsInLimits === true
    for (const attempt of differs ? limitAttempts : attempts) it(attempt.title, () => judge(run, host, attempt))
    checkSystemCalls(run)
    checkTools(run, differs)
    if (!differs) checkHostileCollection(run)
  })
}
