/** Maximum page size of the lists of the payment processor's objects. */
export const CONNECTION_PAGE_MAX = 200;
