import { setPriority } from "node:os";

// Behind the browsers of the tests beside these: what computes can wait, and pictures and sound that come late are left out.
setPriority(10);
