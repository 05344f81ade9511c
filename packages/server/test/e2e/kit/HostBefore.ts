/** A router that lies: a host in front of an app's own, which hands on what that answers, as somebody has changed it. */
import { createServer, request, type Server } from "node:http"

/** Starts one on a port of its own. */
export const hostBefore = async (
  port: number,
  slug: string,
  alter: (path: string, body: Buffer) => Buffer | string
): Promise<{ readonly url: string; readonly named: string; readonly close: () => Promise<unknown> }> => {
  const host: Server = createServer((asked, answer) => {
    const headers = { host: `${slug}.apps.localhost:${port}` }
    request({ host: "127.0.0.1", port, path: asked.url, headers }, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("end", () => {
        answer.writeHead(response.statusCode ?? 500)
        answer.end(alter(asked.url ?? "", Buffer.concat(chunks)))
      })
    }).end()
  })
  await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve))
  const address = host.address()
  const own = typeof address === "object" && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${own}`,
    named: `http://${slug}.apps.localhost:${own}`,
    close: () => new Promise((resolve) => host.close(resolve))
  }
}
