/** How long a process has been waiting for its visitor in one request: for more of a body, or for room in the answer. */
export class VisitorWait {
  private totalMs = 0
  private sinceMs: number | null = null

  begin(): void {
    this.sinceMs ??= performance.now()
  }

  end(): void {
    if (this.sinceMs === null) return
    this.totalMs += performance.now() - this.sinceMs
    this.sinceMs = null
  }

  get ms(): number {
    return this.sinceMs === null ? this.totalMs : this.totalMs + performance.now() - this.sinceMs
  }
}
