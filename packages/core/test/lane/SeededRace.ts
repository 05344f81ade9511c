/**
 * Twenty Changes race through the lane of the real program, in virtual time: some are bad, some do not merge, some of
 * their checks are flaky. The workload is that of the design of the lane, its unit the median of a verification.
 */
import { Effect, Layer } from "effect"
import * as MemorySandbox from "@pawl/adapters-memory/MemorySandbox"
import * as Policies from "@pawl/core/approval/Policies"
import { demand } from "@pawl/core/ledger/Decision"
import { Records } from "@pawl/core/ledger/Records"
import * as FairSlots from "@pawl/core/primitives/FairSlots"
import { Settings } from "@pawl/core/primitives/Settings"
import * as Time from "@pawl/core/primitives/Time"
import type { SandboxJob } from "@pawl/core/verification/Sandbox"
import { SandboxSlots } from "@pawl/core/verification/SandboxSlots"
import { handlers } from "@pawl/core/worker/Handlers"
import { worker } from "@pawl/core/work/Worker"
import { seededDraw } from "@pawl/testing/tools/SeededScheduler"
import { laneOn, racing } from "../kit/LaneScenes.ts"
import { answers, layer, page, person } from "../kit/MemoryPawl.ts"
import { newProject } from "../kit/Scenes.ts"
import { inVirtualTime } from "../kit/VirtualTime.ts"

/** What chance and the machine do to the race. */
export interface Odds {
  readonly changes: number
  readonly slots: number
  /** How likely a Change is bad, and a check of a good one fails, 0 to 1. */
  readonly fail: number
  readonly flake: number
  /** How likely two Changes write the same lines. */
  readonly clash: number
  readonly flakeRetries: 0 | 1
  /** Nothing is left to chance: the first one alone is bad, and each verification takes a second more than the one before. */
  readonly badFirst?: true
}

/** Of the design: a twelfth of the pairs share a file, and a quarter of those do not merge. */
export const odds: Odds = { changes: 20, slots: 16, fail: 0.1, flake: 0.02, clash: 0.09 * 0.25, flakeRetries: 1 }

/** What became of one Change. */
export interface Fate {
  readonly bad: boolean
  readonly end: string
  /** From the beginning of the race, in medians. */
  readonly after: number
  /** How many predictions of it fell. */
  readonly predictions: number
}

/** What became of a race. */
export interface Raced {
  readonly fates: ReadonlyArray<Fate>
  /** How often the check ran in a sandbox, retries too. */
  readonly runs: number
}

const medianMs = 60_000

/** Chance of one seed: a number from 0 to 1, and one around 0 as the normal distribution has it. */
const chanceOf = (seed: number) => {
  const draw = seededDraw(seed)
  const even = () => draw(1_000_000) / 1_000_000
  return { even, normal: () => Math.sqrt(-2 * Math.log(1 - even())) * Math.cos(2 * Math.PI * even()) }
}

const hashOf = (text: string): number =>
  Array.from(text).reduce((sum, one) => Math.imul(sum, 31) + one.charCodeAt(0), 7)

interface Racer {
  readonly bad: boolean
  /** How long its verification takes, ms. */
  readonly ms: number
  readonly files: Record<string, string>
}

/** Who races. A file of its own each, and one more for each other that it does not merge with. */
const racersOf = (seed: number, { badFirst, changes, clash, fail }: Odds): ReadonlyArray<Racer> => {
  const { even, normal } = chanceOf(seed * 7919 + 17)
  const racers = Array.from({ length: changes }, (_, n) => ({
    ms: badFirst === true ? medianMs + n * 1000 : Math.min(4, Math.exp(0.3 * normal())) * medianMs,
    bad: badFirst === true ? n === 0 : even() < fail,
    files: { [`src/${n}.txt`]: String(n) } as Record<string, string>
  }))
  for (let one = 0; one < changes; one++)
    for (let other = one + 1; other < changes; other++)
      if (even() < clash) for (const n of [one, other]) racers[n]!.files[`both/${one}-${other}.txt`] = String(n)
  return racers
}

/** The number of the Change that a Candidate is of. */
const numberOf = Effect.fnUntraced(function* (candidateId: string, changes: ReadonlyArray<string>) {
  return changes.indexOf((yield* demand("candidate", candidateId)).record.changeId)
})

