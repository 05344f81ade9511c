/** The paths of a running server, with every part of Pawl in real workerd: objects, bucket, loader, containers. */
import { mainPaths } from "../e2e/kit/MainPaths.ts"
import { removals } from "../e2e/kit/Removals.ts"
import { install } from "./kit/Installed.ts"

const start = async () => {
  const { api, close, origin, owner } = await install()
  return { api, origin: origin.replace("localhost", "127.0.0.1"), token: owner, stop: close }
}

mainPaths("workerd", start)
removals("workerd", start)
