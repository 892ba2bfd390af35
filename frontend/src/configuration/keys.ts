/** The key of a stored configuration document among the queries. */
export const keyOf = (place: string) => ["configurations", place];
