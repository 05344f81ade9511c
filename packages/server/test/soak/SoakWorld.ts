/** What is true of each app at a moment, as the clients of a soak know it, and what they found wrong. */
import { answers, type Path } from "./SoakApp.ts"

export interface SoakedApp {
  readonly slug: string
  readonly projectId: string
  url: string
  generation: number
  /** Editions that its host may show now: one, and while a release is under way the next as well. */
  editions: ReadonlyArray<number>
  /** Grows with every removal and deploy; in between nothing is promised of the host. */
  epoch: number
  steady: boolean
}

export interface Counts {
  requests: number
  releases: number
  previews: number
  removals: number
  attacks: number
}

/** What a page says, without its markup. */
const shown = (text: string): string =>
  text
    .replace(/<style>.*?<\/style>/gs, "")
    .replace(/<[^>]*>|\s+/g, " ")
    .slice(0, 300)

export class SoakWorld {
  readonly apps: Array<SoakedApp> = []
  readonly failures: Array<string> = []
  readonly counts: Counts = { requests: 0, releases: 0, previews: 0, removals: 0, attacks: 0 }
  over = false

  fail(what: string): void {
    if (this.failures.length < 20) this.failures.push(what)
  }

  /** Judges an answer that was asked for when the app was as `before`. */
  judge(app: SoakedApp, before: Pick<SoakedApp, "editions" | "epoch">, path: Path, answer: Answer): void {
    this.counts.requests += 1
    if (app.epoch !== before.epoch || !app.steady) return
    const allowed = [...new Set([...before.editions, ...app.editions])]
    if (answer.status === 200 && allowed.some((edition) => answers(app.slug, edition)[path] === answer.text)) return
    this.fail(
      `${app.slug}${path}: ${answer.status} ${JSON.stringify(shown(answer.text))}, not edition ${allowed.join(" or ")}`
    )
  }
}

export interface Answer {
  readonly status: number
  readonly text: string
}
