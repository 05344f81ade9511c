/**
 * The part of GitHub's REST API that the mirror uses, over real HTTP, as GitHub's documents describe it. It knows one
 * repository, refuses what GitHub says it refuses, and can be told to be away or to limit who asks.
 */
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"

interface Status {
  readonly context: string
  readonly state: string
  readonly description: string
  readonly target_url: string
}

interface DeploymentStatus {
  readonly state: string
  readonly description: string
  readonly environment_url: string
  readonly log_url: string
}

interface Deployment {
  readonly id: number
  readonly sha: string
  readonly ref: string
  readonly environment: string
  readonly payload: unknown
  readonly statuses: Array<DeploymentStatus>
}

interface Answer {
  readonly status: number
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

const states = {
  commit: ["error", "failure", "pending", "success"],
  deployment: ["error", "failure", "inactive", "in_progress", "queued", "pending", "success"]
}

const sent = async (request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> => {
  let text = ""
  for await (const piece of request.setEncoding("utf8")) text += piece
  return text === "" ? {} : JSON.parse(text)
}

export const openGitHub = async (token: string, repository: string) => {
  /** Tree by commit. */
  const commits = new Map<string, string>()
  /** Head by number. */
  const pulls = new Map<number, string>()
  const statuses = new Map<string, Array<Status>>()
  const deployments: Array<Deployment> = []
  let trouble: Answer | null = null
  let beforeDeploy: (() => void) | null = null
  let writes = 0

  const shaOf = (ref: string): string | undefined => {
    const pull = /^refs\/pull\/(\d+)\/head$/.exec(ref)
    return pull === null ? (commits.has(ref) ? ref : undefined) : pulls.get(Number(pull[1]))
  }

  const setStatus = (sha: string, body: Readonly<Record<string, unknown>>): Answer => {
    const isFine = states.commit.includes(String(body["state"])) && String(body["description"]).length <= 140
    if (!commits.has(sha) || !isFine) return { status: 422 }
    const { context, description, state, target_url } = body as unknown as Status
    statuses.set(sha, [{ context, description, state, target_url }, ...(statuses.get(sha) ?? [])])
    return { status: 201, body }
  }

  const deploy = (body: Readonly<Record<string, unknown>>): Answer => {
    beforeDeploy?.()
    beforeDeploy = null
    const sha = shaOf(String(body["ref"]))
    if (sha === undefined) return { status: 422, body: { message: "No ref found" } }
    // Unless it is told not to, GitHub wants every status of the commit to be a success.
    const contexts = body["required_contexts"]
    const isPending = (statuses.get(sha) ?? []).some(({ state }) => state !== "success")
    if (body["auto_merge"] !== false || (contexts === undefined && isPending)) return { status: 409 }
    const { environment, payload, ref } = body as unknown as Deployment
    const made = { id: deployments.length + 1, sha, ref, environment, payload, statuses: [] }
    deployments.unshift(made)
    return { status: 201, body: made }
  }

  const setState = (id: number, body: Readonly<Record<string, unknown>>): Answer => {
    const deployment = deployments.find((each) => each.id === id)
    if (deployment === undefined) return { status: 404 }
    const { description, environment_url, log_url, state } = body as unknown as DeploymentStatus
    if (!states.deployment.includes(state) || description.length > 140) return { status: 422 }
    deployment.statuses.unshift({ description, environment_url, log_url, state })
    return { status: 201, body }
  }

  const read = (path: string, query: URLSearchParams): Answer => {
    const most = Number(query.get("per_page") ?? "30")
    const pull = /^\/pulls\/(\d+)$/.exec(path)
    if (pull !== null) {
      const sha = pulls.get(Number(pull[1]))
      return sha === undefined ? { status: 404 } : { status: 200, body: { head: { sha } } }
    }
    const commit = /^\/git\/commits\/(\w+)$/.exec(path)
    if (commit !== null) {
      const tree = commits.get(commit[1]!)
      return tree === undefined ? { status: 404 } : { status: 200, body: { sha: commit[1], tree: { sha: tree } } }
    }
    const combined = /^\/commits\/(\w+)\/status$/.exec(path)
    if (combined !== null) return { status: 200, body: { statuses: newest(combined[1]!) } }
    const one = /^\/deployments\/(\d+)\/statuses$/.exec(path)
    if (one !== null) {
      const found = deployments.find(({ id }) => id === Number(one[1]))
      return found === undefined ? { status: 404 } : { status: 200, body: found.statuses.slice(0, most) }
    }
    const listed = deployments.filter(({ environment }) => environment === query.get("environment"))
    return path === "/deployments" ? { status: 200, body: listed.slice(0, most) } : { status: 404 }
  }

  const write = (path: string, body: Readonly<Record<string, unknown>>): Answer => {
    writes++
    const status = /^\/statuses\/(\w+)$/.exec(path)
    if (status !== null) return setStatus(status[1]!, body)
    const state = /^\/deployments\/(\d+)\/statuses$/.exec(path)
    if (state !== null) return setState(Number(state[1]), body)
    return path === "/deployments" ? deploy(body) : { status: 404 }
  }

  /** Of each context the newest. */
  const newest = (sha: string): ReadonlyArray<Status> => {
    const all = statuses.get(sha) ?? []
    return all.filter((each, index) => all.findIndex(({ context }) => context === each.context) === index)
  }

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://github.test")
    const path = url.pathname.replace(`/repos/${repository}`, "")
    const answered = async (): Promise<Answer> => {
      const body = await sent(request)
      if (request.headers.authorization !== `Bearer ${token}`) return { status: 401 }
      if (trouble !== null) return trouble
      if (path === url.pathname) return { status: 404 }
      return request.method === "GET" ? read(path, url.searchParams) : write(path, body)
    }
    void answered().then(({ body = {}, headers = {}, status }) =>
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body))
    )
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** A pull request whose head is a commit with this tree. */
    push: (pull: number, sha: string, tree: string) => {
      commits.set(sha, tree)
      pulls.set(pull, sha)
    },
    newest,
    /** Of one context, the newest first. */
    states: (sha: string, context: string) =>
      (statuses.get(sha) ?? []).filter((each) => each.context === context).map(({ state }) => state),
    deployments: deployments as ReadonlyArray<Deployment>,
    writes: () => writes,
    /** What every request is answered from now on; null for as it should be. */
    answerWith: (answer: Answer | null) => {
      trouble = answer
    },
    /** Does something once, between what was read of a ref and the deployment of it. */
    beforeNextDeployment: (act: () => void) => {
      beforeDeploy = act
    },
    close: () => new Promise((resolve) => (server.close(resolve), server.closeAllConnections()))
  }
}
