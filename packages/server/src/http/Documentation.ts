/** `GET /openapi.json` and `GET /docs`: the contract for programs and for people. The page holds all it needs: it works without internet. */
import { Layer } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder, HttpApiSwagger } from "effect/http-api"
import { openApiDocument, PawlApi } from "../api/PawlApi.ts"

// Made before the page is, so that both show the document as the contract gives it.
const document = HttpServerResponse.jsonUnsafe(openApiDocument)

const openApi = HttpApiBuilder.Router.use((router) => router.get("/openapi.json", document))

export const layer = Layer.mergeAll(openApi, HttpApiSwagger.layer({ path: "/docs" })).pipe(
  Layer.provide(HttpApiBuilder.api(PawlApi))
)
