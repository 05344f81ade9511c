/** A package as a test writes it, for the registry of this machine. */
export interface Published {
  readonly name: string
  readonly version: string
  readonly files?: Readonly<Record<string, string>>
  readonly manifest?: Readonly<Record<string, unknown>>
  /** What is sent is another archive than that whose integrity is told. */
  readonly isTampered?: boolean
  /** Where the registry leads who asks for its archive; `/moved` there is the archive itself. */
  readonly movedTo?: string
}

/** A registry that runs on this machine. */
export interface Registry {
  readonly number: number
  readonly url: string
  /** By `name@version`. */
  readonly integrity: Readonly<Record<string, string>>
}

/** What the builder of this machine made of a source with packages. */
export interface NativeBuild {
  /** Of the layer. */
  readonly id: string
  /** By `resultText`. */
  readonly text: string
}