/** How a check ends, and when: what fails ends sooner. */
const scripted = (
  seed: number,
  racers: ReadonlyArray<Racer>,
  { badFirst, flake }: Odds,
  self: number,
  job: SandboxJob
) => {
  const { even, normal } = chanceOf(seed * 104_729 + hashOf(job.id))
  const isGood = racers.every(({ bad }, n) => !bad || !job.files.has(`src/${n}.txt`))
  if (badFirst === true) return { code: isGood ? 0 : 1, ms: racers[self]!.ms }
  const ms = racers[self]!.ms * Math.exp(0.1 * normal())
  const passes = isGood && even() >= flake
  return { code: passes ? 0 : 1, ms: passes ? ms : ms * (0.4 + 0.6 * even()) }
}

const slotsPerLane = ({ slots }: Odds) => ({
  landing: 4,
  canonical: 4,
  verification: slots,
  provisioning: 2,
  planning: 4,
  agents: 1,
  webhooks: 1,
  signing: 4
})

const fatesOf = Effect.fnUntraced(function* (
  racers: ReadonlyArray<Racer>,
  changes: ReadonlyArray<string>,
  began: number
) {
  const { items } = yield* (yield* Records).list("laneEntry", { limit: "all" })
  return racers.map(({ bad }, n): Fate => {
    const entry = items.find(({ record }) => record.changeId === changes[n])?.record
    const predictions = entry?.predictions ?? 0
    if (entry === undefined || entry.endedAt === null)
      return { bad, end: `${entry?.status}`, after: Number.NaN, predictions }
    return { bad, end: `${entry.outcome?.code}`, after: (Time.toMillis(entry.endedAt) - began) / medianMs, predictions }
  })
})

const racingWith = (seed: number, given: Odds) =>
  Effect.gen(function* () {
    answers.set("/", page(200))
    const racers = racersOf(seed, given)
    const changes: Array<string> = []
    const ran = { runs: 0 }
    const stores = yield* Effect.context<Records>()
    const sandbox = MemorySandbox.layerMemory((job) =>
      Effect.gen(function* () {
        const self = yield* Effect.orDie(numberOf(job.id.slice(0, job.id.indexOf("-")), changes))
        const { code, ms } = scripted(seed, racers, given, self, job)
        ran.runs++
        yield* Effect.sleep(ms)
        return { outcome: { _tag: "Exited" as const, code } }
      }).pipe(Effect.provide(stores))
    )
    const project = yield* newProject()
    yield* Policies.change(person, project.id, { ...laneOn, flakeRetries: given.flakeRetries })
    const began = yield* Time.nowMillis
    changes.push(
      ...(yield* racing(
        project.id,
        racers.map(({ files }) => files)
      ))
    )
    const over = Effect.map(fatesOf(racers, changes, began), (fates) =>
      fates.every(({ after }) => !Number.isNaN(after))
    )
    const built = yield* Layer.build(sandbox)
    yield* Effect.forkScoped(Effect.provide(worker({ name: "race", slots: slotsPerLane(given), handlers }), built))
    for (let n = 0; n < 60 && !(yield* over); n++) yield* Effect.sleep(medianMs)
    return { ...ran, fates: yield* fatesOf(racers, changes, began) } satisfies Raced
  }).pipe(
    Effect.scoped,
    Effect.provide(layer),
    Effect.provideService(SandboxSlots, FairSlots.make(given.slots)),
    Effect.provideService(Settings, {
      environment: "production",
      appsDomain: "apps.localhost",
      paused: false,
      fixturesEnabled: false,
      // What they bound is shown elsewhere.
      buildsPerDay: 100_000,
      sandboxMsPerMonth: 100_000 * medianMs,
      smokeRetryMs: 0,
      appUrl: (host: string) => `http://${host}/`
    })
  )

/** Races once. */
export const raced = (seed: number, given: Odds = odds): Promise<Raced> => inVirtualTime(seed, racingWith(seed, given))

/** What many races come to. Who does not merge is no wrong rejection. */
export const figuresOf = (races: ReadonlyArray<Raced>) => {
  const fates = races.flatMap((race) => race.fates)
  const landed = fates.flatMap(({ after, end }) => (end === "landed" ? [after] : [])).toSorted((a, b) => a - b)
  const at = (share: number): number => landed[Math.min(landed.length - 1, Math.floor(share * landed.length))] ?? 0
  const good = fates.filter(({ bad }) => !bad)
  const wronged = good.filter(({ end }) => end !== "landed" && end !== "not_mergeable")
  return {
    landed: landed.length,
    /** In medians of a verification. */
    p50: at(0.5),
    p95: at(0.95),
    last: at(1),
    runsPerLanded: races.reduce((sum, { runs }) => sum + runs, 0) / landed.length,
    wrong: wronged.length / good.length
  }
}
