/** Strings by key, kept between requests. A preview has a store of its own. */
export interface DataStore {
  get(key: string): Promise<string | null>
  put(key: string, value: string): Promise<void>
  delete(key: string): Promise<void>
}

export interface Env {
  readonly DATA: DataStore
}
