/** An HTTP proxy before a server, which may answer in its place, or change what it answers. */
import { once } from "node:events"
import { createServer, type IncomingHttpHeaders, request } from "node:http"
import { buffer } from "node:stream/consumers"
import type { Address } from "../../adapters-local/test/OwnAddress.ts"

export interface Asked {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export interface Answered {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export interface AnswerProxy {
  readonly endpoint: string
  readonly close: () => Promise<void>
}

/** `answer` gets a request, and what sends it on as it is; its signature names the proxy's host. */
export const start = async (
  server: Address,
  answer: (asked: Asked, send: () => Promise<Answered>) => Promise<Answered>
): Promise<AnswerProxy> => {
  const sendOn = ({ body, headers, method, url }: Asked): Promise<Answered> =>
    new Promise((resolve, reject) => {
      const { host, port } = server
      const sent = request({ host, port, method, path: url, headers, agent: false }, (response) => {
        const { headers: own, statusCode = 0 } = response
        buffer(response).then((read) => resolve({ status: statusCode, headers: own, body: read }), reject)
      })
      sent.on("error", reject).end(body)
    })
  const proxy = createServer((incoming, response) => {
    const respond = async () => {
      const { headers, method = "", url = "" } = incoming
      const asked = { method, url, headers, body: await buffer(incoming) }
      const { body, headers: own, status } = await answer(asked, () => sendOn(asked))
      const { connection: _, ["transfer-encoding"]: __, ...kept } = own
      response.writeHead(status, method === "HEAD" ? kept : { ...kept, "content-length": body.length })
      response.end(method === "HEAD" ? undefined : body)
    }
    respond().catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined))
  })
  proxy.listen(0, "127.0.0.1")
  await once(proxy, "listening")
  const address = proxy.address()
  if (address === null || typeof address === "string") throw new Error("the proxy has no port")
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    close: async () => {
      proxy.closeAllConnections()
      proxy.close()
      await once(proxy, "close")
    }
  }
}

/** What a server says of a request that it does not know. */
export const notImplemented: Answered = {
  status: 501,
  headers: { "content-type": "application/xml" },
  body: Buffer.from(
    `<?xml version="1.0" encoding="UTF-8"?><Error><Code>NotImplemented</Code><Message>no</Message></Error>`
  )
}
