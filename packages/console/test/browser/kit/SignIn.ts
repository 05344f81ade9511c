/** Where a browser signs in to a server that a test started. */
import type { ServerProcess } from "../../../../server/test/e2e/kit/ServerProcess.ts"

/** Browsers keep the cookie over plain http at `localhost` alone. */
export const originOf = ({ port }: Pick<ServerProcess, "port">): string => `http://localhost:${port}`

/** The link that the server printed, which signs its owner in once, leading to a path of the console. */
export const linkOf = ({ output }: Pick<ServerProcess, "output">, path = "/"): string => {
  const [, origin, code] =
    /^sign in (http:\/\/localhost:\d+)\/#login=(\S+) \(once, within 10 minutes\)$/m.exec(output.join("\n")) ?? []
  if (code === undefined) throw new Error(`the server printed no link:\n${output.join("\n")}`)
  return `${origin}${path}#login=${code}`
}
