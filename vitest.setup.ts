import fc from "fast-check";

// Without this fast-check makes arrays and texts of about ten elements, however long they are said to be.
fc.configureGlobal({ defaultSizeToMaxWhenMaxSpecified: true });
