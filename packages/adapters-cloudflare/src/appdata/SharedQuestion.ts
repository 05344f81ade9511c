/** A question of many at once: an answer counts for all who came before it was asked for, and for nobody who came later. */
export class SharedQuestion<A> {
  private current: Promise<A> | null = null
  private next: Promise<A> | null = null

  /** Asks, or shares the answer of one who asks next. At most two are on their way, however many ask. */
  async ask(question: () => Promise<A>): Promise<A> {
    if (this.current === null) return this.begin(question)
    // What is on its way may have been answered before this one came.
    const before = this.current
    this.next ??= before.then(
      () => this.follow(question),
      () => this.follow(question)
    )
    try {
      return await this.next
    } catch {
      // Whose question it was may have left.
      return question()
    }
  }

  private follow(question: () => Promise<A>): Promise<A> {
    this.next = null
    return this.begin(question)
  }

  private begin(question: () => Promise<A>): Promise<A> {
    const asked = Promise.resolve().then(question)
    const over = (): void => {
      if (this.current === asked) this.current = null
    }
    asked.then(over, over)
    this.current = asked
    return asked
  }
}
