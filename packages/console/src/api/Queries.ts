/** Asking the API from a screen, and keeping what it answered. */
import {
  type InvalidateOptions,
  type InvalidateQueryFilters,
  MutationCache,
  QueryCache,
  QueryClient,
  type QueryKey,
  useInfiniteQuery,
  type UseInfiniteQueryResult,
  type InfiniteData,
  useQuery,
  type UseQueryResult
} from "@tanstack/react-query"
import { type Key, keys } from "./Keys.ts"
import { Refusal } from "./Refusal.ts"
import type { CallOptions } from "./Wire.ts"

/** Answers older than this, in ms, are asked for again when somebody comes back to the page or to the screen. */
const staleMs = 20_000

/** Tries after the first, of what only the way to the server or its restart can have broken. */
const retries = 2

const mayPass = (thrown: unknown): boolean => thrown instanceof Refusal && [0, 502, 503, 504].includes(thrown.status)

/**
 * News that come while a question is asked for the first time do not end it, as they end one that asks again: it may
 * never be answered on a page with many news. So what it answers is shown, and it is asked once more.
 */
class Memory extends QueryClient {
  readonly #twice = new Set<string>()

  override invalidateQueries<TTaggedQueryKey extends QueryKey = QueryKey>(
    filters?: InvalidateQueryFilters<TTaggedQueryKey>,
    options?: InvalidateOptions
  ): Promise<void> {
    for (const query of this.getQueryCache().findAll({ ...filters, type: "active", fetchStatus: "fetching" })) {
      const { promise, queryHash, queryKey, state } = query
      if (state.data !== undefined || this.#twice.has(queryHash)) continue
      this.#twice.add(queryHash)
      const again = () => {
        this.#twice.delete(queryHash)
        void super.invalidateQueries({ queryKey, exact: true, refetchType: "active" })
      }
      // A question that failed is asked again by whoever reads that it did.
      promise?.then(again, () => this.#twice.delete(queryHash))
    }
    return super.invalidateQueries(filters, options)
  }
}

/** The one memory of a page. Who is signed out while it runs is asked to sign in again, and loses nothing. */
export const makeQueryClient = (): QueryClient => {
  const hear = (thrown: unknown): void => {
    if (thrown instanceof Refusal && thrown.status === 401) void client.invalidateQueries({ queryKey: keys.session })
  }
  const client: QueryClient = new Memory({
    queryCache: new QueryCache({
      onError: (thrown, query) => {
        if (query.queryKey[0] !== keys.session[0]) hear(thrown)
      }
    }),
    mutationCache: new MutationCache({ onError: hear }),
    defaultOptions: {
      queries: {
        staleTime: staleMs,
        retry: (failures, thrown) => failures < retries && mayPass(thrown),
        retryDelay: (failures) => 400 * 2 ** failures
      },
      mutations: { retry: false }
    }
  })
  return client
}

/**
 * What a call answers, kept under a key and asked for again when that becomes stale:
 * `useAnswer(keys.project(id), (options) => api.projects.get({ params: { id } }, options))`.
 */
export const useAnswer = <A>(
  key: Key,
  ask: (options: CallOptions) => Promise<A>,
  when: { readonly enabled?: boolean } = {}
): UseQueryResult<A> => useQuery({ queryKey: key, queryFn: ({ signal }) => ask({ signal }), ...when })

/** A page of a list, as every list of the API answers it. */
export interface PageOf<Item> {
  readonly items: ReadonlyArray<Item>
  readonly nextCursor: string | null
}

/**
 * A list of the API, page by page: `data.pages` are those that were asked for, `fetchNextPage` asks for one more. `look`
 * says in how many ms what was answered is asked for again by itself; false for never.
 */
export const usePages = <Item>(
  key: Key,
  ask: (cursor: string | undefined, options: CallOptions) => Promise<PageOf<Item>>,
  {
    keeps,
    look = () => false
  }: {
    /** Until there is an answer, the last one of another name that begins so is shown. */
    readonly keeps?: Key
    readonly look?: (items: ReadonlyArray<Item>) => number | false
  } = {}
): UseInfiniteQueryResult<InfiniteData<PageOf<Item>>> =>
  useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => ask(pageParam, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    refetchInterval: ({ state: { data } }) => look(data?.pages.flatMap(({ items }) => items) ?? []),
    placeholderData: (last, query) =>
      keeps?.every((part, index) => part === query?.queryKey[index]) === true ? last : undefined
  })
