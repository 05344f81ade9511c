/** The Worker of the tests: its objects, which do nothing by themselves. */
import { DurableObject } from "cloudflare:workers"

/** An object whose storage a test uses. */
export class Store extends DurableObject {}

export default { fetch: () => new Response(null, { status: 404 }) }
