/** Devices that ask to be let in, as RFC 8628 has it: a command line, which a person lets in where they are signed in. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authenticated } from "../Authentication.ts"
import { Int } from "../DocumentSchemas.ts"
import { about, administeringOwn } from "../Needs.ts"

const Offered = Schema.Struct({
  /** For the device alone. */
  deviceCode: Schema.String,
  /** For the person, who types it. */
  userCode: Schema.String,
  /** Where they type it. */
  verificationUri: Schema.String,
  /** The same with the code in it. */
  verificationUriComplete: Schema.String,
  /** Until when all of this counts, in seconds. */
  expiresIn: Int,
  /** How long the device waits between two questions, in seconds. */
  interval: Int
})

/** What a device asks. Anyone may. */
export const DevicesApi = HttpApiGroup.make("devices")
  .add(
    HttpApiEndpoint.post("offer", "/v1/device", {
      payload: Schema.Struct({
        /** What the device says that it is; the token gets this name. Default `a device`. */
        name: Schema.optionalKey(Schema.String)
      }),
      success: Offered.pipe(HttpApiSchema.status(201))
    }).annotate(OpenApi.Summary, "A device asks to be let in")
  )
  .add(
    HttpApiEndpoint.post("token", "/v1/device/token", {
      payload: Schema.Struct({ deviceCode: Schema.String }),
      success: Schema.Struct({ token: Schema.String, id: Schema.String })
    }).annotateMerge(
      OpenApi.annotations({
        summary: "A device fetches its token, once",
        description:
          "400 `authorization_pending` while nobody has answered: ask again after `interval`. 400 `access_denied`, `code_refused` when nothing comes of it."
      })
    )
  )
  .annotate(OpenApi.Description, "Devices that ask to be let in")

/** What a person answers. */
export const DeviceAnswersApi = HttpApiGroup.make("deviceAnswers")
  .add(
    HttpApiEndpoint.post("confirm", "/v1/device/confirm", {
      payload: Schema.Struct({
        /** As the device shows it; dashes and small letters do not matter. */
        userCode: Schema.String,
        /** Default `true`. */
        allow: Schema.optionalKey(Schema.Boolean)
      }),
      success: Schema.Struct({ name: Schema.String, allowed: Schema.Boolean })
    }).annotateMerge(
      about(
        administeringOwn,
        "Let a device in, or say no",
        "Its token acts for the caller, and can do no more than what asks here."
      )
    )
  )
  .middleware(Authenticated)
  .annotate(OpenApi.Description, "What people answer to devices")
