/** What each command does. A worker runs these; nothing else does. */
import { Effect, Schema } from "effect"
import { Actor } from "../model/Actor.ts"
import { provision as provisionApp, provisionDied } from "../release/AppProvision.ts"
import { cleanIfRemoved as cleanUpApp } from "../app/Removal.ts"
import { carry } from "../approval/CarryOver.ts"
import { recompose } from "../candidate/Recomposition.ts"
import { verify } from "../candidate/Verification.ts"
import { waiting } from "../candidate/Waits.ts"
import { dispatch } from "../change/Compilation.ts"
import { find } from "../ledger/Decision.ts"
import { afterCopy } from "../work/CopyHold.ts"
import type { Handler, Handlers, Process } from "../work/Processes.ts"
import type { Records } from "../ledger/Records.ts"
import type { Command } from "../model/Command.ts"
import { groups } from "./Consumers.ts"
import { Event } from "../model/Event.ts"
import { applyLate } from "../event/EventRouter.ts"
import { adopt, deliver, deliveryDied } from "../webhook/WebhookDelivery.ts"
import * as Time from "../primitives/Time.ts"
import { adopt as adoptProject } from "../audit/Adoption.ts"
import { audited } from "../audit/Audits.ts"
import { Trigger } from "../model/Generation.ts"
import { takeOver } from "../lane/AutoEntry.ts"
import { step as stepLane } from "../lane/LaneSteps.ts"
import { resume } from "../promotion/Promotions.ts"
import { sweep } from "../promotion/Sweep.ts"
import { ChainId } from "../model/Statement.ts"
import { publish } from "../provenance/Publishing.ts"
import { sign } from "../provenance/Signing.ts"
import { kindsAfterArchive } from "../project/ArchivedProject.ts"
import { Project } from "../model/Project.ts"
import { provision as provisionProject, seedFiles } from "../project/Projects.ts"
import { recover } from "../release/Recovery.ts"
import { run as runRelease } from "../release/Releases.ts"
import { requestReviews, review } from "../review/Reviews.ts"
import { dropChecks, runChecks } from "../harness/OutsideChecks.ts"
import { wake } from "../task/Dispatch.ts"
import { look } from "../task/OutsideLeases.ts"
import { wakeDied } from "../task/Tasks.ts"
import { requestAudits } from "../audit/AuditRequests.ts"
import { clean } from "../upkeep/Cleanup.ts"
import { sweepForks } from "../upkeep/ForkSweep.ts"
import { sweepPacks } from "../upkeep/PackSweep.ts"
import { sweepExpired } from "../upkeep/RetentionSweep.ts"

const payload = <A, I>(schema: Schema.Codec<A, I>) => {
  const decode = Schema.decodeUnknownEffect(schema)
  return (command: { readonly payload: unknown }) => Effect.orDie(decode(command.payload))
}

const OfProject = payload(Schema.Struct({ project: Project, hasSource: Schema.Boolean, actor: Actor }))
const OfApp = payload(Schema.Struct({ projectId: Schema.String, generation: Schema.Finite }))
const OfDeploy = payload(
  Schema.Struct({ projectId: Schema.String, generation: Schema.Finite, incarnation: Schema.Finite })
)
const OfAudit = payload(Schema.Struct({ projectId: Schema.String, rebuild: Schema.optionalKey(Schema.Finite) }))
const OfCleanup = payload(Schema.Struct({ projectId: Schema.String }))
const OfCandidate = payload(Schema.Struct({ candidateId: Schema.String }))
const OfPromotion = payload(
  Schema.Struct({
    candidateId: Schema.String,
    actor: Actor,
    trigger: Trigger,
    /** Of one that the lane ordered. */
    entryId: Schema.optionalKey(Schema.String)
  })
)
const OfChange = payload(Schema.Struct({ changeId: Schema.String }))
const OfTask = payload(Schema.Struct({ taskId: Schema.String }))
const OfRun = payload(Schema.Struct({ runId: Schema.String }))
const OfPublication = payload(Schema.Struct({ chain: ChainId, publisher: Schema.String }))
const OfChain = payload(Schema.Struct({ chain: ChainId }))
const OfRelease = payload(Schema.Struct({ releaseId: Schema.String }))
const OfConsumer = payload(Schema.Struct({ group: Schema.String, event: Event }))
const OfDelivery = payload(
  Schema.Struct({
    webhookId: Schema.String,
    sequence: Schema.optionalKey(Schema.Finite),
    /** Missing in a command of an earlier version, which named the event only. */
    deliveryId: Schema.optionalKey(Schema.String)
  })
)

const agentWake = Object.assign(
  (command: { readonly payload: unknown }) => Effect.flatMap(OfTask(command), ({ taskId }) => wake(taskId)),
  {
    onDead: (({ command, lease }, problem) =>
      Effect.flatMap(OfTask(command), ({ taskId }) =>
        wakeDied(taskId, problem, lease)
      )) satisfies Handler<unknown>["onDead"]
  }
)

const webhookDeliver = Object.assign(
  (command: { readonly payload: unknown }) =>
    Effect.gen(function* () {
      const { deliveryId, sequence, webhookId } = yield* OfDelivery(command)
      if (deliveryId === undefined) yield* adopt(webhookId, sequence ?? 0)
      else yield* deliver(webhookId, deliveryId)
    }),
  {
    onDead: (({ command }, problem) =>
      Effect.flatMap(OfDelivery(command), ({ deliveryId, webhookId }) =>
        deliveryId === undefined ? Effect.void : deliveryDied(webhookId, deliveryId, problem)
      )) satisfies Handler<unknown>["onDead"]
  }
)

