/** The script of checks: the object whose container runs them. It has no route. */
import { CheckObject } from "@pawl/adapters-cloudflare/sandbox/CheckObject"
import type { CheckImage } from "@pawl/adapters-cloudflare/sandbox/ContainerLink"

/** Bindings of the script. */
export interface ChecksBindings {
  readonly IMAGE: CheckImage
}

/** The object with the container. */
export class Checks extends CheckObject<ChecksBindings> {
  protected image(): CheckImage {
    return this.env.IMAGE
  }
}

export default { fetch: (): Response => new Response(null, { status: 404 }) }
