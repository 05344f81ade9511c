export const first = <T,>(all: ReadonlyArray<T>): T | undefined => all[0]
