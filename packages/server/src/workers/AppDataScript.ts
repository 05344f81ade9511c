/** The script of the data of apps: an object for each store, in isolates that hold no Project. It has no route. */
import { DataStoreObject } from "@pawl/adapters-cloudflare/appdata/DataStoreObject"

/** The object of one store. */
export class DataStore extends DataStoreObject {}

export default { fetch: (): Response => new Response(null, { status: 404 }) }
