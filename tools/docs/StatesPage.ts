/** `docs/reference/states.md`: every lifecycle table, drawn and spelled out. */
import { PointerLifecycle } from "@pawl/core/model/PointerLifecycle"
import { CandidateLifecycle } from "@pawl/core/model/CandidateLifecycle"
import { ChangeLifecycle } from "@pawl/core/model/ChangeLifecycle"
import { ClaimLifecycle } from "@pawl/core/model/ClaimLifecycle"
import { LaneEntryLifecycle } from "@pawl/core/model/LaneEntryLifecycle"
import type { Lifecycle, Row } from "@pawl/core/model/Lifecycle"
import { ModelCallLifecycle } from "@pawl/core/model/ModelCallLifecycle"
import { ReleaseLifecycle } from "@pawl/core/model/ReleaseLifecycle"
import { TaskLifecycle } from "@pawl/core/model/TaskLifecycle"
import { code, page, type Page, table } from "./Markdown.ts"

type AnyLifecycle = Lifecycle<string, string>

export const lives: ReadonlyArray<readonly [title: string, about: string, life: AnyLifecycle]> = [
  ["Change", "A person's goal, from its opening to its end. See [Change](../concepts/change.md).", ChangeLifecycle],
  ["Task", "One piece of a Change's work. See [Task](../concepts/task.md).", TaskLifecycle],
  [
    "Model call",
    "One question to a model, and its money. On the wire its status is called `state`. See [Change](../concepts/change.md).",
    ModelCallLifecycle
  ],
  [
    "Claim",
    "What a Task reads or writes while it is worked. It blocks nobody. On the wire its status is called `state`. See [Task](../concepts/task.md).",
    ClaimLifecycle
  ],
  ["Candidate", "ChangeSets composed on one base. See [Candidate](../concepts/candidate.md).", CandidateLifecycle],
  [
    "Lane entry",
    "A Change that waits for its turn to land, where the Policy has a lane. On the wire its status is called `state`.",
    LaneEntryLifecycle
  ],
  ["Release", "Taking one generation live. See [Release](../concepts/release.md).", ReleaseLifecycle],
  ["App pointer", "What a host serves. See [App and pointer](../concepts/app.md).", PointerLifecycle]
]

const list = (states: ReadonlyArray<string>): string => (states.length === 0 ? "none" : states.map(code).join(", "))

/** A life as a picture: each step is an arrow with the triggers that take it. */
export const diagram = (life: AnyLifecycle): string => {
  const arrows = new Map<string, Array<string>>()
  for (const { from, trigger, to } of life.rows) {
    const key = `${from} --> ${to}`
    arrows.set(key, [...(arrows.get(key) ?? []), trigger])
  }
  return [
    "```mermaid",
    "stateDiagram-v2",
    ...life.initial.map((state) => `  [*] --> ${state}`),
    ...[...arrows].map(([arrow, triggers]) => `  ${arrow}: ${[...new Set(triggers)].join(", ")}`),
    ...life.final.map((state) => `  ${state} --> [*]`),
    "```"
  ].join("\n")
}

const rowOf = (row: Row<string, string>): ReadonlyArray<string> => [
  code(row.from),
  row.trigger,
  code(row.to),
  row.when ?? "",
  [...row.emits.map(code), ...row.mayEmit.map((type) => `perhaps ${code(type)}`)].join(", "),
  row.also ?? ""
]

/** States that the table names but no row reaches and no new record may have. */
const unused = (life: AnyLifecycle): ReadonlyArray<string> =>
  life.states.filter((state) => !life.initial.includes(state) && !life.rows.some((row) => row.to === state))

const section = (title: string, about: string, life: AnyLifecycle): string =>
  [
    `## ${title}`,
    about,
    diagram(life),
    [
      `A new one is: ${list(life.initial)}. Final: ${list(life.final)}.`,
      ...(life.birth.length === 0 ? [] : [`Of a new one may tell: ${list(life.birth)}.`]),
      ...(unused(life).length === 0 ? [] : [`Never stored: ${list(unused(life))}.`])
    ].join(" "),
    table(["from", "trigger", "to", "when", "emits", "also"], life.rows.map(rowOf))
  ].join("\n\n")

export const statesPage = (): Page =>
  page("docs/reference/states.md", "States", [
    "Each life is one table in the code. What is not in the table is refused. From the same table come the step of the use case, the guard of the store, and this page. *Emits* names the [events](events.md) that tell of a step, in the same commit: no store takes the step without them. One that is told *perhaps* has a condition of its own.",
    ...lives.map(([title, about, life]) => section(title, about, life))
  ])
