/** Devices that ask to be let in. A device's token is in the answer that fetches it, and nowhere else. */
import { Effect, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { confirm, offer, redeem } from "@pawl/core/access/Devices"
import { CurrentUser } from "../../api/Authentication.ts"
import { PawlApi } from "../../api/PawlApi.ts"
import { ApiSettings } from "../ApiSettings.ts"
import { answering } from "../answer/HandlerAnswer.ts"
import { countStranger } from "../request/RateLimits.ts"

/** Handlers of `devices`, which need no token. */
export const DevicesHttp = HttpApiBuilder.group(PawlApi, "devices", (handlers) =>
  handlers
    .handle("offer", ({ payload }) =>
      answering(
        Effect.gen(function* () {
          yield* countStranger
          const offered = yield* offer(payload.name ?? "a device")
          const verificationUri = `${(yield* ApiSettings).origin ?? ""}/device`
          return {
            deviceCode: Redacted.value(offered.deviceCode),
            userCode: offered.userCode,
            verificationUri,
            verificationUriComplete: `${verificationUri}?code=${offered.userCode}`,
            expiresIn: offered.expiresInSeconds,
            interval: offered.intervalSeconds
          }
        })
      )
    )
    .handle("token", ({ payload }) =>
      answering(
        Effect.gen(function* () {
          yield* countStranger
          const { text, token } = yield* redeem(Redacted.make(payload.deviceCode))
          return { token: Redacted.value(text), id: token.id }
        })
      )
    )
)

/** Handlers of `deviceAnswers`. */
export const DeviceAnswersHttp = HttpApiBuilder.group(PawlApi, "deviceAnswers", (handlers) =>
  handlers.handle("confirm", ({ payload }) =>
    answering(
      Effect.gen(function* () {
        const allowed = payload.allow ?? true
        return { name: yield* confirm(yield* CurrentUser, payload.userCode, allowed), allowed }
      })
    )
  )
)
