/** The operations of the OpenAPI document. */
import type { OpenApi } from "effect/http-api"

const methods = ["get", "post", "put", "patch", "delete"] as const

/** Those of one path, each with its method. */
export const operationsOf = (item: OpenApi.OpenAPISpecPathItem) =>
  methods.flatMap((method) => {
    const operation = item[method]
    return operation === undefined ? [] : [[method, operation] as const]
  })
