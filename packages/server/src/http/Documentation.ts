/** `GET /docs`: the contract for people. The page holds all it needs: it works without internet. */
import { HttpApiSwagger } from "effect/http-api"
import { PawlApi } from "../api/PawlApi.ts"

/** Mounts the page, made of `PawlApi`, at `/docs`. */
export const layer = HttpApiSwagger.layer(PawlApi, { path: "/docs" })
