/**
 * The planner that is built in: it shows the goal and the source to the strongest model, and takes a plan from it that can
 * be worked. Mistakes go back to it, as often as it has calls; then the Change fails with them.
 */
import { Effect, Layer, Schema } from "effect"
import type { Secrets } from "../access/Secrets.ts"
import { type PlanBase, Planner, PlannerFailed, PlannerUnavailable } from "./Planner.ts"
import type { LedgerUnavailable } from "../ledger/Ledger.ts"
import type { Records } from "../ledger/Records.ts"
import type { Change } from "../model/Change.ts"
import { Limits } from "../primitives/Limits.ts"
import { wordsOf } from "../primitives/Words.ts"
import type { Repositories } from "../project/Repositories.ts"
import { definitionsOf, readFiles } from "../project/Source.ts"
import { Models, type Part } from "../agent/Models.ts"
import { overlayOn } from "../agent/Overlay.ts"
import { heard, plannerWords, proposeTool } from "./PlanTalk.ts"
import { contentsWords, listingWords } from "../agent/SourceWords.ts"
import type { Turns } from "../agent/Turns.ts"
import { fenced, newFence } from "../agent/Untrusted.ts"
import { textOf } from "../primitives/Utf8.ts"

/** What else a planner is told, by who knows it. */
export interface PlanSurroundings {
  /** Work of other Changes that is under way. Each a line. */
  readonly othersOf: (change: Change) => Effect.Effect<ReadonlyArray<string>, LedgerUnavailable, Records>
  /** Packages that an app may import besides its own files. */
  readonly packages: ReadonlyArray<string>
}

type Sources = ReadonlyMap<string, { readonly content: Uint8Array }>

const textAt = (source: Sources, path: string): string | null => {
  const file = source.get(path)
  return file === undefined ? null : textOf(file.content)
}

/** The checks of the source, each in a line. */
const checkLines = (source: Sources): ReadonlyArray<string> => {
  const defined = definitionsOf(textAt(source, "pawl.json"), textAt(source, "package.json"))
  return defined._tag === "Broken"
    ? [defined.reason]
    : defined.file.checks.map(({ command, id, title }) => `${id}: ${title} (${command})`)
}

/** The first message, with the contents of the source or without them. */
const openingOf = (
  fence: string,
  { goal }: Change,
  source: Sources,
  others: ReadonlyArray<string>
): { readonly whole: string; readonly short: string } => {
  const overlay = overlayOn(new Map([...source].map(([path, { content }]) => [path, content])))
  const rules = textAt(source, "AGENTS.md")
  const checks = checkLines(source)
  const parts = [
    `The fence of this plan is ${fence}.`,
    `The goal, in the words of who opened the Change:\n${goal.slice(0, Limits.goalLength)}`,
    ...(rules === null ? [] : [fenced(fence, "rules", rules.slice(0, Limits.agentRulesChars))]),
    ...(checks.length === 0 ? [] : [`The checks that judge the work:\n${fenced(fence, "checks", checks.join("\n"))}`]),
    ...(others.length === 0
      ? []
      : [
          `Other work is under way. Stay out of its files where you can:\n${fenced(fence, "work of others", others.join("\n"))}`
        ]),
    `The files, with their bytes:\n${fenced(fence, "files", listingWords(overlay))}`
  ]
  const contents = contentsWords(fence, overlay)
  return { whole: [...parts, ...contents].join("\n\n"), short: parts.join("\n\n") }
}

/** The Tasks of a Change. `turns` are those of its planner. */
const planned = Effect.fnUntraced(function* (
  change: Change,
  base: PlanBase,
  turns: Turns,
  { othersOf, packages }: PlanSurroundings
) {
  const source = yield* readFiles(base.repository, base.tree)
  const fence = yield* turns.remember("fence", Schema.String, newFence)
  const opening = openingOf(fence, change, source, yield* othersOf(change))
  const ask = (n: number, first: string, more: ReadonlyArray<Part>) =>
    turns.turn(n, {
      system: plannerWords(packages),
      parts: [{ _tag: "User", text: first }, ...more],
      tools: [proposeTool],
      mustCall: proposeTool.name,
      maxOutput: Limits.planOutputTokens
    })
  const more: Array<Part> = []
  const problems = new Set<string>()
  for (let n = 1; n <= Limits.planCalls; n++) {
    const answer = yield* ask(n, opening.whole, more).pipe(
      // A small context holds no contents of files: the listing must do.
      Effect.catchTag("ModelRefused", (refused) =>
        refused.kind === "too_long" && opening.short !== opening.whole
          ? ask(n, opening.short, more)
          : Effect.fail(refused)
      )
    )
    const said = heard(change.id, answer)
    if (said._tag === "Plan") return said.tasks
    if (said._tag === "Refused")
      return yield* new PlannerFailed({ reason: `the model would not plan it: ${said.reason}` })
    problems.add(said.problems)
    more.push(...said.parts)
  }
  return yield* new PlannerFailed({
    reason: `the model proposed ${Limits.planCalls} plans that cannot be used: ${[...problems].map((each) => each.slice(0, Limits.problemLength / (Limits.planCalls + 1))).join("; then: ")}`
  })
})

/** Plans one Change, with failures that a planner may have. */
const plan = (change: Change, base: PlanBase, turns: Turns, surroundings: PlanSurroundings) =>
  planned(change, base, turns, surroundings).pipe(
    Effect.catchTags({
      ModelRefused: (refused) => new PlannerFailed({ reason: wordsOf(refused) }),
      // Canonical itself is larger than what may be read: no waiting makes it smaller.
      TreeTooLarge: (large) => new PlannerFailed({ reason: wordsOf(large) }),
      ObjectNotFound: (missing) => new PlannerUnavailable({ reason: wordsOf(missing) }),
      RepositoriesUnavailable: (away) => new PlannerUnavailable({ reason: wordsOf(away) })
    }),
    Effect.withSpan("ModelPlanner.plan", { attributes: { changeId: change.id } })
  )

/** Fills `Planner`, where there are models. */
export const layer = (surroundings: PlanSurroundings): Layer.Layer<never, never, Repositories | Secrets | Records> =>
  Layer.effect(
    Planner,
    Effect.gen(function* () {
      const context = yield* Effect.context<Repositories | Secrets | Records>()
      const { available } = yield* Models
      return {
        available,
        plan: (change, base, turns) => Effect.provide(plan(change, base, turns, surroundings), context)
      }
    })
  )
