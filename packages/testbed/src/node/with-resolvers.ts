/** Browsers have it, and Node 20 has not: programs and tests in Node that run what is made for browsers import this. */
Promise.withResolvers ??= <T>() => {
  const made: Partial<PromiseWithResolvers<T>> = {};
  const promise = new Promise<T>((resolve, reject) => Object.assign(made, { resolve, reject }));
  return { ...made, promise } as PromiseWithResolvers<T>;
};
