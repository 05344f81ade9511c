/** The contract as an OpenAPI document. It stands in a file of its own: who only serves or calls the API need not make it. */
import { OpenApi } from "effect/http-api"
import { PawlApi } from "./PawlApi.ts"

/** The OpenAPI 3.1 document of the contract. Unknown fields are ignored, so nothing in it forbids more of them. */
export const openApiDocument = OpenApi.fromApi(PawlApi)
