export const first = <T,>(all: ReadonlyArray<T>): T | undefined => all.at(0) satisfies T | undefined
