export const knownErrors = {};
