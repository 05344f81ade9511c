/**
 * The script that holds the objects. It has no route and answers nobody but the scripts that are bound to one of its
 * entrypoints, and each entrypoint does one thing: only the integration script can ask for a promotion.
 */
import { WorkerEntrypoint } from "cloudflare:workers"
import { bring, type HintMessage } from "@pawl/adapters-cloudflare/hints/HintConsumer"
import { queueNames } from "@pawl/adapters-cloudflare/hints/HintQueues"
import type { DataCall } from "@pawl/adapters-cloudflare/runtime/AppBindings"
import type { Printed } from "@pawl/adapters-cloudflare/runtime/PrintedLines"
import type { AppVersion } from "@pawl/core/app/AppRuntime"
import type { FoundPointer } from "@pawl/core/app/PointerSource"
import type { Channel } from "@pawl/core/model/Pointer"
import { Effect } from "effect"
import { ServerLimits } from "../ServerLimits.ts"
import type { CanonicalBindings, CanonicalForApi, CanonicalForIntegration, CanonicalForRouters } from "./Bindings.ts"
import { AppStoreCalls, AppTailCalls } from "./AppEntrypoints.ts"
import { callStore } from "./DataStores.ts"
import { directoryName } from "./Names.ts"
import { isPromotion, placeOf, projectOf } from "./Places.ts"

export { AppFiles } from "./AppEntrypoints.ts"
export { DirectoryObject } from "./DirectoryObject.ts"
export { ProjectObject } from "./ProjectObject.ts"

const directoryOf = ({ DIRECTORY }: CanonicalBindings) => DIRECTORY.getByName(directoryName)

/** A Project that is refused leaves no object behind: it has its tables before it can judge. */
const made = async (object: ReturnType<CanonicalBindings["PROJECTS"]["getByName"]>, request: Request) => {
  const answer = await object.fetch(request)
  if (answer.ok) return answer
  // The object ends before its answer would be read.
  const said = new Response(await answer.arrayBuffer(), answer)
  await object.forget().catch(() => undefined)
  return said
}

/** For the API: everything but a promotion. */
export class ForApi extends WorkerEntrypoint<CanonicalBindings> implements CanonicalForApi {
  override fetch(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url)
    if (isPromotion(request.method, pathname))
      throw new Error("a promotion is asked for by the integration script alone")
    const project = projectOf(request)
    if (project === null) return directoryOf(this.env).fetch(request)
    const object = this.env.PROJECTS.getByName(project)
    return placeOf(request.method, pathname)._tag === "NewProject" ? made(object, request) : object.fetch(request)
  }

  whereIs(kind: string, id: string): Promise<string | null> {
    return directoryOf(this.env).whereIs(kind, id)
  }
}

/** For the integration script: a promotion, and nothing else. */
export class ForIntegration extends WorkerEntrypoint<CanonicalBindings> implements CanonicalForIntegration {
  override fetch(request: Request): Promise<Response> {
    const project = projectOf(request)
    if (project === null || !isPromotion(request.method, new URL(request.url).pathname))
      throw new Error("this is no promotion")
    return this.env.PROJECTS.getByName(project).fetch(request)
  }
}

/**
 * Labels whose Projects this isolate was told: no label is ever of another one. So a visit asks the one object that decides
 * where its host leads, and no other.
 */
const labels = new Map<string, string>()

/** For routers: where a host leads, the data of the app there, and what it printed. */
export class ForRouters extends WorkerEntrypoint<CanonicalBindings> implements CanonicalForRouters {
  async pointer(label: string, channel: Channel): Promise<FoundPointer> {
    const project = labels.get(label) ?? (await directoryOf(this.env).projectOfLabel(label))
    if (project === null) return null
    if (labels.size >= ServerLimits.labelsKnown) labels.clear()
    labels.set(label, project)
    return this.env.PROJECTS.getByName(project).pointer(label, channel)
  }

  appData(project: string, channel: Channel, incarnation: number | undefined, call: DataCall): Promise<unknown> {
    return callStore(this.env, { project, channel, ...(incarnation === undefined ? {} : { incarnation }) }, call)
  }

  appPrinted(version: AppVersion, printed: Printed): Promise<void> {
    return this.env.PROJECTS.getByName(version.project).printed(version, printed)
  }
}

/** `env.DATA` of what a Project's object runs itself: the probes of a release. */
export class AppStore extends AppStoreCalls<CanonicalBindings> {
  protected override call(call: DataCall): Promise<unknown> {
    return callStore(this.env, this.ctx.props, call)
  }
}

/** Told of what the probes of a release had an app do. */
export class AppTail extends AppTailCalls<CanonicalBindings> {
  protected override keep(printed: Printed): Promise<void> {
    return this.env.PROJECTS.getByName(this.ctx.props.project).printed(this.ctx.props, printed)
  }
}

/** Messages of a queue, as they come together. */
interface Batch {
  readonly queue: string
  readonly messages: ReadonlyArray<HintMessage>
}

/** A batch that ends with a rejection comes again. */
const bury = async ({ messages }: Batch, env: CanonicalBindings): Promise<void> => {
  const answer = await directoryOf(env).bury(messages.map(({ body, id }) => ({ body, id })))
  if (answer._tag !== "Done") throw new Error("the directory did not take dead hints")
}

/** The clock of the installation, a cron of each minute, and what its queues bring. */
export default {
  scheduled: (_: unknown, env: CanonicalBindings): Promise<void> => directoryOf(env).tick(),
  queue: (batch: Batch, env: CanonicalBindings): Promise<void> =>
    batch.queue === queueNames.deadHints
      ? bury(batch, env)
      : Effect.runPromise(bring(batch.messages, (hint) => env.PROJECTS.getByName(hint.projectId).hinted(hint)))
}
