/** The Worker of the tests: its objects, which do nothing by themselves, and what its queues bring. */
import { DurableObject } from "cloudflare:workers"
import { DataStoreObject } from "@pawl/adapters-cloudflare/appdata/DataStoreObject"
import { BuilderObject } from "@pawl/adapters-cloudflare/builder/BuilderObject"
import { bring, type HintMessage } from "@pawl/adapters-cloudflare/hints/HintConsumer"
import { LayerObject } from "@pawl/adapters-cloudflare/packages/LayerObject"
import { Effect } from "effect"
import { layersWorld, worldBucket } from "./Packages.ts"
import { type Bound, bundlerModules, type HintedCalls } from "./Bound.ts"

/** An object whose storage a test uses. */
export class Store extends DurableObject {}

/** A store of app data. */
export class DataStore extends DataStoreObject {}

/** An object that one build lives in. */
export class Builder extends BuilderObject<Bound> {
  protected async options() {
    return { loader: this.env.LOADER, modules: await bundlerModules(this.env), commands: true }
  }
}

/** An object that a layer is made in, of a world and a registry that its name says. */
export class Layers extends LayerObject<Bound> {
  protected async options() {
    const { registry, world } = layersWorld(this.ctx.id.name ?? "")
    const bucket = worldBucket(this.env.PACKAGES, world)
    return { loader: this.env.LOADER, modules: await bundlerModules(this.env), bucket, registry, backoffMs: 1 }
  }
}

/** An object that hints come to. */
export class Hinted extends DurableObject implements HintedCalls {
  private came = 0
  private readonly dead: Array<unknown> = []

  hinted(): Promise<void> {
    this.came++
    const refused = Number(this.ctx.id.name?.split("~")[1] ?? 0)
    return this.came > refused ? Promise.resolve() : Promise.reject(new Error("not now"))
  }

  died(body: unknown): Promise<void> {
    this.dead.push(body)
    return Promise.resolve()
  }

  seen() {
    return Promise.resolve({ came: this.came, dead: this.dead })
  }
}

interface Batch {
  readonly queue: string
  readonly messages: ReadonlyArray<HintMessage>
}

/** Whom a message is for, as far as it can be read. */
const objectOf = (body: unknown): string =>
  typeof body === "object" && body !== null && "projectId" in body ? String(body.projectId) : "nobody"

const queue = async ({ messages, queue: name }: Batch, { HINTED }: Bound): Promise<void> => {
  if (name === "hints")
    return Effect.runPromise(bring(messages, ({ projectId }) => HINTED.getByName(projectId).hinted()))
  await Promise.all(messages.map(({ body }) => HINTED.getByName(objectOf(body)).died(body)))
}

export default { fetch: () => new Response(null, { status: 404 }), queue }