const appProvision = Object.assign(
  (command: { readonly payload: unknown }) =>
    Effect.flatMap(OfDeploy(command), ({ projectId, generation, incarnation }) =>
      provisionApp(projectId, generation, incarnation)
    ),
  {
    onDead: (({ command }, problem) =>
      Effect.flatMap(OfDeploy(command), ({ projectId, incarnation }) =>
        provisionDied(projectId, incarnation, problem)
      )) satisfies Handler<unknown>["onDead"]
  }
)

const candidateCreate = Object.assign(
  (command: { readonly payload: unknown }) =>
    Effect.flatMap(OfCandidate(command), ({ candidateId }) => verify(candidateId, { carry, take: takeOver })),
  {
    onOutage: (({ command }, problem, waitMs) =>
      Effect.flatMap(OfCandidate(command), ({ candidateId }) =>
        waiting(candidateId, problem, waitMs)
      )) satisfies Handler<unknown>["onOutage"]
  }
)

const runChecksAsked = Object.assign(
  (command: { readonly payload: unknown }) => Effect.flatMap(OfRun(command), ({ runId }) => runChecks(runId)),
  {
    onDead: (({ command }) =>
      Effect.flatMap(OfRun(command), ({ runId }) => dropChecks(runId))) satisfies Handler<unknown>["onDead"]
  }
)

const bodies = {
  "change.dispatch": (command) => Effect.flatMap(OfChange(command), ({ changeId }) => dispatch(changeId)),
  "agent.wake": agentWake,
  "run.lease": (command) => Effect.flatMap(OfRun(command), ({ runId }) => look(runId)),
  "run.checks": runChecksAsked,
  "project.provision": (command) =>
    Effect.flatMap(OfProject(command), ({ project, hasSource, actor }) =>
      Effect.flatMap(hasSource ? seedFiles(project.id) : Effect.succeed(null), (files) =>
        provisionProject(project, files, actor)
      )
    ),
  "app.provision": appProvision,
  "app.remove": (command) => Effect.flatMap(OfCleanup(command), ({ projectId }) => afterCopy(cleanUpApp(projectId))),
  "project.cleanup": (command) => Effect.flatMap(OfCleanup(command), ({ projectId }) => afterCopy(clean(projectId))),
  "forks.sweep": () => afterCopy(sweepForks),
  "retention.sweep": () => afterCopy(sweepExpired("all")),
  "packs.sweep": () => afterCopy(sweepPacks),
  "project.audits": () => requestAudits,
  "candidate.create": candidateCreate,
  "candidate.reviews": () => requestReviews,
  "candidate.review": (command) => Effect.flatMap(OfCandidate(command), ({ candidateId }) => review(candidateId)),
  "candidate.recompose": (command) => Effect.flatMap(OfCandidate(command), ({ candidateId }) => recompose(candidateId)),
  "lane.step": (command) => Effect.flatMap(OfCleanup(command), ({ projectId }) => stepLane(projectId)),
  "candidate.promote": (command) =>
    Effect.gen(function* () {
      const { candidateId, ...asked } = yield* OfPromotion(command)
      yield* resume(candidateId, { ...asked, now: yield* Time.now })
    }),
  "canonical.sweep": (command) => Effect.flatMap(OfApp(command), ({ projectId }) => sweep(projectId)),
  "project.audit": (command) =>
    Effect.flatMap(OfAudit(command), ({ projectId, rebuild }) => audited(projectId, rebuild)),
  "project.adopt": (command) => Effect.flatMap(OfCleanup(command), ({ projectId }) => adoptProject(projectId)),
  "release.recover": (command) => Effect.flatMap(OfChange(command), ({ changeId }) => recover(changeId)),
  "release.run": (command) => Effect.flatMap(OfRelease(command), ({ releaseId }) => runRelease(releaseId)),
  "event.consume": (command) =>
    Effect.flatMap(OfConsumer(command), ({ group, event }) => {
      const decide = groups(group)
      return decide === null ? Effect.fail(`there is no consumer ${group}`) : applyLate(decide, event)
    }),
  "webhook.deliver": webhookDeliver,
  "statement.sign": (command) => Effect.flatMap(OfChain(command), ({ chain }) => sign(chain)),
  "checkpoint.publish": (command) =>
    Effect.flatMap(OfPublication(command), ({ chain, publisher }) => publish(chain, publisher))
} satisfies Handlers<unknown>

type Needs = {
  readonly [K in keyof typeof bodies]: Effect.Services<ReturnType<(typeof bodies)[K]>>
}[keyof typeof bodies]

const continues: ReadonlyArray<string> = kindsAfterArchive

const isArchived = (projectId: string | null) =>
  projectId === null
    ? Effect.succeed(false)
    : Effect.map(find("project", projectId), (project) => project?.record.status === "archived")

/** All else ends quietly once its Project is archived. */
const unlessArchived = <R>(handler: Handler<R>): Handler<R | Records> =>
  Object.assign(
    (command: Command) =>
      Effect.flatMap(isArchived(command.projectId), (archived) => (archived ? Effect.void : handler(command))),
    // What else it says about itself stays.
    { ...handler }
  )

/** The handler of each kind of command. For an archived Project only `kindsAfterArchive` do anything. */
export const handlers = Object.fromEntries(
  Object.entries<Handler<Needs>>(bodies).map(([kind, handler]) => [
    kind,
    continues.includes(kind) ? handler : unlessArchived(handler)
  ])
) as Handlers<Exclude<Needs, Process>>
