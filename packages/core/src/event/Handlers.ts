/** What each command does. A worker runs these; nothing else does. */
import { Effect, Schema } from "effect"
import { Actor } from "../access/Actor.ts"
import { provision as provisionApp } from "../app/Apps.ts"
import { recompose } from "../candidate/Recomposition.ts"
import { verify } from "../candidate/Verification.ts"
import { dispatch } from "../change/Compiling.ts"
import type { Handler, Handlers, Process } from "../ledger/Processes.ts"
import * as Time from "../primitives/Time.ts"
import { Trigger } from "../promotion/Generation.ts"
import { resume } from "../promotion/Promotions.ts"
import { sweep } from "../promotion/Sweep.ts"
import { Project } from "../project/Project.ts"
import { provision as provisionProject, seedFiles } from "../project/Projects.ts"
import { recover } from "../release/Recovery.ts"
import { run as runRelease } from "../release/Releases.ts"
import { wake } from "../task/Dispatch.ts"
import { wakeDied } from "../task/Tasks.ts"

const payload = <A, I>(schema: Schema.Schema<A, I>) => {
  const decode = Schema.decodeUnknown(schema)
  return (command: { readonly payload: unknown }) => Effect.orDie(decode(command.payload))
}

const OfProject = payload(Schema.Struct({ project: Project, hasSource: Schema.Boolean, actor: Actor }))
const OfApp = payload(Schema.Struct({ projectId: Schema.String, generation: Schema.Number }))
const OfDeploy = payload(
  Schema.Struct({ projectId: Schema.String, generation: Schema.Number, incarnation: Schema.Number })
)
const OfCandidate = payload(Schema.Struct({ candidateId: Schema.String }))
const OfPromotion = payload(Schema.Struct({ candidateId: Schema.String, actor: Actor, trigger: Trigger }))
const OfChange = payload(Schema.Struct({ changeId: Schema.String }))
const OfTask = payload(Schema.Struct({ taskId: Schema.String }))
const OfRelease = payload(Schema.Struct({ releaseId: Schema.String }))

const agentWake = Object.assign(
  (command: { readonly payload: unknown }) => Effect.flatMap(OfTask(command), ({ taskId }) => wake(taskId)),
  {
    onDead: (({ command, lease }, problem) =>
      Effect.flatMap(OfTask(command), ({ taskId }) => wakeDied(taskId, problem, lease))) satisfies Handler<unknown>["onDead"]
  }
)

const bodies = {
  "change.dispatch": (command) => Effect.flatMap(OfChange(command), ({ changeId }) => dispatch(changeId)),
  "agent.wake": agentWake,
  "project.provision": (command) =>
    Effect.flatMap(OfProject(command), ({ project, hasSource, actor }) =>
      Effect.flatMap(hasSource ? seedFiles(project.id) : Effect.succeed(null), (files) =>
        provisionProject(project, files, actor)
      )
    ),
  "app.provision": (command) =>
    Effect.flatMap(OfDeploy(command), ({ projectId, generation, incarnation }) =>
      provisionApp(projectId, generation, incarnation)
    ),
  "candidate.create": (command) => Effect.flatMap(OfCandidate(command), ({ candidateId }) => verify(candidateId)),
  "candidate.recompose": (command) => Effect.flatMap(OfCandidate(command), ({ candidateId }) => recompose(candidateId)),
  "candidate.promote": (command) =>
    Effect.gen(function* () {
      const { candidateId, actor, trigger } = yield* OfPromotion(command)
      yield* resume(candidateId, { actor, trigger, now: yield* Time.now })
    }),
  "canonical.sweep": (command) => Effect.flatMap(OfApp(command), ({ projectId }) => sweep(projectId)),
  "release.recover": (command) => Effect.flatMap(OfChange(command), ({ changeId }) => recover(changeId)),
  "release.run": (command) => Effect.flatMap(OfRelease(command), ({ releaseId }) => runRelease(releaseId))
} satisfies Handlers<unknown>

type Needs = {
  readonly [K in keyof typeof bodies]: Effect.Effect.Context<ReturnType<(typeof bodies)[K]>>
}[keyof typeof bodies]

export const handlers: Handlers<Exclude<Needs, Process>> = bodies
