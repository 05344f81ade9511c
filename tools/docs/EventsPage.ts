/** `docs/reference/events.md`: the types of events, and which of them this version emits. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type EventType, eventTypes } from "@pawl/core/model/Event"
import { lives } from "./StatesPage.ts"
import { code, page, type Page, table } from "./Markdown.ts"

const core = fileURLToPath(new URL("../../packages/core/src", import.meta.url))

/** What each tells. */
const meanings: Readonly<Record<EventType, string>> = {
  "change.compiled": "a Work Graph was stored",
  "task.created": "a Task of a Work Graph was stored",
  "task.ready": "a Task waits for an agent",
  "task.assigned": "an agent was admitted",
  "agent.woken": "an agent was woken",
  "model.route.decided": "a model tier was chosen",
  "task.started": "an agent began",
  "model.called": "a call of a model was paid for: it was answered, or its answer is lost",
  "changeset.proposed": "an edit became a ChangeSet",
  "intent.declared": "an agent said what it will touch",
  "task.completed": "a Task's ChangeSet is there",
  "task.failed": "a Task failed or is blocked",
  "task.repair_planned": "a Task of its own is to mend a Candidate that was rejected",
  "claim.expired": "nobody renewed a claim: its agent is gone",
  "verification.started": "no Task is open any more, or a repair is done",
  "candidate.composed": "a Candidate has its commit, its tree and its plan",
  "candidate.verified": "every required check passed",
  "candidate.rejected": "a check failed or has a gap, the merge failed, or a person rejected it",
  "candidate.stale": "canonical moved on",
  "candidate.blocked": "it was recomposed too often",
  "approval.requested": "a verified Candidate owes an approval",
  "approval.granted": "a person granted it, or what they granted before was carried over",
  "approval.rejected": "a person rejected it",
  "canonical.promotion.requested": "somebody asked for the swap",
  "canonical.advanced": "a new generation is canonical",
  "build.started": "a release began",
  "build.completed":
    "a release has its bundle, also when an earlier one is used again; or a release target's build ended",
  "deployment.completed": "the release is live, or the version before was restored",
  "deployment.failed": "there was no bundle to serve; or a release target was not built and deployed",
  "release.smoke_failed": "a release probe failed",
  "lane.entered": "a Change waits in the lane",
  "lane.doubted": "a Candidate failed on what was predicted: it counts only when it fails standing first",
  "lane.reordered": "an entry was let before others",
  "lane.paused": "nothing lands or is composed any more",
  "lane.resumed": "the lane goes on",
  "lane.left": "an entry of the lane ended: it landed, was rejected, or was taken out",
  "change.completed": "a Change ended well",
  "change.failed": "a Change ended badly",
  "change.cancelled": "a person cancelled a Change, or a rollback ended with its Candidate",
  "review.completed": "a model looked at a Candidate: advice for people",
  "audit.passed": "an audit found the whole history as it was promoted",
  "audit.failed": "an audit found a difference",
  "checkpoint.published": "the log of its statements has a new checkpoint",
  "key.rotated": "another key signs its statements from now on",
  "project.archived": "a Project was archived",
  "app.removed": "an app was removed"
}

const sources = (): string =>
  readdirSync(core, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith("event/Event.ts") && !name.endsWith("Lifecycle.ts"))
    .map((name) => readFileSync(join(core, name), "utf8").replace(/^\s*(\/?\*|\/\/).*$/gm, ""))
    .join("\n")

/** The steps that an event tells of, each life and trigger once. */
const stepsOf = (type: EventType): string => {
  const told = lives.flatMap(([title, , life]) => [
    ...(life.birth.includes(type) ? [`${title}: a new one`] : []),
    ...life.rows
      .filter((row) => row.emits.includes(type) || row.mayEmit.includes(type))
      .map((row) => `${title}: ${row.trigger}${row.emits.includes(type) ? "" : " (perhaps)"}`)
  ])
  return [...new Set(told)].join(", ")
}

/** A decision's event is named by a template in the code. */
const isEmitted = (text: string, type: EventType): boolean =>
  text.includes(`"${type}"`) || (/^approval\.(granted|rejected)$/.test(type) && text.includes("`approval.${"))

export const eventsPage = (): Page => {
  const text = sources()
  return page("docs/reference/events.md", "Events", [
    "The envelope has the names of CloudEvents 1.0. How to read events: [Event](../concepts/event.md).",
    table(
      ["field", "what it is"],
      [
        [code("specversion"), "`1.0`"],
        [code("id"), "`evt_` and a ULID"],
        [code("source"), "`/projects/<id>`"],
        [code("type"), "one of the types below"],
        [code("subject"), "the id of what it is about"],
        [code("time"), "ISO 8601, UTC"],
        [code("sequence"), "starts at 1 and has no holes, per Project"],
        [code("data"), "facts of this event, by its type"],
        [code("actor"), "`{ type: user, agent or system, id }`"]
      ]
    ),
    "## Types",
    "*No* in the second column: the type has its name already, but nothing in this version emits it. The last column comes from the tables of [states](states.md): a step and its event are one commit.",
    table(
      ["type", "emitted today", "what happened", "steps that it tells of"],
      eventTypes.map((type) => [code(type), isEmitted(text, type) ? "yes" : "no", meanings[type], stepsOf(type)])
    ),
    "## Data of some types",
    table(
      ["type", "data"],
      [
        [code("canonical.promotion.requested"), "`candidateId`, `expectedGeneration`, `trigger`"],
        [
          code("canonical.advanced"),
          "`generation`, `commit`, `tree`, `candidateId`, `evidenceIds`, `approvalId`, `approvalIds`, `trigger`"
        ],
        [
          code("approval.requested"),
          "`changeId`, `tree`, `riskTier`, `approvalsRequired`, `brokenPromises`: `{ checkId, paths, count }` of each old promise that was not seen to hold"
        ],
        [
          "`approval.granted`, `approval.rejected`",
          "`changeId`, `approvalId`, `tree`, `owed`: how many people must still grant; `derivedFrom` of one that was carried over; `note`, what the person said beside it"
        ],
        [code("audit.passed"), "`generations`, `findings`: empty"],
        [code("audit.failed"), "`generations`, `findings`: the codes of the differences"],
        [
          code("checkpoint.published"),
          "`origin`, `size`, `root` (base64), `checkpoint`: the signed note; `keys`: the newest one over the history of keys, or null"
        ],
        [
          code("key.rotated"),
          "`keyid`, `retired`, `head`: how many entries the retired key signed; `use`: `log` where it is the key of checkpoints, of which `head` is a size; `revoked`: true for a stolen one"
        ],
        [
          code("deployment.completed"),
          "`releaseId`, `generation`, `status`: `deployed` or `restored`; of a release target also `versionId`"
        ],
        [
          code("release.smoke_failed"),
          "`releaseId`, `generation`, `probes`; `injected`: true when a member asked for the failure"
        ]
      ]
    )
  ])
}
