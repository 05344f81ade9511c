/** The Worker of the tests: its objects, which do nothing by themselves. */
import { DurableObject } from "cloudflare:workers"
import { BuilderObject } from "@pawl/adapters-cloudflare/builder/BuilderObject"
import { type Bound, bundlerModules } from "./Bound.ts"

/** An object whose storage a test uses. */
export class Store extends DurableObject {}

/** An object that one build lives in. */
export class Builder extends BuilderObject<Bound> {
  protected async options() {
    return { loader: this.env.LOADER, modules: await bundlerModules(this.env), commands: true }
  }
}

export default { fetch: () => new Response(null, { status: 404 }) }
