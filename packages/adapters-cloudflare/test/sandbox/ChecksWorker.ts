/** The script of checks in the tests: what its container runs is told by a binding. */
import { type CheckCalls, CheckObject } from "@pawl/adapters-cloudflare/sandbox/CheckObject"
import type { CheckImage } from "@pawl/adapters-cloudflare/sandbox/ContainerLink"
import { AnswerLine, RequestLine } from "@pawl/adapters-local/sandbox/SandboxLines"
import { Schema } from "effect"

/** An object whose container runs checks. */
export class Checks extends CheckObject<{ readonly IMAGE: CheckImage }> {
  protected image(): CheckImage {
    return this.env.IMAGE
  }

  /** As when nobody has asked for as long as a container stays. */
  async idle(): Promise<void> {
    await this.alarm()
  }
}

interface Bound {
  readonly CHECKS: { readonly getByName: (name: string) => CheckCalls & Pick<Checks, "idle"> }
}

/** Hands a request of a test on to the one object: the test's own line to it is HTTP. */
export default {
  fetch: async (request: Request, env: Bound): Promise<Response> => {
    const checks = env.CHECKS.getByName("checks")
    if (new URL(request.url).pathname === "/idle") {
      await checks.idle()
      return new Response(null, { status: 204 })
    }
    const { body, number } = Schema.decodeUnknownSync(RequestLine)(await request.text())
    const answer = await checks.ask(body)
    return new Response(Schema.encodeSync(AnswerLine)({ number, body: answer }))
  }
}
