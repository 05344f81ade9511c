/** What an app keeps on a server of its own, which is killed in between. */
import { keeps } from "../kit/KeptData.ts"
import { startServer, temporaryFolder } from "../kit/ServerProcess.ts"

keeps("a machine", async () => {
  const folder = temporaryFolder()
  let server = await startServer({ data: folder.path })
  return {
    api: () => server.api,
    killAndRestart: async () => {
      await server.stop("SIGKILL")
      server = await startServer({ data: folder.path })
    },
    stop: async () => {
      await server.stop()
      folder.remove()
    }
  }
})
